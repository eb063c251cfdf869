//! Rounding to a float format of fewer bits.

use super::elementwise::CONVERT;
use crate::{
    Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, keeps_operands},
    record,
    takes::Takes,
    trace::{Rule, apply},
    vmap::as_it_is,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// Rounds floats to a format of fewer bits, and keeps their type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReducePrecision {
    /// The number of bits of the exponent, at least 1.
    pub exponent_bits: u32,
    /// The number of bits after the point.
    pub mantissa_bits: u32,
}

impl Definition for ReducePrecision {
    fn name(&self) -> &'static str {
        "reduce_precision"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        Takes::Float.check(operand.dtype(), CONVERT)?;
        let dtype = operand.dtype();
        match (dtype.bits() >= 16, self.exponent_bits, self.mantissa_bits) {
            (false, ..) => Err(format!("takes f16, bf16, f32 or f64, not {dtype}").into()),
            (_, 0, _) => Err("an exponent has at least 1 bit".into()),
            (_, ..=64, ..=64) => one(*operand),
            (_, exponent, mantissa) => {
                Err(format!("no float has {exponent} and {mantissa} bits").into())
            }
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " to {} and {} bits", self.exponent_bits, self.mantissa_bits)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write_u32(self.exponent_bits);
        hasher.write_u32(self.mantissa_bits);
    }
}

plain!(ReducePrecision);
as_it_is!(ReducePrecision);

impl Vjp for ReducePrecision {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        pull.one(record(*self, &[pull.g()])[0])
    }
}

#[hloom_derive::tensor_methods(reduce_precision)]
impl Tensor {
    /// Rounds to the nearest values of a float format with this many bits of exponent and mantissa,
    /// in the same element type: `reduce_precision(8, 7)` rounds `f32` to `bf16` values. Numbers
    /// above the range of the format become infinite, and those below its normal numbers become 0.
    /// Takes `f16`, `bf16`, `f32` and `f64`; more bits than the type has change nothing.
    #[track_caller]
    pub fn reduce_precision(self, exponent_bits: u32, mantissa_bits: u32) -> Tensor {
        apply("reduce_precision", &[self], |_| Ok(ReducePrecision { exponent_bits, mantissa_bits }))
    }
}
