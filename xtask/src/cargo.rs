//! Cargo, run as from the user's terminal.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use crate::Result;

/// The folder of the workspace.
pub fn workspace() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// The absolute path of the folder of build outputs.
pub fn target() -> PathBuf {
    // Cargo is run in the workspace, which a relative path starts from.
    workspace().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// `cargo` with `arguments` in the workspace.
///
/// Variables that cargo added to this process's environment are removed: build scripts watch some
/// of them, and would run again for no reason.
pub fn command(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(workspace());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    if let Some(path) = std::env::var_os("LD_LIBRARY_PATH") {
        match without_cargo_folders(&path) {
            Some(rest) => command.env("LD_LIBRARY_PATH", rest),
            None => command.env_remove("LD_LIBRARY_PATH"),
        };
    }
    command
}

/// Runs a command that shows its own output.
pub fn run(mut command: Command) -> Result {
    let name = line(&command);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` ended with {status}")),
        Err(error) => Err(format!("cannot run `{name}`: {error}")),
    }
}

/// A command as a user would type it.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs the doctor, a package of its own so that `xtask` builds without PJRT.
pub fn doctor(json: bool) -> Result {
    let mut command = command(&["run", "--quiet", "--package", "hloom-doctor"]);
    if json {
        command.args(["--", "--json"]);
    }
    run(command)
}

/// A library path without the build and toolchain folders that cargo prepends.
fn without_cargo_folders(path: &OsString) -> Option<OsString> {
    let target = std::env::current_exe().ok()?.parent()?.to_owned();
    let rest: Vec<PathBuf> = std::env::split_paths(path)
        .filter(|folder| {
            let toolchain = folder.components().any(|part| part.as_os_str() == "rustlib")
                || folder.join("rustlib").exists();
            !toolchain && !folder.starts_with(&target) && !folder.as_os_str().is_empty()
        })
        .collect();
    let rest = std::env::join_paths(rest).ok()?;
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_that_cargo_adds_to_the_library_path_are_taken_out() {
        let target = std::env::current_exe().unwrap().parent().unwrap().to_owned();
        let added = [target.join("x/out"), "/opt/rust/lib/rustlib/x/lib".into()];
        let path = std::env::join_paths(&added).unwrap();
        assert_eq!(without_cargo_folders(&path), None);
        let own = PathBuf::from("/opt/own/lib");
        let path = std::env::join_paths(added.iter().chain([&own])).unwrap();
        assert_eq!(without_cargo_folders(&path), Some(own.into()));
    }

    #[test]
    fn a_command_is_shown_without_the_folder_of_its_program() {
        let mut command = Command::new("/opt/bin/cargo");
        command.args(["test", "--workspace"]);
        assert_eq!(line(&command), "cargo test --workspace");
    }
}
