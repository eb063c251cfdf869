//! The methods of `Tensor` and the free functions of a trace, by family.

mod activation;
mod broadcast;
mod collective;
mod constant;
mod constrain;
mod control;
mod custom_call;
mod dot;
mod elementwise;
mod index;
mod manual;
mod random;
mod reduce;
mod reshape;
mod slice;
mod sort;

pub use constant::{ScalarNumber, ScalarValue};
pub use constrain::{axis_index, axis_size};
pub use control::{TensorTree, case, cond, for_loop, optimization_barrier, scan, while_loop};
pub use custom_call::{CustomCallBuilder, custom_call};
pub use dot::DotOptions;
pub use index::StartIndex;
pub use manual::manual;
pub use random::RandomState;
pub use slice::{concatenate, stack};
pub use sort::sort_together;

use crate::{
    Axis, Shape,
    trace::{Mistake, Rule},
};

/// The positions of axes, each at most once.
fn positions(shape: &Shape, axes: &[Axis]) -> Rule<Vec<usize>> {
    let mut positions = Vec::with_capacity(axes.len());
    for &axis in axes {
        let position = shape.position(axis)?;
        if positions.contains(&position) {
            return Err(Mistake(format!("axis {axis} is given twice")));
        }
        positions.push(position);
    }
    Ok(positions)
}
