//! Any bytes as the description of a function that `torch_xla` exported: no weight lies outside of
//! its folder.
#![no_main]

use hloom_io::StableHloFolder;
use libfuzzer_sys::fuzz_target;
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    hloom_fuzz::file("functions/forward.mlir", b"func.func public @main() {}");
    let path = hloom_fuzz::file("functions/forward.meta", bytes);
    let folder = path.parent().and_then(Path::parent).expect("it has two folders");
    if let Ok(read) = StableHloFolder::read(folder) {
        for (_, file) in read.weights() {
            assert_eq!(file.parent().and_then(Path::parent), Some(folder));
        }
    }
});
