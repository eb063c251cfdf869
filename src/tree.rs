//! Trees of tensors, specs or buffers: what `#[derive(Tree)]` implements, and walks over them.

#[doc(inline)]
pub use hloom_graph::{
    FieldValue, Leaf, LeafProblem, Mirror, Mismatch, Nested, Path, Segment, SpecReader, SpecSource,
    SpecTree, Structure, StructureMismatch, StructureWalk, TensorTree, Tree, flattened,
    nearest_name, path_matches,
};
