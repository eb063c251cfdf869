//! Checkpoints: safetensors files, shards, loading into buffers; GGUF files.
//!
//! # Design
//! - **Files are not trusted.** Headers and indices are checked in full when a checkpoint is opened
//!   ([`mod@format`], [`gguf`]); later code relies on that.
//! - **Files are mapped, not read,** unless [`Access::Read`] is requested. A [`TensorView`] is a
//!   shape and a range of a file; bytes are touched when they are loaded, and released after they
//!   were copied.
//! - **A tree selects what is loaded.** `Mlp::spec(&checkpoint)` reads a tree of specs, and
//!   its tensors are loaded; everything missing, unused or of another shape is reported together,
//!   by its full name. A leaf whose path has a `*` is a stack of several tensors ([`View`]).

#![deny(unsafe_code)]

#[cfg(feature = "npy")]
mod bind_weights;
mod bus_error;
mod checkpoint;
mod checkpoint_file;
mod checksum;
mod convert;
mod element_type;
mod error;
mod fault;
pub mod format;
pub mod gguf;
#[cfg(feature = "load")]
mod host_bytes;
pub mod index;
#[cfg(feature = "load")]
mod load;
#[cfg(feature = "load")]
mod load_and_compile;
#[cfg(feature = "load")]
mod load_sharded;
mod mapping;
#[cfg(feature = "npy")]
pub mod npy;
#[cfg(feature = "npy")]
mod npy_header;
mod open_file;
mod packed;
mod plan;
mod planned_tensor;
mod quantize;
mod raw_header;
mod row_order;
#[cfg(feature = "load")]
mod save;
#[cfg(feature = "npy")]
mod stablehlo_folder;
mod stack;
mod tensor_view;
mod view;
mod wrapped_names;
mod writer;

#[cfg(feature = "npy")]
pub use bind_weights::bind_weights;
pub use bus_error::explain_bus_errors;
pub use checkpoint::{Checkpoint, Renamed};
pub use checkpoint_file::{Access, CheckpointFile};
pub use error::{Error, Result};
pub use hloom_files::{binary_kind, file_kind};
#[cfg(feature = "load")]
pub use load::{Loader, Progress};
#[cfg(feature = "load")]
pub use load_and_compile::LoadAndCompile;
pub use open_file::{open_regular, read_regular};
pub use packed::QuantizationConfig;
pub use plan::{LoadPlan, Unused};
pub use planned_tensor::PlannedTensor;
pub use quantize::quantized;
pub use row_order::RowOrder;
#[cfg(feature = "load")]
pub use save::save;
#[cfg(feature = "npy")]
pub use stablehlo_folder::StableHloFolder;
pub use tensor_view::TensorView;
pub use view::View;
pub use writer::{ALIGNMENT, Writer};
