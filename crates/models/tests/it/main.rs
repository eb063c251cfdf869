//! The models against independent references, in one binary: MLIR is linked statically into each.

mod bad_input;
mod bert;
mod chat;
mod fixture;
mod hub;
mod kernels;
mod llama;
mod minilm;
mod not_finite;
mod parallel;
mod programs;
mod sampling;
mod topology;
