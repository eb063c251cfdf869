//! Any bytes as the index of a sharded checkpoint.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|file: &[u8]| {
    match hloom_io::index::parse(file) {
        Ok(shards) => {
            for shard in shards.values() {
                assert_eq!(Path::new("folder").join(shard).parent(), Some(Path::new("folder")));
            }
        }
        Err(message) => assert!(!message.is_empty()),
    }
});
