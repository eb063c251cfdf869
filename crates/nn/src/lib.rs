//! Layers and functions of neural networks, as plain structs of tensors.
//!
//! Each layer derives [`Tree`](hloom_graph::Tree): `Linear<Spec>` says what to compile for, `Linear<Tensor>` is what `forward`
//! runs on, `Linear<Buffer>` holds the weights. Weights lie as checkpoints hold them: a matrix is `[out, in]`.
//!
//! # Element types
//! Weights keep the type they are stored in. What flows between layers is `f32` or whatever the caller feeds: a product is
//! computed in the weight's type, summed in the input's, and comes in the input's type; norms, softmax and rotations are
//! computed in `f32`.

#![forbid(unsafe_code)]

mod activation;
mod attention;
mod embedding;
mod kv_cache;
mod layer_norm;
mod linear;
mod product;
mod rms_norm;
mod rope;
mod rope_config;
mod sampling;

pub use activation::Activation;
pub use attention::{attention, causal_mask};
pub use embedding::Embedding;
pub use kv_cache::{KvCache, LayerCache};
pub use layer_norm::LayerNorm;
pub use linear::Linear;
pub use rms_norm::RmsNorm;
pub use rope::Rope;
pub use rope_config::{RopeConfig, RopeScaling};
pub use sampling::{Sampler, SamplerState, Sampling, SamplingError};
