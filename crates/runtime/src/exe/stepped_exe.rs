//! Programs run in steps, with their callbacks between the steps.

use crate::{
    AnyExe, Args, Buffer, Callback, Result, ResultTree,
    callback::{Callbacks, DirectCall},
    function::KeptArguments,
};
use hloom_graph::{Graph, HostStep};
use std::{fmt, marker::PhantomData, sync::Arc};

/// A compiled function that runs in steps, for platforms that cannot call back into Rust: a program
/// computes the inputs of a callback, they are copied to the host, the callback is called, and its
/// outputs are passed to the next program.
///
/// Values that several programs need are computed in each of them.
pub struct SteppedExe<A, R: ResultTree> {
    steps: Vec<Step>,
    rest: AnyExe,
    callbacks: Option<Callbacks>,
    structure: Arc<R::Structure>,
    kept: KeptArguments,
    arguments: PhantomData<fn(A)>,
}

/// A program and the callback that is called on its results.
struct Step {
    inputs: AnyExe,
    call: DirectCall,
}

impl<A: Args, R: ResultTree> SteppedExe<A, R> {
    /// The programs of the steps of a graph, and of its results.
    pub(crate) fn new(
        graph: &Graph,
        steps: Vec<(HostStep, AnyExe)>,
        rest: AnyExe,
        structure: R::Structure,
        kept: KeptArguments,
    ) -> Result<SteppedExe<A, R>> {
        let steps = steps.into_iter().map(|(step, inputs)| {
            let outputs = step.outputs.iter().map(hloom_graph::Spec::shape).collect();
            Step { inputs, call: DirectCall { slot: step.slot, outputs, aliases: step.aliases } }
        });
        Ok(SteppedExe {
            steps: steps.collect(),
            callbacks: Callbacks::unregistered(graph, rest.name(), rest.platform())?,
            rest,
            structure: Arc::new(structure),
            kept,
            arguments: PhantomData,
        })
    }

    /// Runs the programs and the callbacks between them; returns when the last program is queued.
    ///
    /// # Errors
    /// Every argument that does not match, a callback that failed or has no state, or the plugin's
    /// error.
    pub fn call(&self, arguments: A::Call<'_>) -> Result<R::Buffers> {
        if let Err((position, mismatch)) = A::check(&arguments, &self.kept.structures) {
            let leaves = A::leaves(&arguments, position);
            return Err(self.rest.structure_error(&self.kept, position, leaves, *mismatch));
        }
        let state = self.callbacks.as_ref().map(Callbacks::begin_direct).transpose()?;
        let mut made: Vec<Buffer> = Vec::new();
        for step in &self.steps {
            let state = state.as_ref().expect("a program with steps has callbacks");
            let mut inputs = step.inputs.run(|each| {
                A::visit(&arguments, each);
                made.iter().for_each(each);
            })?;
            let count = step.inputs.signature().outputs.len();
            let inputs: Vec<Buffer> = (0..count).map(|_| inputs.next_buffer()).collect();
            let inputs = inputs.iter().map(|input| Ok((input.shape(), input.to_bytes()?)));
            step.call.run(state, inputs, |shape, bytes| {
                made.push(Buffer::from_bytes(self.rest.platform(), shape, bytes)?);
                Ok(())
            })?;
        }
        let mut results = self.rest.run(|each| {
            A::visit(&arguments, each);
            made.iter().for_each(each);
        })?;
        drop(arguments);
        Ok(R::build(&self.structure, &mut || results.next_buffer()))
    }

    /// Binds the callbacks of type `C` to a state, replacing the previous one.
    ///
    /// # Errors
    /// The program has no such callback.
    pub fn bind_callback<C: Callback>(&self, state: C) -> Result<()> {
        Callbacks::bind(self.callbacks.as_ref(), self.rest.name(), None, Arc::new(state))
    }

    /// The number of programs: one more than the calls of callbacks.
    pub fn program_count(&self) -> usize {
        self.steps.len() + 1
    }
}

impl<A, R: ResultTree> fmt::Debug for SteppedExe<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteppedExe")
            .field("name", &self.rest.name())
            .field("steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}
