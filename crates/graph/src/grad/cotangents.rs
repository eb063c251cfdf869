//! The backward pass: from the cotangents of results to those of all tracked values.

use super::{
    pull::Pull,
    tape::{Tape, Tracked},
};
use crate::{
    Tensor,
    trace::{called_from, shape_of},
};

impl Tape {
    /// The cotangents of all tracked values, from those of results: each with its value's element
    /// type and sizes, and without names of axes.
    pub fn pull(&self, results: &[(Tracked, Tensor)]) -> Cotangents {
        let mut cotangents = Cotangents(vec![None; self.slots]);
        for &(result, cotangent) in results {
            cotangents.add(result, without_names(cotangent));
        }
        for step in self.steps.iter().rev() {
            let own: Vec<Option<Tensor>> =
                step.results.iter().map(|&result| cotangents.get(result)).collect();
            if own.iter().all(Option::is_none) {
                continue;
            }
            // After an error, no tensor has a shape.
            let has_failed = own.iter().flatten().any(|cotangent| cotangent.has_failed());
            called_from(step.node.location, || {
                let captured = step.captured.iter().map(|captured| captured.1);
                let operands = step.operands.iter().copied().chain(captured);
                let given = if has_failed {
                    vec![Some(Tensor::poisoned()); operands.clone().count()]
                } else {
                    step.node.op.definition().pull(&Pull::new(step, own))
                };
                for (operand, cotangent) in operands.zip(given) {
                    if let Some(cotangent) = cotangent {
                        cotangents.add(operand, cotangent);
                    }
                }
            });
        }
        cotangents
    }
}

/// The sums of the cotangents of tracked values, by slot; `None` is zero.
pub(crate) struct Cotangents(Vec<Option<Tensor>>);

impl Cotangents {
    pub fn get(&self, value: Tracked) -> Option<Tensor> {
        self.0[value.slot?]
    }

    fn add(&mut self, value: Tracked, cotangent: Tensor) {
        let Some(slot) = value.slot else { return };
        let sum = self.0[slot].map_or(cotangent, |other| other + cotangent);
        self.0[slot] = Some(sum);
    }

    /// The cotangent without names of axes; zeros if there is none.
    pub fn unnamed(&self, value: Tracked) -> Tensor {
        self.get(value).unwrap_or_else(|| without_names(value.tensor).full_like(0))
    }

    /// The cotangent with the axes of its value; zeros if there is none.
    pub fn of(&self, value: Tracked) -> Tensor {
        let Some(shape) = shape_of(value.tensor) else { return Tensor::poisoned() };
        match self.get(value) {
            Some(cotangent) if cotangent.shape().axes() == shape.axes() => cotangent,
            Some(cotangent) => cotangent.reshape(shape.axes()),
            None => Tensor::zeros(shape.dtype(), shape.axes()),
        }
    }
}

/// The tensor without names of axes, so that ops align it by position.
pub(crate) fn without_names(tensor: Tensor) -> Tensor {
    match shape_of(tensor) {
        Some(shape) if shape.names().iter().any(Option::is_some) => tensor.reshape(shape.sizes()),
        _ => tensor,
    }
}
