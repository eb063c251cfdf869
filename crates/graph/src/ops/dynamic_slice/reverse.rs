//! The derivatives of slices at computed indices.

use super::{DynamicSlice, DynamicUpdateSlice};
use crate::{
    PerAxis, Tensor,
    grad::{Pull, Vjp, keeps_operands},
    record,
};

impl Vjp for DynamicSlice {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let zeros = pull.x(0).full_like(0);
        let operands = [vec![zeros, pull.g()], starts(pull, 1)].concat();
        pull.one(record(DynamicUpdateSlice, &operands)[0])
    }
}

impl Vjp for DynamicUpdateSlice {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let (g, update, starts) = (pull.g(), pull.shape(1), starts(pull, 2));
        let of_operand = || {
            let zeros = Tensor::zeros(update.dtype(), update.sizes());
            record(DynamicUpdateSlice, &[vec![g, zeros], starts.clone()].concat())[0]
        };
        let of_update = || {
            let sizes = PerAxis::collect(update.sizes().iter().copied());
            record(DynamicSlice { sizes }, &[vec![g], starts.clone()].concat())[0]
        };
        pull.two(of_operand, of_update)
    }
}

/// The start indices: the operands from this one on.
fn starts(pull: &Pull<'_>, from: usize) -> Vec<Tensor> {
    (from..pull.step.operands.len()).map(|i| pull.x(i)).collect()
}
