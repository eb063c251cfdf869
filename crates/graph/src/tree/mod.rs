//! Trees of tensors: their traversal, the paths of their leaves, and trees of specs read from
//! stored tensors.

mod axis_sizes;
mod carried;
mod mirror;
mod mismatch;
mod nearest;
mod path;
mod pattern;
mod plain_value;
mod spec_reader;
mod spec_source;
mod spec_tree;
mod structure;
mod walk;
mod zip;

#[doc(hidden)]
pub use carried::{
    Carried, CarriedBorrowingFunction, CarriedCompared, CarriedFunction, CarriedOpaque,
    CarriedPlain, CarriedShown, SameCompared, SamePlain,
};
pub use mirror::Mirror;
pub use mismatch::{LeafProblem, Mismatch};
pub use nearest::nearest_name;
pub use path::{Path, Segment};
pub use pattern::path_matches;
pub use spec_reader::SpecReader;
pub use spec_source::SpecSource;
pub use spec_tree::{FieldValue, SpecTree};
pub use structure::{Structure, StructureMismatch, StructureWalk};
pub use walk::{Leaf, Tree};
