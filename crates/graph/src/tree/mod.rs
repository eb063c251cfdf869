//! Trees of tensors: their traversal, the paths of their leaves, and trees of specs read from
//! stored tensors.

mod mismatch;
mod nearest;
mod path;
mod pattern;
mod spec_source;
mod spec_tree;
mod walk;
mod zip;

pub use mismatch::{Mismatch, Problem};
pub use nearest::nearest_name;
pub use path::{Path, Segment};
pub use pattern::path_matches;
pub use spec_source::{SpecReader, SpecSource};
pub use spec_tree::SpecTree;
pub use walk::{Leaf, Tree};
