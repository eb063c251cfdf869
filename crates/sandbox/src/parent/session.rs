//! A child that was started, and its requests.

use super::{check::check, program::Program};
use crate::{
    Error, Limits, Result, Target, Work,
    channel::Channel,
    message::{Answer, Request},
    process::Process,
};
use hloom_pjrt::{AlignedVec, CompileOptions};
use std::{
    fmt,
    io::{self, ErrorKind},
    num::NonZero,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Instant,
};

/// A child that was started. Its clones are the same child, which is killed when the last one and
/// all its programs are dropped.
///
/// It does one thing at a time: other threads wait. Once it has ended, by an error of the plugin
/// that ends a process or at a limit, all its work is [`Error::Dead`].
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    platform: String,
    version: String,
    devices: usize,
    limits: Limits,
    id: u32,
    child: Mutex<Child>,
}

/// Arrays of more bytes are unmapped when they are freed: the pages of smaller ones are used again.
const KEPT: usize = 1 << 20;

/// The channel to the child, or the error with which it ended.
type Child = std::result::Result<Box<Channel<Process>>, String>;

impl Session {
    pub(super) fn start(
        program: &Path,
        plugin: &Path,
        devices: usize,
        limits: &Limits,
    ) -> Result<Self> {
        let process = Process::start(program, plugin, limits.memory, None)?;
        let request = Request::Start { devices, memory: limits.memory };
        Session::begin(process, &request, devices, limits)
    }

    pub(super) fn start_ahead(
        program: &Path,
        plugin: &Path,
        target: &Target,
        limits: &Limits,
    ) -> Result<Self> {
        let process = Process::start(program, plugin, limits.memory, Some(target))?;
        let processors = thread::available_parallelism().map_or(1, NonZero::get) as u64;
        let time = (limits.start + limits.compile).as_secs().max(1);
        let request = Request::StartAhead {
            target: target.clone(),
            scratch: process.scratch().unwrap_or(Path::new("")).to_owned(),
            memory: limits.memory,
            seconds: time.saturating_mul(processors),
        };
        Session::begin(process, &request, target.devices, limits)
    }

    fn begin(process: Process, request: &Request, devices: usize, limits: &Limits) -> Result<Self> {
        let mut channel = Box::new(Channel::new(process));
        let work = Work::Start;
        channel.stream().set_limits(Instant::now() + work.limit(limits), limits.threads);
        let answer = channel.send(request, &[]).and_then(|()| channel.receive());
        match answer.map_err(|error| ended(&mut channel, work, limits, &error))? {
            Answer::Started { platform, version } => {
                let id = channel.stream().id();
                let (limits, child) = (limits.clone(), Mutex::new(Ok(channel)));
                let inner = Inner { platform, version, devices, limits, id, child };
                Ok(Self { inner: Arc::new(inner) })
            }
            Answer::Unsupported { missing } => Err(Error::Unsupported(missing)),
            answer => Err(unexpected(work, answer)),
        }
    }

    /// The platform of the plugin, such as `cpu`.
    pub fn platform_name(&self) -> &str {
        &self.inner.platform
    }

    /// The version of the platform.
    pub fn platform_version(&self) -> &str {
        &self.inner.version
    }

    /// The number of devices.
    pub fn device_count(&self) -> usize {
        self.inner.devices
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// The number of the child process.
    pub fn process_id(&self) -> u32 {
        self.inner.id
    }

    /// Compiles a program: MLIR as text or bytecode.
    ///
    /// # Errors
    /// The plugin's error, the options need more devices than there are, the program has larger
    /// parameters or results than the limit of memory, or the child ended.
    pub fn compile(&self, code: &[u8], options: &CompileOptions) -> Result<Program> {
        let encoded = options
            .encode()
            .map_err(|error| Error::argument("compile options", "valid ones", error))?;
        let needed = options.num_replicas.saturating_mul(options.num_partitions);
        if needed > self.inner.devices {
            let found = format!("options for {needed}");
            return Err(Error::argument("devices of the sandbox", self.inner.devices, found));
        }
        let limit = self.inner.limits.memory;
        if (encoded.len() as u64).saturating_add(code.len() as u64) > limit {
            return Err(Error::argument("bytes of the program", limit, code.len()));
        }
        let request = Request::Compile { options: encoded.len(), code: code.len() };
        let work = Work::Compile;
        let compiled = self.ask(work, &request, &[&encoded, code], &[], |answer, _| match answer {
            Answer::Compiled { program, interface } => {
                match check(*interface, needed, self.inner.limits.memory) {
                    // The child is as it was, but for a program that nobody uses.
                    Err(error @ Error::TooLarge { .. }) => Ok((program, Err(error))),
                    checked => Ok((program, Ok(checked?))),
                }
            }
            answer => Err(unexpected(work, answer)),
        });
        let (program, checked) = compiled?;
        match checked {
            Ok(checked) => Ok(Program::new(self.clone(), program, checked)),
            Err(error) => {
                self.free(&Request::Unload { program });
                Err(error)
            }
        }
    }

    /// Sends a request and returns what `read` makes of its answer and of the arrays that follow it:
    /// those of these sizes, or the code of a program. An answer that the child cannot give ends it.
    pub(super) fn ask<T>(
        &self,
        work: Work,
        request: &Request,
        arrays: &[&[u8]],
        sizes: &[usize],
        read: impl FnOnce(Answer, Vec<AlignedVec<u8>>) -> Result<T>,
    ) -> Result<T> {
        let limits = &self.inner.limits;
        let allocate = |&size: &usize| {
            let allocated = AlignedVec::zeroed(size);
            allocated.map_err(|error| Error::argument("memory of a result", size, error))
        };
        let mut results = sizes.iter().map(allocate).collect::<Result<Vec<_>>>()?;
        let mut child = self.inner.child.lock().unwrap_or_else(PoisonError::into_inner);
        let channel = child.as_mut().map_err(|reason| Error::Dead(reason.clone()))?;
        channel.stream().set_limits(Instant::now() + work.limit(limits), limits.threads);
        let answer = exchange(channel, request, arrays, &mut results, limits.memory);
        let were_large = arrays.iter().any(|array| array.len() > KEPT)
            || results.iter().any(|result| result.len() > KEPT);
        let outcome = match answer {
            Ok(answer) => read(answer, results),
            Err(error) => Err(ended(channel, work, limits, &error)),
        };
        if were_large {
            channel.stream().clear_memory(limits.memory);
        }
        if let Err(error) = &outcome
            && !matches!(error, Error::Plugin { .. })
        {
            // Dropping the channel kills the child.
            *child = Err(error.to_string());
        }
        outcome
    }

    /// Frees an object of the child, if that is alive.
    pub(super) fn free(&self, request: &Request) {
        let freed = self.ask(Work::Bind, request, &[], &[], |answer, _| match answer {
            Answer::Freed => Ok(()),
            answer => Err(unexpected(Work::Bind, answer)),
        });
        // The next request returns the error with which the child ended.
        drop(freed);
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("platform", &self.inner.platform)
            .field("process", &self.inner.id)
            .finish_non_exhaustive()
    }
}

/// Sends a request, and receives the answer and, if it has any, the arrays that follow it.
fn exchange(
    channel: &mut Channel<Process>,
    request: &Request,
    arrays: &[&[u8]],
    results: &mut Vec<AlignedVec<u8>>,
    limit: u64,
) -> io::Result<Answer> {
    channel.send(request, arrays)?;
    let answer = channel.receive()?;
    if let Answer::Code { bytes, .. } = &answer {
        if *bytes as u64 > limit {
            let message = format!("{bytes} bytes of code, and the limit of memory is {limit}");
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
        results.push(AlignedVec::zeroed(*bytes).map_err(io::Error::other)?);
    }
    if matches!(answer, Answer::Returned | Answer::Code { .. }) {
        for result in results {
            channel.receive_into(result)?;
        }
    }
    if channel.has_more() {
        return Err(io::Error::new(ErrorKind::InvalidData, "more bytes than the answer has"));
    }
    Ok(answer)
}

/// The error of a child that did not answer, which has ended or is killed.
fn ended(channel: &mut Channel<Process>, work: Work, limits: &Limits, error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::TimedOut => Error::TimeLimit { work, limit: work.limit(limits) },
        ErrorKind::QuotaExceeded => Error::ThreadLimit { work, limit: limits.threads },
        ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => {
            let status = channel.stream().end();
            Error::Ended { work, status, memory: limits.memory }
        }
        _ => Error::Protocol { work, message: error.to_string() },
    }
}

/// The error of an answer of another kind: the plugin's, or one that does not belong to the
/// request.
pub(super) fn unexpected(work: Work, answer: Answer) -> Error {
    match answer {
        Answer::Failed { message } => Error::Plugin { work, message },
        Answer::Started { .. } => wrong(work, "Started"),
        Answer::Compiled { .. } => wrong(work, "Compiled"),
        Answer::Bound { .. } => wrong(work, "Bound"),
        Answer::Freed => wrong(work, "Freed"),
        Answer::Returned => wrong(work, "Returned"),
        Answer::Code { .. } => wrong(work, "Code"),
        Answer::Unsupported { .. } => wrong(work, "Unsupported"),
    }
}

fn wrong(work: Work, answer: &str) -> Error {
    Error::Protocol { work, message: format!("`{answer}`, which answers another request") }
}
