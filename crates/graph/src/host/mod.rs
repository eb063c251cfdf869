//! Calls of host functions, and the steps of programs between them.

mod host_call;
mod steps;

pub use host_call::{FunctionId, HostCall};
pub use steps::HostStep;
