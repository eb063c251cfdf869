//! Fetches the headers: two published wheels, pinned by hash, of which the needed files are
//! unpacked.

use std::{
    ffi::OsStr,
    fs::File,
    path::{Path, PathBuf},
};

use pjrt_plugins::Python;

use crate::Result;

/// A wheel that carries headers, and the files needed from it.
struct Package {
    name: &'static str,
    version: &'static str,
    sha256: &'static str,
    /// The folder inside the wheel that goes on the include path.
    include: &'static str,
    /// Files wanted, as prefixes below `include`.
    wanted: &'static [&'static str],
}

/// In the order of the include path: the newer FFI header comes first.
const PACKAGES: [Package; 2] = [
    Package {
        name: "jaxlib",
        version: "0.10.2",
        sha256: "1faca3c5d4662cb4a6130a68105d68bb520764817e165d6eebfd6786c0d1f30f",
        include: "jaxlib/include/",
        wanted: &["xla/ffi/api/c_api.h"],
    },
    Package {
        name: "tensorflow-cpu",
        version: "2.21.0",
        sha256: "2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c",
        include: "tensorflow/include/",
        wanted: &[
            "xla/pjrt/c/",
            "xla/pjrt/extensions/",
            "xla/backends/profiler/plugin/profiler_c_api.h",
        ],
    },
];

/// The include folders, from the cache or else from the package index.
///
/// # Errors
/// No cache folder can be made, pip is missing or fails, or a wheel lacks a wanted file.
pub fn fetch() -> Result<Vec<PathBuf>> {
    let cache = cache_folder()?;
    PACKAGES.iter().map(|package| package.fetch(&cache)).collect()
}

fn cache_folder() -> Result<PathBuf> {
    let base = match std::env::var_os("XDG_CACHE_HOME").filter(|path| Path::new(path).is_absolute())
    {
        Some(path) => PathBuf::from(path),
        None => {
            PathBuf::from(std::env::var_os("HOME").ok_or("neither XDG_CACHE_HOME nor HOME is set")?)
                .join(".cache")
        }
    };
    let folder = base.join("hloom/headers");
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(folder)
}

impl Package {
    fn fetch(&self, cache: &Path) -> Result<PathBuf> {
        let done = cache.join(format!("{}-{}", self.name, self.version));
        if done.is_dir() {
            return Ok(done);
        }
        eprintln!("bindings: fetching the headers of {} {}", self.name, self.version);
        // The work folder is in the cache itself, so that the last step is a rename within one file
        // system.
        let work = tempfile::Builder::new()
            .prefix(".fetch-")
            .tempdir_in(cache)
            .map_err(|error| format!("cannot make a folder in {}: {error}", cache.display()))?;
        let wheel = self.download(work.path())?;
        let unpacked = work.path().join("unpacked");
        self.unpack(&wheel, &unpacked)?;
        match std::fs::rename(&unpacked, &done) {
            Ok(()) => Ok(done),
            // Another process was faster: its result is the same.
            Err(_) if done.is_dir() => Ok(done),
            Err(error) => Err(format!("cannot make {}: {error}", done.display())),
        }
    }

    fn download(&self, folder: &Path) -> Result<PathBuf> {
        let requirements = folder.join("requirements.txt");
        let line = format!("{}=={} --hash=sha256:{}\n", self.name, self.version, self.sha256);
        std::fs::write(&requirements, line)
            .map_err(|error| format!("cannot write {}: {error}", requirements.display()))?;
        // The same wheel for any Python on this machine: the headers are the same in all.
        let python = Python::new("python3").map_err(|error| format!("python3: {error}"))?;
        let output = python
            .command()
            .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"])
            .args(["--no-cache-dir", "--require-hashes", "--only-binary=:all:"])
            .args(["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"])
            .args(["--platform", "manylinux_2_27_x86_64", "--platform", "manylinux2014_x86_64"])
            .arg("--dest")
            .arg(folder)
            .arg("--requirement")
            .arg(&requirements)
            .output()
            .map_err(|error| format!("cannot run python3 -m pip: {error}"))?;
        if !output.status.success() {
            return Err(format!(
                "pip did not fetch {} {}:\n{}",
                self.name,
                self.version,
                String::from_utf8_lossy(&output.stderr).trim()
            ));
        }
        let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
        entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.extension() == Some(OsStr::new("whl")))
            .ok_or_else(|| format!("pip left no wheel of {} {}", self.name, self.version))
    }

    fn unpack(&self, wheel: &Path, folder: &Path) -> Result<()> {
        let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", wheel.display());
        let file = File::open(wheel).map_err(|error| broken(&error))?;
        let mut archive = zip::ZipArchive::new(file).map_err(|error| broken(&error))?;
        let mut found = vec![false; self.wanted.len()];
        for index in 0..archive.len() {
            let mut member = archive.by_index(index).map_err(|error| broken(&error))?;
            // `None` for a name outside of the archive's root.
            let Some(name) = member.enclosed_name() else { continue };
            let Some(name) = name.to_str().and_then(|name| name.strip_prefix(self.include)) else {
                continue;
            };
            let Some(wanted) = self.wanted.iter().position(|prefix| name.starts_with(prefix))
            else {
                continue;
            };
            if !member.is_file() || !name.ends_with(".h") {
                continue;
            }
            let target = folder.join(name);
            let parent = target.parent().ok_or_else(|| broken(&"a file without a folder"))?;
            std::fs::create_dir_all(parent).map_err(|error| broken(&error))?;
            let mut output = File::create(&target).map_err(|error| broken(&error))?;
            std::io::copy(&mut member, &mut output).map_err(|error| broken(&error))?;
            found[wanted] = true;
        }
        match found.iter().position(|found| !found) {
            None => Ok(()),
            Some(missing) => {
                Err(broken(&format!("lacks {}{}", self.include, self.wanted[missing])))
            }
        }
    }
}
