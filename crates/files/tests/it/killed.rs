//! Writers that were killed, and those next to them that were not.

use hloom_files::AtomicFile;
use hloom_test_support::Child;
use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

const FOLDER: &str = "HLOOM_TEST_FOLDER";

fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = files.filter(|file| file.file_name().to_string_lossy().starts_with(".hloom-"));
    files.map(|file| file.path()).collect()
}

#[test]
#[ignore = "run by the tests below"]
fn child_writes_without_end() {
    let folder = PathBuf::from(env::var_os(FOLDER).expect("the parent set it"));
    let mut file = AtomicFile::create(folder.join("model")).unwrap();
    loop {
        file.write_all(&[7; 1 << 12]).unwrap();
        thread::sleep(Duration::from_millis(5));
    }
}

fn kill_a_writer(folder: &Path) {
    let child = Child::ignored("killed::child_writes_without_end").env(FOLDER, folder);
    let ended = child.limit(Duration::from_millis(700)).run();
    assert!(ended.status.is_none(), "it was killed: {}", ended.stderr);
}

#[test]
fn the_next_writer_removes_what_a_killed_one_left() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("model"), "previous").unwrap();
    fs::write(folder.join(".hloom-notes"), "of the user").unwrap();
    kill_a_writer(folder);
    assert_eq!(unfinished(folder).len(), 2, "the child left its file");
    assert_eq!(fs::read(folder.join("model")).unwrap(), b"previous");
    // Whatever its own name is.
    hloom_files::write(folder.join("other"), "new").unwrap();
    assert_eq!(unfinished(folder), [folder.join(".hloom-notes")]);
    assert_eq!(fs::read(folder.join("other")).unwrap(), b"new");
}

#[test]
fn a_writer_that_lives_keeps_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let mut slow = AtomicFile::create(&path).unwrap();
    slow.write_all(b"slow").unwrap();
    kill_a_writer(folder.path());
    assert_eq!(unfinished(folder.path()).len(), 2);
    hloom_files::write(&path, "fast").unwrap();
    assert_eq!(unfinished(folder.path()).len(), 1, "only the file of the killed one went");
    slow.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"slow");
    assert!(unfinished(folder.path()).is_empty());
}

#[test]
fn writers_at_the_same_time_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for writer in 0..8u8 {
            let path = folder.path().join(format!("file{}", writer % 3));
            scope.spawn(move || {
                for _ in 0..50 {
                    let mut file = AtomicFile::create_in_cache(&path).unwrap();
                    file.write_all(&[writer; 5000]).unwrap();
                    file.commit().unwrap();
                    let read = fs::read(&path).unwrap();
                    assert!(read.len() == 5000 && read.iter().all(|byte| *byte == read[0]));
                }
            });
        }
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}
