//! Buffers whose bytes arrive in parts.

use super::{Buffer, ranges::check_range};
use crate::{
    Error, NamedSharding, Placement, Platform, Result,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::{Shape, Spec};
use hloom_pjrt::AlignedVec;
use std::{fmt, ops::Range};

/// A buffer that becomes a [`Buffer`] once every byte of it has been written.
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// # fn main() -> Result<()> {
/// # let platform = Platform::cpu()?;
/// let mut buffer = Buffer::uninit(&platform, Spec::u8([("byte", 6)]))?;
/// buffer.copy_from_host(4, &[5, 6])?;
/// buffer.copy_from_host(0, &[1, 2, 3, 4])?;
/// assert_eq!(buffer.finish()?.to_vec::<u8>()?, [1, 2, 3, 4, 5, 6]);
/// # Ok(()) }
/// ```
///
/// The bytes are collected in host memory, which a device that uses host memory takes over without
/// a copy.
pub struct UninitBuffer {
    shape: Shape,
    platform: Platform,
    sharding: Option<NamedSharding>,
    bytes: AlignedVec<u8>,
    /// The ranges that have not been written, in increasing order.
    missing: Vec<Range<usize>>,
}

impl Buffer {
    /// A buffer without contents, to be filled in parts; over a mesh, sharded according to the
    /// spec.
    ///
    /// # Errors
    /// The spec is invalid or does not match the mesh, or the host is out of memory.
    pub fn uninit<'a>(to: impl Into<Placement<'a>>, spec: impl Into<Spec>) -> Result<UninitBuffer> {
        let (to, spec) = (to.into(), spec.into());
        if let Some(error) = spec.error() {
            return Err(error.into());
        }
        let shape = spec.shape();
        let sharding = to.sharding(&shape, spec.partition_spec())?;
        let bytes = AlignedVec::zeroed(shape.byte_size());
        let bytes = bytes.map_err(Error::plugin(format!("a buffer of {shape}")))?;
        let missing = Vec::from_iter(Some(0..shape.byte_size()).filter(|all| !all.is_empty()));
        Ok(UninitBuffer { shape, platform: to.platform().clone(), sharding, bytes, missing })
    }
}

impl UninitBuffer {
    /// The shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The ranges of bytes that have not been written, in increasing order.
    pub fn missing(&self) -> &[Range<usize>] {
        &self.missing
    }

    /// Writes bytes in host layout, from `offset` on; later bytes replace earlier ones. No bytes
    /// have no effect.
    ///
    /// # Errors
    /// The range exceeds the buffer.
    pub fn copy_from_host(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        let written = check_range(offset, bytes.len(), self.bytes.len())
            .map_err(|message| self.error(message))?;
        if written.is_empty() {
            return Ok(());
        }
        self.bytes[written.clone()].copy_from_slice(bytes);
        let parts = self.missing.drain(..).flat_map(|range| {
            [range.start..range.end.min(written.start), range.start.max(written.end)..range.end]
        });
        self.missing = parts.filter(|part| !part.is_empty()).collect();
        Ok(())
    }

    /// The buffer.
    ///
    /// # Errors
    /// Some bytes have not been written (the error lists their ranges), or the plugin is out of
    /// memory.
    pub fn finish(self) -> Result<Buffer> {
        if let [first, rest @ ..] = &self.missing[..] {
            let more = match rest.len() {
                0 => String::new(),
                count => format!(" and {count} more ranges"),
            };
            let message =
                format!("bytes {} to {}{more} have not been written", first.start, first.end - 1);
            return Err(self.error(message));
        }
        let shape = self.shape;
        match &self.sharding {
            Some(sharding) => Buffer::from_bytes(sharding, shape, &self.bytes),
            None => {
                let dims = dims_i64(shape);
                let memory = self.platform.client().host_buffer(to_pjrt(shape.dtype()), &dims);
                Buffer::wrap(shape, memory.zero_copy_mut(self.bytes).map(|(memory, _)| memory))
            }
        }
    }

    fn error(&self, message: String) -> Error {
        Error::ByteRange { shape: Box::new(self.shape), message }
    }
}

impl fmt::Debug for UninitBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing: usize = self.missing.iter().map(ExactSizeIterator::len).sum();
        write!(f, "UninitBuffer({}, {missing} of {} bytes missing)", self.shape, self.bytes.len())
    }
}
