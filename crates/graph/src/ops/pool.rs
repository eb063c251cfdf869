//! Pooling: reductions of windows along some axes.

use super::{
    Reduction, positions,
    reduce_window::WindowDims,
    sliding::{EachAxis, Padding, Sliding, extent},
};
use crate::{
    Axis, DType, IntoAxes, PerAxis, Shape, Tensor,
    trace::{OpError, Rule, emit, function_scope, shape_of},
};
use std::panic::Location;

/// The window of a pooling; converts from its size, for windows that neither overlap nor are
/// padded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct PoolOptions {
    /// Size of a window.
    pub sizes: EachAxis,
    /// Distance of adjacent windows; their size if `None`.
    pub strides: Option<EachAxis>,
    /// Padding, which has no effect on a maximum, minimum or sum.
    pub padding: Padding,
    /// Distance of adjacent elements of a window.
    pub dilation: EachAxis,
    /// Whether a last window that exceeds the padded elements is kept, if it begins within the
    /// elements or in the padding before them.
    pub ceil: bool,
    /// Whether padding counts as elements in an average, as by default.
    pub count_padding: bool,
}

#[hloom_derive::tensor_methods(pool_options)]
impl PoolOptions {
    /// Windows of this size, which neither overlap nor are padded.
    pub fn new(sizes: impl Into<EachAxis>) -> PoolOptions {
        PoolOptions {
            sizes: sizes.into(),
            strides: None,
            padding: Padding::Valid,
            dilation: 1.into(),
            ceil: false,
            count_padding: true,
        }
    }

    /// Sets the distance of adjacent windows.
    pub fn strides(self, strides: impl Into<EachAxis>) -> PoolOptions {
        PoolOptions { strides: Some(strides.into()), ..self }
    }

    /// Sets the padding.
    pub fn padding(self, padding: impl Into<Padding>) -> PoolOptions {
        PoolOptions { padding: padding.into(), ..self }
    }

    /// Sets the distance of adjacent elements of a window.
    pub fn dilation(self, dilation: impl Into<EachAxis>) -> PoolOptions {
        PoolOptions { dilation: dilation.into(), ..self }
    }

    /// Whether a last window that exceeds the padded elements is kept.
    pub fn ceil(self, ceil: bool) -> PoolOptions {
        PoolOptions { ceil, ..self }
    }

    /// Whether padding counts as elements in an average.
    pub fn count_padding(self, count_padding: bool) -> PoolOptions {
        PoolOptions { count_padding, ..self }
    }

    /// The window along each of the axes, which have these sizes.
    fn windows(&self, sizes: &[usize]) -> Rule<Vec<Pooled>> {
        let rank = sizes.len();
        let window = self.sizes.of("sizes of a window", rank)?;
        let strides = match &self.strides {
            Some(strides) => strides.of("strides", rank)?,
            None => window,
        };
        let dilation = self.dilation.of("dilations", rank)?;
        let along = |i: usize| Sliding {
            size: window[i],
            stride: strides[i],
            base_dilation: 1,
            dilation: dilation[i],
            low: 0,
            high: 0,
        };
        let axes: Vec<_> = (0..rank).map(|i| (sizes[i], along(i))).collect();
        let edges = self.padding.edges(&axes)?;
        let padded = axes.into_iter().zip(edges).map(|((size, window), (low, high))| {
            let window = Sliding { low, high, ..window };
            Pooled { size, window, further: if self.ceil { further(size, window) } else { 0 } }
        });
        Ok(padded.collect())
    }
}

impl<T: Into<EachAxis>> From<T> for PoolOptions {
    fn from(sizes: T) -> PoolOptions {
        PoolOptions::new(sizes)
    }
}

/// A window along an axis.
#[derive(Clone, Copy)]
struct Pooled {
    /// The size of the axis.
    size: usize,
    window: Sliding,
    /// The number of elements after the high padding that the last window covers.
    further: isize,
}

/// The number of elements by which the last window exceeds the padding, if it is kept.
fn further(size: usize, window: Sliding) -> isize {
    let (low, high) = (window.low as i128, window.high as i128);
    let rest = size as i128 + low + high - extent(window.size, window.dilation);
    let stride = window.stride.max(1) as i128;
    let over = rest.rem_euclid(stride);
    let start = rest - over + stride;
    if over != 0 && start >= 0 && start < size as i128 + low { (stride - over) as isize } else { 0 }
}

impl Pooled {
    /// The range of elements that count, as positions among the padded elements.
    fn counted(&self, count_padding: bool) -> [i64; 2] {
        let (low, size) = (self.window.low as i64, self.size as i64);
        let end = size + low + self.window.high as i64;
        if count_padding { [0, end] } else { [low.max(0), (size + low).min(end)] }
    }

    /// The number of elements of the window at `at`, including padding if `count_padding`.
    fn count(&self, at: usize, count_padding: bool) -> i64 {
        let start = (at * self.window.stride) as i64;
        let (size, by) = (self.window.size as i64, self.window.dilation as i64);
        // The number of positions of a window before a bound.
        let [first, end] = self
            .counted(count_padding)
            .map(|element| ((element - start + by - 1).max(0) / by).min(size));
        end - first
    }

    /// As [`count`](Self::count), for a tensor of window indices.
    #[track_caller]
    fn counts(&self, at: Tensor, count_padding: bool) -> Tensor {
        let (size, by) = (self.window.size as i64, self.window.dilation as i64);
        let start = at * self.window.stride as i64;
        let [first, end] = self
            .counted(count_padding)
            .map(|element| ((start * -1 + (element + by - 1)).maximum(0) / by).minimum(size));
        end - first
    }
}

/// The axes and the window of a pooling of `x`.
pub(super) fn planned(shape: &Shape, axes: &[Axis], options: &PoolOptions) -> Rule<Plan> {
    let axes = positions(shape, axes)?;
    let sizes: Vec<usize> = axes.iter().map(|&axis| shape.sizes()[axis]).collect();
    let pooled = options.windows(&sizes)?;
    let mut dims = WindowDims::new(PerAxis::collect((0..shape.rank()).map(|_| 1)));
    let mut windows = Vec::new();
    for (&axis, Pooled { size, window, further }) in axes.iter().zip(&pooled) {
        let high = window.high.saturating_add(*further);
        windows.push(Sliding { high, ..*window }.count(*size, shape.label(axis))?);
        dims.sizes.as_mut_slice()[axis] = window.size;
        dims.strides.as_mut_slice()[axis] = window.stride;
        dims.window_dilations.as_mut_slice()[axis] = window.dilation;
        dims.low.as_mut_slice()[axis] = window.low;
        dims.high.as_mut_slice()[axis] = high;
    }
    Ok(Plan { dims, axes, pooled, windows })
}

pub(super) struct Plan {
    pub dims: WindowDims,
    axes: Vec<usize>,
    pooled: Vec<Pooled>,
    /// The number of windows along each axis.
    windows: Vec<usize>,
}

#[track_caller]
fn pool(
    op: &'static str,
    x: Tensor,
    axes: impl IntoAxes,
    options: PoolOptions,
    reduction: Reduction,
) -> Tensor {
    let axes = axes.into_axes(x.rank());
    let plan = emit(op, &[x], Location::caller(), |_, s, _| {
        reduction.check(&s[0])?;
        planned(&s[0], &axes, &options)
    });
    let Some(plan) = plan else { return Tensor::poisoned() };
    function_scope(op, || x.reduce_window(reduction, plan.dims))
}

#[hloom_derive::tensor_methods(pool)]
impl Tensor {
    /// The largest element of each window along `axes`; NaN propagates.
    ///
    /// ```
    /// # use hloom_graph::{PoolOptions, Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("channel", 3), ("y", 9), ("x", 8)]), false);
    /// assert_eq!(x.max_pool(["y", "x"], 2).shape().to_string(), "f32[channel=3, y=4, x=4]");
    /// let options = PoolOptions::new(3).strides(2).padding(1);
    /// assert_eq!(x.max_pool("y", options).shape().to_string(), "f32[channel=3, y=5, x=8]");
    /// ```
    #[track_caller]
    pub fn max_pool(self, axes: impl IntoAxes, options: impl Into<PoolOptions>) -> Tensor {
        pool("max_pool", self, axes, options.into(), Reduction::Max)
    }

    /// The smallest element of each window along `axes`; NaN propagates.
    #[track_caller]
    pub fn min_pool(self, axes: impl IntoAxes, options: impl Into<PoolOptions>) -> Tensor {
        pool("min_pool", self, axes, options.into(), Reduction::Min)
    }

    /// The sum of each window along `axes`. Floats below 32 bits are accumulated in `f32`.
    #[track_caller]
    pub fn sum_pool(self, axes: impl IntoAxes, options: impl Into<PoolOptions>) -> Tensor {
        pool("sum_pool", self, axes, options.into(), Reduction::Sum)
    }

    /// The mean of each window of floats or complex numbers along `axes`. Padding counts as zeros,
    /// unless [`PoolOptions::count_padding`] is off; elements of a last window after the padding do
    /// not count. NaN for a window without elements.
    #[track_caller]
    pub fn avg_pool(self, axes: impl IntoAxes, options: impl Into<PoolOptions>) -> Tensor {
        let (axes, options) = (axes.into_axes(self.rank()), options.into());
        let plan = emit("avg_pool", &[self], Location::caller(), |_, s, _| {
            let dtype = s[0].dtype();
            if dtype.is_float() || dtype.is_complex() {
                planned(&s[0], &axes, &options)
            } else {
                Err(OpError(format!(
                    "takes floats or complex numbers, not {dtype}; use `.convert(..)`"
                )))
            }
        });
        let Some(plan) = plan else { return Tensor::poisoned() };
        function_scope("avg_pool", || {
            let wide = self.at_least_f32();
            let sums = wide.reduce_window(Reduction::Sum, plan.dims);
            plan.divide(sums, options.count_padding).convert(self.dtype())
        })
    }
}

impl Plan {
    /// The sums of windows divided by the numbers of their elements.
    #[track_caller]
    fn divide(&self, mut sums: Tensor, count_padding: bool) -> Tensor {
        let Some(shape) = shape_of(sums) else { return sums };
        let mut divisor = 1.0;
        for ((&axis, pooled), &windows) in self.axes.iter().zip(&self.pooled).zip(&self.windows) {
            let last = windows.saturating_sub(1);
            let ends = [0, last].map(|at| pooled.count(at, count_padding));
            // If the first and last windows are full, all are.
            if windows <= 1 || ends == [pooled.window.size as i64; 2] {
                divisor *= ends[0] as f64;
                continue;
            }
            let sizes = (0..shape.rank()).map(|i| if i == axis { windows } else { 1 });
            let sizes = Shape::new(DType::I64, sizes.collect::<Vec<_>>());
            let at = Tensor::iota(DType::I64, sizes.map(|shape| shape.axes()), axis);
            let counts = pooled.counts(at, count_padding).convert(sums.dtype());
            sums = sums / counts.broadcast_to(shape.axes());
        }
        sums / divisor
    }
}
