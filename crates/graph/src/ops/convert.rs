//! Element type conversions.

use super::blocks::shape_of_blocks;
use crate::{
    DType, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::{Pull, Vjp, is_differentiable, keeps_operands, zero_derivative},
    trace::{self, Rule, apply},
    vmap::as_it_is,
};
use std::{
    fmt,
    hash::{Hash, Hasher},
};

/// Converts values to another element type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Convert {
    /// The element type of the result.
    pub dtype: DType,
}

/// Reinterprets the bits as another element type: quantised blocks as the bytes of each row, and
/// these as blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitcastConvert {
    /// The element type of the result.
    pub dtype: DType,
}

impl Definition for Convert {
    fn name(&self) -> &'static str {
        "convert"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        let (from, to) = (operand.dtype(), self.dtype);
        if from.is_complex() && !to.is_complex() {
            return Err(
                format!("{from} does not convert to {to}; take `.real()` or `.imag()`").into()
            );
        }
        one(operand.with_dtype(to))
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        self.dtype.hash(&mut &mut *hasher);
    }
}

impl Definition for BitcastConvert {
    fn name(&self) -> &'static str {
        "bitcast"
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        let (from, to) = (operand.dtype(), self.dtype);
        match (from, to) {
            (DType::Block(_), DType::U8) => return one(operand.stored()),
            (_, DType::Block(kind)) => return one(shape_of_blocks(operand, kind)?),
            (DType::Block(_), _) => {
                return Err(format!("{operand} is read as u8, not as {to}").into());
            }
            _ => {}
        }
        if from.bits() != to.bits() || from.is_complex() != to.is_complex() {
            return Err(format!("{from} and {to} differ in width or kind").into());
        }
        one(operand.with_dtype(to))
    }

    fn write_attributes(&self, _: &mut AttributeText<'_>) -> fmt::Result {
        Ok(())
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        self.dtype.hash(&mut &mut *hasher);
    }
}

plain!(Convert, BitcastConvert);
as_it_is!(Convert, BitcastConvert);
// Bits have no derivative; as in JAX it is 0.
zero_derivative!(BitcastConvert);

impl Vjp for Convert {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, dtype) = (pull.g(), pull.shape(0).dtype());
        if !is_differentiable(dtype) {
            return Vec::new();
        }
        let part = if g.dtype().is_complex() && !dtype.is_complex() { g.real() } else { g };
        pull.one(part.convert(dtype))
    }
}

#[hloom_derive::tensor_methods(convert)]
impl Tensor {
    /// Converts the elements to another type, rounding to nearest even and saturating as the
    /// platform does.
    #[doc(alias = "astype")]
    #[doc(alias = "to")]
    #[doc(alias = "to_dtype")]
    #[doc(alias = "convert_element_type")]
    #[track_caller]
    pub fn convert(self, dtype: DType) -> Tensor {
        if trace::shape_of(self).is_some_and(|shape| shape.dtype() == dtype) {
            return self;
        }
        apply("convert", &[self], |_| Ok(Convert { dtype }))
    }

    /// Reinterprets the bits as another element type of the same width.
    #[doc(alias = "bitcast_convert_type")]
    #[doc(alias = "view")]
    #[track_caller]
    pub fn bitcast(self, dtype: DType) -> Tensor {
        apply("bitcast", &[self], |_| Ok(BitcastConvert { dtype }))
    }
}
