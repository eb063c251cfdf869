//! Typed executables.

use crate::{
    AnyExe, Arg, Args, BindFirst, Buffer, Callback, KeepArg, KernelUse, Result, ResultTree,
    Signature, function::KeptArguments,
};
use hloom_graph::{Spec, Structure, Tree};
use std::{fmt, marker::PhantomData, sync::Arc};

/// A compiled function, called with buffers in the structure of its arguments; returns buffers in
/// the structure of its result.
///
/// # Allocations
/// The tables of pointers that the plugin reads and writes are allocated by the first call, and one
/// more set for each call at the same time; later calls reuse them. A call then allocates on the
/// host only the handles of its results, one for each buffer, and the collections of the result's
/// tree; [`call_into`](Self::call_into) allocates nothing. Calls that pass more than 256 buffers,
/// over all devices and without the bound ones, allocate the list of these; so may calls over
/// a mesh, while earlier ones run.
///
/// Clones and bound executables share the compiled program. Several threads may call one executable
/// at the same time: each call uses its own set of slots.
pub struct Exe<A, R: ResultTree> {
    any: AnyExe,
    trees: Arc<Trees<R>>,
    /// The number of leading arguments that are bound.
    bound: usize,
    arguments: PhantomData<fn(A)>,
}

/// The structures of the arguments and the result that executables of a function keep.
struct Trees<R: ResultTree> {
    arguments: KeptArguments,
    result: R::Structure,
    /// The structure of the result, with which earlier results are compared.
    result_structure: Structure,
}

impl<A: Args, R: ResultTree> Exe<A, R> {
    pub(crate) fn new(any: AnyExe, result: R::Structure, arguments: KeptArguments) -> Exe<A, R> {
        let result_structure = R::structure_of(&result);
        let trees = Arc::new(Trees { arguments, result, result_structure });
        Exe { any, trees, bound: 0, arguments: PhantomData }
    }

    /// The same function with another untyped executable.
    fn with<B>(&self, any: AnyExe, bound: usize) -> Exe<B, R> {
        Exe { any, trees: self.trees.clone(), bound, arguments: PhantomData }
    }

    /// As [`call`](Self::call), on the buffers that `visit` passes, in the order of the arguments'
    /// leaves; nothing is consumed.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub fn call_with<'b>(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(&'b Buffer)),
    ) -> Result<R::Buffers> {
        let mut results = self.any.run(visit)?;
        Ok(R::build(&self.trees.result, &mut || results.next_buffer()))
    }

    /// The same program with its next free inputs bound to the buffers that `visit` passes.
    pub(crate) fn bind_visited<'b>(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(&'b Buffer)),
    ) -> Result<Exe<A, R>> {
        Ok(self.with(self.any.bind_next(visit)?, self.bound))
    }

    /// Runs the program. It returns as soon as the work is queued; the result's buffers are
    /// futures. The plugin decides what it queues: the CPU plugin runs a program of less than about
    /// a thousand operations on the calling thread, where each loop counts as one step;
    /// [`call_async`](Self::call_async) never waits.
    ///
    /// # Errors
    /// Every argument that does not match, by path: in its shapes, in the structure of its tree
    /// (the leaves that are there, the keys of maps, the variants of enums) or in the values of
    /// fields without leaves; or the plugin's error. Errors during execution are reported by the
    /// result buffers.
    pub fn call(&self, arguments: A::Call<'_>) -> Result<R::Buffers> {
        self.check(&arguments)?;
        let mut results = self.any.run(|each| A::visit(&arguments, each))?;
        // Donated arguments are consumed once the program is queued.
        drop(arguments);
        Ok(R::build(&self.trees.result, &mut || results.next_buffer()))
    }

    /// As [`call`](Self::call), but replaces the buffers of an earlier result, which are released.
    /// Their handles are reused, so that nothing is allocated on the host.
    ///
    /// # Errors
    /// As [`call`](Self::call), or `results` has another structure than a result; it is then
    /// unchanged.
    pub fn call_into(&self, arguments: A::Call<'_>, results: &mut R::Buffers) -> Result<()> {
        self.check(&arguments)?;
        if let Err(mismatch) = R::check(results, &self.trees.result_structure) {
            return Err(self.any.result_error(*mismatch));
        }
        let mut new = self.any.run(|each| A::visit(&arguments, each))?;
        drop(arguments);
        R::each_mut(results, &mut |buffer| new.replace(buffer));
        Ok(())
    }

    /// Passes the buffers of arguments to `evaluate`, which returns those of the result.
    #[cfg(feature = "interpret")]
    pub(super) fn evaluated(
        &self,
        arguments: &A::Call<'_>,
        evaluate: impl FnOnce(&[&Buffer]) -> Result<Vec<Buffer>>,
    ) -> Result<R::Buffers> {
        self.check(arguments)?;
        let mut passed = Vec::new();
        A::visit(arguments, &mut |buffer| passed.push(buffer));
        let mut results = evaluate(&passed)?.into_iter();
        let mut next = || results.next().expect("a graph has the results of its function");
        Ok(R::build(&self.trees.result, &mut next))
    }

    /// Checks that the trees of a call have the structures of those that it was compiled for.
    ///
    /// # Errors
    /// The differences of the first argument that has another one, by path.
    #[inline]
    fn check(&self, arguments: &A::Call<'_>) -> Result<()> {
        let structures = &self.trees.arguments.structures[self.bound..];
        let Err((position, mismatch)) = A::check(arguments, structures) else {
            return Ok(());
        };
        let leaves = A::leaves(arguments, position);
        let position = self.bound + position;
        Err(self.any.structure_error(&self.trees.arguments, position, leaves, *mismatch))
    }

    /// Checks that a tree of any leaves has the structure of the argument at `position`, which
    /// counts the arguments that are not bound; [`call`](Self::call) does it.
    ///
    /// # Errors
    /// The leaves that only one of them has, by path; or the first other difference.
    pub fn check_structure(&self, position: usize, tree: &impl Tree) -> Result<()> {
        let (arguments, position) = (&self.trees.arguments, self.bound + position);
        let structure = arguments.structures.get(position);
        let Some(Err(mismatch)) = structure.map(|structure| structure.check(tree)) else {
            return Ok(());
        };
        let leaves = tree.paths().into_iter().map(|path| (path, None)).collect();
        Err(self.any.structure_error(arguments, position, leaves, *mismatch))
    }

    /// The same program with all arguments borrowed: its calls donate nothing.
    pub fn keep_donated(&self) -> Exe<A::Kept, R> {
        self.with(self.any.keep_donated(), self.bound)
    }

    /// The same program with the argument at position `I` borrowed: its calls do not consume it.
    /// Positions count the arguments that are not bound, from 0.
    ///
    /// ```no_run
    /// # use hloom_runtime::*; use hloom_graph::*;
    /// # fn example(exe: Exe<(Donated<Spec>, Donated<Spec>), Tensor>, a: Buffer, b: Buffer)
    /// # -> Result<()> {
    /// let sum = exe.keep::<1>().call((a, &b))?; // only `a` is consumed
    /// # Ok(()) }
    /// ```
    pub fn keep<const I: usize>(&self) -> Exe<A::KeptAt, R>
    where
        A: KeepArg<I>,
    {
        let (before, rest) = self.trees.arguments.widths.split_at(self.bound + I);
        let start = before.iter().sum();
        self.with(self.any.keep_at(start..start + rest[0]), self.bound)
    }

    /// The inputs and outputs, including the bound ones.
    pub fn signature(&self) -> &Signature {
        self.any.signature()
    }

    /// Binds the callbacks of type `C` to a state: see [`AnyExe::bind_callback`].
    ///
    /// # Errors
    /// The program has no such callback.
    pub fn bind_callback<C: Callback>(&self, state: C) -> Result<()> {
        self.any.bind_callback(state)
    }

    /// The same program with its own callback bindings. They start as a copy of these and change
    /// independently.
    pub fn separate_callbacks(&self) -> Exe<A, R> {
        self.with(self.any.separate_callbacks(), self.bound)
    }

    /// The platform kernels that the program uses.
    pub fn kernels(&self) -> &[KernelUse] {
        self.any().kernels()
    }

    /// The untyped executable, called by position or by name.
    pub fn any(&self) -> &AnyExe {
        &self.any
    }
}

impl<A: BindFirst, R: ResultTree> Exe<A, R> {
    /// An executable with one argument fewer: the first one is bound to these buffers for the
    /// lifetime of the executable. This executable is unchanged and can be bound again.
    ///
    /// # Errors
    /// Every buffer that does not match, by path.
    pub fn bind(&self, first: <A::First as Arg>::Call<'_>) -> Result<Exe<A::Rest, R>> {
        let arguments = &self.trees.arguments;
        if let Err(mismatch) = A::First::check(&first, &arguments.structures[self.bound]) {
            let leaves = A::First::leaves(&first);
            return Err(self.any.structure_error(arguments, self.bound, leaves, *mismatch));
        }
        let any = self.any.bind_next(|each| A::First::visit(&first, each))?;
        Ok(self.with(any, self.bound + 1))
    }
}

impl<A, R: ResultTree> Clone for Exe<A, R> {
    fn clone(&self) -> Self {
        Exe {
            any: self.any.clone(),
            trees: self.trees.clone(),
            bound: self.bound,
            arguments: PhantomData,
        }
    }
}

impl<A, R: ResultTree> fmt::Debug for Exe<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exe")
            .field("name", &self.any.name())
            .field("signature", self.any.signature())
            .finish()
    }
}

const _: () = {
    fn shared_between_threads<T: Send + Sync>() {}
    fn every_executable<A: Arg, R: ResultTree>() {
        shared_between_threads::<Exe<(A,), R>>();
    }
    let _ = every_executable::<Spec, hloom_graph::Tensor>;
};
