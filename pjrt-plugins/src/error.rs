//! Errors of finding and installing plugins.

use std::path::{Path, PathBuf};

/// The reason why a plugin could not be found or installed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No manifest has this name or alias.
    #[error("no plugin is called `{name}`: known are {known}")]
    UnknownPlugin {
        /// The requested name.
        name: String,
        /// The known names, separated by commas.
        known: String,
    },
    /// An alias means a plugin for devices that this machine does not have.
    #[error(
        "`{alias}` means plugin `{plugin}`, which is not installed: {megabytes} MB to download, and \
         this machine has no device for it ({})\n  the plugin's own name, `{plugin}`, installs it \
         here too, to compile ahead of time",
        device_nodes.join(", ")
    )]
    NoDevice {
        /// The requested name.
        alias: String,
        /// The plugin's name.
        plugin: String,
        /// The device files, none of which exists.
        device_nodes: Vec<String>,
        /// The size of its packages.
        megabytes: u64,
    },
    /// A manifest is not well formed.
    #[error("manifest {origin}: {reason}")]
    Manifest {
        /// The file or the name of the manifest.
        origin: String,
        /// The reason why it is refused.
        reason: String,
    },
    /// The package has no wheel for this machine.
    #[error("plugin `{plugin}`: package {package} has no wheel for {target}, only for {available}")]
    NoWheel {
        /// The plugin's name.
        plugin: String,
        /// The package without a wheel.
        package: String,
        /// Operating system and architecture of this machine.
        target: String,
        /// The architectures that have a wheel.
        available: String,
    },
    /// Neither `XDG_CACHE_HOME` nor `HOME` names an absolute folder.
    #[error(
        "no cache folder: set XDG_CACHE_HOME or HOME to an absolute path (plugins go to \
         `hloom/plugins` in it)"
    )]
    NoCacheFolder,
    /// No Python with pip was found.
    #[error(
        "Python 3 with pip is needed to install plugins: {reason}\n  install it (Debian and \
         Ubuntu: `apt-get install python3-pip`; Fedora: `dnf install python3-pip`) or name a \
         Python that has it in HLOOM_PYTHON"
    )]
    Python {
        /// The commands that were tried, and their output.
        reason: String,
    },
    /// pip could not fetch the package.
    #[error("pip could not download {package} {version}:\n{output}")]
    Pip {
        /// The package.
        package: String,
        /// Its pinned version.
        version: String,
        /// The end of pip's output.
        output: String,
    },
    /// The package index does not have the pinned package: it was removed, or cannot be reached.
    #[error(
        "plugin `{plugin}`: pip found no {package} {version} on the package index{}\n{output}",
        instead(alternatives)
    )]
    Gone {
        /// The plugin's name.
        plugin: String,
        /// The package.
        package: String,
        /// Its pinned version.
        version: String,
        /// Built-in plugins for the same platform.
        alternatives: Vec<&'static str>,
        /// The end of pip's output.
        output: String,
    },
    /// The downloaded package is not the one that the manifest pins.
    #[error(
        "{package} {version} was refused: its sha256 is {found}, and the manifest expects \
         {expected}"
    )]
    HashMismatch {
        /// The package.
        package: String,
        /// Its pinned version.
        version: String,
        /// The manifest's hash.
        expected: String,
        /// The hash of the downloaded file.
        found: String,
    },
    /// An archive has a member that must not be installed.
    #[error("archive {} was refused: member `{member}` {reason}", archive.display())]
    UnsafeMember {
        /// The archive.
        archive: PathBuf,
        /// The member's name.
        member: String,
        /// The reason why it was refused.
        reason: &'static str,
    },
    /// An archive cannot be read.
    #[error("archive {} cannot be read: {reason}", archive.display())]
    Archive {
        /// The archive.
        archive: PathBuf,
        /// The reason why it cannot be read.
        reason: String,
    },
    /// The package does not hold the library that the manifest names.
    #[error("plugin `{plugin}`: its package holds no file `{library}`")]
    MissingLibrary {
        /// The plugin's name.
        plugin: String,
        /// The library's path inside the package.
        library: String,
    },
    /// The operating system refused a step.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The step.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        r#source: std::io::Error,
    },
    /// The results of a command could not be written.
    #[cfg(feature = "cli")]
    #[error("cannot write the output: {0}")]
    Output(std::io::Error),
}

#[cfg(feature = "cli")]
impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::Output(error)
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The plugins to install instead of one whose package is gone.
fn instead(alternatives: &[&str]) -> String {
    match alternatives {
        [] => ": no other built-in plugin is for its platform; a manifest of your own can name \
               another package"
            .to_owned(),
        names => format!(": other plugins for its platform are {}", names.join(", ")),
    }
}

/// Names the step and the path of an input or output error.
pub(crate) trait IoContext<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, Error>;
}

impl<T> IoContext<T> for std::io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, Error> {
        self.map_err(|source| Error::Io { action, path: path.to_owned(), source })
    }
}
