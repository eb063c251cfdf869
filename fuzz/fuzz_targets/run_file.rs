//! Any bytes as the file of a run: it is opened and verified, or refused.
#![no_main]

use hloom_io::{Access, Checkpoint};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let path = hloom_fuzz::file("run.safetensors", bytes);
    let verified = Checkpoint::open_with(&path, Access::Read).and_then(|file| {
        let has_sum = file.verify()?;
        for name in file.names() {
            assert!(file.get(name).is_some());
        }
        Ok(has_sum)
    });
    if let Err(error) = verified {
        assert!(error.to_string().contains("run.safetensors"));
    }
});
