//! Python, started where it imports nothing from the current folder.

use std::{
    ffi::OsString,
    fs::Permissions,
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// A Python interpreter whose processes work in a private, empty folder.
///
/// `python -m` and `python -c` import from the working folder first, and so does an empty entry of
/// `PYTHONPATH`: an untrusted file `pip.py`, in the folder that a user happens to be in, would be
/// executed. The user's own site folder is still used.
///
/// ```no_run
/// let python = pjrt_plugins::Python::new("python3")?;
/// let output = python.command().args(["-m", "pip", "--version"]).output()?;
/// # drop(output);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Python {
    program: PathBuf,
    folder: TempDir,
}

impl Python {
    /// The interpreter `program`: a name that is searched on `PATH`, or a path, relative to the
    /// current folder.
    ///
    /// # Errors
    /// No temporary folder can be created, or the current folder is unknown.
    pub fn new(program: impl Into<OsString>) -> io::Result<Self> {
        let program = PathBuf::from(program.into());
        // The process starts in another folder.
        let program = match program.components().count() {
            0 | 1 => program,
            _ => std::path::absolute(program)?,
        };
        let folder = tempfile::Builder::new()
            .prefix("hloom-python-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()?;
        Ok(Self { program, folder })
    }

    /// The interpreter's path, or its name.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A command that runs the interpreter in the private folder, without standard input, and
    /// leaves no compiled files; paths among its arguments have to be absolute.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(self.folder.path())
            // The option `-P` for versions that have it; older ones ignore the variable.
            .env("PYTHONSAFEPATH", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::null());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn nothing_is_imported_from_the_working_folder() {
        let python = Python::new("python3").unwrap();
        let script = "import os, sys; print(os.listdir('.'), '' in sys.path)";
        let output = python.command().env("PYTHONPATH", "").args(["-c", script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "[] False\n");
    }

    #[test]
    fn a_relative_program_is_found_from_the_current_folder() {
        let here = std::env::current_dir().unwrap();
        let python = Python::new("bin/python").unwrap();
        assert_eq!(python.program(), here.join("bin/python"));
        assert_eq!(Python::new("python3").unwrap().program(), Path::new("python3"));
    }

    #[test]
    fn the_folder_is_removed_and_private() {
        let python = Python::new("python3").unwrap();
        let folder = python.folder.path().to_owned();
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        drop(python);
        assert!(!folder.exists());
    }
}
