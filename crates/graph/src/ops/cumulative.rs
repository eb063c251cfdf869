//! Inclusive prefix reductions along an axis.

use crate::{
    Axis, Reduction, Tensor, associative_scan,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands, vjp},
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
        if self.axis < operand.rank() {
            one(*operand)
        } else {
            Err(format!("there is no axis {} in {operand}", self.axis).into())
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

impl Vjp for Cumulative {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, x, axis) = (pull.g(), pull.x(0), self.axis as isize);
        let by = |combine: fn(Tensor, Tensor) -> Tensor| {
            vjp(x, |x| associative_scan(x, axis, combine)).1.apply(g)
        };
        pull.one(match self.reduction {
            Reduction::Sum => g.reverse(axis).cumsum(axis).reverse(axis),
            Reduction::Prod => by(|a, b| a * b),
            Reduction::Max => by(|a, b| a.maximum(b)),
            Reduction::Min => by(|a, b| a.minimum(b)),
            Reduction::Any | Reduction::All => return Vec::new(),
        })
    }
}

macro_rules! cumulative {
    ($($(#[$doc:meta])* $method:ident $reduction:ident),* $(,)?) => {
        #[hloom_derive::tensor_methods(cumulative)]
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
    #[doc(alias = "cumulativeSum")]
    cumsum Sum,
    /// The prefix products along an axis.
    cumprod Prod,
    /// The prefix maxima along an axis.
    cummax Max,
    /// The prefix minima along an axis.
    cummin Min,
);
