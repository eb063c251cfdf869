//! Many elements combined into one.

use super::positions;
use crate::{
    ArgReduction, Axis, DType, IntoAxes, Op, PerAxis, Reduction, Shape, Tensor,
    op::Takes,
    trace::{Rule, apply, emit, shape_of},
};
use std::panic::Location;

impl Reduction {
    fn takes(self) -> Takes {
        match self {
            Reduction::Sum | Reduction::Prod => Takes::Number,
            Reduction::Max | Reduction::Min => Takes::Ordered,
            Reduction::Any | Reduction::All => Takes::Any,
        }
    }

    pub(super) fn check(self, shape: &Shape) -> Rule<()> {
        let dtype = shape.dtype();
        match self {
            Reduction::Any | Reduction::All if dtype == DType::Bool => Ok(()),
            Reduction::Any | Reduction::All => Err(format!("takes bool, not {dtype}").into()),
            _ => self.takes().check(dtype, "`any`, `all` or `.convert(..)`"),
        }
    }
}

/// Half-width floats are summed in `f32`, so that many small addends are not lost.
fn sum_type(reduction: Reduction, dtype: DType) -> DType {
    let narrow = dtype.is_float() && dtype.bits() < 32;
    if narrow && matches!(reduction, Reduction::Sum | Reduction::Prod) {
        DType::F32
    } else {
        dtype
    }
}

/// Positions along an axis are given as `i32`.
pub(super) fn check_positions(size: usize) -> Rule<()> {
    match i32::try_from(size.saturating_sub(1)) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("positions along an axis of {size} elements are beyond i32").into()),
    }
}

#[track_caller]
fn reduce(reduction: Reduction, x: Tensor, axes: Vec<Axis>, keep: bool) -> Tensor {
    let value = emit(reduction.name(), &[x], Location::caller(), |builder, s, v| {
        reduction.check(&s[0])?;
        let mut at = positions(&s[0], &axes)?;
        at.sort_unstable();
        if at.is_empty() {
            return Ok(v[0]);
        }
        let dtype = s[0].dtype();
        let wide = sum_type(reduction, dtype);
        let mut value = v[0];
        if wide != dtype {
            value = builder.node(Op::Convert, &[value], s[0].with_dtype(wide));
        }
        let mut shape = s[0].with_dtype(wide);
        for &i in at.iter().rev() {
            shape = shape.without(i);
        }
        value = builder.node(
            Op::Reduce(reduction, PerAxis::collect(at.iter().copied())),
            &[value],
            shape,
        );
        if wide != dtype {
            shape = shape.with_dtype(dtype);
            value = builder.node(Op::Convert, &[value], shape);
        }
        if keep {
            let mut kept = s[0];
            for &i in &at {
                kept = super::slice::resized(&kept, i, 1)?;
            }
            value = builder.node(Op::Reshape, &[value], kept);
        }
        Ok(value)
    });
    Tensor::or_poisoned(value)
}

#[track_caller]
fn arg_reduce(reduction: ArgReduction, x: Tensor, axis: Axis) -> Tensor {
    let op = Op::ArgReduce(reduction, 0).name();
    apply(op, &[x], |s| {
        if s[0].dtype().is_complex() {
            return Err("complex numbers have no order".into());
        }
        let at = s[0].position(axis)?;
        if s[0].sizes()[at] == 0 {
            return Err(format!("axis {axis} has no elements").into());
        }
        check_positions(s[0].sizes()[at])?;
        Ok((Op::ArgReduce(reduction, at), s[0].without(at).with_dtype(DType::I32)))
    })
}

#[track_caller]
fn cumulative(op: &'static str, reduction: Reduction, x: Tensor, axis: Axis) -> Tensor {
    apply(op, &[x], |s| {
        reduction.check(&s[0])?;
        Ok((Op::Cumulative(reduction, s[0].position(axis)?), s[0]))
    })
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $method:ident $keep:ident $reduction:ident),* $(,)?) => {
        /// Reductions over one axis, several, or all (`..`). The axes go away; the `_keep` forms leave them with size 1.
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, axes: impl IntoAxes) -> Tensor {
                reduce(Reduction::$reduction, self, axes.into_axes(self.rank()), false)
            }
            $(#[$doc])*
            /// The axes stay with size 1.
            #[track_caller]
            pub fn $keep(self, axes: impl IntoAxes) -> Tensor {
                reduce(Reduction::$reduction, self, axes.into_axes(self.rank()), true)
            }
        )* }
    };
}

reductions!(
    /// The sum; of nothing, 0. Floats below 32 bits are added up in `f32`.
    sum sum_keep Sum,
    /// The product; of nothing, 1. Floats below 32 bits are multiplied in `f32`.
    prod prod_keep Prod,
    /// The largest element; of nothing, the lowest value of the type. NaN wins.
    max max_keep Max,
    /// The smallest element; of nothing, the highest value of the type. NaN wins.
    min min_keep Min,
    /// Whether any element of a `bool` tensor is true.
    any any_keep Any,
    /// Whether all elements of a `bool` tensor are true.
    all all_keep All,
);

impl Tensor {
    /// The arithmetic mean of floats or complex numbers over axes, which go away; of nothing, NaN.
    #[track_caller]
    pub fn mean(self, axes: impl IntoAxes) -> Tensor {
        self.mean_of(axes.into_axes(self.rank()), false)
    }

    /// As [`mean`](Self::mean); the axes stay with size 1.
    #[track_caller]
    pub fn mean_keep(self, axes: impl IntoAxes) -> Tensor {
        self.mean_of(axes.into_axes(self.rank()), true)
    }

    #[track_caller]
    fn mean_of(self, axes: Vec<Axis>, keep: bool) -> Tensor {
        let count = emit("mean", &[self], Location::caller(), |_, s, _| {
            match s[0].dtype().is_float() || s[0].dtype().is_complex() {
                true => Ok(positions(&s[0], &axes)?
                    .iter()
                    .map(|&i| s[0].sizes()[i])
                    .product::<usize>()),
                false => Err(format!(
                    "takes floats or complex numbers, not {}; use `.convert(..)`",
                    s[0].dtype()
                )
                .into()),
            }
        });
        let Some(count) = count else { return Tensor::poisoned() };
        let dtype = self.dtype();
        // Divided before it is narrowed: a sum can be too large for the type of its mean.
        let wide = self.convert(sum_type(Reduction::Sum, dtype));
        (reduce(Reduction::Sum, wide, axes, keep) / count as f64).convert(dtype)
    }

    /// The variance over axes, which go away: the mean of the squared distance from the mean.
    #[track_caller]
    pub fn var(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        let distance = self - self.mean_of(axes.clone(), true);
        (distance * distance).mean_of(axes, false)
    }

    /// The logarithm of the sum of exponentials over axes, which go away, without overflow.
    #[track_caller]
    pub fn log_sum_exp(self, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        let max = reduce(Reduction::Max, self, axes.clone(), true);
        // Where all is infinite, x - max would be NaN.
        let max = max.is_finite().select(max, 0);
        let sum = reduce(Reduction::Sum, (self - max).exp(), axes.clone(), false);
        match shape_of(sum) {
            Some(shape) => sum.log() + max.reshape(shape.axes()),
            None => sum,
        }
    }

    /// The index of the largest element along an axis, which goes away, as `i32`. The first of equals; the first NaN, if any.
    #[track_caller]
    pub fn argmax(self, axis: impl Into<Axis>) -> Tensor {
        arg_reduce(ArgReduction::Max, self, axis.into())
    }

    /// The index of the smallest element along an axis, which goes away, as `i32`. The first of equals; the first NaN, if any.
    #[track_caller]
    pub fn argmin(self, axis: impl Into<Axis>) -> Tensor {
        arg_reduce(ArgReduction::Min, self, axis.into())
    }

    /// The sum of each element and all before it along an axis.
    #[track_caller]
    pub fn cumsum(self, axis: impl Into<Axis>) -> Tensor {
        cumulative("cumsum", Reduction::Sum, self, axis.into())
    }

    /// The product of each element and all before it along an axis.
    #[track_caller]
    pub fn cumprod(self, axis: impl Into<Axis>) -> Tensor {
        cumulative("cumprod", Reduction::Prod, self, axis.into())
    }

    /// The largest of each element and all before it along an axis.
    #[track_caller]
    pub fn cummax(self, axis: impl Into<Axis>) -> Tensor {
        cumulative("cummax", Reduction::Max, self, axis.into())
    }

    /// The smallest of each element and all before it along an axis.
    #[track_caller]
    pub fn cummin(self, axis: impl Into<Axis>) -> Tensor {
        cumulative("cummin", Reduction::Min, self, axis.into())
    }
}
