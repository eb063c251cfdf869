//! Shardings of tensors over a mesh, symbolic and resolved, and the ops that depend on them.

mod error;
mod mesh_shape;
mod partition_spec;
mod resolved_sharding;
mod shard_rules;
mod sharded_op;

pub use error::ShardingError;
pub use mesh_shape::{IntoMeshAxes, MeshShape};
pub use partition_spec::PartitionSpec;
pub use resolved_sharding::{MeshAxisPart, ResolvedSharding};
pub use shard_rules::{Unmatched, shard_tree};
pub use sharded_op::{Collective, Manual};
