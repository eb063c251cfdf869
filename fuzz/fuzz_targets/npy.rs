//! Any bytes as a `.npy` file, whose shape is read or refused.
#![no_main]

use hloom_io::npy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = hloom_fuzz::file("x.npy", bytes);
    match npy::shape(&path) {
        Ok(shape) => assert!(shape.byte_size() <= bytes.len()),
        Err(error) => assert!(error.to_string().contains("x.npy")),
    }
});
