//! Reading and replacing parts of a buffer, by offsets in bytes.

use super::{Buffer, Memory};
use crate::{Error, Result, callback::Outcome};
use std::ops::Range;

impl Buffer {
    /// Copies bytes in host layout, from `offset` on, to `bytes`. Waits for the elements. No bytes
    /// are copied without effect.
    ///
    /// Where the plugin cannot read a part of a tensor in host layout, the whole tensor is read.
    ///
    /// # Errors
    /// The range exceeds the buffer, or as [`to_bytes`](Self::to_bytes).
    pub fn copy_to_host(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        let range = self.range(offset, bytes.len())?;
        if range.is_empty() {
            return Ok(());
        }
        match &self.memory {
            Memory::Single(memory) if is_host_layout(self, memory) => {
                memory.read_raw(offset, bytes).map_err(self.failed("reading"))?;
                Outcome::check(self.record.as_deref())?;
            }
            _ => bytes.copy_from_slice(&self.to_bytes()?[range]),
        }
        Ok(())
    }

    /// The buffer with other bytes from `offset` on, in host layout. Waits for the elements.
    ///
    /// Plugins do not write into the buffers of programs, so that the bytes are copied through the
    /// host; no bytes are the same buffer. [`SharedBuffer`](crate::SharedBuffer) is written in
    /// place, and [`UninitBuffer`](crate::UninitBuffer) takes its first bytes in parts.
    ///
    /// # Errors
    /// The range exceeds the buffer, or as [`to_bytes`](Self::to_bytes) and
    /// [`from_bytes`](Self::from_bytes).
    pub fn copy_from_host(self, offset: usize, bytes: &[u8]) -> Result<Buffer> {
        let range = self.range(offset, bytes.len())?;
        if range.is_empty() {
            return Ok(self);
        }
        let mut all = self.to_bytes()?;
        all[range].copy_from_slice(bytes);
        if let Some(sharding) = self.sharding() {
            return Buffer::from_bytes(sharding, self.shape(), &all);
        }
        let device = self.as_pjrt().device().map_err(self.failed("a buffer of"))?;
        let client = self.as_pjrt().client();
        let (dtype, dims) = (self.as_pjrt().dtype(), self.as_pjrt().dims());
        let memory = client.host_buffer(dtype, dims).on_device(&device).copy(&all);
        Buffer::wrap(self.shape(), memory)
    }

    /// The range of bytes, if the buffer has it.
    fn range(&self, offset: usize, count: usize) -> Result<Range<usize>> {
        check_range(offset, count, self.shape().byte_size())
            .map_err(|message| Error::ByteRange { shape: Box::new(self.shape()), message })
    }
}

/// The range of bytes of a buffer of `size` bytes.
pub(super) fn check_range(
    offset: usize,
    count: usize,
    size: usize,
) -> Result<Range<usize>, String> {
    match offset.checked_add(count) {
        Some(end) if end <= size => Ok(offset..end),
        _ => Err(format!("{count} bytes from byte {offset} on exceed its {size} bytes")),
    }
}

/// Whether the bytes on the device are those of the host layout.
fn is_host_layout(buffer: &Buffer, memory: &hloom_pjrt::Buffer) -> bool {
    let dtype = buffer.shape().stored().dtype();
    let is_whole = dtype.bits() >= 8 && dtype != hloom_graph::DType::Bool;
    let size = buffer.shape().byte_size();
    is_whole
        && memory.client().uses_host_memory()
        && memory.on_device_size().is_ok_and(|on_device| on_device == size)
        && memory.layout().is_ok_and(|layout| layout.is_none_or(|layout| layout.is_row_major()))
}
