//! Functions that can be jitted.

use super::{JitParameter, JitParameters};
use crate::{ByReference, ByValue};

/// A function, method or closure that can be traced again and again. It takes trees of tensors by
/// value, or the first one by reference: `By` distinguishes these forms. `T` and `By` are always
/// inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot be jitted",
    note = "it takes up to eight trees of `Tensor` by value, the first one also by reference \
            (`&self`), and returns one; closures name the types of their parameters; fields of the \
            trees without tensors are `Clone`, `PartialEq`, `Send` and `Sync`"
)]
pub trait JitFunction<T: JitParameters, Passing> {
    /// The result of the function.
    type Output;

    /// Calls the function.
    fn run(&self, parameters: T) -> Self::Output;
}

macro_rules! by_value {
    ($($parameter:ident $p:ident $at:tt),*) => {
        impl<Fun, Res, $($parameter: JitParameter),*> JitFunction<($($parameter,)*), ByValue>
            for Fun
        where
            Fun: Fn($($parameter),*) -> Res,
        {
            type Output = Res;

            fn run(&self, parameters: ($($parameter,)*)) -> Res {
                let _ = &parameters;
                self($(parameters.$at),*)
            }
        }
    };
}
hloom_graph::for_each_arity!(by_value);

macro_rules! by_reference {
    () => {};
    ($a:ident $p:ident 0 $(, $parameter:ident $q:ident $at:tt)*) => {
        impl<Fun, Res, First: JitParameter, $($parameter: JitParameter),*>
            JitFunction<(First, $($parameter,)*), ByReference> for Fun
        where
            Fun: Fn(&First, $($parameter),*) -> Res,
        {
            type Output = Res;

            fn run(&self, parameters: (First, $($parameter,)*)) -> Res {
                self(&parameters.0, $(parameters.$at),*)
            }
        }
    };
}
hloom_graph::for_each_arity!(by_reference);
