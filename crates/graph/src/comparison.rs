//! The compiler's message for a tensor in a condition of Rust.

use crate::Tensor;
use std::cmp::Ordering;

/// A number that a tensor can be compared with in Rust. No type implements it.
///
/// `Tensor` implements Rust's comparisons only for the sake of the compiler's message about `if x >
/// 0.0`, which would otherwise report a missing implementation.
#[diagnostic::on_unimplemented(
    message = "a tensor has no value while its function is traced, so Rust cannot compare it",
    label = "a comparison of a tensor has no `bool` as its result",
    note = "elementwise: `x.gt(0.0)` is a tensor of `bool`, and `x.gt(0.0).select(a, b)` selects by \
            it",
    note = "for a scalar, `cond(x.gt(0.0), .., ..)` runs one of two functions; compare what is read \
            from a buffer to decide outside of the program"
)]
pub trait HasValue {}

#[doc(hidden)]
impl<T: HasValue> PartialEq<T> for Tensor {
    fn eq(&self, _: &T) -> bool {
        false
    }
}

#[doc(hidden)]
impl<T: HasValue> PartialOrd<T> for Tensor {
    fn partial_cmp(&self, _: &T) -> Option<Ordering> {
        None
    }
}
