//! The current folder of a user who unpacked untrusted files there.

use std::{fs, path::Path};

use crate::fixture::{LIBRARY, Member, World, installed, library};

const MARK: &str = "a module of the current folder was executed";

/// Modules that Python, pip and their imports would find first in the current folder.
const MODULES: [&str; 7] = [
    "pip.py",
    "numpy.py",
    "jax.py",
    "json.py",
    "socket.py",
    "sitecustomize.py",
    "usercustomize.py",
];

/// Writes modules that print a mark and leave a file, as plain modules and as packages.
fn plant(folder: &Path) {
    let code = format!("print({MARK:?})\nopen({:?}, 'w')\n", folder.join("executed"));
    for module in MODULES {
        fs::write(folder.join(module), &code).unwrap();
    }
    let package = folder.join("pip");
    fs::create_dir(&package).unwrap();
    fs::write(package.join("__init__.py"), &code).unwrap();
    fs::write(package.join("__main__.py"), &code).unwrap();
}

#[test]
fn no_module_of_the_current_folder_is_executed() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(1_000))]);
    let folder = world.path("home/unpacked");
    fs::create_dir(&folder).unwrap();
    plant(&folder);
    // An empty entry of the search path is the working folder, too.
    for search_path in [None, Some(""), Some(":/nowhere:")] {
        let mut command = world.install_command(&manifest);
        command.current_dir(&folder);
        if let Some(search_path) = search_path {
            command.env("PYTHONPATH", search_path);
        }
        let output = command.output().unwrap();
        let root = installed(&output);
        let text = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
        assert!(!text.contains(MARK), "{search_path:?}: {text}");
        assert!(!folder.join("executed").exists(), "{search_path:?}");
        fs::remove_dir_all(root.ancestors().nth(2).unwrap()).unwrap();
    }
    // The mark is effective: Python imports these modules if it is not prevented.
    let unprotected = std::process::Command::new("python3")
        .args(["-m", "pip", "--version"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&unprotected.stdout).contains(MARK));
}

#[test]
fn pip_in_the_users_site_folder_is_used() {
    let world = World::new();
    let manifest = world.demo(&[Member::File(LIBRARY, library(1_000))]);
    // An interpreter whose only pip is that of its user's folder.
    let python = world.fake_python(
        "shift 2\nexec $PYTHON -c 'import runpy, site, sys; sys.argv[0] = \"pip\"; \
         assert site.ENABLE_USER_SITE, \"the user site is off\"; import user_pip; \
         runpy.run_module(\"pip\", run_name=\"__main__\")' \"$@\"",
    );
    let user_site = std::process::Command::new("python3")
        .args(["-c", "import site; print(site.getusersitepackages())"])
        .env("HOME", world.path("home"))
        .output()
        .unwrap();
    let user_site = String::from_utf8(user_site.stdout).unwrap();
    let user_site = Path::new(user_site.trim());
    fs::create_dir_all(user_site).unwrap();
    fs::write(user_site.join("user_pip.py"), "").unwrap();
    let output = world.install_command(&manifest).env("HLOOM_PYTHON", python).output().unwrap();
    installed(&output);
}
