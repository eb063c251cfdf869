//! Parts that only a child that compiles ahead of time has: an environment, a folder of temporary
//! files, and processes that it starts.

use crate::Target;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    io,
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command},
};
use tempfile::TempDir;

#[derive(Debug)]
pub struct Ahead {
    scratch: TempDir,
    /// The group of the child, until it is killed.
    group: Option<Pid>,
}

impl Ahead {
    /// Sets the environment of the command, and makes it the leader of a group of processes, which
    /// those that it starts cannot leave.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new(command: &mut Command, target: &Target) -> io::Result<Self> {
        let scratch = tempfile::Builder::new().prefix("hloom-sandbox").tempdir()?;
        command.envs(&target.environment).env("TMPDIR", scratch.path()).process_group(0);
        Ok(Self { scratch, group: None })
    }

    /// The folder of temporary files.
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Sets the child that was started.
    pub fn set_group(&mut self, child: &Child) {
        self.group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    }

    /// Kills the processes of the child's group once, before the child is waited for: until then no
    /// other group has its number.
    pub fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            // It fails for a group that has ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
