//! Arguments of which one is kept, as types.

use super::arg_tuple::{Arg, Args};

/// Arguments among which the one at position `I` is borrowed instead of donated.
#[diagnostic::on_unimplemented(
    message = "these arguments have none at position {I}",
    note = "positions count the arguments that are not bound, from 0"
)]
pub trait KeepArg<const I: usize>: Args {
    /// The same arguments, that one borrowed by every call.
    type KeptAt: Args;
}

macro_rules! keep_each {
    (($($before:ident)*)) => {};
    (($($before:ident)*) $arg:ident $at:tt $($after:ident $later:tt)*) => {
        impl<$($before: Arg,)* $arg: Arg, $($after: Arg),*> KeepArg<$at>
            for ($($before,)* $arg, $($after,)*)
        {
            type KeptAt = ($($before,)* $arg::Kept, $($after,)*);
        }
        keep_each!(($($before)* $arg) $($after $later)*);
    };
}

macro_rules! keep {
    ($($arg:ident $p:ident $at:tt),*) => {
        keep_each!(() $($arg $at)*);
    };
}
hloom_graph::for_each_arity!(keep);
