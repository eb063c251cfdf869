//! Updates at indices along one axis.

use super::{
    Convert, Scatter, ScatterDims, ScatterUpdate,
    broadcast::{align, broadcast, rename},
    elementwise::same_dtype,
    from_end::counted_from_end,
    take::along_axis,
};
use crate::{
    Axis, Operand, Shape, Tensor, ValueId,
    trace::{Builder, Rule, emit, function_scope},
};
use std::panic::Location;

macro_rules! index_updates {
    ($($(#[$doc:meta])* $method:ident $update:ident),* $(,)?) => {
        /// Updates of the elements that [`take`](Tensor::take) reads, and of the slices below them:
        /// updates have the shape of `x.take(indices, axis)`, or are broadcast to it, or are a
        /// number. Negative indices count from the end; updates at indices that are still out of
        /// range are dropped.
        #[hloom_derive::tensor_methods(index_updates)]
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(
                self,
                indices: Tensor,
                updates: impl Operand,
                axis: impl Into<Axis>,
            ) -> Tensor {
                let selected = self.at(axis, indices);
                selected.updated(stringify!($method), ScatterUpdate::$update, updates)
            }
        )* }
    };
}

index_updates!(
    /// Replaces the elements at `indices` along an axis; of several updates of one element, any one
    /// does.
    index_set Set,
    /// Adds to the elements at `indices` along an axis. Floats below 32 bits are added in `f32`.
    index_add Add,
    /// Multiplies the elements at `indices` along an axis. Floats below 32 bits are multiplied in
    /// `f32`.
    index_mul Mul,
    /// The larger of the elements at `indices` along an axis and the updates; NaN propagates.
    index_max Max,
    /// The smaller of the elements at `indices` along an axis and the updates; NaN propagates.
    index_min Min,
);

macro_rules! updates_along {
    ($($(#[$doc:meta])* $method:ident $update:ident),* $(,)?) => {
        /// Updates of the elements that [`take_along_axis`](Tensor::take_along_axis) reads: for
        /// each position of `indices` the element at that index along `axis`; all other axes have
        /// the same sizes. Updates have the shape of the indices, or are broadcast to it, or are a
        /// number. Negative indices count from the end; updates at indices that are still out of
        /// range are dropped.
        #[hloom_derive::tensor_methods(updates_along)]
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(
                self,
                indices: Tensor,
                updates: impl Operand,
                axis: impl Into<Axis>,
            ) -> Tensor {
                self.updated_along(
                    stringify!($method),
                    indices,
                    updates,
                    axis.into(),
                    ScatterUpdate::$update,
                )
            }
        )* }
    };
}

updates_along!(
    /// Replaces the elements at `indices`; of several updates of one element, any one does.
    #[doc(alias = "put_along_axis")]
    scatter_along Set,
    /// Adds to the elements at `indices`. Floats below 32 bits are added in `f32`.
    scatter_along_add Add,
    /// Multiplies the elements at `indices`. Floats below 32 bits are multiplied in `f32`.
    scatter_along_mul Mul,
    /// The larger of the elements at `indices` and the updates; NaN propagates.
    scatter_along_max Max,
    /// The smaller of the elements at `indices` and the updates; NaN propagates.
    scatter_along_min Min,
);

impl Tensor {
    #[track_caller]
    fn updated_along(
        self,
        op: &'static str,
        indices: Tensor,
        updates: impl Operand,
        axis: Axis,
        update: ScatterUpdate,
    ) -> Tensor {
        function_scope(op, || {
            let placed = emit(op, &[self, indices], Location::caller(), |_, s, _| {
                let dims = along_axis(&s[0], &s[1], axis)?;
                let mut shape = s[0].with_sizes(s[1].sizes().iter().copied())?;
                // Updates may have the axis names of the indices.
                if s[1].is_named() && !shape.is_named() {
                    shape = shape.with_dims(s[1].axes());
                }
                let size = s[0].sizes()[s[0].position(axis)?];
                Ok((dims, shape, size))
            });
            let Some((dims, selected, size)) = placed else {
                return Tensor::poisoned();
            };
            let indices = counted_from_end(indices, size);
            let updates = updates.like(Tensor::zeros(selected.dtype(), [0usize; 0]));
            scattered(op, [self, indices, updates], selected, update, dims.to_scatter())
        })
    }
}

/// Updates in the shape of the elements that they replace.
pub(super) fn fitted(
    builder: &mut Builder<'_>,
    updates: ValueId,
    selected: &Shape,
) -> Rule<ValueId> {
    let shape = builder.shape(updates);
    same_dtype(selected.dtype(), shape.dtype())?;
    let fits = align(selected, &shape).ok().filter(|all| all.sizes() == selected.sizes());
    let Some(all) = fits else {
        return Err(format!("updates {shape} are not those of {selected}").into());
    };
    let wide = broadcast(builder, updates, all)?;
    rename(builder, wide, selected.axes())
}

/// Scatters updates, which are broadcast to the selected elements. Several of them may be added to
/// one element, or multiply it: the result is rounded once, like that of a reduction.
#[track_caller]
pub(super) fn scattered(
    op: &'static str,
    [x, indices, updates]: [Tensor; 3],
    selected: Shape,
    update: ScatterUpdate,
    dims: ScatterDims,
) -> Tensor {
    let value = emit(op, &[x, indices, updates], Location::caller(), |builder, s, v| {
        update.check(&s[0])?;
        let updates = fitted(builder, v[2], &selected)?;
        let dtype = s[0].dtype();
        let wide = update.computed_in(dtype);
        if wide == dtype || dims.unique_indices {
            return builder.add(Scatter { update, dims }, &[v[0], v[1], updates]);
        }
        let [x, updates] = [v[0], updates].map(|v| builder.add(Convert { dtype: wide }, &[v]));
        let sums = builder.add(Scatter { update, dims }, &[x?, v[1], updates?])?;
        builder.add(Convert { dtype }, &[sums])
    });
    Tensor::or_poisoned(value)
}
