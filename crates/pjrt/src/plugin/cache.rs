//! Checks of Hloom's cache of plugins: only finished installations that no other user can write to
//! are used.
//!
//! Loading a library runs its code, so a folder in the cache is not trusted as such: its marker
//! must name a library of the size that was installed, and everything on the way to the library
//! must belong to the user (or to root) alone.

use crate::PluginProblem;
use std::{
    env,
    ffi::OsString,
    fs::{File, Metadata},
    io::Read,
    path::{Component, Path, PathBuf},
};

/// Name of the file that completes an installation.
const MARKER: &str = "installed.json";

/// Bytes of a marker that are read; one that lists a hundred packages takes a tenth of it.
const MAX_MARKER: u64 = 1 << 18;

/// Hloom's folder among this user's caches: `$XDG_CACHE_HOME/hloom`, or `~/.cache/hloom`.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|v: &OsString| !v.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").filter(|p| p.is_absolute());
    let base = base.or_else(|| set("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("hloom"))
}

/// The cache of plugins.
pub(crate) fn folder() -> Option<PathBuf> {
    Some(cache_folder()?.join("plugins"))
}

/// Whether a file or folder belongs to the user of this process, or to root.
#[cfg(unix)]
pub fn belongs_to_user(metadata: &Metadata) -> bool {
    let owner = std::os::unix::fs::MetadataExt::uid(metadata);
    owner == 0 || owner == user()
}

#[cfg(unix)]
fn user() -> u32 {
    // SAFETY: takes nothing, and never fails.
    unsafe { libc::geteuid() }
}

/// The library of the installation in `folder`; `None` unless a marker names one that exists with
/// all its bytes.
pub(crate) fn installed_library(folder: &Path) -> Option<PathBuf> {
    let mut text = Vec::new();
    let marker = open_marker(&folder.join(MARKER))?;
    marker.take(MAX_MARKER).read_to_end(&mut text).ok()?;
    let marker: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let library = Path::new(marker.get("library")?.as_str()?);
    let inside = library.components().all(|part| matches!(part, Component::Normal(_)));
    let path = folder.join(library);
    let data = path.metadata().ok()?;
    let whole = data.is_file() && Some(data.len()) == marker.get("library_bytes")?.as_u64();
    (inside && whole).then_some(path)
}

/// Opens a marker without following a link and without waiting for the other end of a pipe.
fn open_marker(path: &Path) -> Option<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK,
    );
    let file = options.open(path).ok()?;
    file.metadata().ok()?.is_file().then_some(file)
}

/// Refuses `path` when it is in the cache at `root` and another user could have put it there: a
/// folder on the way to it, the root included, or the file itself belongs to another user than this
/// process's and root, or others may write to it.
#[cfg(unix)]
pub(crate) fn check_owner(path: &Path, root: &Path) -> Result<(), PluginProblem> {
    use std::os::unix::fs::MetadataExt;
    let inside = match path.strip_prefix(root) {
        Ok(inside) => inside.to_owned(),
        // By another name: through a link, or relative.
        Err(_) => match (path.canonicalize(), root.canonicalize()) {
            (Ok(path), Ok(root)) => match path.strip_prefix(root) {
                Ok(inside) => inside.to_owned(),
                Err(_) => return Ok(()),
            },
            _ => return Ok(()),
        },
    };
    let mut place = root.to_owned();
    let mut parts = inside.components();
    loop {
        let data = place.metadata().map_err(|e| PluginProblem::Unreadable(e.to_string()))?;
        let mode = data.mode() & 0o7777;
        if !belongs_to_user(&data) || mode & 0o022 != 0 {
            let (owner, user) = (data.uid(), user());
            return Err(PluginProblem::Untrusted { path: place, owner, mode, user });
        }
        match parts.next() {
            Some(part) => place.push(part),
            None => return Ok(()),
        }
    }
}

/// Where files have no owner and mode, the system keeps users' folders apart.
#[cfg(not(unix))]
pub(crate) fn check_owner(_: &Path, _: &Path) -> Result<(), PluginProblem> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt};

    /// A cache with one installation; its folder and its library.
    fn cache() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("demo-1.0");
        let library = folder.join("demo/demo.so");
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        fs::write(&library, "library").unwrap();
        mark(&folder, r#"{"library": "demo/demo.so", "library_bytes": 7}"#);
        for folder in [root.path(), &folder, &folder.join("demo")] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::set_permissions(&library, fs::Permissions::from_mode(0o644)).unwrap();
        (root, folder, library)
    }

    fn mark(folder: &Path, text: &str) {
        let _ = fs::remove_file(folder.join(MARKER));
        fs::write(folder.join(MARKER), text).unwrap();
    }

    #[test]
    fn only_a_whole_library_that_a_marker_names_is_installed() {
        let (_root, folder, library) = cache();
        assert_eq!(installed_library(&folder), Some(library.clone()));
        for text in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"library": "demo/demo.so"}"#,
            r#"{"library": "demo/demo.so", "library_bytes": 8}"#,
            r#"{"library": "demo/demo.so", "library_bytes": -7}"#,
            r#"{"library": "demo", "library_bytes": 7}"#,
            r#"{"library": "none.so", "library_bytes": 7}"#,
            r#"{"library": "../demo-1.0/demo/demo.so", "library_bytes": 7}"#,
            r#"{"library": 7, "library_bytes": 7}"#,
        ] {
            mark(&folder, text);
            assert_eq!(installed_library(&folder), None, "{text}");
        }
        mark(&folder, &format!(r#"{{"library": {library:?}, "library_bytes": 7}}"#));
        assert_eq!(installed_library(&folder), None, "an absolute path");
        fs::remove_file(folder.join(MARKER)).unwrap();
        assert_eq!(installed_library(&folder), None, "no marker");
    }

    #[test]
    fn a_pipe_or_a_link_in_place_of_a_marker_is_not_waited_for() {
        let (root, folder, _) = cache();
        fs::rename(folder.join(MARKER), root.path().join("elsewhere.json")).unwrap();
        std::os::unix::fs::symlink(root.path().join("elsewhere.json"), folder.join(MARKER))
            .unwrap();
        assert_eq!(installed_library(&folder), None);
        fs::remove_file(folder.join(MARKER)).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.join(MARKER)).status();
        assert!(made.unwrap().success());
        assert_eq!(installed_library(&folder), None);
    }

    #[test]
    fn what_others_can_write_to_is_refused_with_its_mode_and_the_remedy() {
        let (root, folder, library) = cache();
        check_owner(&library, root.path()).unwrap();
        let demo = folder.join("demo");
        for place in [root.path(), &folder, &demo, &library] {
            let before = fs::metadata(place).unwrap().permissions();
            for mode in [0o775, 0o757, 0o777, 0o1777] {
                fs::set_permissions(place, fs::Permissions::from_mode(mode)).unwrap();
                let message = check_owner(&library, root.path()).unwrap_err().to_string();
                let shown = place.display();
                assert!(message.contains(&format!("{shown} belongs to user ")), "{message}");
                assert!(message.contains(&format!("has mode {mode:04o}")), "{message}");
                assert!(message.contains(&format!("`chmod go-w {shown}`")), "{message}");
            }
            fs::set_permissions(place, before).unwrap();
        }
        check_owner(&library, root.path()).unwrap();
    }

    #[test]
    fn a_path_that_leads_into_the_cache_by_a_link_is_checked_and_others_are_not() {
        let (root, folder, library) = cache();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let link = elsewhere.path().join("link.so");
        std::os::unix::fs::symlink(&library, &link).unwrap();
        assert!(check_owner(&link, root.path()).is_err());
        let file = elsewhere.path().join("file.so");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        check_owner(&file, root.path()).unwrap();
        check_owner(Path::new("/nowhere.so"), root.path()).unwrap();
    }

    #[test]
    #[ignore = "needs root to give a file away: `sudo -E cargo test -p hloom-pjrt --lib \
                plugin::cache -- --ignored`"]
    fn what_belongs_to_another_user_is_refused() {
        let (root, folder, library) = cache();
        for place in [&folder, &library] {
            std::os::unix::fs::chown(place, Some(12345), None).unwrap();
            let message = check_owner(&library, root.path()).unwrap_err().to_string();
            assert!(message.contains("belongs to user 12345 and"), "{message}");
            std::os::unix::fs::chown(place, Some(0), None).unwrap();
        }
    }
}
