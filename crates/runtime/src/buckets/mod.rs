//! Functions compiled for several sizes of an axis: shape buckets.
//!
//! A program has static shapes. Bucketing pads an input of any length to the next of a few sizes,
//! so that a few programs serve every length.
//!
//! - `sizes`: the sizes, along one axis or two.
//! - `function` and `arguments`: the traced function, which also takes the true lengths.
//! - `plan`: which axes of inputs are padded, and which of results are cut.
//! - `programs`: a program for each bucket, compiled once, on first use or in the background.
//! - `bucketed_exe`: the executable; `call`: padding, running and cutting.

mod arguments;
mod bucketed_exe;
mod call;
mod compile;
mod compile_pool;
mod function;
mod measure;
mod plan;
mod programs;
mod sizes;

pub use bucketed_exe::{BucketStats, BucketedExe};
pub use function::{BucketFunction, OnePerAxis};
pub use sizes::Buckets;
