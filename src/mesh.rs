//! Programs on several devices: meshes, partitions, and code that runs on each device.

#[doc(inline)]
pub use hloom_graph::{
    IntoMeshAxes, MeshAxisPart, MeshShape, PartitionSpec, ResolvedSharding, ShardingError,
    Unmatched, axis_index, axis_size, manual, manual_unchecked, shard_tree, trace_mesh,
};
#[doc(inline)]
pub use hloom_runtime::{Mesh, MeshError, NamedSharding, Picture};
