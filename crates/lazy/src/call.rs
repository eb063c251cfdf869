//! Traced functions on lazy tensors.

use crate::{Lazy, record::Recorder};
use hloom_graph::{Tensor, Tree};
use std::panic::Location;

/// Applies a traced function to lazy tensors: a tree of them, such as a tuple or a model.
/// The function is recorded as one op, whose results have the structure of its result. Lazy tensors
/// that it captures and uses as operands, or by [`Lazy::tensor`], are arguments too.
///
/// ```no_run
/// # use hloom_lazy::*; use hloom_graph::*; use hloom_runtime::Result;
/// # fn example(x: Lazy, limit: Lazy) -> Result<f32> {
/// // Doubles a number until it is not below the limit.
/// let y = call(|x: Tensor| while_loop(x, |x| x.lt(&limit), |x| x + x), x);
/// # use hloom_graph::while_loop;
/// y.item()
/// # }
/// ```
#[track_caller]
pub fn call<A, R>(f: impl FnOnce(A::With<Tensor>) -> R, arguments: A) -> R::With<Lazy>
where
    A: Tree<Leaf = Lazy>,
    R: Tree<Leaf = Tensor>,
{
    let recorder = Recorder { place: None, location: Location::caller(), is_method: false };
    recorder.record(|| f(arguments.map(&mut |_, lazy| lazy.tensor())))
}
