//! Inverse trigonometric functions, hyperbolic functions and their inverses.

use super::elementwise::{CONVERT, same_dtype, with_slope};
use crate::{
    Tensor,
    takes::Takes,
    trace::{emit, function_scope},
};
use std::{f64::consts::LN_2, panic::Location};

/// Functions of real floats; those below 32 bits are computed in `f32`.
#[hloom_derive::tensor_methods(trigonometric)]
impl Tensor {
    /// The angle in radians whose sine is x, from -pi/2 to pi/2; NaN outside of -1 to 1.
    #[track_caller]
    #[doc(alias = "arcsin")]
    pub fn asin(self) -> Tensor {
        let forward = |x: Tensor| x.atan2(((x * -1 + 1) * (x + 1)).sqrt());
        let slope = |x: Tensor| ((1 - x) * (1 + x)).rsqrt();
        self.in_f32("asin", |x| with_slope(x, forward, slope))
    }

    /// The angle in radians whose cosine is x, from 0 to pi; NaN outside of -1 to 1.
    #[track_caller]
    #[doc(alias = "arccos")]
    pub fn acos(self) -> Tensor {
        let forward = |x: Tensor| ((x * -1 + 1) * (x + 1)).sqrt().atan2(x);
        let slope = |x: Tensor| -((1 - x) * (1 + x)).rsqrt();
        self.in_f32("acos", |x| with_slope(x, forward, slope))
    }

    /// The angle in radians whose tangent is x, from -pi/2 to pi/2.
    #[track_caller]
    #[doc(alias = "arctan")]
    pub fn atan(self) -> Tensor {
        self.in_f32("atan", |x| x.atan2(x.ones_like()))
    }

    /// The hyperbolic sine.
    #[track_caller]
    pub fn sinh(self) -> Tensor {
        self.in_f32("sinh", |x| with_slope(x, sinh, |x| with_slope(x, cosh, sinh)))
    }

    /// The hyperbolic cosine.
    #[track_caller]
    pub fn cosh(self) -> Tensor {
        self.in_f32("cosh", |x| with_slope(x, cosh, |x| with_slope(x, sinh, cosh)))
    }

    /// The number whose hyperbolic sine is x.
    #[track_caller]
    #[doc(alias = "arcsinh")]
    pub fn asinh(self) -> Tensor {
        let forward = |x: Tensor| {
            let size = x.abs();
            let square = size * size;
            let near = (size + square / ((square + 1).sqrt() + 1)).log1p();
            let far = size.log() + LN_2;
            // Squares of larger numbers overflow, and 1 is negligible compared with them.
            size.gt(1e8).select(far, near) * x.sign()
        };
        let slope = |x: Tensor| {
            let size = x.abs();
            let is_far = size.gt(1e8);
            let near = is_far.select(x.ones_like(), x);
            is_far.select(size.ones_like() / is_far.select(size, 1), (near * near + 1).rsqrt())
        };
        self.in_f32("asinh", |x| with_slope(x, forward, slope))
    }

    /// The number whose hyperbolic cosine is x, at least 0; NaN below 1.
    #[track_caller]
    #[doc(alias = "arccosh")]
    pub fn acosh(self) -> Tensor {
        self.in_f32("acosh", |x| {
            let above = x - 1;
            // Two roots instead of the root of the product: below 1 one of them is NaN, while the
            // product may be positive.
            let near = (above + above.sqrt() * (x + 1).sqrt()).log1p();
            let far = x.log() + LN_2;
            x.gt(1e8).select(far, near)
        })
    }

    /// The number whose hyperbolic tangent is x; infinite at -1 and 1, NaN outside.
    #[track_caller]
    #[doc(alias = "arctanh")]
    pub fn atanh(self) -> Tensor {
        self.in_f32("atanh", |x| (x.log1p() - (x * -1).log1p()) * 0.5)
    }

    /// Applies `function` to the floats, those below 32 bits as `f32`, and converts the result
    /// back.
    #[track_caller]
    pub(super) fn in_f32(
        self,
        op: &'static str,
        function: impl FnOnce(Tensor) -> Tensor,
    ) -> Tensor {
        if self.is_float(op) {
            function_scope(op, || function(self.at_least_f32()).convert(self.dtype()))
        } else {
            Tensor::poisoned()
        }
    }

    #[track_caller]
    fn is_float(self, op: &'static str) -> bool {
        let checked = emit(op, &[self], Location::caller(), |_, s, _| {
            Takes::Float.check(s[0].dtype(), CONVERT)
        });
        checked.is_some()
    }

    /// The right operand of `op`, next to `left`, in the type in which `left` is computed.
    #[track_caller]
    pub(super) fn wide_like(self, op: &'static str, left: Tensor, wide: Tensor) -> Tensor {
        let is_same = emit(op, &[left, self], Location::caller(), |_, s, _| {
            same_dtype(s[0].dtype(), s[1].dtype())
        });
        is_same.map_or(Tensor::poisoned(), |()| self.convert(wide.dtype()))
    }
}

#[track_caller]
fn sinh(x: Tensor) -> Tensor {
    // Where both exponentials are almost equal, their difference is computed by `exp_m1`.
    let growth = x.exp_m1();
    let near = (growth + growth / (growth + 1)) * 0.5;
    // Multiplies by the root of the exponential twice: the exponential may overflow where half of
    // it does not.
    let root = (x.abs() * 0.5).exp();
    let far = (root * 0.5 * root - (root.full_like(0.5) / root) / root) * x.sign();
    x.abs().lt(1).select(near, far)
}

#[track_caller]
fn cosh(x: Tensor) -> Tensor {
    let root = (x.abs() * 0.5).exp();
    root * 0.5 * root + (root.full_like(0.5) / root) / root
}
