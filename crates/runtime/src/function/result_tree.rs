//! The tree of a function's result, as types.

use crate::Buffer;
use hloom_graph::{Spec, Structure, StructureMismatch, Tensor, Tree};

/// A tree of tensors that a function can return: every tree whose other fields can be shared
/// between threads.
#[diagnostic::on_unimplemented(
    message = "the function returns `{Self}`, which is not a tree of `Tensor`",
    note = "a compiled function returns a `Tensor`, or a tuple, array, `Vec`, `Option` or struct \
            with `#[derive(Tree)]` of them; fields without tensors are `Clone`, `Send` and `Sync`",
    note = "an op never returns a `Result`: `compile` returns the first error of the function"
)]
pub trait ResultTree: Tree<Leaf = Tensor> {
    /// The tree's structure, kept by the executable.
    type Structure: Clone + Send + Sync + 'static;
    /// The result of a call.
    type Buffers;

    /// Extracts the structure of a traced result; `f` receives each tensor with its path.
    fn structure(self, f: &mut dyn FnMut(String, Tensor) -> Spec) -> Self::Structure;

    /// The parts of the structure that are compared with those of earlier results.
    fn structure_of(structure: &Self::Structure) -> Structure;

    /// Compares the structure of an earlier result.
    ///
    /// # Errors
    /// The first difference.
    fn check(buffers: &Self::Buffers, structure: &Structure) -> Result<(), Box<StructureMismatch>>;

    /// Builds the result of a call; `f` returns the next buffer.
    fn build(structure: &Self::Structure, f: &mut dyn FnMut() -> Buffer) -> Self::Buffers;

    /// Passes each buffer of an earlier result to `f`, in order.
    fn each_mut(buffers: &mut Self::Buffers, f: &mut dyn FnMut(&mut Buffer));
}

#[diagnostic::do_not_recommend]
impl<R> ResultTree for R
where
    R: Tree<Leaf = Tensor>,
    R::With<Spec>:
        Tree<Leaf = Spec, With<Buffer> = R::With<Buffer>> + Clone + Send + Sync + 'static,
{
    type Structure = R::With<Spec>;
    type Buffers = R::With<Buffer>;

    fn structure(self, f: &mut dyn FnMut(String, Tensor) -> Spec) -> R::With<Spec> {
        self.map(&mut |path, tensor| f(path.to_string(), tensor))
    }

    fn structure_of(structure: &R::With<Spec>) -> Structure {
        Structure::of(structure)
    }

    fn check(
        buffers: &R::With<Buffer>,
        structure: &Structure,
    ) -> Result<(), Box<StructureMismatch>> {
        structure.check(buffers)
    }

    fn build(structure: &R::With<Spec>, f: &mut dyn FnMut() -> Buffer) -> R::With<Buffer> {
        structure.clone().map(&mut |_, _| f())
    }

    fn each_mut(buffers: &mut R::With<Buffer>, f: &mut dyn FnMut(&mut Buffer)) {
        buffers.visit_mut(&mut |_, buffer| f(buffer));
    }
}
