//! Statistics over axes.

use super::positions;
use crate::{
    Axis, DType, IntoAxes, Tensor,
    trace::{OpError, emit, function_scope},
};
use std::panic::Location;

#[hloom_derive::tensor_methods(statistics)]
impl Tensor {
    /// The variance over axes, which are removed: the mean of the squared distance from the mean.
    /// For complex numbers it is real, the mean of the squared moduli. Floats below 32 bits are
    /// computed in `f32`; NaN for no elements.
    #[track_caller]
    pub fn var(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("var", || narrowed(self.wide_var(axes, false), self))
    }

    /// The variance, as [`var`](Self::var); the axes are kept with size 1.
    #[track_caller]
    pub fn var_keep(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("var_keep", || narrowed(self.wide_var(axes, true), self))
    }

    /// The variance over axes, which are removed: the sum of the squared distances from the mean,
    /// divided by the number of elements less `ddof` ("delta degrees of freedom"): 1 makes it
    /// unbiased.
    #[track_caller]
    pub fn var_ddof(self, axes: impl IntoAxes, ddof: usize) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("var_ddof", || narrowed(self.wide_var_ddof("var_ddof", axes, ddof), self))
    }

    /// The standard deviation over axes, which are removed: the root of [`var`](Self::var). Its
    /// derivative is 0 where all elements are equal.
    #[track_caller]
    pub fn std(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("std", || narrowed(length(self.wide_var(axes, false)), self))
    }

    /// The standard deviation, as [`std`](Self::std); the axes are kept with size 1.
    #[track_caller]
    pub fn std_keep(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("std_keep", || narrowed(length(self.wide_var(axes, true)), self))
    }

    /// The root of [`var_ddof`](Self::var_ddof), with the derivative of [`std`](Self::std).
    #[track_caller]
    pub fn std_ddof(self, axes: impl IntoAxes, ddof: usize) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("std_ddof", || {
            narrowed(length(self.wide_var_ddof("std_ddof", axes, ddof)), self)
        })
    }

    /// The variance in the type that it is computed in.
    #[track_caller]
    fn wide_var(self, axes: Vec<Axis>, keep: bool) -> Tensor {
        let squares = self.squared_distances(axes.clone());
        if keep { squares.mean_keep(axes) } else { squares.mean(axes) }
    }

    /// As [`wide_var`](Self::wide_var), for other divisors than the number of elements.
    #[track_caller]
    fn wide_var_ddof(self, op: &'static str, axes: Vec<Axis>, ddof: usize) -> Tensor {
        let count = self.count(op, &axes);
        let sum = self.squared_distances(axes.clone()).sum(axes);
        sum / (count as f64 - ddof as f64).max(0.0)
    }

    /// The squared distances from the mean: neither the mean nor the distances are rounded to the
    /// type of the elements, which may have too few digits for the mean and too small a range for
    /// the squares.
    #[track_caller]
    fn squared_distances(self, axes: Vec<Axis>) -> Tensor {
        let x = self.at_least_f32();
        squared(x - x.mean_keep(axes))
    }

    /// The skewness over axes, which are removed: the mean of the cubed distances from the mean, in
    /// standard deviations.
    #[track_caller]
    pub fn skewness(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        self.in_f32("skewness", |x| {
            let distance = x - x.mean_keep(axes.clone());
            let spread = length(distance.square().mean_keep(axes.clone()));
            let unit = distance / spread;
            (unit * unit * unit).mean(axes)
        })
    }

    /// The Euclidean norm over axes, which are removed: the root of the sum of squares. Its
    /// derivative is 0 where all elements are 0.
    #[track_caller]
    pub fn norm(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("norm", || narrowed(length(squared(self.at_least_f32()).sum(axes)), self))
    }

    /// As [`norm`](Self::norm); the axes are kept with size 1.
    #[track_caller]
    pub fn norm_keep(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("norm_keep", || {
            narrowed(length(squared(self.at_least_f32()).sum_keep(axes)), self)
        })
    }

    /// The sum of absolute values over axes, which are removed.
    #[track_caller]
    pub fn l1_norm(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("l1_norm", || {
            if self.dtype().is_unsigned_int() { self.sum(axes) } else { self.abs().sum(axes) }
        })
    }

    /// x divided by its Euclidean norm over axes, at least `epsilon`.
    #[track_caller]
    #[doc(alias = "l2_normalize")]
    pub fn normalize(self, axes: impl IntoAxes, epsilon: f64) -> Tensor {
        let axes = axes.into_axes(self.rank());
        self.in_f32("normalize", |x| x / x.norm_keep(axes).maximum(epsilon))
    }

    /// The cosine of the angle between vectors along an axis, which is removed: their dot product
    /// divided by their norms, each at least `epsilon`.
    #[track_caller]
    pub fn cosine_similarity(self, rhs: Tensor, axis: impl Into<Axis>, epsilon: f64) -> Tensor {
        let axis = axis.into();
        self.in_f32("cosine_similarity", |x| {
            let y = rhs.wide_like("cosine_similarity", self, x);
            (x.normalize(axis, epsilon) * y.normalize(axis, epsilon)).sum(axis)
        })
    }

    /// The number of elements that are not 0 (`true`) over axes, which are removed, as `i32`.
    #[track_caller]
    pub fn count_nonzero(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("count_nonzero", || {
            let counted = if self.dtype() == DType::Bool { self } else { self.ne(0) };
            counted.convert(DType::I32).sum(axes)
        })
    }

    /// The differences of adjacent elements along an axis. The axis of the result is shorter by
    /// one, or empty.
    #[track_caller]
    pub fn diff(self, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        function_scope("diff", || match self.size(axis) {
            0 => self,
            size => self.slice(axis, 1..) - self.slice(axis, ..size as isize - 1),
        })
    }

    /// The value below which the fraction `q` (0 to 1) of the elements along an axis lies, with
    /// linear interpolation between adjacent elements; the axis is removed. NaN where an element is
    /// NaN.
    #[track_caller]
    pub fn quantile(self, q: f64, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        self.quantile_of("quantile", q, axis)
    }

    /// As [`quantile`](Self::quantile), with `q` as a percentage.
    #[track_caller]
    pub fn percentile(self, percentage: f64, axis: impl Into<Axis>) -> Tensor {
        self.quantile_of("percentile", percentage / 100.0, axis.into())
    }

    /// The median along an axis, which is removed: the middle element in sorted order, or the mean
    /// of the two middle ones; NaN where an element is NaN.
    #[track_caller]
    pub fn median(self, axis: impl Into<Axis>) -> Tensor {
        self.quantile_of("median", 0.5, axis.into())
    }

    #[track_caller]
    fn quantile_of(self, op: &'static str, q: f64, axis: Axis) -> Tensor {
        let size = emit(op, &[self], Location::caller(), |_, s, _| {
            let dtype = s[0].dtype();
            let size = s[0].sizes()[s[0].position(axis)?];
            match (dtype.is_float(), (0.0..=1.0).contains(&q), size) {
                (false, ..) => Err(format!("takes floats, not {dtype}").into()),
                (_, false, _) => Err(format!("a share of {q} is not between 0 and 1").into()),
                (.., 0) => Err(OpError(format!("axis {axis} has no elements"))),
                (.., size) => Ok(size),
            }
        });
        let Some(size) = size else { return Tensor::poisoned() };
        self.in_f32(op, |x| {
            let sorted = x.sort(axis, false);
            let place = q * (size - 1) as f64;
            let (low, share) = (place.floor(), place.fract());
            let high = (low + 1.0).min((size - 1) as f64);
            let [low, high] = [low, high].map(|at| sorted.index(axis, at as isize));
            // The difference of equal infinities is NaN.
            let mixed = if share == 0.0 { low } else { low * (1.0 - share) + high * share };
            x.is_nan().any(axis).select(mixed.full_like(f64::NAN), mixed)
        })
    }

    /// The number of elements over axes; 1 after an error.
    #[track_caller]
    fn count(self, op: &'static str, axes: &[Axis]) -> usize {
        let count = emit(op, &[self], Location::caller(), |_, s, _| {
            Ok(positions(&s[0], axes)?.iter().map(|&i| s[0].sizes()[i]).product())
        });
        count.unwrap_or(1)
    }
}

/// Converts a statistic of `x` to the type of `x`, or of its real and imaginary parts.
#[track_caller]
fn narrowed(statistic: Tensor, x: Tensor) -> Tensor {
    statistic.convert(x.dtype().real())
}

/// The root of a sum of squares. At 0 the derivative of the root is infinite and those of the
/// squares are 0, so that their product would be NaN: the derivative is set to 0, the mean of the
/// slopes from both sides.
#[track_caller]
fn length(squares: Tensor) -> Tensor {
    let is_zero = squares.eq(0);
    let root = is_zero.select(squares.ones_like(), squares).sqrt();
    is_zero.select(squares.zeros_like(), root)
}

/// The square of the absolute value.
#[track_caller]
fn squared(x: Tensor) -> Tensor {
    if x.dtype().is_complex() { x.real().square() + x.imag().square() } else { x.square() }
}
