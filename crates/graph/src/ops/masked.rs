//! Reductions of some of the elements, of bits, and comparisons of floats as a whole.

use super::{positions, reduce_by};
use crate::{
    DType, IntoAxes, Operand, Tensor,
    takes::Takes,
    trace::{emit, function_scope},
};
use std::panic::Location;

macro_rules! bit_reductions {
    ($($(#[$doc:meta])* $method:ident, $op:tt, $starts_true:literal;)*) => {
        #[hloom_derive::tensor_methods(bit_reductions)]
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, axes: impl IntoAxes) -> Tensor {
                let axes = axes.into_axes(self.rank());
                let taken = emit(stringify!($method), &[self], Location::caller(), |_, s, _| {
                    Takes::Logic.check(s[0].dtype(), "")?;
                    positions(&s[0], &axes)
                });
                if taken.is_none() {
                    return Tensor::poisoned();
                }
                function_scope(stringify!($method), || {
                    let zero = Tensor::zeros(self.dtype(), [0usize; 0]);
                    let start = if $starts_true { !zero } else { zero };
                    reduce_by(self, start, axes, |a, b| a $op b)
                })
            }
        )* }
    };
}

bit_reductions!(
    /// The bits that all integers along `axes` have; all bits for no elements. For `bool`, `all`.
    reduce_and, &, true;
    /// The bits that any integer along `axes` has. For `bool`, `any`.
    reduce_or, |, false;
    /// The bits that an odd number of integers along `axes` have.
    reduce_xor, ^, false;
);

#[hloom_derive::tensor_methods(masked)]
impl Tensor {
    /// The sum of the elements where `mask`, a `bool` tensor that is broadcast, is true.
    #[track_caller]
    pub fn sum_where(self, mask: Tensor, axes: impl IntoAxes) -> Tensor {
        function_scope("sum_where", || mask.select(self, self.zeros_like()).sum(axes))
    }

    /// The mean of the floats or complex numbers where `mask`, a `bool` tensor that is broadcast,
    /// is true; NaN if it is nowhere true.
    #[track_caller]
    pub fn mean_where(self, mask: Tensor, axes: impl IntoAxes) -> Tensor {
        let axes = axes.into_axes(self.rank());
        function_scope("mean_where", || {
            let wide = self.at_least_f32();
            let total = wide.sum_where(mask, axes.clone());
            (total / wide.ones_like().sum_where(mask, axes)).convert(self.dtype())
        })
    }

    /// The largest element where `mask`, a `bool` tensor that is broadcast, is true; the lowest
    /// value of the type if it is nowhere true.
    #[track_caller]
    pub fn max_where(self, mask: Tensor, axes: impl IntoAxes) -> Tensor {
        function_scope("max_where", || {
            // The maximum of no elements is the lowest value of the type.
            let lowest = Tensor::zeros(self.dtype(), [0]).max(0);
            mask.select(self, lowest).max(axes)
        })
    }

    /// The smallest element where `mask`, a `bool` tensor that is broadcast, is true; the highest
    /// value of the type if it is nowhere true.
    #[track_caller]
    pub fn min_where(self, mask: Tensor, axes: impl IntoAxes) -> Tensor {
        function_scope("min_where", || {
            let highest = Tensor::zeros(self.dtype(), [0]).min(0);
            mask.select(self, highest).min(axes)
        })
    }

    /// Whether the distance from `other` is at most `atol` plus `rtol` times the magnitude of
    /// `other`. Equal infinities are close, NaNs are not.
    #[track_caller]
    pub fn is_close(self, other: impl Operand, rtol: f64, atol: f64) -> Tensor {
        let other = other.like(self);
        function_scope("is_close", || {
            let (x, y) = (self.at_least_f32(), other.at_least_f32());
            let close = (x - y).abs().le(y.abs() * rtol + atol);
            (close & x.is_finite() & y.is_finite()) | x.eq(y)
        })
    }

    /// Signed integers of the width of the floats, in IEEE 754's total order of these: -NaN, -inf,
    /// ..., -0, 0, ..., inf, NaN.
    #[track_caller]
    pub fn total_order_key(self) -> Tensor {
        let dtype = self.dtype();
        let key = emit("total_order_key", &[self], Location::caller(), |_, s, _| {
            Takes::Float.check(s[0].dtype(), "`.convert(..)`")?;
            match s[0].dtype().bits() {
                8 => Ok((DType::I8, i64::from(i8::MAX))),
                16 => Ok((DType::I16, i64::from(i16::MAX))),
                32 => Ok((DType::I32, i64::from(i32::MAX))),
                64 => Ok((DType::I64, i64::MAX)),
                _ => Err(format!("takes floats of at least a byte, not {dtype}").into()),
            }
        });
        let Some((integer, magnitude)) = key else { return Tensor::poisoned() };
        function_scope("total_order_key", || {
            let bits = self.bitcast(integer);
            bits.lt(0).select(bits ^ magnitude, bits)
        })
    }
}
