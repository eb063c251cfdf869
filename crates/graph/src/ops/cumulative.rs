//! Inclusive prefix reductions along an axis.

use crate::{
    Axis, Reduction, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    trace::{Rule, apply},
    vmap::as_it_is,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// An inclusive prefix reduction along an axis.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cumulative {
    /// The combining function.
    pub reduction: Reduction,
    /// The axis.
    pub axis: usize,
}

impl Definition for Cumulative {
    fn name(&self) -> &'static str {
        "cumulative"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        self.reduction.check(operand)?;
        match self.axis < operand.rank() {
            true => one(*operand),
            false => Err(format!("there is no axis {} in {operand}", self.axis).into()),
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " {} along {}", self.reduction.name(), self.axis)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.reduction.name().as_bytes());
        hasher.write_usize(self.axis);
    }
}

plain!(Cumulative);
as_it_is!(Cumulative, |op| Cumulative { axis: op.axis + 1, ..*op });

macro_rules! cumulative {
    ($($(#[$doc:meta])* $method:ident $reduction:ident),* $(,)?) => {
        impl Tensor { $(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(self, axis: impl Into<Axis>) -> Tensor {
                let axis = axis.into();
                apply(stringify!($method), &[self], |s| {
                    let axis = s[0].position(axis)?;
                    Ok(Cumulative { reduction: Reduction::$reduction, axis })
                })
            }
        )* }
    };
}

cumulative!(
    /// The prefix sums along an axis.
    cumsum Sum,
    /// The prefix products along an axis.
    cumprod Prod,
    /// The prefix maxima along an axis.
    cummax Max,
    /// The prefix minima along an axis.
    cummin Min,
);
