//! Elements that windows select, and updates of these elements.

use super::{
    PoolOptions, ScalarValue, ScatterUpdate, WindowDims, pool::planned, positions, reduce_window_by,
};
use crate::{
    DType, IntoAxes, Shape, Tensor,
    trace::{OpError, Rule, emit, function_scope},
};
use std::panic::Location;

/// The type of positions among `count` elements.
fn position_type(count: usize) -> DType {
    if i32::try_from(count).is_ok() { DType::I32 } else { DType::I64 }
}

/// The element that each window selects, and its position from `places`, which increase in
/// row-major order. A window of padding alone has the position `none`, which is larger than all
/// others.
#[track_caller]
fn chosen(
    x: Tensor,
    init: Tensor,
    places: Tensor,
    none: usize,
    window: WindowDims,
    select: impl FnOnce(Tensor, Tensor) -> Tensor,
) -> (Tensor, Tensor) {
    let last = Tensor::scalar(none as i64, places.dtype());
    reduce_window_by((x, places), (init, last), window, |a, b| {
        // A reduction may receive its operands in any order; the selection is defined in the order
        // of positions.
        let ordered = a.1.le(b.1);
        let [first, second] =
            [(a, b), (b, a)].map(|(x, y)| (ordered.select(x.0, y.0), ordered.select(x.1, y.1)));
        let keep = select(first.0, second.0) | second.1.eq(none as i64);
        (keep.select(first.0, second.0), keep.select(first.1, second.1))
    })
}

fn check_source(x: &Shape, source: &Shape, windows: &Shape) -> Rule<()> {
    if source.dtype() != x.dtype() {
        return Err(OpError(format!(
            "a source of {} for a tensor of {}; use `.convert(..)`",
            source.dtype(),
            x.dtype()
        )));
    }
    if source.sizes() != windows.sizes() {
        return Err(OpError(format!(
            "the source has one element for each window, {windows}, not {source}"
        )));
    }
    Ok(())
}

#[hloom_derive::tensor_methods(select_and_scatter)]
impl Tensor {
    /// Combines the element that each window selects with the window's element of `source`:
    /// StableHLO's `select_and_scatter`. It computes the gradient of a maximum of windows if
    /// `source` is the gradient of the result, `init` is 0, `select` is `a.ge(b)` and the update is
    /// [`ScatterUpdate::Add`].
    ///
    /// - `source`: one element for each window, of the type of `self`.
    /// - `init`: the value of elements before the updates.
    /// - `select`: whether the first of two scalars stays chosen. Elements are compared in
    ///   row-major order, if `select` is transitive; padding is never selected.
    ///
    /// The result has the shape of `self`. It is composed of [`reduce_window_by`] and a scatter, as
    /// plugins without an op for it do.
    ///
    /// ```
    /// use hloom_graph::{PerAxis, ScatterUpdate, Spec, TraceScope, WindowDims};
    ///
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("row", 4), ("column", 6)]), false);
    /// let gradients = trace.parameter("gradients", &Spec::f32([2, 3]), false);
    /// let strides = PerAxis::collect([2, 2]);
    /// let window = WindowDims { strides, ..WindowDims::new(strides) };
    /// let add = ScatterUpdate::Add;
    /// let of_x = x.select_and_scatter(gradients, 0, window, |a, b| a.ge(b), add);
    /// assert_eq!(of_x.shape().to_string(), "f32[row=4, column=6]");
    /// ```
    #[track_caller]
    pub fn select_and_scatter(
        self,
        source: Tensor,
        init: impl ScalarValue,
        window: WindowDims,
        select: impl FnOnce(Tensor, Tensor) -> Tensor,
        update: ScatterUpdate,
    ) -> Tensor {
        let op = "select_and_scatter";
        let checked = emit(op, &[self, source], Location::caller(), |_, s, _| {
            check_source(&s[0], &s[1], &window.windows(&s[0])?)?;
            Ok((s[0], s[1]))
        });
        let Some((shape, of_source)) = checked else { return Tensor::poisoned() };
        function_scope(op, || {
            let dtype = shape.dtype();
            let (count, windows) = (shape.element_count(), of_source.element_count());
            let places = Tensor::iota(position_type(count), [count], 0).reshape(shape.sizes());
            let zero = Tensor::scalar(0, DType::I32).convert(dtype);
            let x = self.reshape(shape.sizes());
            let (_, at) = chosen(x, zero, places, count, window, select);
            let updated = Tensor::full(init, dtype, [count]).at(0, at.reshape([windows]));
            let updates = source.reshape([windows]);
            updated.without_negatives().updated(op, update, updates).reshape(shape.axes())
        })
    }

    /// The largest element of each window along `axes`, as [`max_pool`](Self::max_pool), and its
    /// position among the elements along these axes, in row-major order: the first of equal
    /// elements, the first NaN if there is one, and the number of elements for a window of padding
    /// alone. Positions are `i32`, or `i64` where `i32` does not suffice.
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("channel", 3), ("y", 9), ("x", 8)]), false);
    /// let (largest, places) = x.max_pool_with_indices(["y", "x"], 2);
    /// assert_eq!(largest.shape().to_string(), "f32[channel=3, y=4, x=4]");
    /// assert_eq!(places.shape().to_string(), "i32[channel=3, y=4, x=4]");
    /// ```
    #[track_caller]
    pub fn max_pool_with_indices(
        self,
        axes: impl IntoAxes,
        options: impl Into<PoolOptions>,
    ) -> (Tensor, Tensor) {
        let op = "max_pool_with_indices";
        let (axes, options) = (axes.into_axes(self.rank()), options.into());
        let plan = emit(op, &[self], Location::caller(), |_, s, _| {
            if s[0].dtype().is_complex() {
                return Err(OpError(format!("{} numbers have no order", s[0].dtype())));
            }
            Ok((s[0], planned(&s[0], &axes, &options)?, positions(&s[0], &axes)?))
        });
        let Some((shape, plan, axes)) = plan else {
            return (Tensor::poisoned(), Tensor::poisoned());
        };
        function_scope(op, || {
            let count = axes.iter().map(|&axis| shape.sizes()[axis]).product();
            let dtype = position_type(count);
            let (mut places, mut step) = (Tensor::zeros(dtype, shape.axes()), 1);
            for &axis in axes.iter().rev() {
                places = places + Tensor::iota(dtype, shape.axes(), axis) * step as i64;
                step *= shape.sizes()[axis];
            }
            // The maximum of no elements is the lowest value of the type.
            let lowest = Tensor::zeros(shape.dtype(), [0]).max(0);
            let larger = |a: Tensor, b: Tensor| a.ge(b) | a.ne(a);
            chosen(self, lowest, places, count, plan.dims, larger)
        })
    }
}
