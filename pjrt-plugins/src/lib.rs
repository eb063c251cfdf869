//! Plugin packages: which package carries which PJRT plugin, and their installer.
//!
//! A [`Manifest`] defines, for one platform, which package carries its plugin, at which pinned
//! version and hash, where in the package the library is, and which companion packages it needs.
//! [`ensure`] installs what a manifest names into the user's cache and returns the path of the
//! library:
//!
//! ```no_run
//! let library = pjrt_plugins::ensure("cpu")?;
//! println!("{}", library.display());
//! # Ok::<(), pjrt_plugins::Error>(())
//! ```
//!
//! # Where things go
//! `$XDG_CACHE_HOME/hloom/plugins/<name>-<version>/`, or `$HOME/.cache/hloom/plugins/..` without
//! that variable. Nothing is written anywhere else. An installation appears under its name by one
//! rename, when every byte of it is on disk and a marker (`installed.json`) lists what it holds, so
//! a killed install leaves nothing that looks installed; the next one removes its leftovers. The
//! hash of the library is next to it (`<library>.sha256`), so that a cache of compiled programs
//! knows the plugin without reading all of it. A file lock per plugin lets any number of processes
//! ask for the same plugin at once: one installs, the others wait and find it. A plugin that is
//! installed needs neither network, pip nor Python. Only the user can write to the folders: plugins
//! are not loaded from others.
//!
//! # Trust
//! Packages come through pip, from whatever index the user's pip is set up for, with the manifest's
//! hash required; the downloaded file is hashed once more here before it is opened. Python is
//! started by [`Python`], where it imports nothing from the current folder. Archives are unpacked
//! by [`wheel`], which refuses members that would land outside the installation.
//!
//! # Companions
//! CUDA plugins need NVIDIA's libraries: a small group to compile (ptxas, nvlink, libdevice) and a
//! large one, 2.2 GB to 3 GB, to run (cuBLAS, cuDNN, NCCL and so on). [`Companions::Auto`], the
//! default, installs the second only where a device of the platform exists (`/dev/nvidia0`). An
//! installation with the run group is a folder of its own, `<name>-<version>-run`, which shares its
//! files with the smaller one by hard links where that exists.

#![forbid(unsafe_code)]

mod built_in;
mod cache;
#[cfg(feature = "cli")]
pub mod cli;
mod error;
mod files;
mod install;
mod library_hash;
mod manifest;
mod pip;
mod progress;
mod python;
pub mod wheel;

use std::{ffi::OsString, path::PathBuf};

pub use built_in::{list, manifest};
pub use cache::{Installation, InstalledPackage, cache_root};
pub use error::Error;
pub use install::Installer;
pub use manifest::{Companions, Manifest, Package, Verified, Wheel};
pub use python::Python;

/// The result type of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// Installs the plugin `name` if it is missing, and returns the path of its library.
///
/// `name` is the name or an alias of one of [`list`]; its companions are those of
/// [`Companions::Auto`]. An alias, such as `gpu`, installs a plugin only where the machine has a
/// device for it, and the plugin's own name, such as `cuda13`, everywhere. Progress goes to standard
/// error. Where the variable `HLOOM_PLUGIN_CPU` (for the plugin `cpu`) or `PJRT_PLUGIN_CPU` names a
/// file, the user chose that one: its path is returned and nothing is installed.
///
/// # Errors
/// [`Error::UnknownPlugin`] for any other name, [`Error::NoDevice`], and the errors of
/// [`Installer::ensure`].
pub fn ensure(name: &str) -> Result<PathBuf> {
    let manifest = manifest(name)?;
    if let Some(path) = chosen_by_the_user(&manifest.name, &|variable| std::env::var_os(variable)) {
        return Ok(path);
    }
    let installer = Installer::new()?;
    if let Some(installation) = installer.installed(&manifest)
        && !manifest.device_present()
    {
        return Ok(installation.library);
    }
    check_device(name, &manifest)?;
    Ok(installer.ensure(&manifest, Companions::Auto)?.library)
}

/// Refuses a plugin that is requested by an alias on a machine without a device for it: it would be
/// hundreds of megabytes without use.
fn check_device(name: &str, manifest: &Manifest) -> Result<()> {
    if name == manifest.name || manifest.device_present() {
        return Ok(());
    }
    let bytes = |package: &Package| package.wheel(&manifest.name).map_or(0, |wheel| wheel.bytes);
    Err(Error::NoDevice {
        alias: name.to_owned(),
        plugin: manifest.name.clone(),
        device_nodes: manifest.device_nodes.clone(),
        megabytes: manifest.packages(Companions::Auto).map(bytes).sum::<u64>() / 1_000_000,
    })
}

/// The file that a variable of the environment names for a plugin.
fn chosen_by_the_user(name: &str, variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let name = name.to_ascii_uppercase().replace('-', "_");
    ["HLOOM_PLUGIN_", "PJRT_PLUGIN_"]
        .into_iter()
        .filter_map(|prefix| variable(&format!("{prefix}{name}")))
        .find(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// The library of the plugin `name`, if it is installed in the user's cache at the pinned version.
///
/// Never installs anything; `None` for an unknown name too.
pub fn path(name: &str) -> Option<PathBuf> {
    let manifest = manifest(name).ok()?;
    let installation = Installer::new().ok()?.installed(&manifest)?;
    Some(installation.library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_that_the_environment_names_wins() {
        let set = |name: &str| match name {
            "HLOOM_PLUGIN_CPU" => Some(OsString::new()),
            "PJRT_PLUGIN_CPU" => Some("/own/plugin.so".into()),
            _ => None,
        };
        assert_eq!(chosen_by_the_user("cpu", &set), Some("/own/plugin.so".into()));
        assert_eq!(chosen_by_the_user("cpu115", &set), None);
    }

    #[test]
    fn an_alias_installs_only_where_a_device_is() {
        let mut gpu = manifest("gpu").unwrap();
        gpu.device_nodes = vec!["/dev/no-such-device".to_owned()];
        let error = check_device("gpu", &gpu).unwrap_err();
        assert!(matches!(error, Error::NoDevice { .. }), "{error}");
        let message = error.to_string();
        let start = format!("`gpu` means plugin `{}`, which is not installed: ", gpu.name);
        assert!(message.starts_with(&start), "{message}");
        assert!(message.contains("no device for it (/dev/no-such-device)"), "{message}");
        #[cfg(target_os = "linux")]
        assert!(!message.contains(": 0 MB"), "{message}");
        // The plugin's own name was chosen on purpose.
        check_device(&gpu.name, &gpu).unwrap();
        gpu.device_nodes.push(std::env::current_exe().unwrap().display().to_string());
        check_device("gpu", &gpu).unwrap();
        // The CPU needs no device.
        check_device("host", &manifest("host").unwrap()).unwrap();
    }
}
