//! How a tensor lies on a mesh.

use crate::{Mesh, Result};
use hloom_graph::{Partition, Partitioning, PerAxis, Shape};
use std::fmt::{self, Write};

/// How tensors lie on a mesh: which part of one each device has. Cheap to clone.
#[derive(Clone, PartialEq)]
pub struct Sharding {
    mesh: Mesh,
    partitioning: Partitioning,
}

/// Which part of a tensor each device has, drawn as tensors are printed: the last axis goes to the right, and the others go down,
/// one inside of the other. From [`Sharding::picture`].
#[derive(Clone, Debug)]
pub struct Picture {
    sharding: Sharding,
    shape: Shape,
}

impl Sharding {
    /// A tensor of this shape split over the mesh as the partition says. What it leaves open is whole on every device.
    ///
    /// # Errors
    /// The partition does not fit shape and mesh.
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

    /// Which axes are split along which mesh axes.
    pub fn partitioning(&self) -> &Partitioning {
        &self.partitioning
    }

    /// Whether every device has the whole tensor.
    pub fn is_replicated(&self) -> bool {
        self.partitioning.is_replicated()
    }

    /// The shape of each device's part of a tensor, padding included.
    ///
    /// # Errors
    /// The tensor has another number of axes.
    pub fn local(&self, shape: &Shape) -> Result<Shape> {
        self.check(shape)?;
        Ok(self.partitioning.local(shape, &self.mesh.shape()))
    }

    /// Where the part of a device, counted in the mesh's order, begins, and how large it is without padding.
    ///
    /// # Errors
    /// The tensor has another number of axes, or there is no such device.
    pub fn slice(&self, device: usize, shape: &Shape) -> Result<(PerAxis<usize>, PerAxis<usize>)> {
        self.check(shape)?;
        match device < self.mesh.devices().len() {
            true => Ok(self.partitioning.slice(device, shape, &self.mesh.shape())),
            false => Err(crate::Error::NoSuchShard {
                shard: device,
                count: self.mesh.devices().len(),
            }),
        }
    }

    /// Which device has which part of a tensor, to be printed.
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
        Picture {
            sharding: self.clone(),
            shape: *shape,
        }
    }

    /// The tensor with what its axes are split along, in one line.
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

impl fmt::Debug for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sharding({:?} over {:?})", self.partitioning, self.mesh)
    }
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sharding, shape) = (&self.sharding, &self.shape);
        let mesh = sharding.mesh.shape();
        write!(f, "{} on {mesh}", sharding.describe(shape))?;
        if shape.rank() != sharding.partitioning.rank() {
            return Ok(());
        }
        let partitioning = &sharding.partitioning;
        // A scalar has one part, as a vector that is whole.
        let parts: Vec<usize> = (0..shape.rank()).map(|axis| partitioning.parts(axis)).collect();
        let (&right, slower) = parts.split_last().unwrap_or((&1, &[]));
        let down: usize = slower.iter().product();
        let mut cells = vec![Vec::new(); down * right];
        for (position, device) in sharding.mesh.devices().iter().enumerate() {
            let part = partitioning.part(position, &mesh);
            let cell = parts
                .iter()
                .zip(part.iter())
                .fold(0, |cell, (&parts, &part)| cell * parts + part);
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
