//! The input of an op's reverse rule.

use super::{cotangents::without_names, tape::Step};
use crate::{Shape, Tensor};

/// A step and the cotangents of its results, as passed to the op's rule: no axis has a name.
pub(crate) struct Pull<'a> {
    pub step: &'a Step,
    cotangents: Vec<Option<Tensor>>,
}

impl<'a> Pull<'a> {
    pub fn new(step: &'a Step, cotangents: Vec<Option<Tensor>>) -> Pull<'a> {
        Pull { step, cotangents }
    }

    /// An operand.
    pub fn x(&self, index: usize) -> Tensor {
        without_names(self.step.operands[index].tensor)
    }

    /// A result.
    pub fn y(&self, index: usize) -> Tensor {
        without_names(self.step.results[index].tensor)
    }

    /// The cotangent of the first result, which must have one.
    pub fn g(&self) -> Tensor {
        self.cotangents[0].unwrap_or_else(|| self.cotangent(0))
    }

    /// The cotangent of a result, if there is one.
    pub fn given(&self, index: usize) -> Option<Tensor> {
        self.cotangents[index]
    }

    /// The cotangent of a result, zeros if there is none.
    pub fn cotangent(&self, index: usize) -> Tensor {
        self.cotangents[index].unwrap_or_else(|| self.y(index).full_like(0))
    }

    /// The shape of an operand, without names.
    pub fn shape(&self, index: usize) -> Shape {
        self.x(index).shape()
    }

    /// Whether the cotangent of an operand is needed.
    pub fn wants(&self, index: usize) -> bool {
        self.step.operands[index].slot.is_some()
    }

    /// The cotangents of the only operand.
    pub fn one(&self, cotangent: Tensor) -> Vec<Option<Tensor>> {
        vec![Some(cotangent)]
    }

    /// The cotangents of two operands, each computed only if it is needed.
    pub fn two(
        &self,
        first: impl FnOnce() -> Tensor,
        second: impl FnOnce() -> Tensor,
    ) -> Vec<Option<Tensor>> {
        vec![self.wants(0).then(first), self.wants(1).then(second)]
    }

    /// Records that the op has no rule.
    pub fn refuse(&self, why: &str) -> Vec<Option<Tensor>> {
        let name = self.step.node.op.name();
        let operands: Vec<Tensor> = self.step.operands.iter().map(|x| x.tensor).collect();
        let poisoned = crate::record_error("grad", &operands, format!("`{name}` {why}"));
        vec![Some(poisoned); operands.len()]
    }
}
