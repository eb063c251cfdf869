//! Changes of axes without changes of elements.

mod reverse;

use super::positions;
use crate::{
    Axis, Dims, IntoAxes, IntoDims, Name, PerAxis, Shape, Tensor,
    body::Recorded,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    trace::{Rule, apply},
    vmap::{Batch, Lane, Lanes, as_it_is, batched_if_any, shifted, with_first},
};
pub(super) use reverse::restored;
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// Changes the axes and keeps the elements in row-major order; also renames axes, which lowering
/// drops.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reshape {
    /// The axes of the result.
    pub dims: Dims,
}

/// Reorders axes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Transpose {
    /// The operand's axis of each result axis.
    pub order: PerAxis<usize>,
}

/// Reverses the order along axes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reverse {
    /// The axes, in ascending order.
    pub axes: PerAxis<usize>,
}

impl Definition for Reshape {
    fn name(&self) -> &'static str {
        "reshape"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        let result = operand.with_dims(self.dims);
        let (from, to) = (operand.element_count(), result.element_count());
        if from == to {
            one(result)
        } else {
            Err(format!("{from} elements do not fill {result}, which has {to}").into())
        }
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_sizes(hasher, self.dims.sizes());
    }
}

impl Definition for Transpose {
    fn name(&self) -> &'static str {
        "transpose"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        let mut sorted = self.order;
        sorted.as_mut_slice().sort_unstable();
        if sorted.iter().copied().eq(0..operand.rank()) {
            one(permuted(operand, &self.order))
        } else {
            let order = list(&self.order);
            Err(format!("{order} is not a permutation of the axes of {operand}").into())
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " order {}", list(&self.order))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_sizes(hasher, &self.order);
    }
}

impl Definition for Reverse {
    fn name(&self) -> &'static str {
        "reverse"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        check_ascending(operand, &self.axes)?;
        one(*operand)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " along {}", list(&self.axes))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_sizes(hasher, &self.axes);
    }
}

plain!(Reshape, Transpose, Reverse);
as_it_is!(Transpose, |op| Transpose { order: with_first(&shifted(&op.order), 0) });
as_it_is!(Reverse, |op| Reverse { axes: shifted(&op.axes) });

impl Batch for Reshape {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        lanes.with_dims(node, &self.dims, |dims| Reshape { dims })
    }

    batched_if_any!();
}

/// Returns an error if axes do not exist, or are not in ascending order.
pub(super) fn check_ascending(shape: &Shape, axes: &[usize]) -> Rule<()> {
    if axes.is_sorted_by(|a, b| a < b) && axes.iter().all(|&axis| axis < shape.rank()) {
        Ok(())
    } else {
        Err(format!("{} are not axes of {shape} in ascending order", list(axes)).into())
    }
}

/// The axes of a shape as a list that can be edited.
fn axes(shape: &Shape) -> Vec<(Option<Name>, usize)> {
    shape.names().iter().copied().zip(shape.sizes().iter().copied()).collect()
}

fn reshaped(axes: Vec<(Option<Name>, usize)>) -> Rule<Reshape> {
    Ok(Reshape { dims: Dims::new(axes)? })
}

/// The shape with its axes in another order.
pub(super) fn permuted(shape: &Shape, order: &[usize]) -> Shape {
    let dims = Dims::new(order.iter().map(|&i| (shape.names()[i], shape.sizes()[i])));
    shape.with_dims(dims.expect("a permutation of sound axes is sound"))
}

#[hloom_derive::tensor_methods(reshape)]
impl Tensor {
    /// Changes the axes; the elements keep their row-major order.
    #[track_caller]
    pub fn reshape(self, dims: impl IntoDims) -> Tensor {
        let dims = dims.into_dims();
        apply("reshape", &[self], |_| Ok(Reshape { dims: dims? }))
    }

    /// Turns an axis into several, the last of which varies fastest. The product of their sizes is
    /// the axis' size.
    #[track_caller]
    pub fn unflatten(self, axis: impl Into<Axis>, into: impl IntoDims) -> Tensor {
        let (axis, into) = (axis.into(), into.into_dims());
        apply("unflatten", &[self], |s| {
            let (at, into) = (s[0].position(axis)?, into?);
            let size = s[0].sizes()[at];
            if into.sizes().iter().product::<usize>() != size {
                return Err(format!(
                    "axis {axis} of size {size} does not unflatten into {:?}",
                    into.sizes()
                )
                .into());
            }
            let mut all = axes(&s[0]);
            all.splice(at..=at, into.names().iter().copied().zip(into.sizes().iter().copied()));
            reshaped(all)
        })
    }

    /// Merges adjacent axes, given in their order, into one called `name` (`_` for none).
    #[track_caller]
    pub fn merge(self, merged: impl IntoAxes, name: &str) -> Tensor {
        let merged = merged.into_axes(self.rank());
        apply("merge", &[self], |s| {
            let at = positions(&s[0], &merged)?;
            let Some(&first) = at.first() else {
                return Err("no axis to merge".into());
            };
            if at.iter().enumerate().any(|(i, &p)| p != first + i) {
                return Err("only adjacent axes, given in their order, can be merged".into());
            }
            let size = at.iter().map(|&i| s[0].sizes()[i]).product();
            let mut all = axes(&s[0]);
            all.splice(first..first + at.len(), [((name != "_").then(|| Name::new(name)), size)]);
            reshaped(all)
        })
    }

    /// Inserts an axis of size 1 called `name` (`_` for none) at index `at` of the result; negative
    /// indices count from the end of the result.
    #[doc(alias = "unsqueeze")]
    #[doc(alias = "expand_dims")]
    #[track_caller]
    pub fn insert_axis(self, at: isize, name: &str) -> Tensor {
        apply("insert_axis", &[self], |s| {
            let rank = s[0].rank() as isize + 1;
            let position = if at < 0 { at + rank } else { at };
            if !(0..rank).contains(&position) {
                return Err(format!("there is no position {at} among {rank} axes").into());
            }
            let mut all = axes(&s[0]);
            all.insert(position as usize, ((name != "_").then(|| Name::new(name)), 1));
            reshaped(all)
        })
    }

    /// Removes axes of size 1.
    #[track_caller]
    pub fn squeeze(self, squeezed: impl IntoAxes) -> Tensor {
        let squeezed = squeezed.into_axes(self.rank());
        apply("squeeze", &[self], |s| {
            let at = positions(&s[0], &squeezed)?;
            if let Some(&i) = at.iter().find(|&&i| s[0].sizes()[i] != 1) {
                return Err(format!("axis {i} has size {}, not 1", s[0].sizes()[i]).into());
            }
            let kept = axes(&s[0]).into_iter().enumerate().filter(|(i, _)| !at.contains(i));
            reshaped(kept.map(|(_, axis)| axis).collect())
        })
    }

    /// Transposes the axes to the given order, which lists each axis once.
    #[doc(alias = "permute")]
    #[track_caller]
    pub fn transpose(self, order: impl IntoAxes) -> Tensor {
        let order = order.into_axes(self.rank());
        apply("transpose", &[self], |s| {
            let at = positions(&s[0], &order)?;
            if at.len() != s[0].rank() {
                return Err(format!("{} of {} axes are given", at.len(), s[0].rank()).into());
            }
            let order = PerAxis::collect(at);
            Ok(Transpose { order })
        })
    }

    /// Swaps two axes.
    #[track_caller]
    pub fn swap_axes(self, a: impl Into<Axis>, b: impl Into<Axis>) -> Tensor {
        let (a, b) = (a.into(), b.into());
        apply("swap_axes", &[self], |s| {
            let mut order: Vec<usize> = (0..s[0].rank()).collect();
            order.swap(s[0].position(a)?, s[0].position(b)?);
            let order = PerAxis::collect(order);
            Ok(Transpose { order })
        })
    }

    /// Reverses the order of the elements along axes.
    #[doc(alias = "flip")]
    #[track_caller]
    pub fn reverse(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        apply("reverse", &[self], |s| {
            let mut at = positions(&s[0], &axes)?;
            at.sort_unstable();
            let axes = PerAxis::collect(at);
            Ok(Reverse { axes })
        })
    }
}
