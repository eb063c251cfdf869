//! Invalid plugins: each fault is a distinct error that names the file, what was expected and
//! found.
//!
//! Apart from `it`: the libraries that it loads stay in the process, and are broken.

mod calls;
mod extensions;
mod file;
mod linked;
mod table;

use fake_plugin::{Count, Lies};
use hloom_pjrt::{Error, Plugin, PluginProblem};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A copy of the fake plugin under the name that selects its fault.
struct Copy {
    path: PathBuf,
    _folder: TempDir,
}

/// The plugin as cargo built it: dependencies of a test are next to the test.
fn original() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let name =
        format!("{}fake_plugin{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    test.with_file_name(name)
}

fn copy(lies: Lies) -> Copy {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    // The loader names files by their real path.
    let path =
        folder.path().canonicalize().expect("the folder was just made").join(lies.file_name());
    std::fs::copy(original(), &path).expect("the fake plugin was built");
    Copy { path, _folder: folder }
}

impl Copy {
    fn load(&self) -> Result<Plugin, Error> {
        Plugin::load(&self.path)
    }

    /// The reason why the loader refuses the copy. The message must name the file.
    fn problem(&self) -> PluginProblem {
        problem(&self.path)
    }

    /// Reads a counter of the copy, which must have been loaded.
    fn count(&self, count: Count) -> i64 {
        // SAFETY: the library is loaded already; its symbol has this type.
        unsafe {
            let library = libloading::Library::new(&self.path).expect("loaded before");
            let read =
                library.get::<extern "C" fn(Count) -> i64>(b"fake_plugin_count").expect("exported");
            read(count)
        }
    }
}

fn problem(path: &Path) -> PluginProblem {
    let error = Plugin::load(path).expect_err("the plugin lies");
    let message = error.to_string();
    assert!(message.contains(&path.display().to_string()), "does not name the file: {message}");
    match error {
        Error::Plugin { path: named, problem } => {
            assert_eq!(named, path);
            problem
        }
        other => panic!("expected a problem of the file, found {other:?}"),
    }
}
