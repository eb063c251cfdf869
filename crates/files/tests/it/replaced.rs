//! Files, links, pipes and devices that are written to.

use hloom_files::AtomicFile;
use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    os::unix::fs::{PermissionsExt, symlink},
};

#[test]
fn a_file_that_is_not_committed_leaves_the_previous_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "previous").unwrap();
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"previous");
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), b"previous");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let mut file = AtomicFile::create(&path).unwrap();
    file.write_all(b"....").unwrap();
    file.seek(SeekFrom::Start(1)).unwrap();
    file.write_all(b"new").unwrap();
    file.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b".new");
}

#[test]
fn permissions_of_the_previous_file_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
    fs::write(&path, "private").unwrap();
    for (given, kept) in [(0o600, 0o600), (0o755, 0o755), (0o4755, 0o755)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(given)).unwrap();
        hloom_files::write(&path, "new").unwrap();
        assert_eq!(mode(), kept);
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    AtomicFile::create_in_cache(&path).unwrap().commit().unwrap();
    assert_eq!(mode(), 0o600);
}

#[test]
fn links_stay_and_devices_are_written_into() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "old").unwrap();
    for (link, target) in [("link", "file"), ("dangling", "new")] {
        symlink(at(target), at(link)).unwrap();
        hloom_files::write(at(link), "text").unwrap();
        assert!(at(link).symlink_metadata().unwrap().is_symlink(), "{link}");
        assert_eq!(fs::read(at(target)).unwrap(), b"text", "{link}");
    }
    symlink("/dev/full", at("full")).unwrap();
    let error = hloom_files::write(at("full"), "text").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    hloom_files::write("/dev/null", "text").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let error = hloom_files::write(at("none").join("a"), "text").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn a_part_is_published_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let (part, path) = (folder.path().join("a.part"), folder.path().join("a"));
    fs::write(&part, "all").unwrap();
    hloom_files::publish(&part, &path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"all");
    assert!(!part.exists());
    assert!(hloom_files::publish(&part, &path).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"all");
}
