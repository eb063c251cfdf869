//! The parameters of a jitted function, as types.

use super::JitLeaf;
use crate::{Arg, Args, Buffer};
use hloom_graph::{Mirror, Spec, Tensor, Tree};

/// A parameter of a jitted function: a tree of tensors, whose structure a call compares with those
/// of earlier calls.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a jitted function",
    note = "a parameter is a tree of `Tensor` whose fields without tensors are `Clone`, \
            `PartialEq`, `Send` and `Sync`"
)]
pub trait JitParameter: Tree<Leaf = Tensor> + Sized {
    /// The same tree of buffers.
    type Buffers: Tree<Leaf = Buffer> + 'static;
    /// The same tree with the properties of each buffer that the program depends on.
    type Key: Mirror<Self::Buffers> + Send + Sync + 'static;
    /// The same tree of specs.
    type Specs: Arg<Traced = Self>;

    /// The specs of a call's buffers.
    fn specs(key: Self::Key) -> Self::Specs;
}

impl<T> JitParameter for T
where
    T: Tree<Leaf = Tensor>,
    T::With<JitLeaf>: Tree<Leaf = JitLeaf, With<Spec> = T::With<Spec>>
        + Mirror<T::With<Buffer>>
        + Send
        + Sync
        + 'static,
    T::With<Buffer>: 'static,
    T::With<Spec>: Arg<Traced = T>,
{
    type Buffers = T::With<Buffer>;
    type Key = T::With<JitLeaf>;
    type Specs = T::With<Spec>;

    fn specs(key: Self::Key) -> Self::Specs {
        key.map(&mut |_, leaf| leaf.spec())
    }
}

/// All parameters of a jitted function: a tuple of up to eight.
pub trait JitParameters: Sized {
    /// The properties of the arguments that the program depends on.
    type Key: Send + Sync + 'static;
    /// The specs to compile for.
    type Specs: Args<Traced = Self>;

    /// The specs of a call's buffers.
    fn specs(key: Self::Key) -> Self::Specs;
}

macro_rules! parameters {
    ($($parameter:ident $p:ident $at:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the tuple of no parameters is the unit")]
        impl<$($parameter: JitParameter),*> JitParameters for ($($parameter,)*) {
            type Key = ($($parameter::Key,)*);
            type Specs = ($($parameter::Specs,)*);

            fn specs(key: Self::Key) -> Self::Specs {
                let _ = &key;
                ($($parameter::specs(key.$at),)*)
            }
        }
    };
}
hloom_graph::for_each_arity!(parameters);
