//! Parts of tensors, and tensors put together.

use super::broadcast::broadcast;
use crate::{
    Axis, Dims, Name, Op, PadDims, PerAxis, ScalarValue, Shape, SliceDims, Tensor,
    trace::{Mistake, Rule, apply, emit},
};
use std::{
    ops::{Bound, RangeBounds},
    panic::Location,
};

/// More parts than this are a mistake, also of an axis of size 0, which divides into any number.
const MOST_PARTS: usize = 1 << 16;

/// Start and end of a range over an axis of `size` elements; negative ends count from the back.
fn resolve(range: &impl RangeBounds<isize>, axis: Axis, size: usize) -> Rule<(usize, usize)> {
    let size = size as isize;
    let from_end = |at: isize| if at < 0 { at + size } else { at };
    let start = match range.start_bound() {
        Bound::Included(&at) => from_end(at),
        Bound::Excluded(&at) => from_end(at).saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&at) => from_end(at).saturating_add(1),
        Bound::Excluded(&at) => from_end(at),
        Bound::Unbounded => size,
    };
    match 0 <= start && start <= end && end <= size {
        true => Ok((start as usize, end as usize)),
        false => Err(Mistake(format!(
            "the range {} does not lie in axis {axis} of size {size}",
            written(range)
        ))),
    }
}

/// A range as its caller wrote it.
fn written(range: &impl RangeBounds<isize>) -> String {
    let start = match range.start_bound() {
        Bound::Included(at) => at.to_string(),
        Bound::Excluded(at) => format!("{at} (excluded)"),
        Bound::Unbounded => String::new(),
    };
    let end = match range.end_bound() {
        Bound::Included(at) => format!("={at}"),
        Bound::Excluded(at) => at.to_string(),
        Bound::Unbounded => String::new(),
    };
    format!("{start}..{end}")
}

/// The node that takes every `step`-th element from `from` up to `to` along an axis.
fn sliced(shape: &Shape, at: usize, from: usize, to: usize, step: usize) -> Rule<(Op, Shape)> {
    let rank = shape.rank();
    let mut dims = SliceDims {
        start: PerAxis::collect((0..rank).map(|_| 0)),
        limit: PerAxis::collect(shape.sizes().iter().copied()),
        stride: PerAxis::collect((0..rank).map(|_| 1)),
    };
    dims.start.as_mut_slice()[at] = from;
    dims.limit.as_mut_slice()[at] = to;
    // A longer step takes the first element alone too, and may be more than compilers can count.
    dims.stride.as_mut_slice()[at] = step.min((to - from).max(1));
    Ok((
        Op::Slice(Box::new(dims)),
        resized(shape, at, (to - from).div_ceil(step))?,
    ))
}

/// The shape with another size along one axis.
pub(super) fn resized(shape: &Shape, at: usize, size: usize) -> Rule<Shape> {
    let axes = shape.names().iter().zip(shape.sizes()).enumerate();
    Ok(shape.with_dims(Dims::new(
        axes.map(|(i, (&name, &old))| (name, if i == at { size } else { old })),
    )?))
}

impl Tensor {
    /// The elements of a range along an axis; negative ends count from the back: `x.slice("seq", ..-1)`.
    #[track_caller]
    pub fn slice(self, axis: impl Into<Axis>, range: impl RangeBounds<isize>) -> Tensor {
        self.slice_step(axis, range, 1)
    }

    /// Every `step`-th element of a range along an axis.
    #[track_caller]
    pub fn slice_step(self, axis: impl Into<Axis>, range: impl RangeBounds<isize>, step: usize) -> Tensor {
        let axis = axis.into();
        apply("slice", &[self], |s| {
            let at = s[0].position(axis)?;
            let (from, to) = resolve(&range, axis, s[0].sizes()[at])?;
            match step {
                0 => Err("a step of 0 goes nowhere".into()),
                step => sliced(&s[0], at, from, to, step),
            }
        })
    }

    /// The elements at one index along an axis, which goes away; a negative index counts from the back.
    #[track_caller]
    pub fn index(self, axis: impl Into<Axis>, index: isize) -> Tensor {
        let axis = axis.into();
        let part = apply("index", &[self], |s| {
            let at = s[0].position(axis)?;
            let size = s[0].sizes()[at];
            // No size is beyond the largest isize.
            let from = if index < 0 { index + size as isize } else { index };
            match (0..size as isize).contains(&from) {
                true => sliced(&s[0], at, from as usize, from as usize + 1, 1),
                false => Err(format!("index {index} is out of range for axis {axis} of size {size}").into()),
            }
        });
        part.squeeze(axis)
    }

    /// Cuts an axis into `count` parts of equal size. An axis that does not divide is a mistake.
    #[track_caller]
    pub fn chunk(self, axis: impl Into<Axis>, count: usize) -> Vec<Tensor> {
        let axis = axis.into();
        let size = emit("chunk", &[self], Location::caller(), |_, s, _| {
            let size = s[0].sizes()[s[0].position(axis)?];
            match (1..=MOST_PARTS).contains(&count) && size % count == 0 {
                true => Ok((size / count) as isize),
                false => Err(format!("axis {axis} of size {size} does not divide into {count} parts").into()),
            }
        });
        let count = count.min(MOST_PARTS);
        let mut parts = Vec::with_capacity(count);
        for i in 0..count as isize {
            parts.push(match size {
                Some(size) => self.slice(axis, i * size..(i + 1) * size),
                None => Tensor::poisoned(),
            });
        }
        parts
    }

    /// Puts `low` copies of `value` before and `high` behind the elements along an axis; negative numbers cut elements off, and
    /// copies too where they are more than the elements.
    #[track_caller]
    pub fn pad(self, axis: impl Into<Axis>, low: isize, high: isize, value: impl ScalarValue) -> Tensor {
        self.pad_interior(axis, low, high, 0, value)
    }

    /// As [`pad`](Self::pad), with `interior` copies between each two elements too.
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
        let value = match self.is_poisoned() {
            true => self,
            false => value.into().0.splat("pad", &[self], Shape::scalar(self.dtype())),
        };
        let value = emit("pad", &[self, value], Location::caller(), |builder, s, v| {
            let at = s[0].position(axis)?;
            let size = s[0].sizes()[at];
            // What stands between elements is nothing where there are not two.
            let interior = if size > 1 { interior } else { 0 };
            // Sizes are below 2^60 and the others below 2^64: nothing here leaves 128 bits.
            let spread = size as i128 + (size as i128 - 1).max(0) * interior as i128;
            let padded = spread + low as i128 + high as i128;
            if padded < 0 {
                return Err(
                    format!("padding axis {axis} of size {size} by {low} and {high} leaves less than nothing").into(),
                );
            }
            // The steps on the way are as bounded as the result, since compilers count in 64 bits.
            resized(&s[0], at, usize::try_from(spread).unwrap_or(usize::MAX))?;
            let shape = resized(&s[0], at, usize::try_from(padded).unwrap_or(usize::MAX))?;
            if -(low as i128) >= spread || -(high as i128) >= spread {
                // An edge cuts every element off: what is left is padding.
                return Ok(broadcast(builder, v[1], shape.axes()));
            }
            let along = |value: isize| PerAxis::collect((0..s[0].rank()).map(|i| if i == at { value } else { 0 }));
            let dims = PadDims {
                low: along(low),
                high: along(high),
                interior: PerAxis::collect((0..s[0].rank()).map(|i| if i == at { interior } else { 0 })),
            };
            Ok(builder.node(Op::Pad(Box::new(dims)), v, shape))
        });
        Tensor::or_poisoned(value)
    }
}

/// Puts tensors one behind the other along an axis; all other sizes are equal, and names agree where both sides have them.
#[track_caller]
pub fn concatenate(parts: &[Tensor], axis: impl Into<Axis>) -> Tensor {
    let axis = axis.into();
    apply("concatenate", parts, |s| {
        let Some((first, rest)) = s.split_first() else {
            return Err("no tensor to put together".into());
        };
        let at = first.position(axis)?;
        let mut names: Vec<Option<Name>> = first.names().to_vec();
        let mut size = first.sizes()[at];
        for shape in rest {
            let other_sizes = |s: &Shape| -> Vec<usize> {
                s.sizes()
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| *i != at)
                    .map(|(_, &n)| n)
                    .collect()
            };
            if shape.dtype() != first.dtype()
                || shape.rank() != first.rank()
                || other_sizes(shape) != other_sizes(first)
            {
                return Err(format!("{first} and {shape} differ in more than the size of axis {axis}").into());
            }
            for (name, &other) in names.iter_mut().zip(shape.names()) {
                if name.is_some() && other.is_some() && *name != other {
                    return Err(format!("the axes of {first} and {shape} have other names").into());
                }
                *name = name.or(other);
            }
            size = size.checked_add(shape.sizes()[at]).ok_or("the result is too large")?;
        }
        let axes = names.into_iter().zip(first.sizes()).enumerate();
        let dims = Dims::new(axes.map(|(i, (name, &old))| (name, if i == at { size } else { old })))?;
        Ok((Op::Concatenate(at), first.with_dims(dims)))
    })
}

/// Puts tensors of one shape side by side along a new first axis called `name` (`_` for none).
#[track_caller]
pub fn stack(parts: &[Tensor], name: &str) -> Tensor {
    let mut expanded = Vec::with_capacity(parts.len());
    for part in parts {
        expanded.push(part.insert_axis(0, name));
    }
    concatenate(&expanded, 0)
}
