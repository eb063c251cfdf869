//! Inclusive prefix logarithms of sums of exponentials along an axis.

use crate::{
    Axis, Tensor, associative_scan,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    takes::Takes,
    trace::{Rule, apply},
    vmap::as_it_is,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// The logarithms of the inclusive prefix sums of exponentials along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CumLogSumExp {
    /// The axis.
    pub axis: usize,
}

impl Definition for CumLogSumExp {
    fn name(&self) -> &'static str {
        "cumlogsumexp"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        Takes::Float.check(operand.dtype(), "`.convert(..)`")?;
        if self.axis < operand.rank() {
            one(*operand)
        } else {
            Err(format!("there is no axis {} in {operand}", self.axis).into())
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " along {}", self.axis)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_usize(self.axis);
    }
}

plain!(CumLogSumExp);
as_it_is!(CumLogSumExp, |op| CumLogSumExp { axis: op.axis + 1 });

impl Vjp for CumLogSumExp {
    keeps_operands!();

    /// With y[j] = logaddexp(y[j - 1], x[j]), the cotangent s of y[j], and of what follows, is
    /// `s[j] = g[j] + sigmoid(y[j] - x[j + 1]) * s[j + 1]`, of which x[j] has the share
    /// `sigmoid(x[j] - y[j - 1])`. A sum of `g[i] * exp(x[j] - y[i])` would multiply the rounding
    /// errors of y.
    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (dtype, axis) = (pull.x(0).dtype(), self.axis as isize);
        if pull.shape(0).sizes()[self.axis] == 0 {
            return pull.one(pull.g());
        }
        let x = pull.x(0).at_least_f32();
        let y = if x.dtype() == dtype { pull.y(0) } else { x.cumlogsumexp(axis) };
        let (later, before) = (x.slice(axis, 1..), y.slice(axis, ..-1));
        // The distance of equal infinities is NaN.
        let differs = later.ne(before) | later.is_finite();
        let distance = differs.select(later - before, 0);
        let shares = distance.sigmoid().pad(axis, 1, 0, 1);
        let decays = (-distance).sigmoid().pad(axis, 0, 1, 0);
        let g = pull.g().convert(x.dtype());
        let reversed = (decays.reverse(axis), g.reverse(axis));
        let (_, sums) = associative_scan(reversed, axis, |(a, b), (c, d)| (a * c, b * c + d));
        pull.one((shares * sums.reverse(axis)).convert(dtype))
    }
}

#[hloom_derive::tensor_methods(cumlogsumexp)]
impl Tensor {
    /// The logarithms of the prefix sums of exponentials along an axis, without overflow. Takes
    /// floats; those below 32 bits are computed in `f32`.
    #[doc(alias = "logcumsumexp")]
    #[track_caller]
    pub fn cumlogsumexp(self, axis: impl Into<Axis>) -> Tensor {
        let axis = axis.into();
        apply("cumlogsumexp", &[self], |s| Ok(CumLogSumExp { axis: s[0].position(axis)? }))
    }
}
