//! Any bytes as a saved program, after correcting its hash, as an attacker could.
#![no_main]

use hloom_runtime::SavedProgram;
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

/// The mark, the format, the length of the header and the hash.
const FIXED: usize = 48;

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= FIXED {
        let sum = Sha256::digest(&bytes[FIXED..]);
        bytes[16..FIXED].copy_from_slice(&sum);
    }
    match SavedProgram::from_bytes(&bytes) {
        Ok(program) => assert!(
            program.signature().is_none_or(|signature| signature.inputs.len() <= bytes.len())
        ),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
