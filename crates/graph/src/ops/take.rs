//! Elements selected by index along an axis.

use super::{
    GatherDims, blocks::by_rows, broadcast::rename, from_end::counted_from_end, slice::resized,
    windows::check_indices,
};
use crate::{
    Axis, DType, PerAxis, Shape, Tensor,
    trace::{Rule, apply, emit, function_scope},
};
use std::panic::Location;

/// Axes of a tensor that indices select from.
pub(super) struct Selected<'a> {
    pub x: &'a Shape,
    /// The shape of the indices, without an axis of index vectors.
    pub indices: &'a Shape,
    /// The axes that indices select from, in ascending order.
    pub axes: &'a [usize],
    /// The axis of each element of an index vector.
    pub map: PerAxis<usize>,
    /// The size of a slice along each axis of `x`.
    pub sizes: PerAxis<usize>,
}

impl Selected<'_> {
    /// The dimension numbers. Axis names that both sides have are batch axes, and then all axes of
    /// the indices come first; else they replace the axes that they select from where these are
    /// adjacent, and come first where they are not.
    pub(super) fn dims(&self) -> Rule<GatherDims> {
        let Selected { x, indices, axes, .. } = self;
        let mut pairs = Vec::new();
        for (i, name) in indices.names().iter().enumerate() {
            let Some(name) = *name else { continue };
            let Ok(shared) = x.position(name) else { continue };
            if axes.contains(&shared) {
                continue;
            }
            let (all, found) = (self.sizes[shared], indices.sizes()[i]);
            if all != x.sizes()[shared] {
                return Err(format!(
                    "axis `{name}` is also one of the indices, and only a range of it is selected"
                )
                .into());
            }
            if all != found {
                return Err(format!(
                    "axis `{name}` has size {all} on the left and {found} on the right"
                )
                .into());
            }
            pairs.push((shared, i));
        }
        // Pairs of batch axes are listed in the order of the operand's axes.
        pairs.sort_unstable();
        let is_whole = |i: &usize| !axes.contains(i) && pairs.iter().all(|(shared, _)| shared != i);
        let kept = (0..x.rank()).filter(is_whole).count();
        let adjacent = axes.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let before = if pairs.is_empty() && adjacent { axes[0] } else { 0 };
        let mut offset_dims = PerAxis::new();
        for axis in (0..before).chain(before + indices.rank()..kept + indices.rank()) {
            offset_dims.push(axis).ok_or("too many axes")?;
        }
        let sizes = self.sizes.iter().enumerate();
        Ok(GatherDims {
            offset_dims,
            collapsed_slice_dims: PerAxis::collect(axes.iter().copied()),
            operand_batching_dims: PerAxis::collect(pairs.iter().map(|pair| pair.0)),
            start_indices_batching_dims: PerAxis::collect(pairs.iter().map(|pair| pair.1)),
            start_index_map: self.map,
            index_vector_dim: indices.rank(),
            slice_sizes: PerAxis::collect(sizes.map(|(i, &n)| if is_whole(&i) { n } else { 1 })),
            indices_are_sorted: false,
        })
    }
}

/// The dimension numbers of `x.take(indices, axis)`.
fn take(x: &Shape, indices: &Shape, axis: Axis) -> Rule<GatherDims> {
    check_indices(indices)?;
    let at = x.position(axis)?;
    if x.sizes()[at] == 0 && indices.element_count() > 0 {
        return Err(format!("axis {axis} has no elements to take").into());
    }
    let (axes, sizes) = ([at], PerAxis::collect(x.sizes().iter().copied()));
    Selected { x, indices, axes: &axes, map: PerAxis::collect(axes), sizes }.dims()
}

/// The dimension numbers of `x.take_along_axis(indices, axis)`.
pub(super) fn along_axis(x: &Shape, indices: &Shape, axis: Axis) -> Rule<GatherDims> {
    check_indices(indices)?;
    let at = x.position(axis)?;
    let others = || (0..x.rank()).filter(|&i| i != at);
    if indices.rank() != x.rank() || others().any(|i| x.sizes()[i] != indices.sizes()[i]) {
        return Err(format!("{x} and {indices} differ in more than the size of axis {axis}").into());
    }
    Ok(GatherDims {
        collapsed_slice_dims: PerAxis::collect([at]),
        operand_batching_dims: PerAxis::collect(others()),
        start_indices_batching_dims: PerAxis::collect(others()),
        start_index_map: PerAxis::collect([at]),
        index_vector_dim: x.rank(),
        slice_sizes: PerAxis::collect((0..x.rank()).map(|_| 1)),
        ..GatherDims::default()
    })
}

#[hloom_derive::tensor_methods(take)]
impl Tensor {
    /// The elements at `indices` along an axis, which the axes of the indices replace. Axis names
    /// that both sides have are batch axes, and then all axes of the indices come first. Negative
    /// indices count from the end; those
    /// that are still out of range are clamped.
    ///
    /// [`at`](Self::at) reads the same with [`get`](super::At::get), and with another value where
    /// an index is out of range with [`get_or`](super::At::get_or).
    #[track_caller]
    pub fn take(self, indices: Tensor, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        if let Some(rows) = by_rows("take", self, axis, |bytes| bytes.take(indices, axis)) {
            return rows;
        }
        let checked = emit("take", &[self, indices], Location::caller(), |_, s, _| {
            let dims = take(&s[0], &s[1], axis)?;
            Ok((dims, s[0].sizes()[s[0].position(axis)?]))
        });
        let Some((dims, size)) = checked else {
            return Tensor::poisoned();
        };
        function_scope("take", || {
            let indices = counted_from_end(indices, size);
            apply("take", &[self, indices], |_| Ok(dims))
        })
    }

    /// For each position of `indices`, the element at that index along `axis`; all other axes are
    /// the same on both sides. Negative indices count from the end; those that are still out of
    /// range are clamped.
    #[track_caller]
    pub fn take_along_axis(self, indices: Tensor, axis: impl Into<Axis>) -> Tensor {
        let (axis, caller) = (axis.into(), Location::caller());
        let checked = emit("take_along_axis", &[self, indices], caller, |_, s, _| {
            let dims = along_axis(&s[0], &s[1], axis)?;
            let at = s[0].position(axis)?;
            if s[0].sizes()[at] == 0 && s[1].element_count() > 0 {
                return Err(format!("axis {axis} has no elements to take").into());
            }
            Ok((dims, at, s[0].sizes()[at]))
        });
        let Some((dims, at, size)) = checked else {
            return Tensor::poisoned();
        };
        function_scope("take_along_axis", || {
            let indices = counted_from_end(indices, size);
            let value = emit("take_along_axis", &[self, indices], caller, |builder, s, v| {
                let gathered = builder.add(dims, v)?;
                rename(builder, gathered, resized(&s[0], at, s[1].sizes()[at])?.axes())
            });
            Tensor::or_poisoned(value)
        })
    }

    /// A new last axis called `name` (`_` for none) with 1 at the position of the index and 0
    /// elsewhere; an index out of range gives only zeros. The indices are integers.
    #[track_caller]
    pub fn one_hot(self, name: &str, size: usize, dtype: DType) -> Tensor {
        let checked = emit("one_hot", &[self], Location::caller(), |_, s, v| {
            check_indices(&s[0])?;
            Ok(v[0])
        });
        // Indices of a narrow type would wrap around before `size`.
        let indices = match Tensor::or_poisoned(checked) {
            indices if indices.dtype().bits() < 32 => indices.convert(DType::I32),
            indices => indices,
        };
        let wide = indices.insert_axis(-1, name);
        if wide.is_poisoned() {
            return wide;
        }
        let counted = Tensor::iota(wide.dtype(), [(name, size)], 0);
        wide.eq(counted).convert(dtype)
    }
}
