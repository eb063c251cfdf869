//! The layers on the CPU plugin, in one binary: MLIR is linked statically into each.

mod layers;
mod messages;
mod sampling;
