//! Disks in memory, which tests mount to fill them or to have them read-only.

use std::process::{Command, Stdio};

/// The start of the names of tests that mount disks, which are otherwise ignored.
pub const TESTS: &str = "mount_";

/// The package of the tests that need a mount.
pub const PACKAGE: &str = "hloom-runtime";

/// Whether this process may mount disks: it mounts one.
pub fn is_allowed() -> bool {
    let folder = std::env::temp_dir().join(format!("hloom-mount-{}", std::process::id()));
    if std::fs::create_dir(&folder).is_err() {
        return false;
    }
    let runs = |command: &mut Command| {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    };
    let mut mount = Command::new("mount");
    let is_mounted = runs(mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&folder));
    if is_mounted {
        runs(Command::new("umount").arg(&folder));
    }
    drop(std::fs::remove_dir(&folder));
    is_mounted
}
