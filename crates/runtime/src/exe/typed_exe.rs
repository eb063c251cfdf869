//! Typed executables.

use crate::{AnyExe, Arg, Args, BindFirst, Callback, KernelUse, Result, Ret, Signature};
use hloom_graph::Spec;
use std::{fmt, marker::PhantomData, sync::Arc};

/// A compiled function, called with buffers in the structure of its arguments; returns buffers in
/// the structure of its result.
///
/// Clones and bound executables share the compiled program. Several threads may call one executable
/// at the same time: each call uses its own set of slots.
pub struct Exe<A, R: Ret> {
    any: AnyExe,
    structure: Arc<R::Structure>,
    arguments: PhantomData<fn(A)>,
}

impl<A: Args, R: Ret> Exe<A, R> {
    pub(crate) fn new(any: AnyExe, structure: R::Structure) -> Exe<A, R> {
        Exe { any, structure: Arc::new(structure), arguments: PhantomData }
    }

    /// Runs the program. It returns as soon as the work is queued; the result's buffers are
    /// futures.
    ///
    /// # Errors
    /// Every argument that does not match, by path; or the plugin's error. Errors during execution
    /// are reported by the result buffers.
    pub fn call(&self, arguments: A::Call<'_>) -> Result<R::Buffers> {
        let mut results = self.any.run(|each| A::visit(&arguments, each))?;
        // Donated arguments are consumed once the program is queued.
        drop(arguments);
        Ok(R::build(&self.structure, &mut || results.next_buffer()))
    }

    /// As [`call`](Self::call), but replaces the buffers of an earlier result, which are released.
    /// Their handles are reused, so that nothing is allocated on the host.
    ///
    /// # Errors
    /// As [`call`](Self::call); `results` are then unchanged.
    pub fn call_into(&self, arguments: A::Call<'_>, results: &mut R::Buffers) -> Result<()> {
        let mut new = self.any.run(|each| A::visit(&arguments, each))?;
        drop(arguments);
        R::each_mut(results, &mut |buffer| new.replace(buffer));
        Ok(())
    }

    /// The same program with all arguments borrowed: its calls donate nothing.
    pub fn keep_donated(&self) -> Exe<A::Kept, R> {
        Exe {
            any: self.any.keep_donated(),
            structure: self.structure.clone(),
            arguments: PhantomData,
        }
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
        Exe {
            any: self.any.separate_callbacks(),
            structure: self.structure.clone(),
            arguments: PhantomData,
        }
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

impl<A: BindFirst, R: Ret> Exe<A, R> {
    /// An executable with one argument fewer: the first one is bound to these buffers for the
    /// lifetime of the executable. This executable is unchanged and can be bound again.
    ///
    /// # Errors
    /// Every buffer that does not match, by path.
    pub fn bind(&self, first: <A::First as Arg>::Call<'_>) -> Result<Exe<A::Rest, R>> {
        let any = self.any.bind(|each| A::First::visit(&first, each))?;
        Ok(Exe { any, structure: self.structure.clone(), arguments: PhantomData })
    }
}

impl<A, R: Ret> Clone for Exe<A, R> {
    fn clone(&self) -> Self {
        Exe { any: self.any.clone(), structure: self.structure.clone(), arguments: PhantomData }
    }
}

impl<A, R: Ret> fmt::Debug for Exe<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exe")
            .field("name", &self.any.name())
            .field("signature", self.any.signature())
            .finish()
    }
}

const _: () = {
    fn shared_between_threads<T: Send + Sync>() {}
    fn every_executable<A: Arg, R: Ret>() {
        shared_between_threads::<Exe<(A,), R>>();
    }
    let _ = every_executable::<Spec, hloom_graph::Tensor>;
};
