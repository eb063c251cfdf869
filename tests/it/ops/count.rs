//! The number of cases, which the other tests compare with JAX, NumPy, SciPy and mpmath.

use crate::reference::load;
use std::path::Path;

/// The least number of cases, and the most bytes of their files.
const LEAST: usize = 2_500;
const MOST_BYTES: u64 = 15 << 20;

#[test]
fn there_are_enough_cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data");
    let (mut cases, mut bytes) = (0, 0);
    for file in std::fs::read_dir(folder).expect("the folder is there") {
        let file = file.expect("a file");
        let name = file.file_name().into_string().expect("a name");
        let family = name.strip_suffix(".safetensors").expect("a file of cases");
        bytes += file.metadata().expect("its size").len();
        // Programs, and the arguments of the sweep, are not cases of ops.
        if !["exported", "sweep"].contains(&family) {
            cases += load(family).len();
        }
    }
    println!("{cases} cases of ops in {bytes} bytes");
    assert!(cases >= LEAST, "{cases} cases");
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}
