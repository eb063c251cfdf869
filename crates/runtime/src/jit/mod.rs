//! Functions that are compiled when they are called.

mod argument;
mod cache;
mod function;
mod jitted;
mod leaf;
mod parameters;

pub use argument::{JitArgument, JitArguments};
pub(crate) use cache::{Cache, Failure};
pub use function::JitFunction;
pub use jitted::Jit;
pub use leaf::JitLeaf;
pub use parameters::{JitParameter, JitParameters};
