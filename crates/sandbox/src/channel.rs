//! Sending and receiving messages over a stream.

use crate::message::MAX_MESSAGE;
use serde::{Serialize, de::DeserializeOwned};
use std::io::{self, BufReader, ErrorKind, Read, Write};

/// Arrays of more bytes than this pass through memory that both ends have.
const MAX_JOINED: usize = 64 << 10;

/// A stream with memory next to it, for arrays that are too large for the stream.
pub trait WithMemory {
    /// # Errors
    /// The bytes go beyond the end of the memory.
    fn write_memory(&mut self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// # Errors
    /// The bytes go beyond the end of the memory.
    fn read_memory(&mut self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
}

/// One end of the stream between parent and child.
pub struct Channel<S> {
    reader: BufReader<S>,
    written: Vec<u8>,
    /// The end of the last array of the message that is received, in the memory.
    received: u64,
}

impl<S: Read + Write + WithMemory> Channel<S> {
    pub fn new(stream: S) -> Self {
        Self {
            reader: BufReader::with_capacity(MAX_JOINED, stream),
            written: Vec::new(),
            received: 0,
        }
    }

    pub fn stream(&mut self) -> &mut S {
        self.reader.get_mut()
    }

    /// Sends a message and the bytes of its arrays.
    ///
    /// # Errors
    /// The message is too long, the large arrays do not fit the memory, or the stream's error.
    pub fn send(&mut self, message: &impl Serialize, arrays: &[&[u8]]) -> io::Result<()> {
        self.written.clear();
        self.written.extend([0; 4]);
        serde_json::to_writer(&mut self.written, message)?;
        let length = self.written.len() - 4;
        if length > MAX_MESSAGE {
            return Err(too_long(length));
        }
        self.written[..4].copy_from_slice(&(length as u32).to_le_bytes());
        let mut end = 0;
        for array in arrays {
            if array.len() > MAX_JOINED {
                self.stream().write_memory(array, end)?;
                end += array.len() as u64;
            } else {
                self.written.extend_from_slice(array);
            }
        }
        self.reader.get_mut().write_all(&self.written)
    }

    /// Receives a message.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidData`] for other bytes than a message, else the stream's error.
    pub fn receive<M: DeserializeOwned>(&mut self) -> io::Result<M> {
        let mut length = [0; 4];
        self.reader.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_MESSAGE {
            return Err(too_long(length));
        }
        self.received = 0;
        let mut bytes = Vec::new();
        // Memory is allocated as the bytes come.
        self.reader.by_ref().take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_slice(&bytes)
            .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
    }

    /// Receives the next array of a message.
    ///
    /// # Errors
    /// The stream's error, or the memory ends before the array does.
    pub fn receive_into(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        if bytes.len() <= MAX_JOINED {
            return self.reader.read_exact(bytes);
        }
        let start = self.received;
        self.received += bytes.len() as u64;
        self.stream().read_memory(bytes, start)
    }

    /// Whether bytes came that belong to no message.
    pub fn has_more(&self) -> bool {
        !self.reader.buffer().is_empty()
    }
}

fn too_long(length: usize) -> io::Error {
    let message = format!("a message of {length} bytes, expected at most {MAX_MESSAGE}");
    io::Error::new(ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// A stream and a memory.
    struct Both(Cursor<Vec<u8>>, Vec<u8>);

    impl Read for Both {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            self.0.read(bytes)
        }
    }

    impl Write for Both {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl WithMemory for Both {
        fn write_memory(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
            self.1.truncate(offset as usize);
            self.1.extend_from_slice(bytes);
            Ok(())
        }

        fn read_memory(&mut self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
            bytes.copy_from_slice(&self.1[offset as usize..][..bytes.len()]);
            Ok(())
        }
    }

    fn received(bytes: &[u8]) -> io::Result<Vec<u32>> {
        Channel::new(Both(Cursor::new(bytes.to_vec()), Vec::new())).receive()
    }

    #[test]
    fn messages_and_arrays_arrive_in_order() {
        let mut sender = Channel::new(Both(Cursor::new(Vec::new()), Vec::new()));
        let large = [7, 8].map(|byte| vec![byte; MAX_JOINED + 1]);
        sender.send(&[1u32, 2], &[b"ab", &large[0], b"c", &large[1]]).unwrap();
        sender.send(&[3u32], &[]).unwrap();
        let Both(stream, memory) = sender.stream();
        let both = Both(Cursor::new(stream.get_ref().clone()), memory.clone());
        let mut receiver = Channel::new(both);
        assert_eq!(receiver.receive::<Vec<u32>>().unwrap(), [1, 2]);
        for expected in [&b"ab"[..], &large[0], b"c", &large[1]] {
            assert!(receiver.has_more());
            let mut array = vec![0; expected.len()];
            receiver.receive_into(&mut array).unwrap();
            assert!(array == expected);
        }
        assert_eq!(receiver.receive::<Vec<u32>>().unwrap(), [3]);
        assert!(!receiver.has_more());
    }

    #[test]
    fn other_bytes_are_errors() {
        assert_eq!(received(b"\x03\0\0\0[1]").unwrap(), [1]);
        let wrong: [(&[u8], ErrorKind); 5] = [
            (b"", ErrorKind::UnexpectedEof),
            (b"\x03\0\0\0[1", ErrorKind::UnexpectedEof),
            (b"\x03\0\0\0[1,", ErrorKind::InvalidData),
            (b"\x02\0\0\0{}", ErrorKind::InvalidData),
            (b"\xff\xff\xff\xff", ErrorKind::InvalidData),
        ];
        for (bytes, kind) in wrong {
            assert_eq!(received(bytes).unwrap_err().kind(), kind, "{bytes:?}");
        }
    }
}
