//! Results of the body of a scan for each element.

use super::control::{TensorTree, leaves, rebuild};
use crate::Tensor;

/// The result of the body of a [`scan`](crate::scan) for each element: a tree of tensors, which are
/// stacked, or `()` for nothing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stacked by `scan`",
    note = "the body returns the carried values and a tree of `Tensor` that is `Clone`, or `()` \
            where only the carried values are needed: `(carry, ())`"
)]
pub trait ScanOutput {
    /// The tensors, in order.
    #[doc(hidden)]
    fn tensors(&self) -> Vec<Tensor>;

    /// The same structure with other tensors, in order; missing ones are poisoned.
    #[doc(hidden)]
    fn with_tensors(&self, tensors: &[Tensor]) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: TensorTree> ScanOutput for T {
    fn tensors(&self) -> Vec<Tensor> {
        leaves(self)
    }

    fn with_tensors(&self, tensors: &[Tensor]) -> T {
        rebuild(self, tensors)
    }
}

impl ScanOutput for () {
    fn tensors(&self) -> Vec<Tensor> {
        Vec::new()
    }

    fn with_tensors(&self, _: &[Tensor]) {}
}
