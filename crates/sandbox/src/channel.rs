//! Sending and receiving messages over a stream.

use crate::message::MAX_MESSAGE;
use serde::{Serialize, de::DeserializeOwned};
use std::io::{self, BufReader, ErrorKind, Read, Write};

/// Messages of at most this many bytes are written at once.
const MAX_JOINED: usize = 64 << 10;

/// One end of the stream between parent and child.
pub struct Channel<S> {
    reader: BufReader<S>,
    written: Vec<u8>,
}

impl<S: Read + Write> Channel<S> {
    pub fn new(stream: S) -> Self {
        Self { reader: BufReader::with_capacity(MAX_JOINED, stream), written: Vec::new() }
    }

    pub fn stream(&mut self) -> &mut S {
        self.reader.get_mut()
    }

    /// Sends a message and the bytes of its arrays.
    ///
    /// # Errors
    /// The message is too long, or the stream's error.
    pub fn send(&mut self, message: &impl Serialize, arrays: &[&[u8]]) -> io::Result<()> {
        self.written.clear();
        self.written.extend([0; 4]);
        serde_json::to_writer(&mut self.written, message)?;
        let length = self.written.len() - 4;
        if length > MAX_MESSAGE {
            return Err(too_long(length));
        }
        self.written[..4].copy_from_slice(&(length as u32).to_le_bytes());
        for array in arrays {
            if self.written.len() + array.len() > MAX_JOINED {
                self.flush()?;
            }
            if array.len() > MAX_JOINED {
                self.stream().write_all(array)?;
            } else {
                self.written.extend_from_slice(array);
            }
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.reader.get_mut().write_all(&self.written)?;
        self.written.clear();
        Ok(())
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
        let bytes = self.receive_bytes(length)?;
        serde_json::from_slice(&bytes)
            .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
    }

    /// Receives bytes. Memory is allocated as they come.
    ///
    /// # Errors
    /// The stream's error.
    pub fn receive_bytes(&mut self, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader.by_ref().take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }

    /// Receives bytes into memory.
    ///
    /// # Errors
    /// The stream's error.
    pub fn receive_into(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.reader.read_exact(bytes)
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

    fn received(bytes: &[u8]) -> io::Result<Vec<u32>> {
        Channel::new(Cursor::new(bytes.to_vec())).receive()
    }

    #[test]
    fn messages_and_arrays_arrive_in_order() {
        let mut sender = Channel::new(Cursor::new(Vec::new()));
        let large = vec![7; MAX_JOINED + 1];
        sender.send(&[1u32, 2], &[b"ab", &large, b"c"]).unwrap();
        sender.send(&[3u32], &[]).unwrap();
        let bytes = sender.stream().get_ref().clone();
        let mut receiver = Channel::new(Cursor::new(bytes));
        assert_eq!(receiver.receive::<Vec<u32>>().unwrap(), [1, 2]);
        assert_eq!(receiver.receive_bytes(2).unwrap(), b"ab");
        let mut array = vec![0; large.len()];
        receiver.receive_into(&mut array).unwrap();
        assert_eq!(array, large);
        assert!(receiver.has_more());
        assert_eq!(receiver.receive_bytes(1).unwrap(), b"c");
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
        // The memory of a claimed length is not allocated before the bytes come.
        let mut claimed = Channel::new(Cursor::new(vec![0; 3]));
        assert_eq!(claimed.receive_bytes(1 << 60).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }
}
