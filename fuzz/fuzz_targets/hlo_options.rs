//! Any bytes as compile options: what is read is written and read again as the same.
#![no_main]

use hloom_pjrt::CompileOptions;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match CompileOptions::decode(bytes) {
        Ok(options) => match options.encode() {
            Ok(bytes) => {
                let again = CompileOptions::decode(&bytes).expect("what is written can be read");
                // The bytes are compared: a NaN is unequal to itself.
                assert_eq!(again.encode().expect("what was written once"), bytes);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        },
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
