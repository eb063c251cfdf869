//! Functions that are compiled for buckets.

use crate::{Arg, Args, ByReference, ByValue};
use hloom_graph::Tensor;

/// One value for each axis of [`Buckets`](crate::Buckets): the value itself for one axis, an array
/// for one axis or more.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not one value for each of {N} axes with buckets",
    note = "for one axis it is a `Tensor` or a size, for two an array of two"
)]
pub trait OnePerAxis<T, const N: usize>: Sized {
    /// The values, in the order of the axes.
    fn from_array(values: [T; N]) -> Self;

    /// The values, in the order of the axes.
    fn into_array(self) -> [T; N];
}

macro_rules! one_per_axis {
    ($($value:ty),*) => { $(
        impl OnePerAxis<$value, 1> for $value {
            fn from_array([value]: [$value; 1]) -> $value {
                value
            }

            fn into_array(self) -> [$value; 1] {
                [self]
            }
        }

        impl<const N: usize> OnePerAxis<$value, N> for [$value; N] {
            fn from_array(values: [$value; N]) -> Self {
                values
            }

            fn into_array(self) -> [$value; N] {
                self
            }
        }
    )* };
}
one_per_axis!(usize, Tensor);

/// A function that can be traced for each bucket: it takes the arguments `A` as tensors, by value
/// or the first one by reference, and after them `Lengths`, the true lengths of the axes with
/// buckets: an `i32` scalar for one axis, an array of them for two. `Lengths` and `By` are always
/// inferred.
#[diagnostic::on_unimplemented(
    message = "this function cannot be compiled for buckets",
    note = "for each tree of `Spec` it takes the same tree of `Tensor`, the first one also by \
            reference, and last the true length as a `Tensor`, or for two axes `[Tensor; 2]`; \
            closures name the types of their parameters; what they capture is `Send`, `Sync` and \
            `'static`"
)]
pub trait BucketFunction<A: Args, Lengths, Passing>: Send + Sync + 'static {
    /// The result of the function.
    type Output;

    /// Calls the function.
    fn run(&self, arguments: A::Traced, lengths: Lengths) -> Self::Output;
}

macro_rules! by_value {
    () => {};
    ($($arg:ident $p:ident $at:tt),+) => {
        impl<Fun, Res, Lengths, $($arg: Arg),+> BucketFunction<($($arg,)+), Lengths, ByValue>
            for Fun
        where
            Fun: Fn($($arg::Traced,)+ Lengths) -> Res + Send + Sync + 'static,
        {
            type Output = Res;

            fn run(&self, arguments: ($($arg::Traced,)+), lengths: Lengths) -> Res {
                self($(arguments.$at,)+ lengths)
            }
        }
    };
}
hloom_graph::for_each_arity!(by_value);

macro_rules! by_reference {
    () => {};
    ($a:ident $p:ident 0 $(, $arg:ident $q:ident $at:tt)*) => {
        impl<Fun, Res, Lengths, First: Arg, $($arg: Arg),*>
            BucketFunction<(First, $($arg,)*), Lengths, ByReference> for Fun
        where
            Fun: Fn(&First::Traced, $($arg::Traced,)* Lengths) -> Res + Send + Sync + 'static,
        {
            type Output = Res;

            fn run(&self, arguments: (First::Traced, $($arg::Traced,)*), lengths: Lengths) -> Res {
                self(&arguments.0, $(arguments.$at,)* lengths)
            }
        }
    };
}
hloom_graph::for_each_arity!(by_reference);
