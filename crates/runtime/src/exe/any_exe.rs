//! Untyped executables.

use super::{
    argument_lists::ArgumentLists,
    call_results::CallResults,
    input_states::InputStates,
    interface::Interface,
    mismatch::{check_results, misfit, shape_mismatch},
    program::Program,
};
use crate::{
    Buffer, CallProblem, Error, Input, KernelUse, Mesh, Platform, Result, Signature,
    callback::{Callbacks, Launch, Outcome},
    function::KeptArguments,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::{Graph, StructureMismatch};
use hloom_pjrt::{Donation, ErrorCode, ExecuteOptions, LoadedExecutable};
use smallvec::SmallVec;
use std::{fmt, sync::Arc};

/// A compiled program that is called by position or by name.
///
/// Clones share the program and the bound buffers.
#[derive(Clone)]
pub struct AnyExe {
    program: Arc<Program>,
    pub(super) inputs: Arc<InputStates>,
    /// The Rust functions that the program calls.
    callbacks: Option<Arc<Callbacks>>,
}

/// Calls with more buffers than this, over all devices, allocate their list.
const INLINE: usize = 256;

/// An input of a call by position or by name.
#[derive(Debug)]
pub enum Argument<'a> {
    /// A buffer that stays as it is.
    Borrowed(&'a Buffer),
    /// A buffer that the call may consume if the program donates that input.
    Donated(Buffer),
}

/// Passes each buffer of the arguments to a function.
type Visit<'a, 'b> = dyn FnMut(&mut dyn FnMut(&'b Buffer)) + 'a;

impl AnyExe {
    /// An executable of a program, with nothing bound.
    ///
    /// # Errors
    /// The program's results are not those of its signature.
    pub(crate) fn new(program: Program, callbacks: Option<Callbacks>) -> Result<AnyExe> {
        let signature = &program.signature;
        check_results(&program.loaded, signature)
            .map_err(Error::plugin(format!("`{}`", program.name)))?;
        let specs = signature.inputs.iter().map(|input| {
            hloom_pjrt::Spec::new(to_pjrt(input.shape.dtype()), dims_i64(input.local()))
        });
        let donatable = signature.inputs.iter().enumerate();
        let donatable = donatable.filter(|(_, input)| input.donated).map(|(i, _)| i);
        #[expect(
            unsafe_code,
            reason = "donated inputs are known here; querying the plugin is slow"
        )]
        // SAFETY: the lowering marks the donated inputs, and no others, as those whose memory
        // results may have. A program that calls nothing has no handlers.
        let takes = unsafe {
            let takes = hloom_pjrt::Signature::new(specs).donatable(donatable);
            if program.calls_handlers { takes } else { takes.without_handlers() }
        };
        program.loaded.set_signature(&takes);
        let inputs = Arc::new(InputStates::new(signature));
        Ok(AnyExe { program: Arc::new(program), inputs, callbacks: callbacks.map(Arc::new) })
    }

    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// The platform kernels that the program uses.
    pub fn kernels(&self) -> &[KernelUse] {
        &self.program.kernels
    }

    /// The name of the program.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// The graph that it was compiled from, if
    /// [`Compiler::keep_graph`](crate::Compiler::keep_graph) asked for it.
    pub fn graph(&self) -> Option<&Graph> {
        self.program.graph.as_deref()
    }

    /// The platform that it runs on.
    pub fn platform(&self) -> &Platform {
        &self.program.platform
    }

    /// The mesh that it runs on; `None` for one device.
    pub fn mesh(&self) -> Option<&Mesh> {
        self.program.mesh.as_ref()
    }

    /// The number of devices that it runs on.
    pub(crate) fn device_count(&self) -> usize {
        self.program.device_count()
    }

    /// The inputs and outputs by name and device.
    pub(crate) fn interface(&self) -> Interface<'_> {
        let (name, platform) = (self.name(), self.platform());
        Interface { name, platform, signature: self.signature() }
    }

    /// The inputs and outputs, including the bound ones.
    pub fn signature(&self) -> &Signature {
        &self.program.signature
    }

    /// The inputs that are not bound, in order: those of a call.
    pub fn free_inputs(&self) -> impl Iterator<Item = &Input> {
        let inputs = &self.program.signature.inputs;
        self.inputs.free.iter().map(|&position| &inputs[position])
    }

    /// The positions of the inputs that are not bound.
    #[cfg(feature = "sandbox")]
    pub(crate) fn free_positions(&self) -> &[usize] {
        &self.inputs.free
    }

    /// The number of inputs that are bound.
    pub fn bound_count(&self) -> usize {
        self.inputs.buffers.len() / self.device_count()
    }

    /// Runs the program on the inputs that are not bound, in order. A donated input is consumed if
    /// it is passed by value. A program that has no results but calls Rust functions has finished
    /// when this returns.
    ///
    /// # Errors
    /// Every input that does not match, a callback that has no state yet, or the plugin's error.
    pub fn call(&self, inputs: Vec<Argument<'_>>) -> Result<Vec<Buffer>> {
        let mut donated = SmallVec::<[bool; 64]>::from_slice(&self.inputs.donated);
        for (given, &position) in inputs.iter().zip(&self.inputs.free) {
            donated[position] &= matches!(given, Argument::Donated(_));
        }
        let mut results = self.run_donating(&donated, &mut |each| {
            for given in &inputs {
                match given {
                    Argument::Borrowed(buffer) => each(buffer),
                    Argument::Donated(buffer) => each(buffer),
                }
            }
        })?;
        Ok((0..self.signature().outputs.len()).map(|_| results.next_buffer()).collect())
    }

    pub(super) fn callbacks(&self) -> Option<&Callbacks> {
        self.callbacks.as_deref()
    }

    pub(super) fn with_inputs(&self, inputs: InputStates) -> AnyExe {
        AnyExe { inputs: Arc::new(inputs), ..self.clone() }
    }

    pub(super) fn with_callbacks(&self, callbacks: Option<Arc<Callbacks>>) -> AnyExe {
        AnyExe { callbacks, ..self.clone() }
    }

    /// The PJRT executable underneath.
    pub fn as_pjrt(&self) -> &LoadedExecutable {
        &self.program.loaded
    }

    /// Runs the program on the bound inputs and those that `visit` passes.
    pub(super) fn run<'b>(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(&'b Buffer)),
    ) -> Result<CallResults> {
        let mut visit = Some(visit);
        self.run_donating(&self.inputs.donated, &mut |each| {
            if let Some(visit) = visit.take() {
                visit(each);
            }
        })
    }

    /// As [`run`](Self::run); consumes the inputs for which `donated` is true. Not generic: it is
    /// compiled once, not for each type of arguments. `visit` is called once.
    fn run_donating<'b>(&self, donated: &[bool], visit: &mut Visit<'_, 'b>) -> Result<CallResults> {
        let _entered = tracing::trace_span!(
            "call",
            name = %self.program.name,
            inputs = %self.program.signature.brief_inputs(),
            outputs = %self.program.signature.brief_outputs(),
        )
        .entered();
        let devices = self.device_count();
        let (inputs, free) = (&self.program.signature.inputs, &self.inputs.free);
        let mut passed = SmallVec::<[&'b Buffer; INLINE]>::new();
        let mut memories = SmallVec::<[&'b hloom_pjrt::Buffer; INLINE]>::new();
        let mut fits = true;
        visit(&mut |buffer| {
            if let Some(&position) = free.get(passed.len()) {
                let input = &inputs[position];
                fits &= buffer.shape() == input.shape
                    || shape_mismatch(&input.name, input.shape, buffer).is_none();
                fits &= buffer.lies_as(input.sharding.as_ref());
                fits &= !donated[position] || buffer.is_unshared();
            }
            passed.push(buffer);
            if devices == 1 {
                memories.push(buffer.as_pjrt());
            }
        });
        if !fits || passed.len() != free.len() {
            return Err(self.misfits(&passed, donated, true));
        }
        if devices > 1 {
            for device in 0..devices {
                memories.extend(passed.iter().map(|buffer| &*buffer.shards()[device]));
            }
        }
        let program = &*self.program;
        program.platform.dots().activity().call();
        let donation =
            if donated.contains(&true) { Donation::Mask(donated) } else { Donation::None };
        let arguments = ArgumentLists::new(&self.inputs.bound, &self.inputs.buffers, &memories);
        let launch = self.callbacks.as_deref().map(Callbacks::launch).transpose()?;
        let mut outputs = program.output_lists.take();
        let mut options = ExecuteOptions::new().donate(donation);
        options.context = launch.as_ref().map(Launch::context);
        let outcome = if launch.is_some() && program.signature.outputs.is_empty() {
            // Without results, no buffer could report a later failure.
            execute_and_wait(&program.loaded, arguments, &options)
        } else {
            program.loaded.execute_into(arguments, &options, &mut outputs)
        };
        let record = launch.and_then(|launch| launch.outcome());
        match outcome {
            Ok(()) => {
                if program.signature.outputs.is_empty() {
                    Outcome::check(record.as_deref())?;
                }
                Ok(CallResults::new(self.program.clone(), outputs, record))
            }
            Err(error) => {
                program.output_lists.put(outputs);
                if let Some(failure) = record.as_ref().and_then(|record| record.failure()) {
                    return Err(Error::Callback(Box::new(failure)));
                }
                // A failed launch may have consumed donated buffers; they were not deleted before
                // it.
                let was_launched = matches!(
                    error,
                    hloom_pjrt::Error::Call { .. } | hloom_pjrt::Error::Argument(_)
                );
                Err(match self.misfits(&passed, donated, !was_launched) {
                    Error::Call(found) if !found.problems.is_empty() => Error::Call(found),
                    _ => {
                        let is_full = error.code() == ErrorCode::ResourceExhausted;
                        let largest = program.largest.filter(|_| is_full);
                        let largest = largest.map(|value| format!(" ({})", value.describe()));
                        let largest = largest.unwrap_or_default();
                        Error::plugin(format!("calling `{}`{largest}", self.name()))(error)
                    }
                })
            }
        }
    }

    /// Every error in the buffers of a call; deleted buffers are reported only if
    /// `look_for_deleted`.
    #[cold]
    pub(super) fn misfits(
        &self,
        passed: &[&Buffer],
        donated: &[bool],
        look_for_deleted: bool,
    ) -> Error {
        let free = &self.inputs.free;
        let mut problems = self.interface().count(free.len(), passed.len());
        if problems.iter().any(|problem| matches!(problem, CallProblem::LeftOut { .. })) {
            // The assignment of buffers to inputs is unknown.
            return self.call_error(problems);
        }
        for (&position, buffer) in free.iter().zip(passed) {
            let input = &self.signature().inputs[position];
            problems.extend(misfit(self.platform(), input, buffer));
            if donated[position] && !buffer.is_unshared() {
                problems.push(CallProblem::Bound(input.name.clone()));
            }
            if look_for_deleted
                && buffer.shards().iter().any(|part| part.is_deleted().unwrap_or(false))
            {
                problems.push(CallProblem::Deleted(input.name.clone()));
            }
        }
        self.call_error(problems)
    }

    /// The error of an argument whose tree has another structure than the one at this position, the
    /// bound ones included.
    #[cold]
    pub(super) fn structure_error(
        &self,
        arguments: &KeptArguments,
        position: usize,
        leaves: Vec<(String, Option<&Buffer>)>,
        mismatch: StructureMismatch,
    ) -> Error {
        let interface = self.interface();
        let inputs: Vec<&str> = self.signature().inputs.iter().map(|input| &*input.name).collect();
        let misfit = |at: usize, buffer: &Buffer| interface.misfit(at, buffer);
        self.call_error(arguments.problems(position, &inputs, leaves, mismatch, misfit))
    }

    /// The error of a tree for results whose structure differs from that of the results.
    #[cold]
    pub(super) fn result_error(&self, mismatch: StructureMismatch) -> Error {
        let StructureMismatch { path, expected, found } = mismatch;
        let name = if path.is_empty() { "result".into() } else { path };
        self.call_error(vec![CallProblem::Structure { name, expected, found }])
    }

    pub(super) fn call_error(&self, problems: Vec<CallProblem>) -> Error {
        self.interface().error(problems)
    }
}

#[cold]
fn execute_and_wait(
    loaded: &LoadedExecutable,
    arguments: ArgumentLists<'_>,
    options: &ExecuteOptions<'_>,
) -> hloom_pjrt::Result<()> {
    let arguments: Vec<_> = arguments.collect();
    let (devices, width) = (loaded.num_devices(), arguments.len() / loaded.num_devices());
    let lists: Vec<_> = (0..devices).map(|device| &arguments[device * width..][..width]).collect();
    let execution = loaded.execute_sharded(&lists, options)?;
    execution.complete.iter().try_for_each(hloom_pjrt::Event::wait)
}

impl fmt::Debug for AnyExe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyExe")
            .field("name", &self.name())
            .field("signature", self.signature())
            .finish()
    }
}
