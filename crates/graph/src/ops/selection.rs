//! Selections along an axis: one index, a range, or a tensor of indices.

use super::{
    DynamicUpdateSlice, SliceDims, broadcast::rename, constant::Splat, slice::resolve,
    windows::check_indices,
};
use crate::{
    Axis, DType, Dims, PerAxis, Scalar, Shape, Tensor, ValueId,
    trace::{Builder, OpError, Rule},
};
use std::ops::{
    Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

/// The selection of [`Tensor::at`] along an axis; converts from an index, a range of indices and a
/// tensor of indices.
#[derive(Clone, Copy, Debug)]
pub enum Selection {
    /// One index, negative from the end; the axis is removed.
    Index(isize),
    /// A range, whose negative ends count from the end.
    Range(Bound<isize>, Bound<isize>),
    /// Indices, whose axes replace the axis.
    Indices(Tensor),
}

impl From<Tensor> for Selection {
    fn from(indices: Tensor) -> Selection {
        Selection::Indices(indices)
    }
}

impl From<RangeFull> for Selection {
    fn from(_: RangeFull) -> Selection {
        Selection::Range(Bound::Unbounded, Bound::Unbounded)
    }
}

macro_rules! selection_from {
    ($($number:ty: $value:ident => $index:expr),*) => { $(
        impl From<$number> for Selection {
            fn from($value: $number) -> Selection {
                Selection::Index($index)
            }
        }
        selection_from!($number, $value, $index;
            Range RangeFrom RangeTo RangeInclusive RangeToInclusive);
    )* };
    ($number:ty, $value:ident, $index:expr; $($range:ident)*) => { $(
        impl From<$range<$number>> for Selection {
            fn from(range: $range<$number>) -> Selection {
                let bound = |bound: Bound<&$number>| bound.map(|&$value| $index);
                Selection::Range(bound(range.start_bound()), bound(range.end_bound()))
            }
        }
    )* };
}
selection_from!(
    i32: index => index as isize,
    isize: index => index,
    usize: index => index.min(isize::MAX as usize) as isize
);

/// Selections along some axes of a tensor.
pub(super) struct Selections {
    /// The axes that the result does not have, or that indices select from, in ascending order.
    pub removed: Vec<usize>,
    /// The axes that tensors of indices select from, in the order of these tensors.
    pub indexed: Vec<usize>,
    /// The first index along each axis with an index or a range.
    pub starts: Vec<usize>,
    /// The size of a slice along each axis.
    pub sizes: Vec<usize>,
}

impl Selections {
    /// Checks selections along axes of `x`; `indices` are the shapes of the tensors among them.
    pub(super) fn new(
        x: &Shape,
        selected: &[(Axis, Selection)],
        indices: &[Shape],
    ) -> Rule<Selections> {
        let axes: Vec<Axis> = selected.iter().map(|(axis, _)| *axis).collect();
        let mut all = Selections {
            removed: Vec::new(),
            indexed: Vec::new(),
            starts: vec![0; x.rank()],
            sizes: x.sizes().to_vec(),
        };
        indices.iter().try_for_each(check_indices)?;
        for (at, (axis, selection)) in super::positions(x, &axes)?.into_iter().zip(selected) {
            let size = x.sizes()[at];
            match *selection {
                Selection::Index(index) => {
                    all.starts[at] = from_either_end(index, *axis, size)?;
                    all.sizes[at] = 1;
                    all.removed.push(at);
                }
                Selection::Range(start, end) => {
                    let (from, to) = resolve((start, end), *axis, size)?;
                    (all.starts[at], all.sizes[at]) = (from, to - from);
                }
                Selection::Indices(_) => {
                    all.sizes[at] = 1;
                    all.removed.push(at);
                    all.indexed.push(at);
                }
            }
        }
        all.removed.sort_unstable();
        Ok(all)
    }
}

impl Selections {
    /// The shape of a slice without the removed axes.
    pub(super) fn shape(&self, x: &Shape) -> Rule<Shape> {
        let kept = (0..x.rank()).filter(|axis| !self.removed.contains(axis));
        Ok(x.with_dims(Dims::new(kept.map(|axis| (x.names()[axis], self.sizes[axis])))?))
    }

    /// The elements, with the removed axes.
    pub(super) fn read(
        &self,
        builder: &mut Builder<'_>,
        x: &Shape,
        value: ValueId,
    ) -> Rule<ValueId> {
        if self.sizes == x.sizes() {
            return Ok(value);
        }
        let ends = self.starts.iter().zip(&self.sizes).map(|(start, size)| start + size);
        let dims = SliceDims {
            start: PerAxis::collect(self.starts.iter().copied()),
            limit: PerAxis::collect(ends),
            stride: PerAxis::collect(self.starts.iter().map(|_| 1)),
        };
        builder.add(dims, &[value])
    }

    /// The tensor with the elements replaced by `part`.
    pub(super) fn write(
        &self,
        builder: &mut Builder<'_>,
        x: &Shape,
        value: ValueId,
        part: ValueId,
    ) -> Rule<ValueId> {
        if self.sizes == x.sizes() {
            return rename(builder, part, x.axes());
        }
        if self.sizes.contains(&0) {
            return Ok(value);
        }
        let mut operands = vec![value, part];
        for &start in &self.starts {
            let scalar = Scalar::from_int(DType::I64, start as i128);
            operands.push(builder.add(Splat { scalar, dims: Dims::default() }, &[])?);
        }
        builder.add(DynamicUpdateSlice, &operands)
    }
}

/// An index into an axis of `size` elements, whose negative values count from the end.
pub(super) fn from_either_end(index: isize, axis: Axis, size: usize) -> Rule<usize> {
    // No size exceeds the largest isize.
    let from = if index < 0 { index + size as isize } else { index };
    if (0..size as isize).contains(&from) {
        Ok(from as usize)
    } else {
        Err(OpError(format!("index {index} is out of range for axis {axis} of size {size}")))
    }
}
