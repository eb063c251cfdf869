//! Drawings of shardings.

use crate::NamedSharding;
use hloom_graph::Shape;
use std::fmt::{self, Write};

/// The part of a tensor that each device holds, drawn in the order in which tensors are printed:
/// the last axis runs to the right, and the others run downwards, nested. Returned by
/// [`NamedSharding::picture`].
#[derive(Clone, Debug)]
pub struct Picture {
    sharding: NamedSharding,
    shape: Shape,
}

impl NamedSharding {
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
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sharding, shape) = (&self.sharding, &self.shape);
        let mesh = sharding.mesh().shape();
        write!(f, "{} on {mesh}", sharding.describe(shape))?;
        if shape.rank() != sharding.resolved().rank() {
            return Ok(());
        }
        let resolved = sharding.resolved();
        // Draw a scalar as an unsplit vector.
        let parts: Vec<usize> = (0..shape.rank()).map(|axis| resolved.parts(axis)).collect();
        let (&right, slower) = parts.split_last().unwrap_or((&1, &[]));
        let down: usize = slower.iter().product();
        let mut cells = vec![Vec::new(); down * right];
        for (position, device) in sharding.mesh().devices().iter().enumerate() {
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
