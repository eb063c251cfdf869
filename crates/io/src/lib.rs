//! Checkpoints: safetensors files, shards, loading into buffers.
//!
//! # Design
//! - **Nothing a file says is believed.** Headers and indices are checked in full when a checkpoint is opened ([`mod@format`]);
//!   what comes after trusts them.
//! - **Files are mapped, not read.** A [`TensorView`] is a shape and a range of a mapped file; bytes are touched when they are
//!   loaded, and given back when they were copied.
//! - **A tree says what is wanted.** `Mlp::spec(&checkpoint.root())` reads a tree of specs, and the tree is what is loaded;
//!   everything missing, unused or of another shape is reported together, by its full name.

#![deny(unsafe_code)]

mod checkpoint;
mod convert;
mod element_type;
mod error;
pub mod format;
#[cfg(feature = "load")]
mod host_bytes;
pub mod index;
#[cfg(feature = "load")]
mod load;
#[cfg(feature = "load")]
mod load_sharded;
mod mapped_file;
mod plan;
mod tensor_view;
mod view;
mod writer;

pub use checkpoint::Checkpoint;
pub use error::{Error, Result};
#[cfg(feature = "load")]
pub use load::{Loader, Progress};
pub use mapped_file::MappedFile;
pub use plan::{LoadPlan, PlannedTensor, Unused};
pub use tensor_view::TensorView;
pub use view::View;
pub use writer::{ALIGNMENT, Writer};
