//! Any bytes as a program of another system: text, bytecode or a file of `jax.export`.
#![no_main]

use hloom_runtime::StableHlo;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match StableHlo::from_bytes(bytes) {
        Ok(program) => assert!(program.device_count() > 0),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
