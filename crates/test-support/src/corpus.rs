//! The corpora of the fuzz targets.

use crate::mutations;
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// The bound on the time of one file of a corpus, which takes milliseconds.
const BOUND: Duration = Duration::from_secs(10);

/// Runs the check of a fuzz target on each file of its corpus and on mutations of it. The check
/// returns whether the file was read.
///
/// # Panics
/// The check panics or takes longer than ten seconds, or no file is read or none refused.
pub fn run_corpus(target: &str, check: impl Fn(&[u8]) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let (mut read, mut refused) = (0, 0);
    for (file, seed) in files.iter().zip(1..) {
        for bytes in mutations(&fs::read(file).unwrap(), seed) {
            let begin = Instant::now();
            let is_read = check(&bytes);
            if begin.elapsed() > BOUND {
                let kept = std::env::temp_dir().join(format!("{target}-slow"));
                fs::write(&kept, &bytes).unwrap();
                panic!("{:?} for {}, see {}", begin.elapsed(), file.display(), kept.display());
            }
            read += usize::from(is_read);
            refused += usize::from(!is_read);
        }
    }
    assert!(read > 0 && refused > 0, "{target}: {read} files read, {refused} refused");
    eprintln!("{target}: {read} files read, {refused} refused");
}
