//! The arguments of a call of a jitted function.

use super::{JitParameter, JitParameters};
use crate::{Buffer, Donated};
use hloom_graph::{Mirror, Tree};

/// An argument of a call: a reference to a tree of buffers, or a [`Donated`] tree, which the call
/// consumes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument for the parameter `{T}` of the jitted function",
    note = "an argument is a reference to the parameter's tree with buffers in place of tensors, \
            or `Donated` around one"
)]
pub trait JitArgument<T: JitParameter> {
    /// Whether the call consumes it.
    const DONATED: bool;

    /// The tree of buffers.
    fn buffers(&self) -> &T::Buffers;
}

impl<T: JitParameter> JitArgument<T> for &T::Buffers {
    const DONATED: bool = false;

    fn buffers(&self) -> &T::Buffers {
        self
    }
}

impl<T: JitParameter> JitArgument<T> for Donated<T::Buffers> {
    const DONATED: bool = true;

    fn buffers(&self) -> &T::Buffers {
        &self.0
    }
}

/// All arguments of a call: a tuple with one for each parameter of the jitted function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not arguments for the parameters `{T}` of the jitted function",
    note = "arguments are a tuple, also when there is one: `(&x,)`; each is a reference to a tree \
            of buffers, or `Donated` around one"
)]
pub trait JitArguments<T: JitParameters> {
    /// Whether the call consumes each argument.
    const DONATED: &'static [bool];

    /// The properties of the arguments that the program depends on.
    fn key(&self) -> T::Key;

    /// Whether the program of this key is the one for these arguments.
    fn has_key(&self, key: &T::Key) -> bool;

    /// Passes the buffers to `f`, in order.
    fn visit<'b>(&'b self, f: &mut dyn FnMut(&'b Buffer));
}

macro_rules! arguments {
    ($($parameter:ident $argument:ident $at:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the tuple of no arguments is the unit")]
        impl<$($parameter: JitParameter, $argument: JitArgument<$parameter>),*>
            JitArguments<($($parameter,)*)> for ($($argument,)*)
        {
            const DONATED: &'static [bool] = &[$($argument::DONATED),*];

            fn key(&self) -> ($($parameter::Key,)*) {
                ($(Mirror::mirror(self.$at.buffers()),)*)
            }

            fn has_key(&self, key: &($($parameter::Key,)*)) -> bool {
                let _ = key;
                true $(&& key.$at.is_mirror_of(self.$at.buffers()))*
            }

            fn visit<'b>(&'b self, f: &mut dyn FnMut(&'b Buffer)) {
                let _ = &f;
                $(self.$at.buffers().visit(&mut |_, buffer| f(buffer));)*
            }
        }
    };
}
hloom_graph::for_each_arity!(arguments);
