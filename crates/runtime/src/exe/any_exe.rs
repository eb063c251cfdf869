//! Untyped executables.

use super::{
    argument_lists::ArgumentLists,
    call_results::CallResults,
    mismatch::{check_results, shape_mismatch, sharding_mismatch},
    output_lists::OutputLists,
    program::Program,
};
use crate::{
    Buffer, CallError, Error, Input, KernelUse, Mesh, NamedSharding, Placement, Platform, Problem,
    Result, Signature,
    callback::{Callbacks, Launch, Outcome},
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_pjrt::{Donation, ExecuteOptions, LoadedExecutable};
use smallvec::SmallVec;
use std::{fmt, sync::Arc};

/// A compiled program that is called by position or by name.
///
/// Clones share the program and the bound buffers.
#[derive(Clone)]
pub struct AnyExe {
    program: Arc<Program>,
    /// The bound buffers of the first inputs: those of the first device, then those of the
    /// second...
    bound: Arc<[Arc<hloom_pjrt::Buffer>]>,
    /// Whether donated inputs are consumed.
    donates: bool,
    /// The Rust functions that the program calls.
    callbacks: Option<Arc<Callbacks>>,
}

/// An input of a call by position or by name.
#[derive(Debug)]
pub enum Given<'a> {
    /// A buffer that stays as it is.
    Borrowed(&'a Buffer),
    /// A buffer that the call may consume if the program donates that input.
    Donated(Buffer),
}

impl AnyExe {
    pub(crate) fn new(
        platform: Platform,
        mesh: Option<Mesh>,
        name: String,
        loaded: LoadedExecutable,
        signature: Signature,
        callbacks: Option<Callbacks>,
        calls_handlers: bool,
    ) -> Result<AnyExe> {
        check_results(&loaded, &signature).map_err(Error::plugin(format!("`{name}`")))?;
        let specs = signature.inputs.iter().map(|input| {
            hloom_pjrt::Spec::new(to_pjrt(input.shape.dtype()), dims_i64(input.local()))
        });
        let donated: Box<[bool]> = signature.inputs.iter().map(|input| input.donated).collect();
        let donatable = donated.iter().enumerate().filter(|(_, donated)| **donated).map(|(i, _)| i);
        #[expect(
            unsafe_code,
            reason = "what the program takes over is known here, and costly to read from the plugin"
        )]
        // SAFETY: the lowering marks the donated inputs, and no others, as those whose memory
        // results may have. Programs without calls are without handlers.
        let takes = unsafe {
            let takes = hloom_pjrt::Signature::new(specs).donatable(donatable);
            if calls_handlers { takes } else { takes.without_handlers() }
        };
        loaded.set_signature(&takes);
        let program = Arc::new(Program {
            name,
            platform,
            mesh,
            loaded,
            signature,
            kernels: Vec::new(),
            donated,
            output_lists: OutputLists::default(),
        });
        Ok(AnyExe {
            program,
            bound: Arc::new([]),
            donates: true,
            callbacks: callbacks.map(Arc::new),
        })
    }

    /// Records the platform kernels that it uses, before it is shared.
    pub(crate) fn using(mut self, kernels: Vec<KernelUse>) -> AnyExe {
        if let Some(program) = Arc::get_mut(&mut self.program) {
            program.kernels = kernels;
        }
        self
    }

    /// The platform kernels that the program uses.
    pub fn kernels(&self) -> &[KernelUse] {
        &self.program.kernels
    }

    /// The name of the program.
    pub fn name(&self) -> &str {
        &self.program.name
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

    /// The placement of buffers for an input.
    pub(super) fn placement<'a>(&'a self, sharding: Option<&'a NamedSharding>) -> Placement<'a> {
        sharding.map_or(Placement::Platform(self.platform()), Placement::NamedSharding)
    }

    /// The inputs and outputs, including the bound ones.
    pub fn signature(&self) -> &Signature {
        &self.program.signature
    }

    /// The number of leading inputs that are bound.
    pub fn bound_count(&self) -> usize {
        self.bound.len() / self.device_count()
    }

    /// Runs the program on the inputs that are not bound, in order. A program that has no results
    /// but calls Rust functions has finished when this returns.
    ///
    /// # Errors
    /// Every input that does not match, a callback that has no state yet, or the plugin's error.
    pub fn call(&self, inputs: Vec<Given<'_>>) -> Result<Vec<Buffer>> {
        // A donated input is consumed if it is passed by value; one borrowed buffer among the
        // donated inputs keeps all of them.
        let keeps = inputs.iter().zip(&self.program.donated[self.bound_count()..]);
        let keeps =
            keeps.clone().any(|(given, donated)| *donated && matches!(given, Given::Borrowed(_)));
        let exe = if keeps { &self.keep_donated() } else { self };
        let mut results = exe.run(|each| {
            for given in &inputs {
                match given {
                    Given::Borrowed(buffer) => each(buffer),
                    Given::Donated(buffer) => each(buffer),
                }
            }
        })?;
        Ok((0..self.signature().outputs.len()).map(|_| results.next_buffer()).collect())
    }

    /// The same program; its calls consume nothing.
    pub fn keep_donated(&self) -> AnyExe {
        AnyExe { donates: false, ..self.clone() }
    }

    pub(super) fn callbacks(&self) -> Option<&Callbacks> {
        self.callbacks.as_deref()
    }

    pub(super) fn with_callbacks(&self, callbacks: Option<Arc<Callbacks>>) -> AnyExe {
        AnyExe { callbacks, ..self.clone() }
    }

    /// The PJRT executable underneath.
    pub fn as_pjrt(&self) -> &LoadedExecutable {
        &self.program.loaded
    }

    /// An executable whose next inputs are bound to the buffers that `visit` passes.
    pub(super) fn bind<'b>(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(&'b Buffer)),
    ) -> Result<AnyExe> {
        let mut added: Vec<&Buffer> = Vec::new();
        let mut problems = Vec::new();
        let inputs = &self.signature().inputs[self.bound_count()..];
        visit(&mut |buffer| {
            if let Some(input) = inputs.get(added.len()) {
                problems.extend(self.misfit(input, buffer));
            }
            added.push(buffer);
        });
        if added.len() > inputs.len() {
            problems.push(Problem::Count { expected: inputs.len(), found: added.len() });
        }
        if !problems.is_empty() {
            return Err(self.call_error(problems));
        }
        let before = self.bound_count();
        let mut bound = Vec::with_capacity((before + added.len()) * self.device_count());
        for device in 0..self.device_count() {
            bound.extend_from_slice(&self.bound[device * before..][..before]);
            bound.extend(added.iter().map(|buffer| Arc::clone(&buffer.shards()[device])));
        }
        Ok(AnyExe { bound: bound.into(), ..self.clone() })
    }

    /// Runs the program on the bound inputs and those that `visit` passes.
    pub(super) fn run<'b>(
        &self,
        visit: impl FnOnce(&mut dyn FnMut(&'b Buffer)),
    ) -> Result<CallResults> {
        let _entered = tracing::trace_span!("call", name = %self.program.name).entered();
        let devices = self.device_count();
        let inputs = &self.program.signature.inputs[self.bound.len() / devices..];
        let mut passed = SmallVec::<[&'b Buffer; 32]>::new();
        let mut memories = SmallVec::<[&'b hloom_pjrt::Buffer; 32]>::new();
        let mut fits = true;
        visit(&mut |buffer| {
            if let Some(input) = inputs.get(passed.len()) {
                fits &= buffer.shape() == input.shape
                    || shape_mismatch(&input.name, input.shape, buffer).is_none();
                fits &= buffer.lies_as(input.sharding.as_ref());
                fits &= !(input.donated && self.donates) || buffer.is_unshared();
            }
            passed.push(buffer);
            if devices == 1 {
                memories.push(buffer.as_pjrt());
            }
        });
        if !fits || passed.len() != inputs.len() {
            return Err(self.misfits(&passed, true));
        }
        if devices > 1 {
            for device in 0..devices {
                memories.extend(passed.iter().map(|buffer| &*buffer.shards()[device]));
            }
        }
        let program = &*self.program;
        let donation = match self.donates {
            true => Donation::Mask(&program.donated),
            false => Donation::None,
        };
        let arguments = ArgumentLists::new(&self.bound, &memories, devices);
        let launch = self.callbacks.as_deref().map(Callbacks::launch).transpose()?;
        let mut outputs = program.output_lists.take();
        let mut options = ExecuteOptions::new().donate(donation);
        options.context = launch.as_ref().map(Launch::context);
        let outcome = match launch.is_some() && program.signature.outputs.is_empty() {
            false => program.loaded.execute_into(arguments, &options, &mut outputs),
            // Without results, nothing could report a later failure.
            true => execute_and_wait(&program.loaded, arguments, &options),
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
                Err(match self.misfits(&passed, !was_launched) {
                    Error::Call(found) if !found.problems.is_empty() => Error::Call(found),
                    _ => Error::plugin(format!("calling `{}`", self.name()))(error),
                })
            }
        }
    }

    /// Every error in the buffers of a call; deleted buffers are reported only if
    /// `look_for_deleted`.
    #[cold]
    fn misfits(&self, passed: &[&Buffer], look_for_deleted: bool) -> Error {
        let inputs = &self.signature().inputs[self.bound_count()..];
        let mut problems = Vec::new();
        if passed.len() != inputs.len() {
            problems.push(Problem::Count { expected: inputs.len(), found: passed.len() });
        }
        for (input, buffer) in inputs.iter().zip(passed) {
            problems.extend(self.misfit(input, buffer));
            if input.donated && self.donates && !buffer.is_unshared() {
                problems.push(Problem::Bound(input.name.clone()));
            }
            if look_for_deleted
                && buffer.shards().iter().any(|part| part.is_deleted().unwrap_or(false))
            {
                problems.push(Problem::Deleted(input.name.clone()));
            }
        }
        self.call_error(problems)
    }

    /// The mismatch between a buffer and an input.
    fn misfit(&self, input: &Input, buffer: &Buffer) -> Option<Problem> {
        shape_mismatch(&input.name, input.shape, buffer)
            .or_else(|| self.foreign(&input.name, buffer))
            .or_else(|| sharding_mismatch(input, buffer))
    }

    fn foreign(&self, name: &str, buffer: &Buffer) -> Option<Problem> {
        let (ours, theirs) = (self.program.platform.client(), buffer.as_pjrt().client());
        (ours.as_ptr() != theirs.as_ptr()).then(|| Problem::Device {
            name: name.into(),
            expected: format!("a buffer of this {} platform", ours.platform_name()),
            found: format!("one of another {} platform", theirs.platform_name()),
        })
    }

    pub(super) fn call_error(&self, problems: Vec<Problem>) -> Error {
        Error::Call(CallError { executable: self.name().into(), problems })
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
