//! The layers on the CPU plugin, in one binary: MLIR is linked statically into each.

mod conv_layers;
mod layers;
mod messages;
mod ragged;
mod sampling;
