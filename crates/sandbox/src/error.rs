//! Errors of a sandbox.

use crate::Work;
use std::{path::PathBuf, time::Duration};

/// Errors of starting a sandbox, and of programs in it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system lacks what confines the child. There is no weaker form.
    #[error("a sandbox needs {0}, which this system does not have")]
    Unsupported(String),
    /// There is no program to run as the child.
    #[error(
        "there is no program `hloom-sandbox`: looked for {}; install it with `cargo install \
         hloom-sandbox`, set its path, or call `hloom_sandbox::enter()` first in `main`",
        .0.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    NoProgram(Vec<PathBuf>),
    /// The child cannot be started.
    #[error("{}: it cannot be started as the child of a sandbox: {reason}", .program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// The plugin's error, as text.
    #[error("{work}: {message}")]
    Plugin {
        /// The work that failed.
        work: Work,
        /// The error's message.
        message: String,
    },
    /// Work took longer than its limit; the child was killed.
    #[error("{work} took longer than its limit of {limit:?}")]
    TimeLimit {
        /// The work.
        work: Work,
        /// Its limit.
        limit: Duration,
    },
    /// The child had more threads than its limit, and was killed.
    #[error("{work}: the child process has more threads than its limit of {limit}")]
    ThreadLimit {
        /// The work.
        work: Work,
        /// The limit.
        limit: usize,
    },
    /// The child ended: the plugin crashed, or reached the limit of memory.
    #[error(
        "{work}: the child process ended with {status} (its limit of memory is {memory} bytes)"
    )]
    Ended {
        /// The work that it had begun.
        work: Work,
        /// The status of the process.
        status: String,
        /// The limit of memory.
        memory: u64,
    },
    /// An answer that the child cannot give, which was killed: its memory was changed by the
    /// program that it ran.
    #[error("{work}: the child process gave a wrong answer: {message}")]
    Protocol {
        /// The work that it had begun.
        work: Work,
        /// Expected and found.
        message: String,
    },
    /// The sandbox ended before, with this error.
    #[error("the sandbox ended before: {0}")]
    Dead(String),
    /// The arrays of a program are larger than the limit of memory.
    #[error("the {what} of the program have {found} bytes, and the limit of memory is {limit}")]
    TooLarge {
        /// `parameters` or `results`.
        what: &'static str,
        /// The sum of their sizes; the largest number if that does not fit.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// An argument of the caller does not fit.
    #[error("{what}: expected {expected}, found {found}")]
    Argument {
        /// The argument.
        what: String,
        /// The expected count, size or index.
        expected: String,
        /// The one of the caller.
        found: String,
    },
}

impl Error {
    pub(crate) fn argument(
        what: impl Into<String>,
        expected: impl ToString,
        found: impl ToString,
    ) -> Error {
        Error::Argument {
            what: what.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}

/// The result of work in a sandbox.
pub type Result<T, E = Error> = std::result::Result<T, E>;
