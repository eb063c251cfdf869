//! Alignment of shapes, and broadcasting.

use super::{BitcastConvert, Reshape, Splat, Transpose, reduce::summed};
use crate::{
    DType, Dims, IntoDims, Name, Op, PerAxis, Shape, Tensor, ValueId,
    body::Recorded,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    trace::{Builder, OpError, Rule, emit},
    vmap::{Batch, Lane, Lanes, batched_if_any, shifted, with_first},
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
    panic::Location,
};

/// Repeats values along new or size-1 axes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BroadcastInDim {
    /// The result's axis for each operand axis, in ascending order.
    pub axes: PerAxis<usize>,
    /// The axes of the result.
    pub dims: Dims,
}

impl Definition for BroadcastInDim {
    fn name(&self) -> &'static str {
        "broadcast"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        let result = operand.with_dims(self.dims);
        let fits = |(&axis, &size): (&usize, &usize)| {
            size == 1 || self.dims.sizes().get(axis) == Some(&size)
        };
        let is_sound = self.axes.len() == operand.rank()
            && self.axes.iter().all(|&axis| axis < result.rank())
            && self.axes.is_sorted_by(|a, b| a < b)
            && self.axes.iter().zip(operand.sizes()).all(fits);
        if is_sound {
            one(result)
        } else {
            Err(format!("{operand} does not broadcast to axes {} of {result}", list(&self.axes))
                .into())
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " to axes {}", list(&self.axes))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_sizes(hasher, &self.axes);
        hash_sizes(hasher, self.dims.sizes());
    }
}

plain!(BroadcastInDim);

impl Batch for BroadcastInDim {
    fn batch(&self, lanes: &mut Lanes, node: &Recorded) -> Vec<Lane> {
        let axes = with_first(&shifted(&self.axes), 0);
        lanes.with_dims(node, &self.dims, |dims| BroadcastInDim { axes, dims })
    }

    batched_if_any!();
}

impl Vjp for BroadcastInDim {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, shape) = (pull.g(), pull.shape(0));
        let is_kept = |axis: &usize| {
            let from = self.axes.iter().position(|to| to == axis);
            from.is_some_and(|from| shape.sizes()[from] == self.dims.sizes()[*axis])
        };
        let sum = summed(g, (0..self.dims.sizes().len()).filter(|axis| !is_kept(axis)));
        pull.one(sum.reshape(shape.sizes()))
    }
}

/// The common axes of two operands of an elementwise op.
///
/// Fully named operands are aligned by name. Axes that one side lacks are added: in the order of
/// the side that has all of them, else after the axes of the left side. Others are aligned from the
/// right, as NumPy does, and names must agree where both sides have them.
pub(crate) fn align(left: &Shape, right: &Shape) -> Rule<Dims> {
    if left.axes() == right.axes() {
        return Ok(left.axes());
    }
    if left.is_named() && right.is_named() {
        align_by_name(left, right)
    } else {
        align_from_right(left, right)
    }
}

/// `x` with its axes in the order of `like` if both have the same names, so that an op whose first
/// operand is `x` has the order of `like`; else `x` itself.
#[track_caller]
pub(super) fn in_order_of(x: Tensor, like: Tensor) -> Tensor {
    let (own, other) = (x.shape(), like.shape());
    let is_permuted = own.is_named()
        && other.is_named()
        && own.rank() == other.rank()
        && own.names() != other.names()
        && own.names().iter().all(|name| other.names().contains(name));
    if !is_permuted {
        return x;
    }
    let names: Vec<Name> = other.names().iter().flatten().copied().collect();
    x.transpose(&names[..])
}

fn common_size(axis: &dyn std::fmt::Display, left: usize, right: usize) -> Rule<usize> {
    match (left, right) {
        (l, r) if l == r => Ok(l),
        (1, r) => Ok(r),
        (l, 1) => Ok(l),
        (l, r) => {
            Err(OpError(format!("axis {axis} has size {l} on the left and {r} on the right")))
        }
    }
}

fn align_by_name(left: &Shape, right: &Shape) -> Rule<Dims> {
    let all_in =
        |inner: &Shape, outer: &Shape| inner.names().iter().all(|n| outer.names().contains(n));
    let (first, second) =
        if all_in(left, right) && !all_in(right, left) { (right, left) } else { (left, right) };
    let rest = second.names().iter().filter(|n| !first.names().contains(n));
    let names: Vec<Name> = first.names().iter().chain(rest).flatten().copied().collect();
    let mut axes = Vec::with_capacity(names.len());
    for name in names {
        let size = match (left.size(name), right.size(name)) {
            (Some(l), Some(r)) => common_size(&format_args!("`{name}`"), l, r)?,
            (Some(n), None) | (None, Some(n)) => n,
            (None, None) => continue,
        };
        axes.push((Some(name), size));
    }
    Ok(Dims::new(axes)?)
}

fn align_from_right(left: &Shape, right: &Shape) -> Rule<Dims> {
    let rank = left.rank().max(right.rank());
    let mut axes = Vec::with_capacity(rank);
    for from_end in (1..=rank).rev() {
        let axis = |shape: &Shape| {
            shape.rank().checked_sub(from_end).map(|i| (shape.names()[i], shape.sizes()[i]))
        };
        axes.push(match (axis(left), axis(right)) {
            (Some((Some(l), _)), Some((Some(r), _))) if l != r => {
                return Err(OpError(format!(
                    "axis -{from_end} is called `{l}` on the left and `{r}` on the right, and not \
                     every axis has a name to align by"
                )));
            }
            (Some((ln, l)), Some((rn, r))) => {
                (ln.or(rn), common_size(&format_args!("-{from_end}"), l, r)?)
            }
            (Some(axis), None) | (None, Some(axis)) => axis,
            (None, None) => (None, 1),
        });
    }
    Ok(Dims::new(axes)?)
}

/// Broadcasts `value` to the axes `dims`, which [`align`] computed from its shape and another.
pub(crate) fn broadcast(builder: &mut Builder<'_>, value: ValueId, dims: Dims) -> Rule<ValueId> {
    let shape = builder.shape(value);
    if shape.axes() == dims {
        return Ok(value);
    }
    let target = shape.with_dims(dims);
    if let Op::Splat(Splat { scalar, .. }) = *builder.op(value) {
        return builder.add(Splat { scalar, dims }, &[]);
    }
    let offset = target.rank() - shape.rank();
    let position = |i: usize| match shape.names()[i] {
        Some(name) if shape.is_named() => target.position(name).unwrap_or(i + offset),
        _ => i + offset,
    };
    let mut positions: Vec<(usize, usize)> = (0..shape.rank()).map(|i| (position(i), i)).collect();
    // Axes are transposed to the target's order first, so that the broadcast only repeats values.
    positions.sort_unstable();
    let order: Vec<usize> = positions.iter().map(|&(_, i)| i).collect();
    let mut value = value;
    let mut shape = shape;
    if !order.is_sorted() {
        let axes = order.iter().map(|&i| (shape.names()[i], shape.sizes()[i]));
        let dims = Dims::new(axes).expect("a permutation of sound axes is sound");
        shape = shape.with_dims(dims);
        let order = PerAxis::collect(order.iter().copied());
        value = builder.add(Transpose { order }, &[value])?;
    }
    if shape.axes() == dims {
        return Ok(value);
    }
    let axes = PerAxis::collect(positions.iter().map(|&(position, _)| position));
    builder.add(BroadcastInDim { axes, dims }, &[value])
}

#[hloom_derive::tensor_methods(broadcast)]
impl Tensor {
    /// Broadcasts the tensor to the given axes. Named axes are matched by name; others are aligned
    /// from the right. An axis may grow from size 1.
    #[doc(alias = "expand")]
    #[doc(alias = "broadcast_as")]
    #[doc(alias = "broadcast_in_dim")]
    #[track_caller]
    pub fn broadcast_to(self, dims: impl IntoDims) -> Tensor {
        let dims = dims.into_dims();
        let value = emit("broadcast_to", &[self], Location::caller(), |builder, shapes, values| {
            let dims = dims?;
            let target = shapes[0].with_dims(dims);
            let all = align(&shapes[0], &target)?;
            if all.sizes() != dims.sizes() {
                return Err(format!("{} does not broadcast to {target}", shapes[0]).into());
            }
            let wide = broadcast(builder, values[0], all)?;
            rename(builder, wide, dims)
        });
        Tensor::or_poisoned(value)
    }

    /// Names the axes, in order; `_` removes a name.
    #[track_caller]
    pub fn named<const N: usize>(self, names: [&str; N]) -> Tensor {
        let value = emit("named", &[self], Location::caller(), |builder, shapes, values| {
            if N != shapes[0].rank() {
                return Err(format!("{N} names for {} axes", shapes[0].rank()).into());
            }
            let names = names.iter().map(|&n| (n != "_").then(|| Name::new(n)));
            let dims = Dims::new(names.zip(shapes[0].sizes().iter().copied()))?;
            rename(builder, values[0], dims)
        });
        Tensor::or_poisoned(value)
    }

    /// Renames one axis.
    #[track_caller]
    pub fn rename(self, axis: impl Into<crate::Axis>, name: &str) -> Tensor {
        let axis = axis.into();
        let value = emit("rename", &[self], Location::caller(), |builder, shapes, values| {
            let at = shapes[0].position(axis)?;
            let mut names = shapes[0].axes().names;
            names.as_mut_slice()[at] = (name != "_").then(|| Name::new(name));
            let dims = Dims::new(names.iter().copied().zip(shapes[0].sizes().iter().copied()))?;
            rename(builder, values[0], dims)
        });
        Tensor::or_poisoned(value)
    }
}

/// The same value with other axis names: a reshape that changes no size, which lowering drops.
pub(crate) fn rename(builder: &mut Builder<'_>, value: ValueId, dims: Dims) -> Rule<ValueId> {
    let shape = builder.shape(value);
    if shape.axes() == dims {
        return Ok(value);
    }
    match shape.dtype() {
        // Blocks are renamed by their bytes.
        dtype @ DType::Block(_) => {
            let bytes = builder.add(BitcastConvert { dtype: DType::U8 }, &[value])?;
            let dims = shape.with_dims(dims).stored().axes();
            let renamed = builder.add(Reshape { dims }, &[bytes])?;
            builder.add(BitcastConvert { dtype }, &[renamed])
        }
        _ => builder.add(Reshape { dims }, &[value]),
    }
}
