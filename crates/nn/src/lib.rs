//! Layers and functions of neural networks, as plain structs of tensors.
//!
//! Each layer derives [`Tree`](hloom_graph::Tree): `Linear<Spec>` describes what to compile for,
//! `Linear<Tensor>` is used in `forward`, `Linear<Buffer>` holds the weights. Weights have the
//! layout of checkpoints: a matrix is `[out, in]`.
//!
//! # Element types
//! Weights keep their stored type. Activations are `f32` or the type of the caller's input: a
//! matmul multiplies in the [`compute_dtype()`] of the weight's type, which is the weight's own for
//! floats of 16 bits or more, accumulates in the input's type and returns it; norms, softmax,
//! rotations and losses are computed in `f32`, or in `f64` for `f64`.

#![forbid(unsafe_code)]

mod activation;
mod attention;
mod batch_norm;
mod compute_dtype;
mod conv;
mod dropout;
mod embedding;
mod group_norm;
mod initializer;
mod kv_cache;
mod layer_norm;
mod linear;
pub mod loss;
mod mixture_of_experts;
mod product;
mod recurrent;
mod resize;
mod rms_norm;
mod rope;
mod rope_config;
mod sampling;
mod wide;

pub use activation::Activation;
pub use attention::{AttentionOptions, attention, attention_with, causal_mask};
pub use batch_norm::BatchNorm;
pub use compute_dtype::compute_dtype;
pub use conv::{Conv, ConvTranspose};
pub use dropout::dropout;
pub use embedding::Embedding;
pub use group_norm::GroupNorm;
pub use initializer::{Distribution, Fan, Initializer, initialize};
pub use kv_cache::{KvCache, LayerCache, ring_mask};
pub use layer_norm::LayerNorm;
pub use linear::{Linear, LinearTo};
pub use mixture_of_experts::{Routing, RoutingOptions};
pub use recurrent::{Gru, Lstm, LstmState};
pub use resize::{Interpolation, Resize};
pub use rms_norm::RmsNorm;
pub use rope::Rope;
pub use rope_config::{RopeConfig, RopeScaling};
pub use sampling::{Sampler, SamplerState, Sampling, SamplingError};
pub use wide::wide;
