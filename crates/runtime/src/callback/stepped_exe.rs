//! Programs run in steps, with their callbacks between the steps.

use super::{
    Callback,
    host_function::{HostFrame, Source},
    launch::Callbacks,
    record::Record,
    table::Table,
    views::{Place, packed, unpacked},
};
use crate::{
    AnyExe, Args, Buffer, Compiler, Error, Function, Platform, Result, Ret,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::{DType, Graph, OutputAlias, Shape};
use hloom_pjrt::extension::ffi::HostArrays;
use std::{
    fmt,
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// A compiled function that runs in steps, for platforms that cannot call back into Rust: a program
/// computes the inputs of a callback, they are copied to the host, the callback is called, and its
/// outputs are passed to the next program.
///
/// Values that several programs need are computed in each of them.
pub struct SteppedExe<A, R: Ret> {
    steps: Vec<Step>,
    rest: AnyExe,
    callbacks: Option<Callbacks>,
    structure: Arc<R::Structure>,
    arguments: PhantomData<fn(A)>,
}

/// A program and the callback that is called on its results.
struct Step {
    inputs: AnyExe,
    slot: usize,
    outputs: Vec<Shape>,
    aliases: Vec<OutputAlias>,
}

/// Traces `function` on the given arguments and compiles it to run in steps, with its callbacks
/// between the programs: the same computation as [`Platform::compile`] on platforms that can call back into Rust.
///
/// # Errors
/// As [`Platform::compile`]; or a callback is inside a loop or a branch.
#[track_caller]
pub fn compile_in_steps<A: Args, F: Function<A>>(
    platform: &Platform,
    function: F,
    arguments: A,
) -> Result<SteppedExe<A, F::Ret>>
where
    F::Ret: Ret,
{
    platform.compiler().compile_in_steps(function, arguments)
}

impl<A: Args, R: Ret> SteppedExe<A, R> {
    pub(crate) fn new(
        compiler: &Compiler<'_>,
        graph: &Graph,
        structure: R::Structure,
    ) -> Result<SteppedExe<A, R>> {
        let (steps, rest) = graph.host_steps()?;
        let steps = steps.into_iter().map(|step| {
            Ok(Step {
                inputs: compiler.clone().compile_graph(&step.inputs)?,
                slot: step.slot,
                outputs: step.outputs.iter().map(hloom_graph::Spec::shape).collect(),
                aliases: step.aliases,
            })
        });
        let steps = steps.collect::<Result<_>>()?;
        let rest = compiler.clone().compile_graph(&rest)?;
        Ok(SteppedExe {
            steps,
            callbacks: Callbacks::unregistered(graph, rest.name(), rest.platform())?,
            rest,
            structure: Arc::new(structure),
            arguments: PhantomData,
        })
    }

    /// Runs the programs and the callbacks between them; returns when the last program is queued.
    ///
    /// # Errors
    /// Every argument that does not match, a callback that failed or has no state, or the plugin's
    /// error.
    pub fn call(&self, arguments: A::Call<'_>) -> Result<R::Buffers> {
        let state = match &self.callbacks {
            Some(callbacks) => {
                let table = callbacks.table();
                table.check_bound()?;
                let record = Record::new(table.sites.clone());
                Some((table, record))
            }
            None => None,
        };
        let mut made: Vec<Buffer> = Vec::new();
        for step in &self.steps {
            let (table, record) = state.as_ref().expect("a program with steps has callbacks");
            let mut inputs = step.inputs.run(|each| {
                A::visit(&arguments, each);
                made.iter().for_each(each);
            })?;
            let count = step.inputs.signature().outputs.len();
            let inputs: Vec<Buffer> = (0..count).map(|_| inputs.next_buffer()).collect();
            step.call(table, record, &inputs, self.rest.platform(), &mut made)?;
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

impl Step {
    /// Calls the callback on the inputs and appends its outputs to `made`.
    fn call(
        &self,
        table: &Table,
        record: &Record,
        inputs: &[Buffer],
        platform: &Platform,
        made: &mut Vec<Buffer>,
    ) -> Result<()> {
        let site = &record.sites.all[self.slot];
        let failed = || Error::plugin(format!("callback `{}`", site.name));
        let mut arrays = HostArrays::default();
        for input in inputs {
            let (shape, bytes) = (input.shape(), input.to_bytes()?);
            let bytes = packed(shape.dtype(), &bytes);
            let added = arrays.argument(to_pjrt(shape.dtype()), &dims_i64(shape), &bytes);
            added.map_err(failed())?;
        }
        for &shape in &self.outputs {
            let bytes = match shape.dtype() {
                DType::Bool => shape.element_count(),
                dtype => (shape.element_count() * dtype.bits()).div_ceil(8),
            };
            let added = arrays.result(to_pjrt(shape.dtype()), &dims_i64(shape), bytes);
            added.map_err(failed())?;
        }
        for alias in &self.aliases {
            arrays.alias(alias.result, alias.operand).map_err(failed())?;
        }
        let function = table.slots[self.slot].function.as_ref();
        let function = function.expect("what is not bound was refused before");
        let call = HostFrame {
            source: Source::Arrays(None, &mut arrays),
            record,
            slot: self.slot,
            place: Place::Host,
        };
        let failure = match catch_unwind(AssertUnwindSafe(|| function.call(call))) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(record.fail(site, error, false)),
            Err(panic) => Some(record.panicked(site, panic)),
        };
        if let Some(failure) = failure {
            return Err(Error::Callback(Box::new(failure)));
        }
        for (bytes, &shape) in arrays.into_results().zip(&self.outputs) {
            let bytes = unpacked(shape.dtype(), shape.element_count(), &bytes);
            made.push(Buffer::from_bytes(platform, shape, &bytes)?);
        }
        Ok(())
    }
}

impl<A, R: Ret> fmt::Debug for SteppedExe<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteppedExe")
            .field("name", &self.rest.name())
            .field("steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}
