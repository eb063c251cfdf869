//! Errors.

use crate::{
    format::FormatError,
    gguf::{GgufError, SplitError},
};
use hloom_graph::Mismatch;
use std::{io, path::PathBuf};

/// The error of opening, reading, loading or writing a checkpoint.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be opened or mapped.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        r#source: io::Error,
    },
    /// A file could not be read at an offset.
    #[error("{}: cannot read at byte {offset}: {source}", path.display())]
    ReadAt {
        /// The file.
        path: PathBuf,
        /// The offset, in bytes from its start.
        offset: u64,
        /// The system's error.
        r#source: io::Error,
    },
    /// A file lost bytes after it was opened.
    #[error(
        "{}: truncated since it was opened: expected {expected} bytes, found {found}; \
         replace files by renaming new ones over them",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// The bytes that it had.
        expected: u64,
        /// The bytes that it has.
        found: u64,
    },
    /// A file could not be written.
    #[error("{}: cannot write: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        r#source: io::Error,
    },
    /// A folder holds no checkpoint, or several.
    #[error("{}: {message}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The expected and the found contents, in words.
        message: String,
    },
    /// A file breaks the safetensors format.
    #[error("{}: {error}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The rule that it breaks.
        error: FormatError,
    },
    /// The weights are quantised in a form that is not read.
    #[error(
        "quantised weights of a form that is not supported: {found}; supported are {supported}"
    )]
    Quantization {
        /// The form of the weights.
        found: String,
        /// The supported forms.
        supported: &'static str,
    },
    /// A file breaks the GGUF format.
    #[error("{}: {error}", path.display())]
    Gguf {
        /// The file.
        path: PathBuf,
        /// The rule that it breaks.
        error: GgufError,
    },
    /// GGUF files do not belong together as one split model.
    #[error("{}: {error}", path.display())]
    GgufSplit {
        /// The file.
        path: PathBuf,
        /// The problem.
        error: SplitError,
    },
    /// An entry cannot be written to the metadata of a GGUF file.
    #[error("metadata key `{}`: {message}", key.escape_debug())]
    GgufKey {
        /// The key.
        key: String,
        /// The reason, in words.
        message: String,
    },
    /// The tensors or text entries of a file are not those that its checksum was written for.
    #[error(
        "{}: damaged: the checksum of its contents is {found}, and its header has {expected}",
        path.display()
    )]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The checksum in the header.
        expected: String,
        /// The checksum of the contents.
        found: String,
    },
    /// An index file of shards is invalid.
    #[error("{}: {message}", path.display())]
    Index {
        /// The index file.
        path: PathBuf,
        /// The problem, in words.
        message: String,
    },
    /// A file of NumPy cannot be read or written.
    #[error("{}: {message}", path.display())]
    Npy {
        /// The file.
        path: PathBuf,
        /// The problem, in words.
        message: String,
    },
    /// Tensors are missing, unused or of another shape.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// Buffers could not be made.
    #[cfg(feature = "load")]
    #[error(transparent)]
    Runtime(Box<hloom_runtime::Error>),
    /// A file has no weights of a program.
    #[cfg(feature = "npy")]
    #[error("{}: {message}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// The expected tensors, in words.
        message: String,
    },
    /// A tensor cannot be written or read as requested.
    #[error("tensor `{}`: {message}", name.escape_debug())]
    Tensor {
        /// The tensor.
        name: String,
        /// The reason, in words.
        message: String,
    },
}

hloom_graph::debug_as_display!(Error);

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(feature = "load")]
impl From<hloom_runtime::Error> for Error {
    fn from(error: hloom_runtime::Error) -> Error {
        Error::Runtime(Box::new(error))
    }
}

/// Lets a function that returns the runtime's error open and load checkpoints with `?`.
#[cfg(feature = "load")]
impl From<Error> for hloom_runtime::Error {
    fn from(error: Error) -> hloom_runtime::Error {
        match error {
            Error::Runtime(error) => *error,
            Error::Mismatch(error) => hloom_runtime::Error::Mismatch(error),
            error => hloom_runtime::Error::Above(Box::new(error)),
        }
    }
}
