//! Errors.

/// The error of reading a program.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a program, or in a format that is not HLO.
    #[error(transparent)]
    Program(#[from] hloom_pjrt::Error),
    /// The program has no computation to begin with.
    #[error("the program `{name}` has no entry computation: expected an optimized HLO module")]
    NoEntry {
        /// The program's name.
        name: String,
    },
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// The result of reading a program.
pub type Result<T, E = Error> = std::result::Result<T, E>;
