//! Pooling to a given number of windows.

use super::{pool::PoolOptions, positions, sliding::EachAxis};
use crate::{
    Axis, DType, IntoAxes, Name, Tensor,
    trace::{OpError, emit, function_scope, shape_of},
};
use std::panic::Location;

/// The maximum number of elements of all windows together, if their sizes differ.
const MAX_ELEMENTS: usize = 1 << 24;

/// The windows along an axis of a tensor.
struct Windows {
    axis: usize,
    name: Option<Name>,
    size: usize,
    count: usize,
}

impl Windows {
    /// The first index of a window, and its end.
    fn range(&self, at: usize) -> [usize; 2] {
        let place = |at: usize| at as u128 * self.size as u128;
        let count = self.count as u128;
        [(place(at) / count) as usize, place(at + 1).div_ceil(count) as usize]
    }

    /// For each window, the indices of its elements, a mask of the valid ones, and the size of the
    /// largest window. Smaller windows repeat their last index, which the mask excludes.
    fn elements(&self) -> (Vec<i64>, Vec<bool>, usize) {
        let largest = (0..self.count).map(|at| self.range(at)).map(|[start, end]| end - start);
        let largest = largest.max().unwrap_or(0);
        let places = (0..self.count).flat_map(|at| {
            let [start, end] = self.range(at);
            (start..start + largest).map(move |place| (place.min(end - 1) as i64, place < end))
        });
        let (indices, inside) = places.unzip();
        (indices, inside, largest)
    }

    /// The elements of each window, along a new axis after that of the windows, and the mask of
    /// valid ones, without the axes before.
    #[track_caller]
    fn taken(&self, x: Tensor, rank: usize) -> (Tensor, Tensor) {
        let (indices, inside, largest) = self.elements();
        let indices = Tensor::constant(&indices, [self.count, largest]);
        let after = rank - self.axis - 1;
        let sizes = [self.count, largest].into_iter().chain([1].repeat(after)).collect::<Vec<_>>();
        let taken = x.take(indices, self.axis);
        (taken, Tensor::constant(&inside, sizes))
    }
}

/// Pools each axis by itself: with windows of equal size, or from the elements of each window.
#[track_caller]
fn pool(
    op: &'static str,
    x: Tensor,
    axes: Vec<Axis>,
    sizes: EachAxis,
    even: impl Fn(Tensor, usize, PoolOptions) -> Tensor,
    uneven: impl Fn(Tensor, Tensor, usize) -> Tensor,
) -> Tensor {
    let windows = emit(op, &[x], Location::caller(), |_, s, _| {
        let axes = positions(&s[0], &axes)?;
        let counts = sizes.of("sizes", axes.len())?;
        let windows = axes.into_iter().zip(counts.iter()).map(|(axis, &count)| {
            let (size, name) = (s[0].sizes()[axis], s[0].names()[axis]);
            // A window may have a further element at both ends.
            let elements = count.saturating_mul(size / count.max(1) + 2);
            if size == 0 || count == 0 || !size.is_multiple_of(count) && elements > MAX_ELEMENTS {
                return Err(OpError(format!(
                    "axis {} of size {size} is not pooled to {count} windows",
                    s[0].label(axis)
                )));
            }
            Ok(Windows { axis, name, size, count })
        });
        windows.collect::<Result<Vec<_>, _>>()
    });
    let Some(windows) = windows else { return Tensor::poisoned() };
    function_scope(op, || {
        windows.iter().fold(x, |x, window| {
            let Some(shape) = shape_of(x) else { return x };
            if window.size.is_multiple_of(window.count) {
                return even(x, window.axis, PoolOptions::new(window.size / window.count));
            }
            let (taken, inside) = window.taken(x, shape.rank());
            if shape_of(taken).is_none() {
                return Tensor::poisoned();
            }
            let pooled = uneven(taken, inside, window.axis + 1);
            pooled.rename(window.axis, window.name.map_or("_", Name::as_str))
        })
    })
}

#[hloom_derive::tensor_methods(adaptive_pool)]
impl Tensor {
    /// The mean of each of `sizes` windows along `axes`, which are as equal in size as possible:
    /// window `i` of `n` has the elements from `floor(i size / n)` to `ceil((i + 1) size / n)`, as
    /// in PyTorch.
    ///
    /// ```
    /// # use hloom_graph::{Spec, TraceScope};
    /// let trace = TraceScope::begin("example");
    /// let x = trace.parameter("x", &Spec::f32([("channel", 3), ("y", 9), ("x", 8)]), false);
    /// let y = x.adaptive_avg_pool(["y", "x"], [2, 1]);
    /// assert_eq!(y.shape().to_string(), "f32[channel=3, y=2, x=1]");
    /// ```
    #[track_caller]
    pub fn adaptive_avg_pool(self, axes: impl IntoAxes, sizes: impl Into<EachAxis>) -> Tensor {
        let (axes, sizes) = (axes.into_axes(self.rank()), sizes.into());
        let is_mean = emit("adaptive_avg_pool", &[self], Location::caller(), |_, s, _| {
            let dtype = s[0].dtype();
            if dtype.is_float() || dtype.is_complex() {
                Ok(())
            } else {
                Err(OpError(format!(
                    "takes floats or complex numbers, not {dtype}; use `.convert(..)`"
                )))
            }
        });
        if is_mean.is_none() {
            return Tensor::poisoned();
        }
        let mean = |taken: Tensor, inside: Tensor, axis: usize| {
            let counts = inside.convert(DType::I32).sum(1).convert(taken.dtype());
            let Some(shape) = shape_of(taken) else { return taken };
            inside.broadcast_to(shape.axes()).select(taken, 0).sum(axis) / counts
        };
        let wide = self.at_least_f32();
        pool("adaptive_avg_pool", wide, axes, sizes, |x, axis, by| x.avg_pool(axis, by), mean)
            .convert(self.dtype())
    }

    /// The largest element of each of `sizes` windows along `axes`: see
    /// [`adaptive_avg_pool`](Self::adaptive_avg_pool). NaN propagates.
    #[track_caller]
    pub fn adaptive_max_pool(self, axes: impl IntoAxes, sizes: impl Into<EachAxis>) -> Tensor {
        let (axes, sizes) = (axes.into_axes(self.rank()), sizes.into());
        let largest = |taken: Tensor, _, axis: usize| taken.max(axis);
        pool("adaptive_max_pool", self, axes, sizes, |x, axis, by| x.max_pool(axis, by), largest)
    }
}
