//! Selection and clamping.

use super::{
    broadcast::in_order_of,
    elementwise::{CONVERT, aligned, common_axes, same_dtype},
};
use crate::{
    DType, Operand, Shape, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    takes::Takes,
    trace::{Rule, emit},
    vmap::spread_all,
};
use std::{fmt, hash::Hasher, panic::Location};

/// Selects from the second operand where the first is true, else from the third.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Select;

/// The second operand, clamped between the first and the third.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clamp;

impl Select {
    fn check([condition, on_true, on_false]: &[Shape; 3]) -> Rule<()> {
        if condition.dtype() != DType::Bool {
            return Err(format!("the condition is {}, not bool", condition.dtype()).into());
        }
        same_dtype(on_true.dtype(), on_false.dtype())
    }
}

impl Clamp {
    fn check([low, x, high]: &[Shape; 3]) -> Rule<()> {
        same_dtype(low.dtype(), x.dtype())?;
        same_dtype(x.dtype(), high.dtype())?;
        Takes::Ordered.check(x.dtype(), CONVERT)
    }
}

impl Definition for Select {
    fn name(&self) -> &'static str {
        "select"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operands = context.operands()?;
        Select::check(operands)?;
        one(operands[1].with_dims(common_axes(operands)?))
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, _: &mut dyn Hasher) {}
}

impl Definition for Clamp {
    fn name(&self) -> &'static str {
        "clamp"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operands = context.operands()?;
        Clamp::check(operands)?;
        one(operands[1].with_dims(common_axes(operands)?))
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, _: &mut dyn Hasher) {}
}

plain!(Select, Clamp);
spread_all!(Select, Clamp);

impl Vjp for Select {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, condition) = (pull.g(), pull.x(0));
        let zero = g.full_like(0);
        let on_true = pull.wants(1).then(|| condition.select(g, zero));
        let on_false = pull.wants(2).then(|| condition.select(zero, g));
        vec![None, on_true, on_false]
    }
}

impl Vjp for Clamp {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, [low, x, high]) = (pull.g(), [0, 1, 2].map(|i| pull.x(i)));
        let zero = g.full_like(0);
        vec![
            pull.wants(0).then(|| low.gt(x).select(g, zero)),
            pull.wants(1).then(|| (x.gt(low) & x.lt(high)).select(g, zero)),
            pull.wants(2).then(|| high.lt(x).select(g, zero)),
        ]
    }
}

#[hloom_derive::tensor_methods(select)]
impl Tensor {
    /// Selects from `on_true` where `self`, a `bool` tensor, is true, else from `on_false`. A Rust
    /// number takes the element type of the other branch, which must be a tensor.
    #[doc(alias = "where")]
    #[doc(alias = "where_cond")]
    #[track_caller]
    pub fn select(self, on_true: Tensor, on_false: impl Operand) -> Tensor {
        let on_false = on_false.like(on_true);
        let operands = [self, on_true, on_false];
        let value = emit("select", &operands, Location::caller(), |builder, s, v| {
            Select::check(&[s[0], s[1], s[2]])?;
            let values = aligned(builder, [v[0], v[1], v[2]])?;
            builder.add(Select, &values)
        });
        Tensor::or_poisoned(value)
    }

    /// Clamps `self` between `low` and `high`; NaN stays NaN.
    #[doc(alias = "clip")]
    #[track_caller]
    pub fn clamp(self, low: impl Operand, high: impl Operand) -> Tensor {
        let low = in_order_of(low.like(self), self);
        let high = high.like(self);
        let value = emit("clamp", &[low, self, high], Location::caller(), |builder, s, v| {
            Clamp::check(&[s[0], s[1], s[2]])?;
            let values = aligned(builder, [v[0], v[1], v[2]])?;
            builder.add(Clamp, &values)
        });
        Tensor::or_poisoned(value)
    }
}
