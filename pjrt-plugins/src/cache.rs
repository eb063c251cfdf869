//! The cache folder, and the form of installations in it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{Companions, Error, Manifest, Package, Result, files};

/// Name of the file that completes an installation.
pub(crate) const MARKER: &str = "installed.json";

/// A plugin that is installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Installation {
    /// The plugin's name.
    pub name: String,
    /// The version of its package.
    pub version: String,
    /// The companions it has: [`Companions::Compile`] or [`Companions::Run`].
    pub companions: Companions,
    /// The folder that holds everything.
    pub root: PathBuf,
    /// The plugin's library, inside that folder.
    pub library: PathBuf,
    /// The packages that were unpacked there.
    pub packages: Vec<InstalledPackage>,
}

/// A package of an installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledPackage {
    /// Its name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The sha256 of the wheel it came from.
    pub sha256: String,
}

/// The contents of `installed.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Marker {
    pub name: String,
    pub version: String,
    pub companions: Companions,
    pub library: String,
    pub library_bytes: u64,
    pub packages: Vec<InstalledPackage>,
}

/// Hloom's cache folder: `$XDG_CACHE_HOME/hloom`, or `$HOME/.cache/hloom` where that variable is
/// unset or not absolute.
///
/// # Errors
/// [`Error::NoCacheFolder`] when neither variable names an absolute path.
pub fn cache_root() -> Result<PathBuf> {
    let folder = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    };
    folder("XDG_CACHE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".cache")))
        .map(|cache| cache.join("hloom"))
        .ok_or(Error::NoCacheFolder)
}

/// Name of the folder of an installation.
pub(crate) fn folder_name(manifest: &Manifest, companions: Companions) -> String {
    let suffix = match companions {
        Companions::Run => "-run",
        Companions::Auto | Companions::Compile => "",
    };
    format!("{}-{}{suffix}", manifest.name, manifest.plugin.version)
}

/// Reads the installation of exactly this manifest and group in `root`; `None` if it is incomplete,
/// has other packages, or its library has another size.
pub(crate) fn read(manifest: &Manifest, group: Companions, root: &Path) -> Option<Installation> {
    let text = files::read(&root.join(MARKER)).ok()?;
    let marker: Marker = serde_json::from_slice(&text).ok()?;
    let wanted = packages(manifest, group).ok()?;
    let library = root.join(&manifest.library);
    let size = std::fs::metadata(&library).ok()?.len();
    let complete = marker.companions == group
        && marker.library == manifest.library
        && marker.library_bytes == size
        && marker.packages == wanted;
    complete.then(|| Installation {
        name: marker.name,
        version: marker.version,
        companions: group,
        root: root.to_owned(),
        library,
        packages: marker.packages,
    })
}

/// The packages of a group, as a marker lists them.
pub(crate) fn packages(manifest: &Manifest, group: Companions) -> Result<Vec<InstalledPackage>> {
    let listed = |package: &Package| {
        Ok(InstalledPackage {
            package: package.package.clone(),
            version: package.version.clone(),
            sha256: package.wheel(&manifest.name)?.sha256.clone(),
        })
    };
    manifest.packages(group).map(listed).collect()
}
