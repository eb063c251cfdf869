//! The folder that a task starts Python in, when the current folder holds untrusted files.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use tempfile::TempDir;

/// A `python3` that reports its folder, the entries there, and whether it imports from it, and then
/// fails.
const PYTHON: &str = "#!/bin/sh\necho \"folder: $(pwd)\"\necho \"entries: $(ls -A | wc -l)\"\n\
                      echo \"safe path: $PYTHONSAFEPATH\"\nexit 1\n";

#[test]
fn tasks_start_python_in_an_empty_folder_of_their_own() {
    for task in [&["deny"][..], &["oracle", "ops"]] {
        let folder = TempDir::new().unwrap();
        let (programs, hostile) = (folder.path().join("bin"), folder.path().join("unpacked"));
        fs::create_dir(&programs).unwrap();
        fs::create_dir(&hostile).unwrap();
        fs::write(hostile.join("pip.py"), "print('executed')").unwrap();
        let python = programs.join("python3");
        fs::write(&python, PYTHON).unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(task)
            .current_dir(&hostile)
            .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
            .env("CARGO_TARGET_DIR", folder.path().join("target"))
            .env_remove("HLOOM_PYTHON")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let line = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("{task:?} does not start Python: {output:?}")).trim()
        };
        assert_ne!(Path::new(line("folder:")), hostile);
        assert_eq!(line("entries:"), "0");
        assert_eq!(line("safe path:"), "1");
    }
}
