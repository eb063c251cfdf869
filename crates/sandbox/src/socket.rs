//! A socket whose reads and writes end at a deadline.

use crate::{channel::WithMemory, shared_memory::SharedMemory};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    io::{self, ErrorKind, Read, Write},
    os::unix::{fs::MetadataExt, net::UnixStream},
    time::{Duration, Instant},
};

/// The time for which a read polls the socket before the thread sleeps: waking a thread takes as
/// long. Where all processors are busy, polling only keeps the other process from running.
const SPIN: Duration = Duration::from_micros(20);

/// The interval at which a waiting read or write checks the threads of the process at the other
/// end.
const WATCH: Duration = Duration::from_millis(10);

/// One end of a pair of sockets.
#[derive(Debug)]
pub struct Socket {
    stream: UnixStream,
    /// `None` waits without a limit.
    pub deadline: Option<Instant>,
    pub watched: Option<Watched>,
    memory: SharedMemory,
}

/// The process at the other end, and the number of threads that it may have.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    pub process: u32,
    /// Whether the threads of all processes of its group are counted.
    pub is_group: bool,
    pub threads: usize,
}

impl Socket {
    /// # Errors
    /// The system's error.
    pub fn new(stream: UnixStream, memory: SharedMemory) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, deadline: None, watched: None, memory })
    }

    /// The memory that both ends have.
    pub fn memory(&self) -> &SharedMemory {
        &self.memory
    }

    fn when_ready(
        &self,
        event: PollFlags,
        mut work: impl FnMut(&UnixStream) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let mut start = None;
        loop {
            match work(&self.stream) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let start = *start.get_or_insert_with(Instant::now);
                    if start.elapsed() < SPIN {
                        std::hint::spin_loop();
                    } else {
                        self.wait(event)?;
                    }
                }
                outcome => return outcome,
            }
        }
    }

    fn wait(&self, event: PollFlags) -> io::Result<()> {
        let left = self.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(ErrorKind::TimedOut.into());
        }
        let pause = match self.watched {
            Some(watched) => {
                if watched.exceeds() {
                    return Err(ErrorKind::QuotaExceeded.into());
                }
                Some(left.map_or(WATCH, |left| left.min(WATCH)))
            }
            None => left,
        };
        let timeout = pause.map(Timespec::try_from).transpose();
        let timeout = timeout.map_err(|_| ErrorKind::InvalidInput)?;
        match poll(&mut [PollFd::new(&self.stream, event)], timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl Watched {
    fn exceeds(self) -> bool {
        let found =
            if self.is_group { threads_of_group(self.process) } else { threads(self.process) };
        found > self.threads
    }
}

/// The number of threads of all processes of a group.
fn threads_of_group(group: u32) -> usize {
    let group = group.to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_of_group = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name of the program, in parentheses, may hold any characters.
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        // State, parent, group.
        fields.split_ascii_whitespace().nth(2) == Some(&*group)
    };
    numbers.filter(is_of_group).map(threads).sum()
}

/// The number of threads of a process; 0 if it has ended, or without `/proc`.
pub fn threads(process: u32) -> usize {
    // The folder has a link from each thread, and two of its own.
    let folder = std::fs::metadata(format!("/proc/{process}/task"));
    folder.map_or(0, |folder| folder.nlink().saturating_sub(2) as usize)
}

impl Read for Socket {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.when_ready(PollFlags::IN, |mut stream| stream.read(bytes))
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.when_ready(PollFlags::OUT, |mut stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WithMemory for Socket {
    fn write_memory(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.memory.write(bytes, offset)
    }

    fn read_memory(&mut self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.memory.read(bytes, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(stream: UnixStream) -> Socket {
        Socket::new(stream, SharedMemory::new(4096).unwrap()).unwrap()
    }

    #[test]
    fn reads_and_writes_end_at_the_deadline() {
        let (here, _there) = UnixStream::pair().unwrap();
        let mut socket = socket(here);
        socket.deadline = Some(Instant::now() + Duration::from_millis(20));
        assert_eq!(socket.read(&mut [0]).unwrap_err().kind(), ErrorKind::TimedOut);
        let full = socket.write_all(&vec![0; 16 << 20]).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn a_process_with_more_threads_than_its_limit_is_noticed() {
        let (here, _there) = UnixStream::pair().unwrap();
        let mut socket = socket(here);
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || ended.recv());
        let read = |socket: &mut Socket, limit| {
            let process = std::process::id();
            socket.watched = Some(Watched { process, is_group: false, threads: limit });
            socket.deadline = Some(Instant::now() + Duration::from_millis(50));
            socket.read(&mut [0]).unwrap_err().kind()
        };
        assert_eq!(read(&mut socket, 1), ErrorKind::QuotaExceeded);
        assert_eq!(read(&mut socket, 100_000), ErrorKind::TimedOut);
        drop(end);
        thread.join().unwrap().unwrap_err();
    }

    #[test]
    fn an_end_that_was_closed_is_seen() {
        let (here, there) = UnixStream::pair().unwrap();
        let mut socket = socket(here);
        drop(there);
        assert_eq!(socket.read(&mut [0]).unwrap(), 0);
        assert_eq!(socket.write(&[0]).unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
