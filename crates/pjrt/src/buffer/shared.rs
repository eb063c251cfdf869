//! Memory that host and device share.

use crate::{
    Buffer, Device, Element, Error, Result, Spec,
    aligned::AlignedVec,
    buffer::{
        memory_view::{MemoryPlace, view},
        usage::{Lost, Usage},
    },
    client::Client,
    execute::nested,
};
use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Condvar, Mutex, PoisonError},
};

/// A buffer over memory of the host that the program reads and writes without copies, on devices
/// that use the host's memory (the CPU).
///
/// [`read`](Self::read) and [`write`](Self::write) return the elements. Writing takes the buffer
/// exclusively and waits for the executions and copies that still read it, so that a device never
/// sees half-written values. A shared buffer that was donated to an execution can be neither read
/// nor written any more: its memory belongs to the result.
///
/// ```no_run
/// # use hloom_pjrt::*;
/// # fn f(client: Client, executable: LoadedExecutable) -> Result<()> {
/// let mut shared = client.shared_buffer(AlignedVec::<f32>::zeroed(2)?, &[2], None)?;
/// for step in 0..3 {
///     shared.write()?.fill(step as f32);
///     let results = executable.execute(&[shared.buffer()], &ExecuteOptions::new())?;
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct SharedBuffer<T: Element> {
    buffer: Buffer,
    memory: SharedMemory<T>,
}

/// The memory of a [`SharedBuffer`] apart from its buffer, for owners of buffers that keep them in
/// places of their own: an exclusive reference to the buffer shows that nobody else can use it.
#[derive(Debug)]
pub struct SharedMemory<T: Element> {
    usage: Arc<Usage>,
    shared: Arc<Shared<T>>,
}

/// The memory, which the buffer's view keeps alive too.
struct Shared<T: Element> {
    memory: AlignedVec<T>,
    released: Mutex<bool>,
    changed: Condvar,
}

impl From<Lost> for Error {
    fn from(_: Lost) -> Self {
        Self::argument(
            "shared memory stays in use: the plugin did not report when an execution or copy ends",
        )
    }
}

impl<T: Element> std::fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("len", &self.memory.len()).finish_non_exhaustive()
    }
}

/// The view's share of the memory; dropped when the plugin releases it.
struct Release<T: Element>(Arc<Shared<T>>);

impl<T: Element> Drop for Release<T> {
    fn drop(&mut self) {
        *self.0.released.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.changed.notify_all();
    }
}

impl Client {
    /// Whether the devices use the host's memory, so that buffers can be shared with it.
    pub fn uses_host_memory(&self) -> bool {
        self.platform_kind().uses_host_memory()
    }

    /// A buffer of these dimensions over `memory`, on a device that uses the host's memory
    /// (default: the first addressable one).
    ///
    /// # Errors
    /// The number of elements does not match the dimensions, the device does not use the host's
    /// memory, or the plugin's error.
    pub fn shared_buffer<T: Element>(
        &self,
        memory: AlignedVec<T>,
        dims: &[i64],
        device: Option<&Device>,
    ) -> Result<SharedBuffer<T>> {
        let spec = Spec::new(T::DTYPE, dims);
        let expected = spec.element_count()?;
        if memory.len() != expected {
            let what = format!("elements of memory shared as {spec}");
            return Err(Error::size(what, expected, memory.len()));
        }
        if T::DTYPE.bits().is_none_or(|bits| bits < 8) {
            let message = format!("memory shared as {spec}: the device packs such elements");
            return Err(Error::argument(message));
        }
        if !self.uses_host_memory() {
            return Err(Error::argument(format!(
                "devices of platform {} do not use the host's memory",
                self.platform_name()
            )));
        }
        let start = memory.start().as_ptr();
        let (released, changed) = Default::default();
        let shared = Arc::new(Shared { memory, released, changed });
        let place = MemoryPlace { device, ..MemoryPlace::default() };
        let release = Release(Arc::clone(&shared));
        // SAFETY: the memory lives until `release` is dropped, is as large as the spec says, and
        // is written to only by `SharedMemory::write`, when nothing on the device uses it.
        let mut buffer = unsafe { view(&self.inner, start.cast(), &spec, place, release) }?;
        let usage = Arc::<Usage>::default();
        buffer.usage = Some(Arc::clone(&usage));
        Ok(SharedBuffer { buffer, memory: SharedMemory { usage, shared } })
    }
}

impl<T: Element> SharedBuffer<T> {
    /// The buffer, to pass to executions.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The elements. While the guard lives, the buffer cannot be donated or deleted.
    ///
    /// # Errors
    /// The buffer was deleted or donated.
    pub fn read(&self) -> Result<SharedRead<'_, T>> {
        self.memory.read(&self.buffer)
    }

    /// The elements for writing, as soon as no execution or copy reads them any more.
    ///
    /// # Errors
    /// The buffer was deleted or donated, or the plugin did not report when a use of it ends.
    pub fn write(&mut self) -> Result<SharedWrite<'_, T>> {
        self.memory.write(&mut self.buffer)
    }

    /// The buffer and its memory.
    pub fn into_parts(self) -> (Buffer, SharedMemory<T>) {
        (self.buffer, self.memory)
    }

    /// Returns the buffer; the memory then lives as long as the buffer does.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// Drops the buffer and returns the memory, as soon as nothing uses it any more.
    ///
    /// # Errors
    /// The buffer was donated: its memory belongs to a result. Or the plugin did not report when a
    /// use of it ends, or cannot destroy the buffer: the memory is freed when the plugin releases
    /// it.
    pub fn into_memory(self) -> Result<AlignedVec<T>> {
        if self.buffer.is_donated() {
            return Err(Error::Donated { what: "taking shared memory back".to_owned() });
        }
        check_process(&self.buffer)?;
        check_uses(&self.buffer, &self.memory.usage)?;
        self.memory.usage.wait()?;
        self.buffer.destroy()?;
        let shared = &self.memory.shared;
        let released = shared.released.lock().unwrap_or_else(PoisonError::into_inner);
        let released = shared.changed.wait_while(released, |released| !*released);
        drop(released.unwrap_or_else(PoisonError::into_inner));
        let mut shared = self.memory.shared;
        loop {
            // The plugin drops its share a moment after it reports that.
            match Arc::try_unwrap(shared) {
                Ok(shared) => return Ok(shared.memory),
                Err(other) => shared = other,
            }
            std::thread::yield_now();
        }
    }
}

impl<T: Element> SharedMemory<T> {
    /// The elements: see [`SharedBuffer::read`].
    ///
    /// # Errors
    /// It is not the memory of this buffer, or as for [`SharedBuffer::read`].
    pub fn read<'a>(&'a self, buffer: &'a Buffer) -> Result<SharedRead<'a, T>> {
        self.check_buffer(buffer)?;
        buffer.begin_view("reading shared memory")?;
        Ok(SharedRead { buffer, memory: &self.shared.memory })
    }

    /// The elements for writing: see [`SharedBuffer::write`].
    ///
    /// # Errors
    /// It is not the memory of this buffer, or as for [`SharedBuffer::write`].
    pub fn write<'a>(&'a mut self, buffer: &'a mut Buffer) -> Result<SharedWrite<'a, T>> {
        self.check_buffer(buffer)?;
        buffer.check_alive("writing shared memory")?;
        check_process(buffer)?;
        check_uses(buffer, &self.usage)?;
        self.usage.wait()?;
        Ok(SharedWrite { memory: &self.shared.memory, _buffer: buffer })
    }

    fn check_buffer(&self, buffer: &Buffer) -> Result<()> {
        if buffer.usage.as_ref().is_some_and(|usage| Arc::ptr_eq(usage, &self.usage)) {
            Ok(())
        } else {
            Err(Error::argument("shared memory and a buffer that is not over it"))
        }
    }
}

/// A handler may be called by a program that uses the memory.
fn check_uses(buffer: &Buffer, usage: &Usage) -> Result<()> {
    nested::check_idle(&buffer.client, || usage.is_idle())
}

/// In a forked process, uses of the memory never end.
fn check_process(buffer: &Buffer) -> Result<()> {
    buffer.api().check_process("PJRT_Event_Await")
}

/// The elements of a [`SharedBuffer`].
#[derive(Debug)]
pub struct SharedRead<'a, T: Element> {
    buffer: &'a Buffer,
    memory: &'a AlignedVec<T>,
}

impl<T: Element> Deref for SharedRead<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.memory
    }
}

impl<T: Element> Drop for SharedRead<'_, T> {
    fn drop(&mut self) {
        self.buffer.end_view();
    }
}

/// The elements of a [`SharedBuffer`], for writing.
#[derive(Debug)]
pub struct SharedWrite<'a, T: Element> {
    memory: &'a AlignedVec<T>,
    /// Nobody else uses it meanwhile.
    _buffer: &'a mut Buffer,
}

impl<T: Element> Deref for SharedWrite<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.memory
    }
}

impl<T: Element> DerefMut for SharedWrite<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the memory of the vector, whose other owner (the view) never touches it; the
        // memory and its buffer are borrowed exclusively, and nothing on the device uses it.
        unsafe { std::slice::from_raw_parts_mut(self.memory.start().as_ptr(), self.memory.len()) }
    }
}
