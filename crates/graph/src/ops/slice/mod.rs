//! Static slices and padding.

mod batch;
mod reverse;

use super::{blocks::by_rows, broadcast::broadcast, selection::from_either_end};
use crate::{
    Axis, PerAxis, ScalarValue, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, hash_sizes, list, one, plain},
    trace::{OpError, Rule, apply, emit},
};
use std::{
    fmt::{self, Write},
    hash::{Hash, Hasher},
    ops::{Bound, RangeBounds},
    panic::Location,
};

/// The range that a slice takes along each axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SliceDims {
    /// First element along each axis.
    pub start: PerAxis<usize>,
    /// End, exclusive, along each axis.
    pub limit: PerAxis<usize>,
    /// Stride along each axis.
    pub stride: PerAxis<usize>,
}

/// The padding of each axis.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PadDims {
    /// Number of elements before the first one along each axis.
    pub low: PerAxis<isize>,
    /// Number of elements after the last one along each axis.
    pub high: PerAxis<isize>,
    /// Number of elements between two adjacent elements along each axis.
    pub interior: PerAxis<usize>,
}

impl Definition for SliceDims {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        let rank = operand.rank();
        let SliceDims { start, limit, stride } = self;
        if [start.len(), limit.len(), stride.len()] != [rank; 3] {
            return Err(format!("a range for each axis of {operand} is needed").into());
        }
        let mut sizes = self.limit;
        for (axis, size) in sizes.as_mut_slice().iter_mut().enumerate() {
            let (start, limit, stride) = (start[axis], limit[axis], stride[axis]);
            if start > limit || limit > operand.sizes()[axis] || stride == 0 {
                return Err(format!(
                    "{start}..{limit} by {stride} is not a range along axis {axis} of {operand}"
                )
                .into());
            }
            *size = (limit - start).div_ceil(stride);
        }
        one(operand.with_sizes(sizes.iter().copied())?)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        let SliceDims { start, limit, stride } = self;
        write!(out, " from {} to {} step {}", list(start), list(limit), list(stride))
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hash_sizes(hasher, &self.start);
        hash_sizes(hasher, &self.limit);
        hash_sizes(hasher, &self.stride);
    }
}

impl PadDims {
    /// The size of an axis after padding it.
    fn padded(&self, shape: &Shape, axis: usize) -> Rule<usize> {
        let size = shape.sizes()[axis];
        let (low, high, interior) = (self.low[axis], self.high[axis], self.interior[axis]);
        // Sizes are below 2^60 and the others below 2^64: 128 bits do not overflow.
        let spread = size as i128 + (size as i128 - 1).max(0) * interior as i128;
        let padded = spread + low as i128 + high as i128;
        if padded < 0 {
            let axis = shape.label(axis);
            return Err(format!(
                "padding axis {axis} of size {size} by {low} and {high} leaves less than nothing"
            )
            .into());
        }
        Ok(usize::try_from(padded).unwrap_or(usize::MAX))
    }
}

impl Definition for PadDims {
    fn name(&self) -> &'static str {
        "pad"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let [operand, value] = context.operands()?;
        let rank = operand.rank();
        if [self.low.len(), self.high.len(), self.interior.len()] != [rank; 3] {
            return Err(format!("edges for each axis of {operand} are needed").into());
        }
        if *value != Shape::scalar(operand.dtype()) {
            return Err(format!("{operand} is not padded with {value}").into());
        }
        let mut sizes = self.interior;
        for (axis, size) in sizes.as_mut_slice().iter_mut().enumerate() {
            *size = self.padded(operand, axis)?;
        }
        one(operand.with_sizes(sizes.iter().copied())?)
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        let PadDims { low, high, interior } = self;
        write!(out, " low {} high {} interior {}", list(low), list(high), list(interior))
    }

    fn hash_attributes(&self, mut hasher: &mut dyn Hasher) {
        self.low.hash(&mut hasher);
        self.high.hash(&mut hasher);
        self.interior.hash(&mut hasher);
    }
}

plain!(SliceDims, PadDims);

/// The start and the end of a range of indices.
pub(super) type Bounds = (Bound<isize>, Bound<isize>);

/// Start and end of a range over an axis of `size` elements; negative ends count from the end of
/// the axis.
pub(super) fn resolve(range: Bounds, axis: Axis, size: usize) -> Rule<(usize, usize)> {
    let size = size as isize;
    let from_end = |at: isize| if at < 0 { at + size } else { at };
    let start = match range.0 {
        Bound::Included(at) => from_end(at),
        Bound::Excluded(at) => from_end(at).saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.1 {
        Bound::Included(at) => from_end(at).saturating_add(1),
        Bound::Excluded(at) => from_end(at),
        Bound::Unbounded => size,
    };
    if 0 <= start && start <= end && end <= size {
        Ok((start as usize, end as usize))
    } else {
        Err(OpError(format!(
            "the range {} does not lie in axis {axis} of size {size}",
            written(range)
        )))
    }
}

/// A range as written by the caller.
fn written(range: Bounds) -> String {
    let start = match range.0 {
        Bound::Included(at) => at.to_string(),
        Bound::Excluded(at) => format!("{at} (excluded)"),
        Bound::Unbounded => String::new(),
    };
    let end = match range.1 {
        Bound::Included(at) => format!("={at}"),
        Bound::Excluded(at) => at.to_string(),
        Bound::Unbounded => String::new(),
    };
    format!("{start}..{end}")
}

/// Every `step`-th element from `from` up to `to` along an axis.
fn along(shape: &Shape, at: usize, from: usize, to: usize, step: usize) -> SliceDims {
    let rank = shape.rank();
    let mut dims = SliceDims {
        start: PerAxis::collect((0..rank).map(|_| 0)),
        limit: PerAxis::collect(shape.sizes().iter().copied()),
        stride: PerAxis::collect((0..rank).map(|_| 1)),
    };
    dims.start.as_mut_slice()[at] = from;
    dims.limit.as_mut_slice()[at] = to;
    // A longer step also takes only the first element, and may exceed the compilers' integers.
    dims.stride.as_mut_slice()[at] = step.min((to - from).max(1));
    dims
}

/// The shape with another size along one axis.
pub(super) fn resized(shape: &Shape, at: usize, size: usize) -> Rule<Shape> {
    let sizes = shape.sizes().iter().enumerate();
    Ok(shape.with_sizes(sizes.map(|(i, &old)| if i == at { size } else { old }))?)
}

#[track_caller]
fn sliced(x: Tensor, axis: Axis, range: Bounds, step: usize) -> Tensor {
    apply("slice", &[x], |s| {
        let at = s[0].position(axis)?;
        let (from, to) = resolve(range, axis, s[0].sizes()[at])?;
        match step {
            0 => Err("a step of 0 goes nowhere".into()),
            step => Ok(along(&s[0], at, from, to, step)),
        }
    })
}

#[hloom_derive::tensor_methods(slice)]
impl Tensor {
    /// The elements of a range along an axis; negative ends count from the end: `x.slice("seq",
    /// ..-1)`.
    #[doc(alias = "narrow")]
    #[track_caller]
    pub fn slice(self, axis: impl Into<Axis>, range: impl RangeBounds<isize>) -> Tensor {
        self.slice_step(axis, range, 1)
    }

    /// Every `step`-th element of a range along an axis.
    #[track_caller]
    pub fn slice_step(
        self,
        axis: impl Into<Axis>,
        range: impl RangeBounds<isize>,
        step: usize,
    ) -> Tensor {
        let range = (range.start_bound().cloned(), range.end_bound().cloned());
        let axis = axis.into();
        match by_rows("slice", self, axis, |bytes| sliced(bytes, axis, range, step)) {
            Some(rows) => rows,
            None => sliced(self, axis, range, step),
        }
    }

    /// The elements at one index along an axis, which is removed; a negative index counts from the
    /// end.
    #[track_caller]
    pub fn index(self, axis: impl Into<Axis>, index: isize) -> Tensor {
        let axis = axis.into();
        if let Some(rows) = by_rows("index", self, axis, |bytes| bytes.index(axis, index)) {
            return rows;
        }
        let part = apply("index", &[self], |s| {
            let at = s[0].position(axis)?;
            let from = from_either_end(index, axis, s[0].sizes()[at])?;
            Ok(along(&s[0], at, from, from + 1, 1))
        });
        part.squeeze(axis)
    }

    /// Adds `low` copies of `value` before and `high` after the elements along an axis; negative
    /// numbers crop elements, and also padding if they exceed the number of elements.
    #[doc(alias = "pad_with_zeros")]
    #[track_caller]
    pub fn pad(
        self,
        axis: impl Into<Axis>,
        low: isize,
        high: isize,
        value: impl ScalarValue,
    ) -> Tensor {
        self.pad_interior(axis, low, high, 0, value)
    }

    /// As [`pad`](Self::pad), with `interior` copies between adjacent elements.
    #[track_caller]
    pub fn pad_interior(
        self,
        axis: impl Into<Axis>,
        low: isize,
        high: isize,
        interior: usize,
        value: impl ScalarValue,
    ) -> Tensor {
        let axis = axis.into();
        let value = if self.is_poisoned() {
            self
        } else {
            value.into().0.splat("pad", &[self], Shape::scalar(self.dtype()))
        };
        let value = emit("pad", &[self, value], Location::caller(), |builder, s, v| {
            let at = s[0].position(axis)?;
            let size = s[0].sizes()[at];
            // Interior padding needs at least two elements.
            let interior = if size > 1 { interior } else { 0 };
            let along = |value: isize| {
                PerAxis::collect((0..s[0].rank()).map(|i| if i == at { value } else { 0 }))
            };
            let dims = PadDims {
                low: along(low),
                high: along(high),
                interior: PerAxis::collect(
                    (0..s[0].rank()).map(|i| if i == at { interior } else { 0 }),
                ),
            };
            let shape = resized(&s[0], at, dims.padded(&s[0], at)?)?;
            // Intermediate sizes have the same bounds as the result, since compilers use 64-bit
            // sizes.
            let spread = (size.max(1) - 1).saturating_mul(interior).saturating_add(size);
            resized(&s[0], at, spread)?;
            let spread = spread as i128;
            if -(low as i128) >= spread || -(high as i128) >= spread {
                // An edge crops every element: only padding is left.
                return broadcast(builder, v[1], shape.axes());
            }
            builder.add(dims, v)
        });
        Tensor::or_poisoned(value)
    }
}
