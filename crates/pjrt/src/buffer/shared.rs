//! Memory that host and device share.

use crate::Element;
use crate::aligned::AlignedVec;
use crate::buffer::memory_view::{MemoryPlace, view};
use crate::buffer::usage::{Lost, Usage};
use crate::client::Client;
use crate::{Buffer, Device, Error, Result, Spec};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

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
        let on_host = |name: &str| matches!(name, "cpu" | "host" | "Host");
        if !on_host(self.platform_name()) {
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
        // is written to only by `SharedBuffer::write`, when nothing on the device uses it.
        let mut buffer = unsafe { view(&self.inner, start.cast(), &spec, place, release) }?;
        let usage = Arc::<Usage>::default();
        buffer.usage = Some(Arc::clone(&usage));
        Ok(SharedBuffer { buffer, usage, shared })
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
        self.buffer.begin_view("reading shared memory")?;
        Ok(SharedRead { owner: self })
    }

    /// The elements for writing, as soon as no execution or copy reads them any more.
    ///
    /// # Errors
    /// The buffer was deleted or donated, or the plugin did not report when a use of it ends.
    pub fn write(&mut self) -> Result<SharedWrite<'_, T>> {
        self.buffer.check_alive("writing shared memory")?;
        self.check_process()?;
        self.usage.wait()?;
        Ok(SharedWrite { owner: self })
    }

    /// In a forked process, uses of the memory never end.
    fn check_process(&self) -> Result<()> {
        self.buffer.api().check_process("PJRT_Event_Await")
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
        self.check_process()?;
        self.usage.wait()?;
        self.buffer.destroy()?;
        let released = self.shared.released.lock().unwrap_or_else(PoisonError::into_inner);
        let released = self.shared.changed.wait_while(released, |released| !*released);
        drop(released.unwrap_or_else(PoisonError::into_inner));
        let mut shared = self.shared;
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

/// The elements of a [`SharedBuffer`].
#[derive(Debug)]
pub struct SharedRead<'a, T: Element> {
    owner: &'a SharedBuffer<T>,
}

impl<T: Element> Deref for SharedRead<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.owner.shared.memory
    }
}

impl<T: Element> Drop for SharedRead<'_, T> {
    fn drop(&mut self) {
        self.owner.buffer.end_view();
    }
}

/// The elements of a [`SharedBuffer`], for writing.
#[derive(Debug)]
pub struct SharedWrite<'a, T: Element> {
    owner: &'a mut SharedBuffer<T>,
}

impl<T: Element> Deref for SharedWrite<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.owner.shared.memory
    }
}

impl<T: Element> DerefMut for SharedWrite<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let memory = &self.owner.shared.memory;
        // SAFETY: the memory of the vector, whose other owner (the view) never touches it; the
        // buffer is borrowed exclusively, and nothing on the device uses it.
        unsafe { std::slice::from_raw_parts_mut(memory.start().as_ptr(), memory.len()) }
    }
}
