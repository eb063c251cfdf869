//! Executions with pointers that the caller keeps.

use crate::execute::frame::Frame;
use crate::{Buffer, Error, Event, ExecuteContext, ExecuteOptions, LoadedExecutable, Result, sys};
use std::ffi::CString;
use std::ptr::NonNull;
use std::sync::Arc;

/// The arguments and results of a program as plain pointers, kept between executions.
///
/// For callers that check their arguments themselves, and execute the same program again and
/// again with most arguments the same: options are set once, arguments stay until they are
/// replaced, and an execution does nothing but the call. It allocates nothing.
///
/// ```no_run
/// # use hloom_pjrt::*;
/// # fn f(executable: LoadedExecutable, weights: Buffer, token: Buffer) -> Result<()> {
/// let mut slots = executable.slots(2)?;
/// slots.configure(&ExecuteOptions::new())?;
/// slots.set(0, 0, &weights)?;
/// slots.set(0, 1, &token)?;
/// // SAFETY: both buffers live longer than the call.
/// unsafe { slots.execute()? };
/// let result = slots.take_output(0, 0)?;
/// # Ok(()) }
/// ```
pub struct Slots {
    executable: LoadedExecutable,
    frame: Box<Frame>,
    with_events: bool,
    context: Option<ExecuteContext>,
    location: Option<CString>,
}

impl LoadedExecutable {
    /// Slots for this number of arguments on each device, with default options.
    ///
    /// # Errors
    /// The program takes another number of arguments, or as for [`Slots::configure`].
    pub fn slots(&self, arguments: usize) -> Result<Slots> {
        let devices = self.num_devices();
        let count = arguments.checked_mul(devices);
        let count = count.ok_or_else(|| Error::argument("too many arguments"))?;
        let width = self.width(count, devices)?;
        let mut slots = Slots {
            executable: self.clone(),
            frame: self.inner.frame(devices, width),
            with_events: false,
            context: None,
            location: None,
        };
        slots.configure(&ExecuteOptions::new())?;
        Ok(slots)
    }
}

impl Slots {
    /// Sets the options of all executions to come. The caller must keep track of donations: see
    /// [`Buffer::mark_donated`].
    ///
    /// # Errors
    /// Device or context belong to another client, or the donation names arguments that do not
    /// exist.
    pub fn configure(&mut self, options: &ExecuteOptions<'_>) -> Result<()> {
        options.donation.check(self.frame.width)?;
        let location = options.call_location.map(ToOwned::to_owned);
        let mut owned = *options;
        owned.call_location = location.as_deref();
        self.executable.set_options(&mut self.frame, &owned)?;
        self.context = options.context.cloned();
        self.location = location;
        Ok(())
    }

    /// Sets whether executions return an event for the end of the program on each device.
    pub fn with_events(&mut self, with_events: bool) {
        self.with_events = with_events;
    }

    /// The program.
    pub fn executable(&self) -> &LoadedExecutable {
        &self.executable
    }

    /// The number of devices.
    pub fn num_devices(&self) -> usize {
        self.frame.devices
    }

    /// The number of arguments on each device.
    pub fn num_arguments(&self) -> usize {
        self.frame.width
    }

    /// Sets an argument, which must live until the executions that use it are launched.
    ///
    /// # Errors
    /// There is no such device or argument, or the buffer belongs to another client, was deleted or
    /// donated. The caller must check type and dimensions.
    pub fn set(&mut self, device: usize, index: usize, argument: &Buffer) -> Result<()> {
        let what =
            || format!("argument {index} on device {device} of `{}`", self.executable.name());
        if device >= self.frame.devices || index >= self.frame.width {
            return Err(Error::argument(format!("{}: there is none", what())));
        }
        if !Arc::ptr_eq(&argument.client, &self.executable.inner.client) {
            return Err(Error::ForeignClient { what: what() });
        }
        argument.check_alive_with(what)?;
        self.frame.arguments[device * self.frame.width + index] = argument.as_ptr();
        Ok(())
    }

    /// The pointers of the arguments: those of the first device, then those of the second, and so
    /// on. Null where none was set.
    pub fn arguments_mut(&mut self) -> &mut [*mut sys::PJRT_Buffer] {
        &mut self.frame.arguments
    }

    /// Launches the program. Results of the last execution that were not taken are dropped.
    ///
    /// # Errors
    /// The plugin's error; or an argument is not set. There are then no results.
    ///
    /// # Safety
    /// Every argument is a buffer of the same client that is alive until this returns, and nobody
    /// destroys or donates one meanwhile. If the memory of an argument is shared with the host
    /// ([`SharedBuffer`](crate::SharedBuffer)), nobody writes to it before the execution has ended.
    /// Donated arguments are not used again.
    #[inline]
    pub unsafe fn execute(&mut self) -> Result<()> {
        self.drop_results();
        self.executable.check_alive()?;
        if self.frame.arguments.iter().any(|argument| argument.is_null()) {
            return Err(Error::argument(format!(
                "an argument of `{}` is not set",
                self.executable.name()
            )));
        }
        let with_events = self.with_events || self.context.is_some();
        let inner = &*self.executable.inner;
        // SAFETY: the arguments are set; the caller answers for them.
        let outcome = unsafe { self.frame.launch(&inner.client, &inner.name, with_events) };
        if outcome.is_err() {
            // Pointers that a failed call wrote there are meaningless.
            self.frame.outputs.fill(std::ptr::null_mut());
            self.frame.events.fill(std::ptr::null_mut());
        } else if self.context.is_some() {
            self.hold_context()?;
        }
        outcome
    }

    /// Takes a result of the last execution.
    ///
    /// # Errors
    /// There is no such result, or it was taken.
    #[inline]
    pub fn take_output(&mut self, device: usize, index: usize) -> Result<Buffer> {
        let inner = &self.executable.inner;
        let count = inner.outputs.len();
        let slot = if device < self.frame.devices && index < count {
            self.frame.outputs.get_mut(device * count + index)
        } else {
            None
        };
        match slot.and_then(|slot| NonNull::new(std::mem::replace(slot, std::ptr::null_mut()))) {
            Some(raw) => {
                // SAFETY: a buffer of the last execution that belongs to us, of the type that the
                // executable reports.
                Ok(unsafe { Buffer::new(&inner.client, raw, Arc::clone(&inner.outputs[index])) })
            }
            None => Err(Error::argument(format!(
                "result {index} on device {device} of `{}`: PJRT_LoadedExecutable_Execute \
                 returned none, or it was taken",
                self.executable.name()
            ))),
        }
    }

    /// Takes the event for the end of the last execution on a device, if [`Slots::with_events`] was
    /// set.
    ///
    /// # Errors
    /// There is no such event, or it was taken.
    pub fn take_event(&mut self, device: usize) -> Result<Event> {
        let slot = self.frame.events.get_mut(device);
        let raw = slot.map_or(std::ptr::null_mut(), |s| std::mem::replace(s, std::ptr::null_mut()));
        match NonNull::new(raw) {
            // SAFETY: an event of the last execution that belongs to us.
            Some(raw) => Ok(unsafe { Event::new(Arc::clone(&self.executable.inner.client), raw) }),
            None => Err(Error::argument(format!(
                "event of device {device} of `{}`: PJRT_LoadedExecutable_Execute returned none, \
                 or it was taken",
                self.executable.name()
            ))),
        }
    }

    /// Keeps the context until the execution has ended.
    fn hold_context(&mut self) -> Result<()> {
        for device in 0..self.frame.devices {
            let event = self.take_event(device)?;
            let context = self.context.clone();
            if event.on_ready(move |_| drop(context)).is_err() {
                let _ = event.wait_for_end();
            }
            if self.with_events {
                self.frame.events[device] = event.into_raw();
            }
        }
        Ok(())
    }

    fn drop_results(&mut self) {
        let outputs = self.executable.inner.outputs.len();
        for slot in 0..self.frame.outputs.len() {
            if !self.frame.outputs[slot].is_null() {
                drop(self.take_output(slot / outputs, slot % outputs));
            }
        }
        for device in 0..self.frame.devices {
            if !self.frame.events[device].is_null() {
                drop(self.take_event(device));
            }
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        self.drop_results();
    }
}

impl std::fmt::Debug for Slots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slots")
            .field("executable", &self.executable)
            .field("devices", &self.frame.devices)
            .field("arguments", &self.frame.width)
            .finish_non_exhaustive()
    }
}
