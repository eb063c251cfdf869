//! Errors of opening, loading and running models.

use std::path::PathBuf;

/// The expected contents of a model folder, for messages.
const EXPECTED: &str = "a model folder holds `config.json`, the weights in `model.safetensors` or in \
                        shards with a `model.safetensors.index.json`, and for texts \
                        `tokenizer.json`, as Hugging Face distributes them";

/// An error of opening, loading or running a model.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        r#source: std::io::Error,
    },
    /// A folder is not that of a model.
    #[error("{}: {message}; {EXPECTED}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The description of the error.
        message: String,
    },
    /// A configuration lacks a field, or has an unsupported one.
    #[error("{}: {message}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// The description of the error.
        message: String,
    },
    /// A tokenizer cannot be used, or does not match its model.
    #[error("{}: {message}", path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// The description of the error.
        message: String,
    },
    /// A chat template cannot be read or rejects a conversation.
    #[error("chat template ({name}): {message}")]
    Template {
        /// The source of the template.
        name: String,
        /// The description of the error, or the template's own message.
        message: String,
    },
    /// An audio file cannot be used.
    #[error("{}: {message}", path.display())]
    Audio {
        /// The file.
        path: PathBuf,
        /// The description of the error.
        message: String,
    },
    /// A request that this model cannot serve.
    #[error("{0}")]
    Request(String),
    /// A model computed NaN or an infinity: a weight is not finite, or a value overflowed.
    #[error(
        "{0} is NaN or infinite: a weight of the checkpoint is not finite, or a value overflows \
         the element type; `f32` has the widest range"
    )]
    NotFinite(String),
    /// A model could not be fetched.
    #[error("model `{name}`: {message}")]
    Hub {
        /// The requested name.
        name: String,
        /// The hub's error.
        message: String,
    },
    /// The checkpoint cannot be read or does not match the configuration.
    #[error(transparent)]
    Checkpoint(#[from] hloom_io::Error),
    /// A program cannot be compiled or run.
    #[cfg(feature = "run")]
    #[error(transparent)]
    Runtime(#[from] hloom_runtime::Error),
    /// A sampling option is out of range.
    #[error(transparent)]
    Sampling(#[from] hloom_nn::SamplingError),
}

hloom_graph::debug_as_display!(Error);

/// A result with [`Error`] as the error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Lets a function that returns the runtime's error open and run models with `?`.
#[cfg(feature = "run")]
impl From<Error> for hloom_runtime::Error {
    fn from(error: Error) -> hloom_runtime::Error {
        match error {
            Error::Runtime(error) => error,
            Error::Checkpoint(error) => error.into(),
            error => hloom_runtime::Error::Above(Box::new(error)),
        }
    }
}
