//! A child process on Linux.

use super::spawner;
use crate::{
    Error, Result,
    channel::WithMemory,
    child,
    shared_memory::SharedMemory,
    socket::{Socket, threads},
};
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

/// How long a child that closed its socket may take to end by itself.
const MAX_ENDING: Duration = Duration::from_millis(500);

/// A child, the socket to it, which is its standard input, and memory that both have, which is its
/// standard output.
#[derive(Debug)]
pub struct Process {
    child: Child,
    socket: Socket,
}

impl Process {
    /// Starts a child without environment, and with no descriptor of this process but the socket.
    ///
    /// # Errors
    /// The program cannot be started, or the system lacks `close_range` or `/proc`.
    pub fn start(program: &Path, plugin: &Path, memory: u64) -> Result<Self> {
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
        close_descriptors(&mut command);
        let child = spawner::spawn(command).map_err(failed)?;
        // From here on, dropping it kills the child.
        Ok(Self { child, socket: Socket::new(here, memory).map_err(failed)? })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends reads and writes at this time, or when the child has more threads than this.
    pub fn set_limits(&mut self, deadline: Instant, threads: usize) {
        self.socket.deadline = Some(deadline);
        self.socket.watched = Some((self.child.id(), threads));
    }

    /// Kills the child unless it ends by itself, and returns the status of the process.
    pub fn end(&mut self) -> String {
        let start = Instant::now();
        while start.elapsed() < MAX_ENDING {
            match self.child.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) => thread::sleep(Duration::from_millis(1)),
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

    /// Kills the child.
    pub fn kill(&mut self) {
        // It fails for a child that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
