//! Shardings of tensors over a mesh.

use crate::{Mesh, Result};
use hloom_graph::{PartitionSpec, PerAxis, ResolvedSharding, Shape, Spec};
use std::fmt;

/// A sharding over a mesh: the part of a tensor that each device holds. Cheap to clone.
#[derive(Clone, PartialEq)]
pub struct NamedSharding {
    mesh: Mesh,
    resolved: ResolvedSharding,
}

impl NamedSharding {
    /// The sharding of a tensor of this shape over the mesh with this partition. Open axes are
    /// replicated.
    ///
    /// # Errors
    /// The partition does not match shape and mesh.
    pub fn new(
        mesh: &Mesh,
        shape: &Shape,
        partition: impl Into<PartitionSpec>,
    ) -> Result<NamedSharding> {
        let resolved = partition.into().resolve(shape, &mesh.shape())?;
        Ok(NamedSharding::of(mesh.clone(), resolved))
    }

    pub(crate) fn of(mesh: Mesh, resolved: ResolvedSharding) -> NamedSharding {
        let resolved = resolved.definite();
        NamedSharding { mesh, resolved }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The mesh axes that each axis is sharded along.
    pub fn resolved(&self) -> &ResolvedSharding {
        &self.resolved
    }

    /// Whether every device holds the whole tensor.
    pub fn is_replicated(&self) -> bool {
        self.resolved.is_replicated()
    }

    /// The shape of each device's shard of a tensor, padding included.
    ///
    /// # Errors
    /// The tensor has another rank.
    pub fn local(&self, shape: &Shape) -> Result<Shape> {
        self.check(shape)?;
        Ok(self.resolved.local(shape, &self.mesh.shape()))
    }

    /// The start of a device's shard, by the device's index in the mesh's order, and its sizes
    /// without padding.
    ///
    /// # Errors
    /// The tensor has another rank, or there is no such device.
    pub fn slice(&self, device: usize, shape: &Shape) -> Result<(PerAxis<usize>, PerAxis<usize>)> {
        self.check(shape)?;
        if device < self.mesh.devices().len() {
            Ok(self.resolved.slice(device, shape, &self.mesh.shape()))
        } else {
            Err(crate::Error::NoSuchShard { shard: device, count: self.mesh.devices().len() })
        }
    }

    /// The tensor's shape with the mesh axes of its axes, in one line.
    pub fn describe(&self, shape: &Shape) -> String {
        if shape.rank() == self.resolved.rank() {
            self.resolved.describe(shape, &self.mesh.shape())
        } else {
            shape.to_string()
        }
    }

    pub(crate) fn check(&self, shape: &Shape) -> Result<()> {
        if shape.rank() != self.resolved.rank() {
            return Err(crate::Error::ShardingRank {
                expected: self.resolved.rank(),
                shape: Box::new(*shape),
            });
        }
        Ok(())
    }
}

impl Mesh {
    /// The sharding of a tensor that the spec describes, over this mesh.
    ///
    /// # Errors
    /// The spec does not match the mesh.
    pub fn sharding(&self, spec: &Spec) -> Result<NamedSharding> {
        if let Some(error) = spec.error() {
            return Err(error.into());
        }
        NamedSharding::new(self, &spec.shape(), spec.partition_spec())
    }

    /// The sharding of a tensor of `rank` axes that is replicated on every device.
    pub fn replicated(&self, rank: usize) -> NamedSharding {
        NamedSharding::of(self.clone(), hloom_graph::ResolvedSharding::replicated(rank))
    }
}

impl fmt::Debug for NamedSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamedSharding({:?} over {:?})", self.resolved, self.mesh)
    }
}
