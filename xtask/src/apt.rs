//! apt-get, on the systems that have it.

use std::{
    os::unix::fs::MetadataExt,
    process::{Command, Stdio},
};

use crate::{Result, cargo};

/// The way in which apt-get can be run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apt {
    /// Directly, as root.
    Root,
    /// Through sudo.
    Sudo,
}

impl Apt {
    /// Finds the way; `None` without apt-get or the right to use it.
    pub fn find() -> Option<Self> {
        let there = |program: &str| {
            Command::new(program)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        if !there("apt-get") {
            return None;
        }
        let root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        if root { Some(Self::Root) } else { there("sudo").then_some(Self::Sudo) }
    }

    /// Installs packages, after an update of the package lists.
    ///
    /// # Errors
    /// apt-get failed; its output is on the terminal, and the message explains the likely cause.
    pub fn install(self, packages: &[&str]) -> Result {
        // The lists of one source may fail to load while the others have the needed packages.
        if let Err(message) = cargo::run(self.command(&["update"])) {
            eprintln!("{message}; going on with the package lists that are there");
        }
        let options = ["install", "--yes", "--no-install-recommends"];
        cargo::run(self.command(&[&options, packages].concat())).map_err(|message| {
            format!(
                "{message}\n  where the system's releases do not carry these packages, add the apt \
                 repository of the LLVM project for your release, and run this again"
            )
        })
    }

    fn command(self, arguments: &[&str]) -> Command {
        let mut command = match self {
            Self::Root => Command::new("apt-get"),
            Self::Sudo => {
                let mut command = Command::new("sudo");
                command.args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
                command
            }
        };
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        if self == Self::Sudo {
            // sudo may have to ask for a password.
            command.stdin(Stdio::inherit());
        }
        command
    }
}
