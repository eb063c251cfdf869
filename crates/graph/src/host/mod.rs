//! Calls of host functions, and programs split at them.

mod host_call;
mod split;

pub use host_call::{FunctionId, HostCall};
pub use split::HostStep;
