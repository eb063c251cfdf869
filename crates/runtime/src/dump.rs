//! Dumps of compiled programs.

use crate::{AnyExe, Error, Result};
use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

/// The files of one program, with a common name prefix.
pub(crate) struct Dump {
    stem: PathBuf,
}

/// Distinguishes programs of the same name.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The folder that `HLOOM_DUMP` names.
pub(crate) fn folder_from_env() -> Option<PathBuf> {
    std::env::var_os("HLOOM_DUMP").filter(|value| !value.is_empty()).map(PathBuf::from)
}

impl Dump {
    pub fn new(folder: PathBuf, name: &str) -> Dump {
        let plain: String = name
            .chars()
            .map(|c| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' })
            .collect();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        Dump { stem: folder.join(format!("{number:04}.{plain}")) }
    }

    pub fn write(&self, kind: &str, contents: &[u8]) -> Result<()> {
        let mut path = self.stem.clone().into_os_string();
        path.push(format!(".{kind}"));
        let path = PathBuf::from(path);
        let written = match path.parent() {
            Some(folder) => fs::create_dir_all(folder).and_then(|()| fs::write(&path, contents)),
            None => fs::write(&path, contents),
        };
        written.map_err(|source| Error::Dump { path, source })
    }

    /// The optimized program and the list of its kernels, where the plugin returns it.
    pub fn optimized(&self, exe: &AnyExe) -> Result<()> {
        if let Some((format, code)) = exe.optimized_program() {
            self.write(&format!("optimized.{format}"), &code)?;
        }
        match exe.compiled_kernels() {
            Ok(kernels) => self.write("kernels.txt", format!("{kernels}\n").as_bytes()),
            // A program in another format has no list of kernels.
            Err(_) => Ok(()),
        }
    }
}
