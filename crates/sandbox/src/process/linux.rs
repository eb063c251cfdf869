//! A child process on Linux.

use super::{ahead::Ahead, spawner};
use crate::{
    Error, Result, Target,
    channel::WithMemory,
    child,
    shared_memory::SharedMemory,
    socket::{Socket, Watched, threads},
};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::{
    io::{self, ErrorKind, Read, Write},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The time that a child which closed its socket may take to end by itself.
const MAX_ENDING: Duration = Duration::from_millis(500);

/// A child, the socket to it, which is its standard input, and memory that both have, which is its
/// standard output.
#[derive(Debug)]
pub struct Process {
    child: Child,
    socket: Socket,
    /// That of a child that only compiles.
    ahead: Option<Ahead>,
}

impl Process {
    /// Starts a child without environment but what the target needs, and with no descriptor of this
    /// process but the socket.
    ///
    /// # Errors
    /// The program cannot be started, or the system lacks `close_range` or `/proc`.
    pub fn start(
        program: &Path,
        plugin: &Path,
        memory: u64,
        target: Option<&Target>,
    ) -> Result<Self> {
        let failed = |error: io::Error| match error.raw_os_error() {
            Some(libc::ENOSYS | libc::EINVAL) => {
                Error::Unsupported("close_range(CLOSE_RANGE_CLOEXEC), of Linux 5.11".to_owned())
            }
            _ => Error::Start { program: program.to_owned(), reason: error.to_string() },
        };
        if threads(std::process::id()) == 0 {
            return Err(Error::Unsupported("the file system `/proc`".to_owned()));
        }
        let (here, there) = UnixStream::pair().map_err(failed)?;
        let memory = SharedMemory::new(memory).map_err(failed)?;
        let mut command = Command::new(program);
        command.arg(child::MARKER).arg(std::process::id().to_string()).arg(plugin);
        command.env_clear().current_dir("/");
        command.stdin(OwnedFd::from(there)).stdout(memory.descriptor().map_err(failed)?);
        command.stderr(Stdio::null());
        let ahead = target.map(|target| Ahead::new(&mut command, target));
        let mut ahead = ahead.transpose().map_err(failed)?;
        close_descriptors(&mut command);
        let child = spawner::spawn(command).map_err(failed)?;
        if let Some(ahead) = &mut ahead {
            ahead.set_group(&child);
        }
        // From here on, dropping it kills the child.
        Ok(Self { child, socket: Socket::new(here, memory).map_err(failed)?, ahead })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The folder of temporary files of a child that only compiles.
    pub fn scratch(&self) -> Option<&Path> {
        self.ahead.as_ref().map(Ahead::scratch)
    }

    /// Ends reads and writes at this time, or when the child, or those of its group, have more
    /// threads than this.
    pub fn set_limits(&mut self, deadline: Instant, threads: usize) {
        self.socket.deadline = Some(deadline);
        let is_group = self.ahead.is_some();
        self.socket.watched = Some(Watched { process: self.child.id(), is_group, threads });
    }

    /// Kills the child unless it ends by itself, and returns the status of the process.
    pub fn end(&mut self) -> String {
        let start = Instant::now();
        while start.elapsed() < MAX_ENDING {
            match has_ended(&self.child) {
                Ok(true) => {
                    self.kill_group();
                    let status = self.child.wait();
                    return status.map_or_else(|error| error.to_string(), |it| it.to_string());
                }
                Ok(false) => thread::sleep(Duration::from_millis(1)),
                Err(error) => return error.to_string(),
            }
        }
        self.kill();
        "its socket closed".to_owned()
    }

    /// Returns the memory that both processes have to the system.
    pub fn clear_memory(&self, size: u64) {
        self.socket.memory().clear(size);
    }

    /// Kills the child, and the processes that it started.
    pub fn kill(&mut self) {
        self.kill_group();
        // It fails for a child that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn kill_group(&mut self) {
        if let Some(ahead) = &mut self.ahead {
            ahead.kill_group();
        }
    }
}

/// Whether a child has ended that is still to be waited for.
fn has_ended(child: &Child) -> io::Result<bool> {
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let process = process.ok_or(ErrorKind::InvalidInput)?;
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(process), options)?.is_some())
}

/// Closes all descriptors of this process in the child but the standard ones. Those of the
/// standard library close themselves; other libraries may open some that do not.
#[expect(unsafe_code, reason = "runs between fork and exec")]
fn close_descriptors(command: &mut Command) {
    let mark = || {
        // SAFETY: descriptors are marked in the child's copy of the table, for `exec` to close.
        let outcome = unsafe {
            libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
        };
        if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: the closure makes one system call, and allocates and locks nothing.
    unsafe { command.pre_exec(mark) };
}

impl Read for Process {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self.socket.read(bytes) {
            // A child that ended without reading all that was sent to it.
            Err(error) if error.kind() == ErrorKind::ConnectionReset => Ok(0),
            outcome => outcome,
        }
    }
}

impl Write for Process {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WithMemory for Process {
    fn write_memory(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.socket.write_memory(bytes, offset)
    }

    fn read_memory(&mut self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.socket.read_memory(bytes, offset)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
