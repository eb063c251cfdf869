//! Runtime assertions.

use super::{
    CallbackError,
    builder::{CallbackBuilder, NO_RESULTS},
};
use crate::row_major::index;
use hloom_graph::{DType, Tensor, called_from, record_error};
use hloom_pjrt::ErrorCode;
use std::panic::Location;

/// Assertions, for tensors inside of a trace.
pub trait TensorAssert: private::Sealed {
    /// Fails the call of the program with `message` unless `predicate` returns true for every
    /// element of the tensor. It is checked at each execution, even when no result needs the
    /// tensor. Returns the tensor.
    ///
    /// ```
    /// use hloom_graph::Tensor;
    /// use hloom_runtime::TensorAssert;
    ///
    /// fn root(x: Tensor) -> Tensor {
    ///     x.assert(|x| x.ge(0), "roots are for what is not negative").sqrt()
    /// }
    /// ```
    #[track_caller]
    fn assert(self, predicate: impl FnOnce(Tensor) -> Tensor, message: &str) -> Self;
}

mod private {
    pub trait Sealed {}
}

impl private::Sealed for Tensor {}

impl TensorAssert for Tensor {
    fn assert(self, predicate: impl FnOnce(Tensor) -> Tensor, message: &str) -> Tensor {
        let location = Location::caller();
        let holds = predicate(self);
        if holds.is_poisoned() {
            return self;
        }
        let shape = holds.shape();
        if shape.dtype() != DType::Bool {
            let given = format!("the predicate returns {}, not bool", shape.dtype());
            called_from(location, || record_error("assert", &[self], given));
            return self;
        }
        if shape.element_count() == 0 {
            return self;
        }
        let broken = called_from(location, || {
            let broken = (!holds).reshape([shape.element_count()]);
            [broken.convert(DType::I64).sum(..), broken.convert(DType::I32).argmax(0)]
        });
        let said = message.to_owned();
        called_from(location, || {
            let [] = CallbackBuilder::new("assert", broken, NO_RESULTS).at(location).on_host().run(
                move |_, [count, first], _| match count.item::<i64>()? {
                    0 => Ok(()),
                    count => {
                        // The index of an element is not negative.
                        let first = usize::try_from(first.item::<i32>()?).unwrap_or(0);
                        let first = index(&shape, first);
                        let elements = shape.element_count();
                        let message = match shape.rank() {
                            0 => said.clone(),
                            _ => {
                                format!(
                                    "{said}: false for {count} of {elements} elements, the first \
                                     at {first:?}"
                                )
                            }
                        };
                        Err(CallbackError::with_code(ErrorCode::FailedPrecondition, message))
                    }
                },
            );
        });
        self
    }
}
