//! The requests of the parent, one after the other.

use super::{
    compiled::{Compiled, Compiler},
    confine::{Resources, end_with},
    start::{start, start_ahead},
};
use crate::{
    channel::Channel,
    message::{Answer, Argument, Array, Request},
    shared_memory::SharedMemory,
    socket::Socket,
};
use hloom_pjrt::{AlignedVec, Buffer, Client, Device, ExecuteOptions, Spec};
use std::{collections::BTreeMap, ffi::OsStr, io, os::fd::AsFd, os::unix::net::UnixStream};

/// The longest message of an error.
const MAX_ERROR: usize = 64 << 10;

/// Serves the parent until it closes the socket.
pub fn serve(parent: &OsStr, plugin: &std::path::Path) {
    if end_with(parent) {
        // Nobody is left to report an error to.
        let _ = try_serve(plugin);
    }
}

fn try_serve(plugin: &std::path::Path) -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let memory = SharedMemory::from(io::stdout().as_fd().try_clone_to_owned()?);
    let mut channel = Channel::new(Socket::new(socket, memory)?);
    let started = match channel.receive()? {
        Request::Start { devices, memory } => start(plugin, devices, memory).map(Compiler::Here),
        Request::StartAhead { target, scratch, memory, seconds } => {
            let resources = Resources::of_compiling(memory, seconds);
            start_ahead(plugin, &target, &scratch, &resources).map(Compiler::Ahead)
        }
        _ => return Ok(()),
    };
    let compiler = match started {
        Ok(compiler) => compiler,
        Err(answer) => return channel.send(&shortened(answer), &[]),
    };
    let (platform, version) = compiler.platform().map_err(io::Error::other)?;
    channel.send(&Answer::Started { platform, version }, &[])?;
    Server { compiler, channel, programs: Table::default(), values: Table::default() }.run()
}

/// Objects that the parent knows by numbers, which are not used again.
struct Table<T> {
    next: usize,
    objects: BTreeMap<usize, T>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { next: 0, objects: BTreeMap::new() }
    }
}

impl<T> Table<T> {
    fn insert(&mut self, object: T) -> usize {
        self.objects.insert(self.next, object);
        self.next += 1;
        self.next - 1
    }

    fn get(&self, number: usize) -> Result<&T, String> {
        self.objects.get(&number).ok_or_else(|| format!("there is no object {number}"))
    }
}

/// An answer, and the arrays that follow it.
type WithArrays = (Answer, Vec<Vec<u8>>);

struct Server {
    compiler: Compiler,
    channel: Channel<Socket>,
    programs: Table<Compiled>,
    values: Table<Buffer>,
}

impl Server {
    fn run(mut self) -> io::Result<()> {
        loop {
            let request = self.channel.receive()?;
            let outcome = match request {
                Request::Start { .. } | Request::StartAhead { .. } => return Ok(()),
                Request::Compile { options, code } => {
                    let (mut options, mut code) = (vec![0; options], vec![0; code]);
                    self.channel.receive_into(&mut options)?;
                    self.channel.receive_into(&mut code)?;
                    self.compile(&options, code).map(alone)
                }
                Request::Bind { program, device, array } => {
                    let (spec, bytes) = self.receive_array(array)?;
                    self.bind(program, device, &spec, bytes).map(alone)
                }
                Request::Unbind { value } => {
                    self.values.objects.remove(&value);
                    Ok(alone(Answer::Freed))
                }
                Request::Unload { program } => {
                    self.programs.objects.remove(&program);
                    Ok(alone(Answer::Freed))
                }
                Request::Optimized { program } => self.optimized(program),
                Request::Serialize { program } => self.serialized(program),
                Request::Call { program, arguments } => {
                    let arguments = self.receive_arguments(arguments)?;
                    self.call(program, arguments).map(|results| (Answer::Returned, results))
                }
            };
            let (answer, arrays) =
                outcome.unwrap_or_else(|message| alone(Answer::Failed { message }));
            let arrays: Vec<&[u8]> = arrays.iter().map(|array| &**array).collect();
            self.channel.send(&shortened(answer), &arrays)?;
        }
    }

    fn compile(&mut self, options: &[u8], code: Vec<u8>) -> Result<Answer, String> {
        let (program, interface) = self.compiler.compile(options, code)?;
        let interface = Box::new(interface);
        Ok(Answer::Compiled { program: self.programs.insert(program), interface })
    }

    fn bind(
        &mut self,
        program: usize,
        device: usize,
        spec: &Spec,
        bytes: AlignedVec<u8>,
    ) -> Result<Answer, String> {
        let devices = self.programs.get(program)?.loaded()?.devices();
        let device = devices.get(device).ok_or_else(|| format!("there is no device {device}"))?;
        let value = buffer(self.compiler.client()?, device, spec, bytes)?;
        Ok(Answer::Bound { value: self.values.insert(value) })
    }

    fn call(&self, program: usize, arguments: Vec<Received>) -> Result<Vec<Vec<u8>>, String> {
        let (client, program) = (self.compiler.client()?, self.programs.get(program)?.loaded()?);
        let devices = program.devices();
        let width = (arguments.len() / devices.len().max(1)).max(1);
        let place = |(index, argument)| match argument {
            Received::Bound(value) => Ok(Ready::Bound(value)),
            Received::Array(spec, bytes) => {
                let device = devices.get(index / width).ok_or("too many arguments")?;
                Ok(Ready::Own(buffer(client, device, &spec, bytes)?))
            }
        };
        let arguments = arguments.into_iter().enumerate().map(place);
        let arguments = arguments.collect::<Result<Vec<_>, String>>()?;
        let arguments = arguments.iter().map(|argument| match argument {
            Ready::Bound(value) => self.values.get(*value),
            Ready::Own(buffer) => Ok(buffer),
        });
        let arguments = arguments.collect::<Result<Vec<_>, String>>()?;
        let mut results = Vec::new();
        let options = ExecuteOptions::new();
        program.execute_into(arguments, &options, &mut results).map_err(text)?;
        let specs = program.outputs().iter().cycle();
        let bytes = |(result, spec): (&Buffer, &std::sync::Arc<Spec>)| {
            let bytes = result.to_bytes().map_err(text)?;
            let expected = spec.host_bytes().map_err(text)?;
            if bytes.len() == expected {
                Ok(bytes)
            } else {
                Err(format!("a result has {} bytes, not {expected}", bytes.len()))
            }
        };
        results.iter().zip(specs).map(bytes).collect()
    }

    fn optimized(&self, program: usize) -> Result<WithArrays, String> {
        let program = self.programs.get(program)?.executable().optimized_program();
        let program = program.map_err(text)?;
        let format = program.format().to_owned();
        Ok(code(format, program.into_code()))
    }

    fn serialized(&self, program: usize) -> Result<WithArrays, String> {
        let bytes = self.programs.get(program)?.executable().serialize().map_err(text)?;
        Ok(code(String::new(), bytes))
    }

    fn receive_arguments(&mut self, arguments: Vec<Argument>) -> io::Result<Vec<Received>> {
        let receive = |argument| match argument {
            Argument::Bound(value) => Ok(Received::Bound(value)),
            Argument::Bytes(array) => {
                let (spec, bytes) = self.receive_array(array)?;
                Ok(Received::Array(spec, bytes))
            }
        };
        arguments.into_iter().map(receive).collect()
    }

    fn receive_array(&mut self, array: Array) -> io::Result<(Spec, AlignedVec<u8>)> {
        let spec = array.spec();
        let length = spec.host_bytes().map_err(io::Error::other)?;
        let mut bytes = AlignedVec::zeroed(length).map_err(io::Error::other)?;
        self.channel.receive_into(&mut bytes)?;
        Ok((spec, bytes))
    }
}

fn code(format: String, bytes: Vec<u8>) -> WithArrays {
    (Answer::Code { format, bytes: bytes.len() }, vec![bytes])
}

fn alone(answer: Answer) -> WithArrays {
    (answer, Vec::new())
}

/// An argument of a call as the parent sent it.
enum Received {
    Bound(usize),
    Array(Spec, AlignedVec<u8>),
}

/// An argument of a call on its device.
enum Ready {
    Bound(usize),
    Own(Buffer),
}

fn buffer(
    client: &Client,
    device: &Device,
    spec: &Spec,
    bytes: AlignedVec<u8>,
) -> Result<Buffer, String> {
    let builder = client.host_buffer(spec.dtype(), spec.dims()).on_device(device);
    let (buffer, _lease) = builder.zero_copy(bytes).map_err(text)?;
    Ok(buffer)
}

pub fn text(error: hloom_pjrt::Error) -> String {
    error.to_string()
}

/// The answer with a message of limited length.
fn shortened(mut answer: Answer) -> Answer {
    if let Answer::Failed { message } = &mut answer {
        let end = (0..=MAX_ERROR.min(message.len())).rfind(|&end| message.is_char_boundary(end));
        message.truncate(end.unwrap_or(0));
    }
    answer
}
