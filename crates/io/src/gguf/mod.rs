//! GGUF, the format of llama.cpp: metadata and tensors, whose elements may be quantised in blocks.
//!
//! A file has a magic, a version, the metadata (text keys, 13 types of values), the descriptions of
//! the tensors, and their bytes at aligned offsets. A large model is split into files
//! `NAME-00001-of-00003.gguf`, which [`Gguf::open`] reads as one.
//!
//! All contents of a header are checked before any of them is used, as those of safetensors are:
//! texts are UTF-8, keys and names are unique, counts are bounded by the bytes that follow, and the
//! tensors' bytes are aligned, inside the file and without overlap.
//!
//! The format lists the sizes of a tensor from the fastest axis on; this module reverses them, so
//! that they are row-major as everywhere else: a matrix is `[out, in]`.

mod cursor;
mod dequantize;
mod gguf_error;
mod gguf_file;
mod gguf_tensor;
mod gguf_type;
mod gguf_writer;
mod header;
mod split;
mod tensor_table;
mod value;

pub(crate) use dequantize::block_decoder;
pub use dequantize::{DequantizeError, dequantize};
pub use gguf_error::{GgufError, ReadError, TensorError};
pub use gguf_file::Gguf;
pub use gguf_tensor::GgufTensor;
pub use gguf_type::GgufType;
pub use gguf_writer::GgufWriter;
pub use header::{DEFAULT_ALIGNMENT, Header, MAX_HEADER, parse};
pub use split::SplitError;
pub use tensor_table::TensorEntry;
pub use value::{Array, MAX_DEPTH, MAX_KEY, Value};
