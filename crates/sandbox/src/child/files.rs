//! Limits of the files of a child that compiles.

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError,
};
use std::path::{Path, PathBuf};

/// The files of a child.
pub struct Files<'a> {
    pub plugin: &'a Path,
    /// Folders of files that are read, and of programs that are started.
    pub companions: &'a [PathBuf],
    /// The folder of temporary files.
    pub scratch: &'a Path,
}

/// Libraries of the system, which programs of companions load.
const LIBRARIES: [&str; 5] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"];

/// Facts of the machine. The folders of processes are not among them.
const MACHINE: [&str; 8] = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/dev/urandom",
    "/etc/localtime",
];

/// The first version without a way to shorten files that are only read.
const VERSION: ABI = ABI::V3;

/// Gives up all other files, for this thread and those that it starts.
///
/// # Errors
/// The system has no such limits.
pub fn limit_files(files: &Files<'_>) -> Result<(), String> {
    limit(files).map_err(|error| format!("Landlock (Linux 6.2): {error}"))
}

fn limit(files: &Files<'_>) -> Result<(), RulesetError> {
    let all = AccessFs::from_all(VERSION);
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let run = read | AccessFs::Execute;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(all)?
        .create()?;
    let ruleset = allow(ruleset, files.plugin.parent(), run)?;
    let ruleset = allow(ruleset, files.companions, run)?;
    let ruleset = allow(ruleset, LIBRARIES, run)?;
    let ruleset = allow(ruleset, MACHINE, read)?;
    let ruleset = allow(ruleset, [format!("/proc/{}", std::process::id())], read)?;
    let ruleset = allow(ruleset, ["/dev/null"], read | AccessFs::WriteFile)?;
    let not_in_scratch =
        AccessFs::Execute | AccessFs::MakeSock | AccessFs::MakeChar | AccessFs::MakeBlock;
    let ruleset = allow(ruleset, [files.scratch], all & !not_in_scratch)?;
    ruleset.restrict_self()?;
    Ok(())
}

/// Allows this access below paths; those that are absent have no files.
fn allow<P: AsRef<Path>>(
    ruleset: RulesetCreated,
    paths: impl IntoIterator<Item = P>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let rule = |path: P| {
        let opened = PathFd::new(&path).ok()?;
        let is_folder = path.as_ref().is_dir();
        let of_files = access & AccessFs::from_file(VERSION);
        Some(Ok::<_, RulesetError>(PathBeneath::new(
            opened,
            if is_folder { access } else { of_files },
        )))
    };
    ruleset.add_rules(paths.into_iter().filter_map(rule))
}
