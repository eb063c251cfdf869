//! CPU kernels for patterns that a plugin runs slowly: matmuls with weights in `bf16`, `f16` or
//! `f32`, attention to a cache, and writing to it.
//!
//! They are plain functions over views of memory. The instruction set is selected at run time, by
//! the processor's [`Isa`] or by the environment variable `HLOOM_KERNELS_ISA` (`portable`, `avx2`,
//! `avx512`, `avx512bf16`, `amx`, `neon`); a [`Pool`] distributes the work. [`handlers`] exports
//! them as XLA FFI handlers.

#[cfg(all(target_os = "linux", not(miri)))]
mod affinity;
mod attend;
mod block;
mod element;
mod error;
mod exp;
pub mod handlers;
mod isa;
mod linear;
mod matrix;
mod pool;
mod scratch;
mod simd;
mod sync;
mod team;
mod tile;
mod update;
mod workers;

pub use attend::{Attention, attend};
pub use block::{Activations, BlockKind, BlockLinear, BlockMatrix, block_linear, decode};
pub use element::Element;
pub use error::Error;
pub use isa::{Isa, has_bf16_tiles};
pub use linear::{Linear, linear};
pub use matrix::{Matrix, MatrixMut};
pub use pool::{Pool, Scoped, Serial};
pub use update::{Update, update};
pub use workers::Workers;
