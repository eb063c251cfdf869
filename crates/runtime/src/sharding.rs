//! Sharding of tensors over a mesh.

use crate::{Mesh, Result};
use hloom_graph::{PartitionSpec, PerAxis, ResolvedSharding, Shape};
use std::fmt::{self, Write};

/// A sharding over a mesh: the part of a tensor that each device holds. Cheap to clone.
#[derive(Clone, PartialEq)]
pub struct NamedSharding {
    mesh: Mesh,
    resolved: ResolvedSharding,
}

/// The part of a tensor that each device holds, drawn in the order in which tensors are printed:
/// the last axis runs to the right, and the others run downwards, nested. Returned by
/// [`NamedSharding::picture`].
#[derive(Clone, Debug)]
pub struct Picture {
    sharding: NamedSharding,
    shape: Shape,
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

    /// The mesh axes that each axis is split along.
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
        match device < self.mesh.devices().len() {
            true => Ok(self.resolved.slice(device, shape, &self.mesh.shape())),
            false => {
                Err(crate::Error::NoSuchShard { shard: device, count: self.mesh.devices().len() })
            }
        }
    }

    /// A printable drawing of which device holds which shard of a tensor.
    ///
    /// ```text
    /// f32[batch=8/data, out=6/model] on [data=2, model=3]
    /// ┌─────┬─────┬─────┐
    /// │  0  │  1  │  2  │
    /// ├─────┼─────┼─────┤
    /// │  3  │  4  │  5  │
    /// └─────┴─────┴─────┘
    /// ```
    pub fn picture(&self, shape: &Shape) -> Picture {
        Picture { sharding: self.clone(), shape: *shape }
    }

    /// The tensor's shape with the mesh axes of its axes, in one line.
    pub fn describe(&self, shape: &Shape) -> String {
        match shape.rank() == self.resolved.rank() {
            true => self.resolved.describe(shape, &self.mesh.shape()),
            false => shape.to_string(),
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

impl fmt::Debug for NamedSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamedSharding({:?} over {:?})", self.resolved, self.mesh)
    }
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sharding, shape) = (&self.sharding, &self.shape);
        let mesh = sharding.mesh.shape();
        write!(f, "{} on {mesh}", sharding.describe(shape))?;
        if shape.rank() != sharding.resolved.rank() {
            return Ok(());
        }
        let resolved = &sharding.resolved;
        // Draw a scalar as an unsplit vector.
        let parts: Vec<usize> = (0..shape.rank()).map(|axis| resolved.parts(axis)).collect();
        let (&right, slower) = parts.split_last().unwrap_or((&1, &[]));
        let down: usize = slower.iter().product();
        let mut cells = vec![Vec::new(); down * right];
        for (position, device) in sharding.mesh.devices().iter().enumerate() {
            let part = resolved.part(position, &mesh);
            let cell =
                parts.iter().zip(part.iter()).fold(0, |cell, (&parts, &part)| cell * parts + part);
            cells[cell].push(device.id().to_string());
        }
        let cells: Vec<String> = cells.into_iter().map(|ids| ids.join(" ")).collect();
        let width = cells.iter().map(|cell| cell.len()).max().unwrap_or(0) + 4;
        let line = |left: &str, between: &str, end: &str| {
            format!("\n{left}{}{end}", vec!["─".repeat(width); right].join(between))
        };
        f.write_str(&line("┌", "┬", "┐"))?;
        for (row, ids) in cells.chunks(right).enumerate() {
            if row > 0 {
                f.write_str(&line("├", "┼", "┤"))?;
            }
            f.write_str("\n")?;
            for id in ids {
                write!(f, "│{id:^width$}")?;
            }
            f.write_char('│')?;
        }
        f.write_str(&line("└", "┴", "┘"))
    }
}
