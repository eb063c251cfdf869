//! Elementwise functions composed of others.

use super::broadcast::in_order_of;
use crate::{DType, Operand, Tensor, custom_vjp, trace::function_scope};

#[hloom_derive::tensor_methods(arithmetic)]
impl Tensor {
    /// x times x.
    #[track_caller]
    #[doc(alias = "sqr")]
    pub fn square(self) -> Tensor {
        function_scope("square", || self * self)
    }

    /// 1 divided by x.
    #[track_caller]
    #[doc(alias = "recip")]
    pub fn reciprocal(self) -> Tensor {
        function_scope("reciprocal", || self.ones_like() / self)
    }

    /// 2 to the power of x.
    #[track_caller]
    pub fn exp2(self) -> Tensor {
        self.in_f32("exp2", |x| x.full_like(2).pow(x))
    }

    /// The integer part of a float: rounds toward zero. A zero has the sign of x.
    #[track_caller]
    #[doc(alias = "fix")]
    pub fn trunc(self) -> Tensor {
        function_scope("trunc", || self.lt(0).select(self.ceil(), self.floor()))
    }

    /// The quotient rounded down; a zero has the sign of the quotient. For integers, a division by
    /// 0 returns the result of `/`. Floats below 32 bits are computed in `f32`.
    #[track_caller]
    #[doc(alias = "div_floor")]
    pub fn floor_divide(self, divisor: impl Operand) -> Tensor {
        let divisor = divisor.like(self);
        function_scope("floor_divide", || {
            if !self.dtype().is_float() {
                let is_below = is_below(self % divisor, divisor);
                let quotient = self / divisor;
                return is_below.select(quotient - 1, quotient);
            }
            let x = self.at_least_f32();
            let divisor = divisor.wide_like("floor_divide", self, x);
            let rest = x % divisor;
            // The difference is a multiple of the divisor, so that the quotient is almost an
            // integer.
            let whole = ((x - rest) / divisor).round();
            let quotient = is_below(rest, divisor).select(whole - 1, whole);
            let exact = x / divisor;
            let zero = x.eq(0).select(exact.sign(), exact.zeros_like());
            let quotient = quotient.eq(0).select(zero, quotient);
            divisor.eq(0).select(exact, quotient).convert(self.dtype())
        })
    }

    /// The remainder of [`floor_divide`](Self::floor_divide): it has the divisor's sign, also if it
    /// is zero, unlike `%`, which has the sign of x. Floats below 32 bits are computed in `f32`.
    #[track_caller]
    #[doc(alias = "mod")]
    #[doc(alias = "remainder")]
    pub fn modulo(self, divisor: impl Operand) -> Tensor {
        let divisor = divisor.like(self);
        function_scope("modulo", || {
            let x = self.at_least_f32();
            let divisor = divisor.wide_like("modulo", self, x);
            let rest = x % divisor;
            let moved = is_below(rest, divisor).select(rest + divisor, rest);
            if !self.dtype().is_float() {
                return moved;
            }
            // At 0, the derivative of both magnitudes is that of the remainder.
            let zero = divisor.lt(0).select(-(-rest).abs(), rest.abs());
            rest.eq(0).select(zero, moved).convert(self.dtype())
        })
    }

    /// The logarithm of the sum of the exponentials of both, without overflow.
    #[track_caller]
    pub fn logaddexp(self, rhs: impl Operand) -> Tensor {
        let rhs = rhs.like(self);
        self.in_f32("logaddexp", |x| {
            let y = rhs.wide_like("logaddexp", self, x);
            let [x, y] = same_axes(x, y);
            let forward = |(x, y): (Tensor, Tensor)| {
                let distance = x - y;
                let sum = x.maximum(y) + (distance.abs() * -1).exp().log1p();
                // The distance of equal infinities is NaN.
                (distance.is_nan().select(x + y, sum), (x, y))
            };
            // The rules of the maximum and of the magnitude would each choose a side where x is y.
            let backward = |(x, y): (Tensor, Tensor), g: Tensor| {
                let distance = x.eq(y).select(x.zeros_like(), x - y);
                let [of_x, of_y] = [distance.sigmoid(), (-distance).sigmoid()];
                // The rounding error of the distance (Knuth's), which the smaller share multiplies.
                let back = distance - x;
                let rest = (x - (distance - back)) - (y + back);
                let change = rest.is_finite().select(rest, rest.zeros_like()) * of_x * of_y;
                (g * (of_x + change), g * (of_y - change))
            };
            custom_vjp((x, y), forward, backward)
        })
    }

    /// The product of x and the logarithm of y, as in an entropy: 0 where x is 0, even if y is 0 or
    /// infinite. Floats below 32 bits are computed in `f32`. The derivative by x is the logarithm,
    /// also where x is 0.
    #[track_caller]
    pub fn xlogy(self, rhs: impl Operand) -> Tensor {
        let rhs = rhs.like(self);
        self.in_f32("xlogy", |x| {
            let y = rhs.wide_like("xlogy", self, x);
            let [x, y] = same_axes(x, y);
            let forward = |(x, y): (Tensor, Tensor)| {
                let is_zero = x.eq(0) & !y.is_nan();
                (is_zero.select(x.zeros_like(), x * y.log()), (x, y))
            };
            // The rule of the selection would be 0 where x is 0.
            let backward = |(x, y): (Tensor, Tensor), g: Tensor| (g * y.log(), g * (x / y));
            custom_vjp((x, y), forward, backward)
        })
    }

    /// Whether x is infinite, as `bool`.
    #[track_caller]
    pub fn is_inf(self) -> Tensor {
        function_scope("is_inf", || !(self.is_finite() | self.is_nan()))
    }

    /// Whether x is infinity, as `bool`.
    #[track_caller]
    pub fn is_pos_inf(self) -> Tensor {
        function_scope("is_pos_inf", || self.is_inf() & self.gt(0))
    }

    /// Whether x is minus infinity, as `bool`.
    #[track_caller]
    pub fn is_neg_inf(self) -> Tensor {
        function_scope("is_neg_inf", || self.is_inf() & self.lt(0))
    }

    /// x with 0 for NaN, and the largest and the smallest finite number of its type for infinities.
    #[track_caller]
    pub fn nan_to_num(self) -> Tensor {
        function_scope("nan_to_num", || {
            let x = self.is_nan().select(self.zeros_like(), self);
            let most = x.full_like(self.dtype().largest_finite());
            x.clamp(-most, most)
        })
    }

    /// The complex conjugate; real numbers are unchanged.
    #[track_caller]
    pub fn conj(self) -> Tensor {
        if self.dtype().is_complex() {
            function_scope("conj", || self.real().complex(-self.imag()))
        } else {
            self
        }
    }

    /// Rounds floats to so many decimal places, halves to even digits; a negative number of places
    /// rounds to tens, hundreds and so on.
    #[track_caller]
    pub fn round_to(self, decimals: i32) -> Tensor {
        self.in_f32("round_to", |x| {
            let most = if x.dtype() == DType::F64 { 308 } else { 38 };
            let scale = 10f64.powi(decimals.saturating_abs().min(most));
            match decimals {
                0.. => {
                    let scaled = x * scale;
                    // Products from this magnitude on are whole numbers, or infinite.
                    let whole = if x.dtype() == DType::F64 { 2f64.powi(52) } else { 2f64.powi(23) };
                    scaled.abs().lt(whole).select(scaled.round_even() / scale, x)
                }
                // Every finite number is below half of such a power of ten.
                _ if decimals < -most => x.is_finite().select(x * 0.0, x),
                _ => (x / scale).round_even() * scale,
            }
        })
    }

    /// `value` where `mask` is true, else x.
    #[track_caller]
    pub fn masked_fill(self, mask: Tensor, value: impl Operand) -> Tensor {
        let value = in_order_of(value.like(self), self);
        function_scope("masked_fill", || in_order_of(mask, self).select(value, self))
    }
}

/// Both tensors, broadcast to the axes of their sum.
#[track_caller]
fn same_axes(x: Tensor, y: Tensor) -> [Tensor; 2] {
    let axes = (x + y).shape().axes();
    [x.broadcast_to(axes), y.broadcast_to(axes)]
}

/// Whether a remainder has another sign than its divisor.
#[track_caller]
fn is_below(rest: Tensor, divisor: Tensor) -> Tensor {
    if divisor.dtype().is_unsigned_int() {
        rest.lt(0)
    } else {
        rest.lt(0).ne(divisor.lt(0)) & rest.ne(0) & divisor.ne(0)
    }
}

impl DType {
    /// The largest finite value of a float type.
    fn largest_finite(self) -> f64 {
        let overflow = self.overflow();
        if overflow.is_finite() {
            // The overflow threshold has one more binary digit than the largest value.
            f64::from_bits(overflow.to_bits() & (overflow.to_bits() - 1))
        } else {
            f64::MAX
        }
    }
}
