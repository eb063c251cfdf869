//! A socket whose reads and writes end at a deadline.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    io::{self, ErrorKind, Read, Write},
    os::unix::net::UnixStream,
    time::{Duration, Instant},
};

/// How long a read polls the socket before the thread sleeps: waking a thread takes as long. Where
/// all processors are busy, polling only keeps the other process from running.
const SPIN: Duration = Duration::from_micros(20);

/// One end of a pair of sockets.
#[derive(Debug)]
pub struct Socket {
    stream: UnixStream,
    /// `None` waits without a limit.
    pub deadline: Option<Instant>,
}

impl Socket {
    /// # Errors
    /// The system's error.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, deadline: None })
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
        let timeout = match self.deadline {
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(ErrorKind::TimedOut.into());
                }
                Some(Timespec::try_from(left).map_err(|_| ErrorKind::InvalidInput)?)
            }
            None => None,
        };
        match poll(&mut [PollFd::new(&self.stream, event)], timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_end_at_the_deadline() {
        let (here, _there) = UnixStream::pair().unwrap();
        let mut socket = Socket::new(here).unwrap();
        socket.deadline = Some(Instant::now() + Duration::from_millis(20));
        assert_eq!(socket.read(&mut [0]).unwrap_err().kind(), ErrorKind::TimedOut);
        let full = socket.write_all(&vec![0; 16 << 20]).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::TimedOut);
    }

    #[test]
    fn an_end_that_was_closed_is_seen() {
        let (here, there) = UnixStream::pair().unwrap();
        let mut socket = Socket::new(here).unwrap();
        drop(there);
        assert_eq!(socket.read(&mut [0]).unwrap(), 0);
        assert_eq!(socket.write(&[0]).unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
}
