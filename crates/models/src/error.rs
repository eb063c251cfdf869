//! What goes wrong between a folder and its answers.

use std::path::PathBuf;

/// What goes wrong when a model is opened, loaded or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A configuration lacks a field, or has one that is not understood.
    #[error("{}: {message}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A tokenizer cannot be used, or does not fit its model.
    #[error("{}: {message}", path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A chat template cannot be read or refuses a conversation.
    #[error("chat template ({name}): {message}")]
    Template {
        /// Where the template is from.
        name: String,
        /// What is wrong with it, or what it says itself.
        message: String,
    },
    /// A request that this model cannot serve.
    #[error("{0}")]
    Request(String),
    /// A model computed what is no number: a weight is NaN or infinite, or a value overflowed.
    #[error(
        "{0} is NaN or infinite: a weight of the checkpoint is not finite, or a value overflows the element type; `f32` has the \
         widest range"
    )]
    NotFinite(String),
    /// A model could not be fetched.
    #[error("model `{name}`: {message}")]
    Hub {
        /// The name that was asked for.
        name: String,
        /// What the hub says.
        message: String,
    },
    /// The checkpoint cannot be read or does not fit the configuration.
    #[error(transparent)]
    Checkpoint(#[from] hloom_io::Error),
    /// A program cannot be compiled or run.
    #[cfg(feature = "run")]
    #[error(transparent)]
    Runtime(#[from] hloom_runtime::Error),
    /// A sampling option is out of its range.
    #[error(transparent)]
    Sampling(#[from] hloom_nn::SamplingError),
}

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
