//! The methods of `Tensor` and the free functions of a trace, by family.

mod broadcast;
mod constant;
mod elementwise;

pub use broadcast::*;
pub use constant::*;
