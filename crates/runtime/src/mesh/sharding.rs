//! Sharding of tensors over a mesh.

use crate::{Mesh, Result};
use hloom_graph::{Partition, Partitioning, PerAxis, Shape, Spec};
use std::fmt;

/// A sharding over a mesh: the part of a tensor that each device holds. Cheap to clone.
#[derive(Clone, PartialEq)]
pub struct Sharding {
    mesh: Mesh,
    partitioning: Partitioning,
}

impl Sharding {
    /// The sharding of a tensor of this shape over the mesh with this partition. Open axes are
    /// replicated.
    ///
    /// # Errors
    /// The partition does not match shape and mesh.
    pub fn new(mesh: &Mesh, shape: &Shape, partition: impl Into<Partition>) -> Result<Sharding> {
        let partitioning = partition.into().resolve(shape, &mesh.shape())?;
        Ok(Sharding::of(mesh.clone(), partitioning))
    }

    pub(crate) fn of(mesh: Mesh, partitioning: Partitioning) -> Sharding {
        let partitioning = partitioning.definite();
        Sharding { mesh, partitioning }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The mesh axes that each axis is sharded along.
    pub fn partitioning(&self) -> &Partitioning {
        &self.partitioning
    }

    /// Whether every device holds the whole tensor.
    pub fn is_replicated(&self) -> bool {
        self.partitioning.is_replicated()
    }

    /// The shape of each device's shard of a tensor, padding included.
    ///
    /// # Errors
    /// The tensor has another rank.
    pub fn local(&self, shape: &Shape) -> Result<Shape> {
        self.check(shape)?;
        Ok(self.partitioning.local(shape, &self.mesh.shape()))
    }

    /// The start of a device's shard, by the device's index in the mesh's order, and its sizes
    /// without padding.
    ///
    /// # Errors
    /// The tensor has another rank, or there is no such device.
    pub fn slice(&self, device: usize, shape: &Shape) -> Result<(PerAxis<usize>, PerAxis<usize>)> {
        self.check(shape)?;
        match device < self.mesh.devices().len() {
            true => Ok(self.partitioning.slice(device, shape, &self.mesh.shape())),
            false => {
                Err(crate::Error::NoSuchShard { shard: device, count: self.mesh.devices().len() })
            }
        }
    }

    /// The tensor's shape with the mesh axes of its axes, in one line.
    pub fn describe(&self, shape: &Shape) -> String {
        match shape.rank() == self.partitioning.rank() {
            true => self.partitioning.describe(shape, &self.mesh.shape()),
            false => shape.to_string(),
        }
    }

    pub(crate) fn check(&self, shape: &Shape) -> Result<()> {
        if shape.rank() != self.partitioning.rank() {
            return Err(crate::Error::ShardingRank {
                expected: self.partitioning.rank(),
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
    pub fn sharding(&self, spec: &Spec) -> Result<Sharding> {
        if let Some(error) = spec.error() {
            return Err(error.into());
        }
        Sharding::new(self, &spec.shape(), spec.partition())
    }

    /// The sharding of a tensor of `rank` axes that is replicated on every device.
    pub fn replicated(&self, rank: usize) -> Sharding {
        Sharding::of(self.clone(), hloom_graph::Partitioning::replicated(rank))
    }
}

impl fmt::Debug for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sharding({:?} over {:?})", self.partitioning, self.mesh)
    }
}
