//! Any bytes as the log of a run; the first byte selects the format.
#![no_main]

use hloom_train::{Format, LogTable};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((format, text)) = bytes.split_first() else { return };
    let format = if format % 2 == b'c' % 2 { Format::Csv } else { Format::JsonLines };
    let path = hloom_fuzz::file("log", text);
    if let Ok(table) = LogTable::read(&path, format) {
        for column in table.columns() {
            assert!(table.column(column).len() <= text.len());
        }
    }
});
