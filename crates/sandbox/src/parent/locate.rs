//! The program that is the child of a sandbox.

use crate::{Error, Result, child};
use std::{
    env,
    path::{Path, PathBuf},
};

/// The program as the kernel has it, even if its file was replaced since.
const CURRENT: &str = "/proc/self/exe";

/// The program at a path that was set, else the current one if it is prepared, else the one next
/// to it.
///
/// # Errors
/// There is none, with the files that were looked for.
pub fn locate(path: Option<&Path>) -> Result<PathBuf> {
    if path.is_none() && child::was_entered() {
        return Ok(CURRENT.into());
    }
    let next_to_this = || {
        let file = format!("hloom-sandbox{}", env::consts::EXE_SUFFIX);
        Some(env::current_exe().ok()?.parent()?.join(file))
    };
    let program = path.map(Path::to_owned).or_else(next_to_this);
    match program {
        // The child has another working folder.
        Some(program) => match program.canonicalize() {
            Ok(found) if found.is_file() => Ok(found),
            _ => Err(Error::NoProgram(vec![program])),
        },
        None => Err(Error::NoProgram(Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_files_that_were_looked_for() {
        let missing = Path::new("/no/such/program");
        let error = locate(Some(missing)).unwrap_err().to_string();
        assert!(error.contains("looked for /no/such/program;"), "{error}");
        let error = locate(None).unwrap_err().to_string();
        let folder = env::current_exe().unwrap().parent().unwrap().display().to_string();
        assert!(error.contains(&folder), "{error}");
    }
}
