//! Memory of parent and child for arrays that are too large for the socket.
//!
//! Both sides copy into it and out of it by reads and writes at offsets, and never map it: the
//! other side may change it at any time.

use rustix::fs::{FallocateFlags, MemfdFlags, SealFlags, fallocate, fcntl_add_seals, memfd_create};
use std::{
    fs::File,
    io,
    os::{fd::OwnedFd, unix::fs::FileExt},
};

/// Memory of a fixed size, none of which is used before it is written.
#[derive(Debug)]
pub struct SharedMemory {
    file: File,
}

impl SharedMemory {
    /// # Errors
    /// The system's error.
    pub fn new(size: u64) -> io::Result<Self> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = File::from(memfd_create("hloom-sandbox", flags)?);
        file.set_len(size)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(Self { file })
    }

    /// The descriptor for the other side.
    ///
    /// # Errors
    /// The system's error.
    pub fn descriptor(&self) -> io::Result<OwnedFd> {
        Ok(self.file.try_clone()?.into())
    }

    /// # Errors
    /// The bytes go beyond the end.
    pub fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    /// # Errors
    /// The bytes go beyond the end.
    pub fn read(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(bytes, offset)
    }

    /// Returns all of it to the system.
    pub fn clear(&self, size: u64) {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        // Memory that is not returned now is used again, and returned with the sandbox.
        let _ = fallocate(&self.file, flags, 0, size);
    }
}

impl From<OwnedFd> for SharedMemory {
    fn from(descriptor: OwnedFd) -> Self {
        Self { file: descriptor.into() }
    }
}
