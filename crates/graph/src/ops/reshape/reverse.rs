//! The derivatives of ops that move elements.

use super::{Reshape, Reverse, Transpose};
use crate::{
    PerAxis, Tensor,
    grad::{Pull, Vjp, keeps_operands},
    record,
};

impl Vjp for Reshape {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        pull.one(pull.g().reshape(pull.shape(0).sizes()))
    }
}

impl Vjp for Transpose {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        pull.one(restored(pull.g(), &self.order))
    }
}

impl Vjp for Reverse {
    keeps_operands!();

    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        pull.one(record(*self, &[pull.g()])[0])
    }
}

/// The inverse of a transpose: the tensor whose transpose by `order` is `x`.
pub(crate) fn restored(x: Tensor, order: &[usize]) -> Tensor {
    let mut inverse = PerAxis::collect(order.iter().copied());
    for (to, &from) in order.iter().enumerate() {
        inverse.as_mut_slice()[from] = to;
    }
    if inverse.is_sorted() { x } else { record(Transpose { order: inverse }, &[x])[0] }
}
