//! Indices of the largest and smallest elements.

use crate::{
    Axis, DType, Tensor,
    definition::{AttributeText, Definition, InferContext, Shapes, one, plain},
    grad::zero_derivative,
    trace::{Rule, apply},
    vmap::as_it_is,
};
use std::{
    fmt::{self, Write},
    hash::Hasher,
};

/// The index of the largest or smallest element along an axis, which is removed; the first of equal
/// elements, or of NaNs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArgReduce {
    /// Whether to find the largest or the smallest element.
    pub reduction: ArgReduction,
    /// The axis.
    pub axis: usize,
}

/// Whether to find the largest or the smallest element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgReduction {
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

impl Definition for ArgReduce {
    fn name(&self) -> &'static str {
        match self.reduction {
            ArgReduction::Max => "argmax",
            ArgReduction::Min => "argmin",
        }
    }

    fn infer(&self, context: &InferContext<'_>) -> Rule<Shapes> {
        let operand = context.operand()?;
        if operand.dtype().is_complex() {
            return Err("complex numbers have no order".into());
        }
        match operand.sizes().get(self.axis) {
            None => Err(format!("there is no axis {} in {operand}", self.axis).into()),
            Some(0) => Err(format!("axis {} has no elements", operand.label(self.axis)).into()),
            Some(&size) => {
                check_positions(size)?;
                one(operand.without(self.axis).with_dtype(DType::I32))
            }
        }
    }

    fn write_attributes(&self, out: &mut AttributeText<'_>) -> fmt::Result {
        write!(out, " along {}", self.axis)
    }

    fn hash_attributes(&self, hasher: &mut dyn Hasher) {
        hasher.write(self.name().as_bytes());
        hasher.write_usize(self.axis);
    }
}

plain!(ArgReduce);
zero_derivative!(ArgReduce);
as_it_is!(ArgReduce, |op| ArgReduce { axis: op.axis + 1, ..*op });

/// Checks that indices along an axis fit into `i32`.
pub(super) fn check_positions(size: usize) -> Rule<()> {
    match i32::try_from(size.saturating_sub(1)) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("positions along an axis of {size} elements are beyond i32").into()),
    }
}

#[track_caller]
fn arg_reduce(reduction: ArgReduction, x: Tensor, axis: Axis) -> Tensor {
    let name = Definition::name(&ArgReduce { reduction, axis: 0 });
    apply(name, &[x], |s| {
        let axis = s[0].position(axis)?;
        Ok(ArgReduce { reduction, axis })
    })
}

#[hloom_derive::tensor_methods(arg_reduce)]
impl Tensor {
    /// The index of the largest element along an axis, which is removed, as `i32`. The first of
    /// equal elements; the first NaN, if any.
    #[track_caller]
    pub fn argmax(self, axis: impl Into<Axis>) -> Tensor {
        arg_reduce(ArgReduction::Max, self, axis.into())
    }

    /// The index of the smallest element along an axis, which is removed, as `i32`. The first of
    /// equal elements; the first NaN, if any.
    #[track_caller]
    pub fn argmin(self, axis: impl Into<Axis>) -> Tensor {
        arg_reduce(ArgReduction::Min, self, axis.into())
    }
}
