//! A program of another system in a sandbox.

use crate::{
    Argument, Buffer, CallProblem, Error, Mesh, NamedSharding, Platform, Result, Signature,
    buffer::ShardBuffers,
    cache::{Devices, Needs, ProgramFile, ProgramSource, Statistics},
    exe::{Interface, wanted_outputs},
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::Shape;
use hloom_pjrt::{AlignedVec, Device};
use hloom_sandbox::{Argument as SandboxArgument, Bound, Program};
use std::sync::Arc;

/// A program in a sandbox, with the inputs that are bound. Its clones share both.
#[derive(Clone)]
pub(super) struct SandboxedExe {
    program: Arc<SandboxedProgram>,
    /// For each input, the copies on the devices if it is bound.
    bound: Arc<[Option<Arc<[Bound]>>]>,
    /// The positions of the inputs that a call passes.
    free: Arc<[usize]>,
}

/// The part that does not change by binding.
pub(super) struct SandboxedProgram {
    pub name: String,
    pub platform: Platform,
    pub mesh: Option<Mesh>,
    pub signature: Signature,
    pub source: ProgramSource,
    pub calls_handlers: bool,
    pub program: Program,
}

impl SandboxedExe {
    /// The program with no input bound.
    pub fn new(program: SandboxedProgram) -> SandboxedExe {
        let bound = program.signature.inputs.iter().map(|_| None).collect();
        SandboxedExe::with_bound(Arc::new(program), bound)
    }

    fn with_bound(
        program: Arc<SandboxedProgram>,
        bound: Arc<[Option<Arc<[Bound]>>]>,
    ) -> SandboxedExe {
        let free = bound.iter().enumerate().filter(|(_, bound)| bound.is_none());
        let free = free.map(|(position, _)| position).collect();
        SandboxedExe { program, bound, free }
    }

    pub fn program(&self) -> &SandboxedProgram {
        &self.program
    }

    /// The positions of the inputs that a call passes.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// See [`AnyExe::call`](crate::AnyExe::call).
    pub fn call(&self, inputs: Vec<Argument<'_>>) -> Result<Vec<Buffer>> {
        let program = &*self.program;
        let interface = program.interface();
        let mut problems = interface.count(self.free.len(), inputs.len());
        if problems.iter().any(|problem| matches!(problem, CallProblem::LeftOut { .. })) {
            // The assignment of buffers to inputs is unknown.
            return Err(interface.error(problems));
        }
        for (&position, given) in self.free.iter().zip(&inputs) {
            problems.extend(interface.misfit(position, given.buffer()));
        }
        if !problems.is_empty() {
            return Err(interface.error(problems));
        }
        let mut passed: Vec<_> = program.signature.inputs.iter().map(|_| Vec::new()).collect();
        for (&position, given) in self.free.iter().zip(&inputs) {
            passed[position] = program.shards(position, given.buffer())?;
        }
        let mut arguments = Vec::with_capacity(passed.len() * program.devices().len());
        for device in 0..program.devices().len() {
            for (bound, passed) in self.bound.iter().zip(&passed) {
                arguments.push(match bound {
                    Some(bound) => SandboxArgument::Bound(&bound[device]),
                    None => SandboxArgument::Bytes(&passed[device]),
                });
            }
        }
        let _entered = tracing::trace_span!("call", name = %program.name, sandbox = true).entered();
        let results = program.program.call(&arguments).map_err(|error| program.error(error))?;
        program.buffers(results)
    }

    /// See [`AnyExe::call_named`](crate::AnyExe::call_named).
    pub fn call_named<'a>(
        &self,
        inputs: impl IntoIterator<Item = (&'a str, Argument<'a>)>,
        wanted: &[&str],
    ) -> Result<Vec<Buffer>> {
        let program = &*self.program;
        let (given, wanted) = program.interface().named_call(&self.free, inputs, wanted)?;
        wanted_outputs(&wanted, self.call(given)?, &program.platform)
    }

    /// The same program with inputs at these positions bound to copies of buffers.
    pub fn bind(
        &self,
        (inputs, mut problems): (Vec<(usize, &Buffer)>, Vec<CallProblem>),
    ) -> Result<SandboxedExe> {
        let program = &*self.program;
        let interface = program.interface();
        problems.extend(inputs.iter().filter_map(|&(at, buffer)| interface.misfit(at, buffer)));
        if !problems.is_empty() {
            return Err(interface.error(problems));
        }
        let mut bound = self.bound.to_vec();
        for (position, buffer) in inputs {
            let shards = program.shards(position, buffer)?;
            let copies = shards.iter().enumerate().map(|(device, bytes)| {
                let copied = program.program.bind(device, position, bytes);
                copied.map_err(|error| program.error(error))
            });
            bound[position] = Some(copies.collect::<Result<_>>()?);
        }
        Ok(SandboxedExe::with_bound(self.program.clone(), bound.into()))
    }
}

impl SandboxedProgram {
    /// The inputs and outputs by name and device.
    pub fn interface(&self) -> Interface<'_> {
        Interface { name: &self.name, platform: &self.platform, signature: &self.signature }
    }

    /// The devices of the caller's platform that hold the buffers of a call.
    fn devices(&self) -> Vec<Device> {
        match &self.mesh {
            Some(mesh) => mesh.devices().to_vec(),
            None => self.platform.devices().into_iter().take(1).collect(),
        }
    }

    /// The bytes of a buffer for each device.
    fn shards(&self, position: usize, buffer: &Buffer) -> Result<Vec<Vec<u8>>> {
        let input = &self.signature.inputs[position].name;
        let read = |shard: &Arc<hloom_pjrt::Buffer>| {
            shard.to_bytes().map_err(Error::plugin(format!("input `{input}` of `{}`", self.name)))
        };
        buffer.shards().iter().map(read).collect()
    }

    /// The results as buffers: those of the first device, then those of the second, and so on.
    fn buffers(&self, results: Vec<AlignedVec<u8>>) -> Result<Vec<Buffer>> {
        let outputs = &self.signature.outputs;
        let mut parts: Vec<_> = outputs.iter().map(|_| Vec::new()).collect();
        let mut results = results.into_iter();
        for device in self.devices() {
            for (output, parts) in outputs.iter().zip(&mut parts) {
                let bytes = results.next();
                let bytes = bytes.expect("a call returns as many results as the description has");
                parts.push(on_device(output.local(), &device, bytes)?);
            }
        }
        let buffer = |(output, mut parts): (&crate::Output, Vec<_>)| match &output.sharding {
            Some(sharding) => sharded(output.shape, sharding, parts),
            None => Buffer::from_program(output.shape, parts.remove(0), None),
        };
        Ok(outputs.iter().zip(parts).map(buffer).collect())
    }

    /// See [`AnyExe::to_bytes`](crate::AnyExe::to_bytes).
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let devices = Devices { platform: &self.platform, mesh: self.mesh.as_ref() };
        let needs = Needs {
            callbacks: Vec::new(),
            kernels: Vec::new(),
            calls_handlers: self.calls_handlers,
            mesh: self.mesh.as_ref().map(|mesh| mesh.devices().len()),
            is_foreign: true,
        };
        let code = self.program.serialize().map_err(|error| self.error(error))?;
        let memory = self.program.description().memory;
        let file = ProgramFile {
            name: &self.name,
            machine: devices.machine(),
            source: &self.source,
            signature: &self.signature,
            needs,
            code: &code,
            statistics: Statistics::of_foreign(memory, self.program.optimized_program().ok()),
        };
        file.into_bytes()
    }

    /// An error of the sandbox.
    pub fn error(&self, error: hloom_sandbox::Error) -> Error {
        Error::Sandbox { program: self.name.clone(), source: Box::new(error) }
    }
}

/// A buffer with the bytes of a shard, on its device.
fn on_device(part: Shape, device: &Device, bytes: AlignedVec<u8>) -> Result<hloom_pjrt::Buffer> {
    let (dims, client) = (dims_i64(part), device.client());
    let made = client.host_buffer(to_pjrt(part.dtype()), &dims).on_device(device).zero_copy(bytes);
    let (buffer, _) = made.map_err(Error::plugin(format!("a result of {part}")))?;
    Ok(buffer)
}

fn sharded(shape: Shape, sharding: &NamedSharding, parts: Vec<hloom_pjrt::Buffer>) -> Buffer {
    Buffer::sharded(shape, ShardBuffers::new(sharding.clone(), parts.into_iter()))
}
