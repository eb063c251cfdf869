//! Any bytes as a `.npz` archive, whose shapes are read or refused.
#![no_main]

use hloom_io::npy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = hloom_fuzz::file("x.npz", bytes);
    if let Err(error) = npy::shapes(&path) {
        assert!(error.to_string().contains("x.npz"));
    }
});
