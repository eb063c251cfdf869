//! Weights that several tensors of safetensors files hold: quantised numbers, scales, zeros.
//!
//! A packed weight is one tensor of a checkpoint, whose values are computed when it is read. Its
//! parts are read in place where the files are mapped.

mod codes;
mod config;
mod layers;
mod matrix;
mod part;

pub use config::QuantizationConfig;
pub(crate) use layers::find;
pub(crate) use matrix::PackedMatrix;
