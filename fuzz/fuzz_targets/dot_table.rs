//! Any text as the table of measured dot products that a cache keeps: what is read is written as
//! the same.
#![no_main]

use hloom_runtime::DotTable;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match text.parse::<DotTable>() {
        Ok(table) => {
            let written = table.to_string();
            let again: DotTable = written.parse().expect("what it writes, it reads");
            assert_eq!(again.to_string(), written);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
