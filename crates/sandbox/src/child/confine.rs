//! Giving up what the child does not need.

use super::filter;
use rustix::process::{
    Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit,
};
use std::ffi::OsStr;

/// Ends this process when its parent ends; `false` if that has ended already.
pub fn end_with(parent: &OsStr) -> bool {
    let is_parent = || {
        let found = getppid().map(|parent| parent.as_raw_nonzero().to_string());
        found.is_some_and(|found| *found == *parent)
    };
    set_parent_process_death_signal(Some(Signal::KILL)).is_ok() && is_parent()
}

/// Limits memory, writes no core and no file, and opens no further descriptor.
///
/// # Errors
/// The limit that cannot be set.
pub fn limit_resources(memory: u64) -> Result<(), String> {
    let limits = [
        // Private memory that can be written: the filter of system calls allows no other.
        (Resource::Data, "RLIMIT_DATA", memory),
        (Resource::Core, "RLIMIT_CORE", 0),
        (Resource::Fsize, "RLIMIT_FSIZE", 0),
        // `poll` fails for more descriptors than this; none is below it that could be opened.
        (Resource::Nofile, "RLIMIT_NOFILE", 1),
    ];
    for (resource, name, limit) in limits {
        let limit = Rlimit { current: Some(limit), maximum: Some(limit) };
        setrlimit(resource, limit).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// Gives up all system calls that the filter does not allow, for all threads of this process.
///
/// # Errors
/// The reason why there is no filter.
pub fn filter_system_calls() -> Result<(), String> {
    let filter = filter::program().map_err(|error| format!("seccomp: {error}"))?;
    seccompiler::apply_filter_all_threads(&filter).map_err(|error| format!("seccomp: {error}"))
}
