use super::doubled;
use hloom_graph::Spec;
use hloom_runtime::CompilationCache;
use hloom_test_support::{Child, cpus};
use std::{env, fs, time::Duration};

/// The programs that processes write over and over.
const SIZES: std::ops::Range<usize> = 1..9;

#[test]
fn processes_that_are_killed_leave_no_bad_entry() {
    let folder = tempfile::tempdir().unwrap();
    let mut interrupted = 0;
    for round in 0..25 {
        // Two at once, which write until they are killed.
        std::thread::scope(|scope| {
            for other in 0..2 {
                // From before the first program to long after the last one.
                let limit = Duration::from_millis(100 + (round * 2 + other) * 397 % 800);
                let child = Child::ignored("saving::kill::child_writes").limit(limit);
                let child = child.env("HLOOM_TEST_FOLDER", folder.path());
                scope.spawn(|| child.run());
            }
        });
        // Notes about the plugin are written once.
        let left = || {
            let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
            files.filter(|path| path.extension().is_none_or(|end| end != "note"))
        };
        interrupted += usize::from(left().next().is_some());
        let platform = cpus(1);
        let cache = CompilationCache::at(folder.path());
        platform.set_cache(cache.clone());
        for size in SIZES {
            platform.compile(doubled, (Spec::f32([("n", size)]),)).unwrap();
        }
        assert_eq!(cache.stats().failures, 0);
        cache.clear().unwrap();
        left().for_each(|path| fs::remove_file(path).unwrap());
    }
    println!("{interrupted} rounds left entries or unfinished files");
    assert!(interrupted > 12, "only {interrupted} rounds left entries or unfinished files");
}

#[test]
#[ignore = "run by the test above"]
fn child_writes() {
    let folder = env::var_os("HLOOM_TEST_FOLDER").expect("the parent set it");
    let platform = cpus(1);
    loop {
        let cache = CompilationCache::at(&folder);
        platform.set_cache(cache.clone());
        for size in SIZES {
            platform.compile(doubled, (Spec::f32([("n", size)]),)).unwrap();
        }
        cache.clear().ok();
    }
}
