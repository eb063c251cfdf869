//! Limits of a sandbox.

use std::{fmt, time::Duration};

/// Limits of a sandbox's memory, threads and time.
///
/// ```
/// # use {hloom_sandbox::Limits, std::time::Duration};
/// let limits = Limits { call: Duration::from_secs(1), ..Limits::default() };
/// assert!(limits.compile > limits.call);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory of the child, those of the plugin included; also the largest sum of the
    /// sizes of a program's parameters, and of its results. The memory that it shares with the
    /// parent for arrays is as large again. Default: 4 GiB.
    pub memory: u64,
    /// Threads of the child, those of the plugin included: it starts several for each processor.
    /// They are counted while the parent waits for the child. Default: 4,096.
    pub threads: usize,
    /// Time to load the plugin and to create a client. Default: one minute.
    pub start: Duration,
    /// Time to compile a program. Default: five minutes.
    pub compile: Duration,
    /// Time to copy an argument into the child once. Default: one minute.
    pub bind: Duration,
    /// Time of a call, from the first byte of its arguments to the last of its results. Default:
    /// one minute.
    pub call: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let minute = Duration::from_secs(60);
        Self {
            memory: 4 << 30,
            threads: 4096,
            start: minute,
            compile: 5 * minute,
            bind: minute,
            call: minute,
        }
    }
}

/// A kind of work of a sandbox's child, each with its own limit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Loading the plugin, creating a client, and giving up everything else.
    Start,
    /// Compiling a program.
    Compile,
    /// Copying an argument of later calls.
    Bind,
    /// A call of a program.
    Call,
}

impl Work {
    /// The time that it may take.
    pub(crate) fn limit(self, limits: &Limits) -> Duration {
        match self {
            Work::Start => limits.start,
            Work::Compile => limits.compile,
            Work::Bind => limits.bind,
            Work::Call => limits.call,
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Work::Start => "starting the sandbox",
            Work::Compile => "compiling in the sandbox",
            Work::Bind => "copying an argument into the sandbox",
            Work::Call => "a call in the sandbox",
        })
    }
}
