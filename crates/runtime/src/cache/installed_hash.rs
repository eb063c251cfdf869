//! The hash of a plugin's file that its installer wrote next to it.

use super::folder::Folder;
use std::{ffi::OsString, path::Path, time::SystemTime};

/// The end of the name of the file with the hash.
const END: &str = ".sha256";

/// The hash in `<library>.sha256`: there, after the hash, are the size of the library in bytes and
/// the time of its last change in nanoseconds since 1970. `None` if there is no such file, if it is
/// of another size or time, or if others could have written it or the library.
pub(super) fn installed_hash(library: &Path) -> Option<String> {
    let folder = Folder::open(library.parent()?).ok()?;
    let name = library.file_name()?;
    let mut hash_name = OsString::from(name);
    hash_name.push(END);
    let text = String::from_utf8(folder.read(&folder.path().join(hash_name)).ok()?).ok()?;
    let library = folder.open_file(&folder.path().join(name)).ok()?.metadata().ok()?;
    let since = library.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let (hash, identity) = text.trim_end().split_once(' ')?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let is_same = identity == format!("{} {}", library.len(), since.as_nanos());
    (is_hash && is_same).then(|| hash.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{
        fs::{self, File, Permissions},
        os::unix::fs::{PermissionsExt, symlink},
        path::PathBuf,
        time::Duration,
    };

    const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    /// A library with a hash next to it.
    fn installed() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libpjrt_demo.so");
        fs::write(&library, "library").unwrap();
        let hash = folder.path().join("libpjrt_demo.so.sha256");
        let modified = library.metadata().unwrap().modified().unwrap();
        let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
        fs::write(&hash, format!("{HASH} 7 {since}\n")).unwrap();
        (folder, library, hash)
    }

    #[test]
    fn the_hash_of_a_library_is_read_until_somebody_writes_to_it() {
        let (_folder, library, _) = installed();
        assert_eq!(installed_hash(&library).as_deref(), Some(HASH));
        let modified = library.metadata().unwrap().modified().unwrap();
        let at = |time| File::options().write(true).open(&library).unwrap().set_modified(time);
        at(modified + Duration::from_nanos(1)).unwrap();
        assert_eq!(installed_hash(&library), None, "another time");
        at(modified).unwrap();
        assert_eq!(installed_hash(&library).as_deref(), Some(HASH));
        fs::write(&library, "another one").unwrap();
        at(modified).unwrap();
        assert_eq!(installed_hash(&library), None, "another size");
    }

    #[test]
    fn anything_else_is_not_a_hash() {
        let (_folder, library, hash) = installed();
        let sound = fs::read_to_string(&hash).unwrap();
        for text in [
            String::new(),
            HASH.into(),
            format!("{HASH} 7"),
            sound.replace('0', "O"),
            sound.replace("abcdef", "ABCDEF"),
            sound[1..].into(),
            sound.replace(" 7 ", " 8 "),
            sound.trim_end().to_owned() + "0",
        ] {
            fs::write(&hash, &text).unwrap();
            assert_eq!(installed_hash(&library), None, "{text}");
        }
        fs::write(&hash, [0xff; 80]).unwrap();
        assert_eq!(installed_hash(&library), None);
        fs::remove_file(&hash).unwrap();
        assert_eq!(installed_hash(&library), None);
    }

    #[test]
    fn files_that_others_can_write_are_not_trusted() {
        let (folder, library, hash) = installed();
        for path in [&hash, &library, &folder.path().to_owned()] {
            let mode = path.metadata().unwrap().permissions();
            fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
            assert_eq!(installed_hash(&library), None, "{}", path.display());
            fs::set_permissions(path, mode).unwrap();
            assert_eq!(installed_hash(&library).as_deref(), Some(HASH));
        }
        let elsewhere = folder.path().join("elsewhere");
        for path in [&hash, &library] {
            fs::rename(path, &elsewhere).unwrap();
            symlink(&elsewhere, path).unwrap();
            assert_eq!(installed_hash(&library), None, "{} is a link", path.display());
            fs::rename(&elsewhere, path).unwrap();
            assert_eq!(installed_hash(&library).as_deref(), Some(HASH));
        }
    }
}
