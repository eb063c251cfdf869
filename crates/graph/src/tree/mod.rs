//! Trees of tensors: their traversal, the paths of their leaves, and trees of specs read from
//! stored tensors.

mod mismatch;
mod path;
mod spec_source;
mod spec_tree;
mod walk;

pub use mismatch::{Mismatch, Problem};
pub use path::{Path, Segment};
pub use spec_source::{SpecReader, SpecSource};
pub use spec_tree::SpecTree;
pub use walk::{Leaf, Tree};
