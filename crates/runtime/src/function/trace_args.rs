//! The arguments of a function while it is traced.

use super::arg_tuple::Args;
use hloom_graph::{Path, Spec, Structure, Tensor};

/// Arguments that a function can be traced with: those of calls, or others that no call has.
pub(crate) trait TraceArgs {
    /// The arguments of the traced function.
    type Traced;
    /// The number of arguments.
    const COUNT: usize;

    /// The structures of the arguments.
    fn structures(&self) -> Box<[Structure]>;

    /// Rebuilds the arguments as tensors. `f` takes the position of the argument and whether a call
    /// consumes it.
    fn trace(self, f: &mut dyn FnMut(usize, bool, &Path<'_>, Spec) -> Tensor) -> Self::Traced;
}

impl<A: Args> TraceArgs for A {
    type Traced = A::Traced;
    const COUNT: usize = A::COUNT;

    fn structures(&self) -> Box<[Structure]> {
        Args::structures(self)
    }

    fn trace(self, f: &mut dyn FnMut(usize, bool, &Path<'_>, Spec) -> Tensor) -> A::Traced {
        Args::trace(self, f)
    }
}
