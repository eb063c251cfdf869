//! Trials: cases with how they are tried.

use crate::{Case, Found, Mapped, Row, Split, Values};
use hloom::Tensor;
use std::borrow::Cow;

/// A case, the sharding of its inputs, and its compilation.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    /// The op.
    pub row: &'a Row,
    /// The inputs and the expected results.
    pub case: &'a Case,
    /// The sharding of the inputs.
    pub split: Split,
    /// Its place along an axis of `vmap`.
    pub mapped: Option<Mapped>,
    /// Options of XLA to compile with, by name.
    pub options: &'static [(&'static str, &'static str)],
}

impl<'a> Trial<'a> {
    /// On one device, compiled as users compile.
    pub fn new(row: &'a Row, case: &'a Case) -> Trial<'a> {
        Trial { row, case, split: Split::WHOLE, mapped: None, options: &[] }
    }

    /// The inputs of the op.
    pub(crate) fn inputs(&self) -> Cow<'a, [Values]> {
        match self.mapped {
            Some(mapped) => mapped.inputs(self.case).into(),
            None => (&*self.case.inputs).into(),
        }
    }

    /// The results of the op.
    pub(crate) fn apply(&self, inputs: &[Tensor]) -> Vec<Tensor> {
        match self.mapped {
            Some(mapped) => mapped.apply(self.row, inputs),
            None => (self.row.op)(inputs),
        }
    }

    /// The largest distance of results from the expected ones, in units in the last place.
    ///
    /// # Errors
    /// A result is farther than the row allows, or the results have another number or other shapes.
    pub fn check(&self, results: &[Found]) -> Result<f64, String> {
        let Trial { row, case, .. } = self;
        if results.len() != case.outputs.len() {
            let (given, found, expected) = (case.inputs.len(), results.len(), case.outputs.len());
            return Err(format!("{given} operands return {found} results, expected {expected}"));
        }
        let (mut worst, mut wrong) = (0f64, Vec::new());
        for (i, (expected, (shape, bytes))) in case.outputs.iter().zip(results).enumerate() {
            match row.tolerance.check(expected, *shape, bytes) {
                Ok(distance) => worst = worst.max(distance),
                Err(why) => wrong.push(format!("result {i}: {why}")),
            }
        }
        if wrong.is_empty() { Ok(worst) } else { Err(wrong.join("; ")) }
    }
}
