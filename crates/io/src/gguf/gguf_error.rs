//! Errors in the contents of GGUF files.

use super::{GgufType, MAX_DEPTH, MAX_HEADER};

/// The rule of the format that a file breaks.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum GgufError {
    #[error("not a GGUF file: it does not begin with `GGUF`")]
    Magic,
    #[error("not a GGUF file, but {kind}")]
    Other { kind: &'static str },
    #[error(
        "a GGUF file of version {version} in big endian order: only little endian files are read"
    )]
    BigEndian { version: u32 },
    #[error("a GGUF file of version {version}: expected version 2 or 3")]
    Version { version: u32 },
    #[error("the header is longer than {MAX_HEADER} bytes")]
    HeaderTooLong,
    #[error("{place}: {error}")]
    Read { place: String, error: ReadError },
    #[error("duplicate metadata key `{}`", key.escape_debug())]
    DuplicateKey { key: String },
    #[error(
        "metadata key `general.alignment`: expected a u32 that is a power of two and a multiple \
         of 8, found {found}"
    )]
    Alignment { found: String },
    #[error("tensor `{}`: {error}", name.escape_debug())]
    Tensor { name: String, error: TensorError },
}

/// An error in the bytes of a header.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum ReadError {
    #[error("truncated: {needed} bytes are needed, and {left} are left in the file")]
    Truncated { needed: u64, left: usize },
    #[error(
        "truncated: {declared} elements of at least {min} bytes do not fit in the {left} bytes \
         that are left in the file"
    )]
    Count { declared: u64, min: usize, left: usize },
    #[error("its text is not UTF-8 (byte {at})")]
    NotUtf8 { at: usize },
    #[error("its text has {length} bytes, expected at most {limit}")]
    TooLong { length: usize, limit: usize },
    #[error("unknown type of values {id}, expected 0 to 12")]
    ValueType { id: u32 },
    #[error("a boolean is {found}, expected 0 or 1")]
    Bool { found: u8 },
    #[error("arrays are nested deeper than {MAX_DEPTH}")]
    Depth,
}

/// An error in the description of a tensor.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
#[non_exhaustive]
pub enum TensorError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("duplicate name")]
    Duplicate,
    #[error("its name has {length} bytes, expected at most {limit}")]
    NameTooLong { length: usize, limit: usize },
    #[error("it has {found} dimensions, expected at most 4")]
    Rank { found: u64 },
    #[error("element type {id} ({name}) was removed from the format")]
    RemovedType { id: u32, name: &'static str },
    #[error("unknown element type {id}")]
    UnknownType { id: u32 },
    #[error(
        "its rows of {row} elements do not consist of whole blocks: a block of {kind} has {} \
         elements",
        kind.block_len()
    )]
    Row { row: u64, kind: GgufType },
    #[error("sizes {sizes:?} are more elements than memory can address")]
    TooLarge { sizes: Vec<u64> },
    #[error("its offset {offset} is not a multiple of the alignment {alignment}")]
    Misaligned { offset: u64, alignment: usize },
    #[error(
        "truncated: its {size} bytes at offset {offset} do not fit in the {data} bytes of all \
         tensors"
    )]
    Outside { offset: u64, size: usize, data: usize },
    #[error("its bytes overlap those of `{}`", .0.escape_debug())]
    Overlap(String),
    #[error("sizes {sizes:?} of {kind} take {expected} bytes, and {found} are given")]
    Size { sizes: Vec<usize>, kind: GgufType, expected: usize, found: usize },
}

hloom_graph::debug_as_display!(GgufError, ReadError, TensorError);
