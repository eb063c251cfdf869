//! Comparisons.

use super::elementwise::{aligned, common_axes, same_dtype};
use crate::{
    DType, Operand, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::zero_derivative,
    trace::{Rule, emit, function_scope},
    vmap::spread_all,
};
use std::{fmt, hash::Hasher, panic::Location};

/// An elementwise comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the variants' names say the comparison")]
pub enum Direction {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Direction {
    /// The name of the method of `Tensor`.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Eq => "eq",
            Direction::Ne => "ne",
            Direction::Lt => "lt",
            Direction::Le => "le",
            Direction::Gt => "gt",
            Direction::Ge => "ge",
        }
    }

    fn check(self, left: DType, right: DType) -> Rule<()> {
        same_dtype(left, right)?;
        if left.is_complex() && !matches!(self, Direction::Eq | Direction::Ne) {
            Err("complex numbers have no order".into())
        } else {
            Ok(())
        }
    }
}

impl Definition for Direction {
    fn name(&self) -> &'static str {
        Direction::name(*self)
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operands @ [left, right] = context.operands()?;
        self.check(left.dtype(), right.dtype())?;
        one(left.with_dims(common_axes(operands)?).with_dtype(DType::Bool))
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.name().as_bytes());
    }
}

plain!(Direction);
zero_derivative!(Direction);
spread_all!(Direction);

#[track_caller]
fn compare(direction: Direction, left: Tensor, right: Tensor) -> Tensor {
    let value = emit(direction.name(), &[left, right], Location::caller(), |builder, s, v| {
        direction.check(s[0].dtype(), s[1].dtype())?;
        let values = aligned(builder, [v[0], v[1]])?;
        builder.add(direction, &values)
    });
    Tensor::or_poisoned(value)
}

macro_rules! compare_methods {
    ($($(#[$doc:meta])* $method:ident $direction:ident),* $(,)?) => {
        /// Elementwise comparisons of two operands of one element type; the result is `bool`. A
        /// comparison with NaN is false, except for `ne`.
        #[hloom_derive::tensor_methods(comparisons)]
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, rhs: impl Operand) -> Tensor {
                let rhs = rhs.like(self);
                compare(Direction::$direction, self, rhs)
            }
        )* }
    };
}

compare_methods!(
    /// Whether both are equal.
    #[doc(alias = "equal")]
    #[doc(alias = "cmp")]
    eq Eq,
    /// Whether both differ.
    #[doc(alias = "not_equal")]
    #[doc(alias = "cmp")]
    ne Ne,
    /// Whether `self` is less.
    #[doc(alias = "less")]
    #[doc(alias = "cmp")]
    lt Lt,
    /// Whether `self` is less or equal.
    #[doc(alias = "less_equal")]
    #[doc(alias = "cmp")]
    le Le,
    /// Whether `self` is greater.
    #[doc(alias = "greater")]
    #[doc(alias = "cmp")]
    gt Gt,
    /// Whether `self` is greater or equal.
    #[doc(alias = "greater_equal")]
    #[doc(alias = "cmp")]
    ge Ge,
);

#[hloom_derive::tensor_methods(compare)]
impl Tensor {
    /// Whether the element is NaN, as `bool`.
    #[track_caller]
    pub fn is_nan(self) -> Tensor {
        function_scope("is_nan", || compare(Direction::Ne, self, self))
    }
}
