//! Any bytes as a WAV file: what is read is finite and not longer than the file.
#![no_main]

use hloom_models::whisper::Audio;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    match Audio::read(bytes, Path::new("x.wav")) {
        Ok(audio) => {
            assert!(!audio.samples().is_empty() && audio.samples().len() <= bytes.len());
            assert!(audio.samples().iter().all(|sample| sample.is_finite()));
        }
        Err(error) => assert!(error.to_string().contains("x.wav")),
    }
});
