//! Buffers that the host writes in place.

use super::Buffer;
use crate::{Error, Platform, Result, ViewElement, pjrt_types::dims_i64};
use hloom_graph::{IntoDims, Shape};
use hloom_pjrt::{AlignedVec, SharedMemory, SharedRead, SharedWrite};
use std::{
    fmt,
    ops::{Deref, DerefMut},
    sync::Arc,
};

/// A buffer over host memory that the program reads and writes between calls without copies, on
/// devices that use the host's memory (the CPU).
///
/// [`write`](Self::write) waits for the calls that still read the buffer, so that a program never
/// sees half-written values.
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// # fn example(platform: &Platform, exe: Exe<(Spec,), Tensor>) -> Result<()> {
/// let mut frame = SharedBuffer::<f32>::zeros(platform, [("row", 480), ("column", 640)])?;
/// for step in 0..10 {
///     frame.write()?.fill(step as f32);
///     println!("{}", exe.call((frame.buffer(),))?);
/// }
/// # Ok(()) }
/// ```
pub struct SharedBuffer<T: ViewElement> {
    buffer: Buffer,
    memory: SharedMemory<T::Raw>,
}

impl<T: ViewElement> SharedBuffer<T> {
    /// A buffer of zeros on the platform's first device.
    ///
    /// # Errors
    /// The axes are not a valid shape, the platform's devices do not use the host's memory, or
    /// there is no memory left.
    pub fn zeros(platform: &Platform, dims: impl IntoDims) -> Result<SharedBuffer<T>> {
        let shape = Shape::new(T::DTYPE, dims)?;
        let shared = AlignedVec::zeroed(shape.element_count())
            .and_then(|zeros| platform.client().shared_buffer(zeros, &dims_i64(shape), None));
        let shared = shared.map_err(Error::plugin(format!("a shared buffer of {shape}")))?;
        let (buffer, memory) = shared.into_parts();
        Ok(SharedBuffer { buffer: Buffer::from_program(shape, buffer, None), memory })
    }

    /// A buffer with a copy of `values`, in row-major order, on the platform's first device.
    ///
    /// # Errors
    /// The number of values differs from the shape's, or as for [`zeros`](Self::zeros).
    pub fn from_slice(
        platform: &Platform,
        values: &[T],
        dims: impl IntoDims,
    ) -> Result<SharedBuffer<T>> {
        let mut shared = SharedBuffer::zeros(platform, dims)?;
        if values.len() != shared.shape().element_count() {
            return Err(Error::host_data(shared.shape(), values.len(), T::DTYPE));
        }
        shared.write()?.copy_from_slice(values);
        Ok(shared)
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.buffer.shape()
    }

    /// The buffer, to pass to calls.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The elements, in row-major order.
    ///
    /// # Errors
    /// The buffer was deleted.
    pub fn read(&self) -> Result<impl Deref<Target = [T]>> {
        let read = self.memory.read(self.buffer.as_pjrt());
        read.map(Read::<T>).map_err(Error::plugin(format!("reading {:?}", self.buffer)))
    }

    /// The elements for writing, in row-major order, as soon as no call or copy reads them.
    ///
    /// # Errors
    /// An executable has the buffer bound; the buffer was deleted; or the plugin did not report
    /// when a use of it ends.
    pub fn write(&mut self) -> Result<impl DerefMut<Target = [T]>> {
        let shape = self.shape();
        let Some(buffer) = self.buffer.unshared_mut() else {
            return Err(Error::SharedElsewhere { shape: Box::new(shape) });
        };
        let write = self.memory.write(buffer);
        write.map(Write::<T>).map_err(Error::plugin(format!("writing a buffer of {shape}")))
    }

    /// The buffer by itself, for instance to donate it; the memory then lives as long as it does.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }
}

impl Buffer {
    /// The PJRT buffer, if it is on one device and not shared.
    fn unshared_mut(&mut self) -> Option<&mut hloom_pjrt::Buffer> {
        match &mut self.memory {
            super::Memory::Single(memory) => Arc::get_mut(memory),
            super::Memory::Sharded(_) => None,
        }
    }
}

struct Read<'a, T: ViewElement>(SharedRead<'a, T::Raw>);

impl<T: ViewElement> Deref for Read<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        T::view(&self.0)
    }
}

struct Write<'a, T: ViewElement>(SharedWrite<'a, T::Raw>);

impl<T: ViewElement> Deref for Write<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        T::view(&self.0)
    }
}

impl<T: ViewElement> DerefMut for Write<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        T::view_mut(&mut self.0)
    }
}

impl<T: ViewElement> fmt::Debug for SharedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBuffer({})", self.shape())
    }
}
