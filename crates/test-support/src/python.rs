//! Python with NumPy, which computes expected values.

use pjrt_plugins::Python;
use std::{path::PathBuf, process::Command};

/// The packages.
const PACKAGES: [&str; 2] = ["numpy==2.4.6", "ml_dtypes==0.6.0"];

/// A Python that finds NumPy and ml_dtypes; missing packages are installed into Hloom's cache
/// folder.
///
/// # Panics
/// They cannot be installed.
pub fn python_with_numpy() -> Command {
    let packages = packages();
    let mut command = python().command();
    // The folder of the interpreter above is removed when this returns.
    command.env("PYTHONPATH", &packages).current_dir(packages);
    command
}

fn python() -> Python {
    let program = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    Python::new(program).expect("a temporary folder")
}

/// The folder of the packages.
fn packages() -> PathBuf {
    let cache = pjrt_plugins::cache_root().expect("there is a cache folder");
    let folder = cache.join("oracle").join(PACKAGES.join("-"));
    if folder.exists() {
        return folder;
    }
    let parent = folder.parent().expect("it is in the cache folder");
    std::fs::create_dir_all(parent).expect("the cache folder can be written");
    let scratch = tempfile::tempdir_in(parent).expect("the cache folder can be written");
    let python = python();
    let mut pip = python.command();
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]);
    let status = pip.arg(scratch.path()).args(PACKAGES).status().expect("pip runs");
    assert!(status.success(), "pip cannot install {PACKAGES:?}");
    let scratch = scratch.keep();
    if std::fs::rename(&scratch, &folder).is_err() {
        // Another process was faster, with the same result.
        let _ = std::fs::remove_dir_all(&scratch);
    }
    assert!(folder.exists(), "{} cannot be made", folder.display());
    folder
}
