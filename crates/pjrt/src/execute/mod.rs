//! Execution of compiled programs.
//!
//! An execution passes arrays of pointers to the plugin. They are kept with the executable in
//! frames and used again, so that an execution allocates nothing here but the vector of its
//! results, and nothing at all with [`LoadedExecutable::execute_into`]. Types, dimensions and
//! client of an argument are checked by one comparison of pointers: see [`Spec`](crate::Spec).

pub(crate) mod array;
pub(crate) mod caller_launches;
pub(crate) mod context;
pub(crate) mod frame;
pub(crate) mod free_list;
pub(crate) mod launch_scope;
pub(crate) mod launches;
pub(crate) mod nested;
pub(crate) mod options;

use crate::{
    Buffer, Donation, Error, Event, ExecuteOptions, LoadedExecutable, Result,
    buffer::destination::Destination, execute::frame::Frame,
};
use std::{ptr::NonNull, sync::Arc};

const FUNCTION: &str = "PJRT_LoadedExecutable_Execute";

/// A launched execution on one or several devices.
#[derive(Debug)]
#[non_exhaustive]
pub struct Execution {
    /// The results, for each device in the order of [`LoadedExecutable::devices`].
    pub outputs: Vec<Vec<Buffer>>,
    /// For each device, the event for the end of the program there.
    pub complete: Vec<Event>,
}

impl LoadedExecutable {
    /// Launches the program on its device and returns its results, which may not exist yet.
    ///
    /// Errors of the running program are returned when the results are waited for or read.
    ///
    /// # Errors
    /// The number of arguments, or the type or dimensions of one, are not those of the program; an
    /// argument was deleted or donated, is lent to a view, or belongs to another client; the
    /// program runs on several devices; or the plugin's error.
    ///
    /// # Examples
    /// ```no_run
    /// # use hloom_pjrt::*;
    /// # fn f(executable: LoadedExecutable, a: Buffer, b: Buffer) -> Result<()> {
    /// let results = executable.execute(&[&a, &b], &ExecuteOptions::new())?;
    /// // `a` may be taken over:
    /// let options = ExecuteOptions::new().donate(Donation::Indices(&[0]));
    /// let results = executable.execute(&[&a, &b], &options)?;
    /// # Ok(()) }
    /// ```
    pub fn execute(
        &self,
        arguments: &[&Buffer],
        options: &ExecuteOptions<'_>,
    ) -> Result<Vec<Buffer>> {
        let mut outputs = Vec::with_capacity(self.inner.outputs.len());
        self.execute_into(arguments.iter().copied(), options, &mut outputs)?;
        Ok(outputs)
    }

    /// Like [`LoadedExecutable::execute`] on any number of devices, with results appended to a
    /// vector: allocates nothing if the vector has room.
    ///
    /// Arguments and results are those of the first device, then those of the second, and so on.
    ///
    /// # Errors
    /// As for [`LoadedExecutable::execute`]; the vector is then unchanged.
    pub fn execute_into<'b, I>(
        &self,
        arguments: I,
        options: &ExecuteOptions<'_>,
        outputs: &mut Vec<Buffer>,
    ) -> Result<()>
    where
        I: IntoIterator<Item = &'b Buffer>,
        I::IntoIter: ExactSizeIterator,
    {
        self.run(arguments.into_iter(), options, outputs, None)
    }

    /// Launches the program on its devices: `arguments[device][argument]`.
    ///
    /// # Errors
    /// As for [`LoadedExecutable::execute`], or the devices have different numbers of arguments.
    pub fn execute_sharded(
        &self,
        arguments: &[&[&Buffer]],
        options: &ExecuteOptions<'_>,
    ) -> Result<Execution> {
        if arguments.len() != self.num_devices() {
            let what = format!("devices with arguments of `{}`", self.name());
            return Err(Error::size(what, self.num_devices(), arguments.len()));
        }
        let width = arguments.first().map_or(0, |list| list.len());
        if let Some(list) = arguments.iter().find(|list| list.len() != width) {
            return Err(Error::size("arguments on each device", width, list.len()));
        }
        let all: Vec<&Buffer> = arguments.iter().copied().flatten().copied().collect();
        let mut outputs = Vec::with_capacity(arguments.len() * self.inner.outputs.len());
        let mut complete = Vec::with_capacity(arguments.len());
        self.run(all.iter().copied(), options, &mut outputs, Some(&mut complete))?;
        let mut outputs = outputs.into_iter();
        let split = |_| outputs.by_ref().take(self.inner.outputs.len()).collect();
        Ok(Execution { outputs: (0..arguments.len()).map(split).collect(), complete })
    }

    fn run<'b>(
        &self,
        arguments: impl ExactSizeIterator<Item = &'b Buffer>,
        options: &ExecuteOptions<'_>,
        outputs: &mut Vec<Buffer>,
        complete: Option<&mut Vec<Event>>,
    ) -> Result<()> {
        let inner = &*self.inner;
        self.check_alive()?;
        let devices = self.num_devices();
        let width = self.width(arguments.len(), devices)?;
        options.donation.check(width)?;
        let fits = |frame: &Frame| frame.devices == devices && frame.width == width;
        let mut frame = match inner.frames.take() {
            Some(frame) if fits(&frame) => frame,
            _ => inner.frame(devices, width),
        };
        let before = outputs.len();
        let outcome = self.run_in(&mut frame, arguments, options, outputs, complete);
        inner.frames.put(frame);
        if outcome.is_err() {
            outputs.truncate(before);
        }
        outcome
    }

    /// The number of arguments on each device.
    fn width(&self, count: usize, devices: usize) -> Result<usize> {
        let expected = match self.signature() {
            Some(signature) => signature.parameters.len() * devices,
            None => count - count % devices,
        };
        if count != expected {
            let what = format!("arguments of `{}` on {devices} devices", self.name());
            return Err(Error::size(what, expected, count));
        }
        Ok(count / devices)
    }

    fn run_in<'b>(
        &self,
        frame: &mut Frame,
        arguments: impl Iterator<Item = &'b Buffer>,
        options: &ExecuteOptions<'_>,
        outputs: &mut Vec<Buffer>,
        complete: Option<&mut Vec<Event>>,
    ) -> Result<()> {
        let inner = &*self.inner;
        let client = &inner.client;
        let shared = self.set_arguments(frame, arguments)?;
        self.set_options(frame, options)?;
        let (start, len) = (frame.handles.as_ptr(), frame.handles.len());
        // SAFETY: all handles were set just now from references that live for `'b`, and nothing
        // writes there before the end of this execution. The iterator is not called a second time:
        // it could return others.
        let arguments: &[&'b Buffer] = unsafe { std::slice::from_raw_parts(start.cast(), len) };
        let donated = Donated::begin(self, arguments, frame.width, options.donation)?;
        let with_events = complete.is_some() || shared || options.context.is_some();
        // SAFETY: the arguments are borrowed, and checked to be alive.
        unsafe { frame.launch(client, &inner.name, with_events) }?;
        donated.commit();
        outputs.reserve(frame.outputs.len());
        let specs = inner.outputs.iter().cycle();
        let mut missing = false;
        for (&raw, spec) in frame.outputs.iter().zip(specs) {
            match NonNull::new(raw) {
                // SAFETY: a new buffer that belongs to us, of the type that the executable reports.
                Some(raw) => outputs.push(unsafe { Buffer::new(client, raw, Arc::clone(spec)) }),
                None => missing = true,
            }
        }
        if with_events {
            self.hold(frame, arguments, options, complete)?;
        }
        if missing { Err(client.api.null_handle(FUNCTION)) } else { Ok(()) }
    }

    /// Checks the arguments and writes their pointers. Returns whether the host shares the memory
    /// of one.
    #[inline]
    fn set_arguments<'b>(
        &self,
        frame: &mut Frame,
        mut arguments: impl Iterator<Item = &'b Buffer>,
    ) -> Result<bool> {
        let parameters = self.signature().map(|signature| &*signature.parameters);
        let slots = frame.arguments.iter_mut().zip(frame.handles.iter_mut());
        let mut shared = false;
        let mut parameter = 0;
        for (slot, handle) in slots {
            // An iterator may be shorter than its `len`.
            let Some(argument) = arguments.next() else {
                return Err(self.wrong_length());
            };
            let fits = match parameters {
                Some(parameters) => Arc::ptr_eq(&argument.spec, &parameters[parameter]),
                None => Arc::ptr_eq(&argument.client, &self.inner.client),
            };
            if !fits || !argument.is_alive() {
                return Err(self.wrong_argument(parameter, argument));
            }
            shared |= argument.usage.is_some();
            *slot = argument.as_ptr();
            *handle = argument;
            parameter += 1;
            if parameter == frame.width {
                parameter = 0;
            }
        }
        match arguments.next() {
            None => Ok(shared),
            Some(_) => Err(self.wrong_length()),
        }
    }

    #[cold]
    fn wrong_length(&self) -> Error {
        Error::argument(format!(
            "the arguments of `{}` are not as many as their iterator reports",
            self.name()
        ))
    }

    #[cold]
    fn wrong_argument(&self, index: usize, argument: &Buffer) -> Error {
        let what = format!("argument {index} of `{}`", self.name());
        if let Err(error) = argument.check_client(&self.inner.client, &what) {
            return error;
        }
        if let Err(error) = argument.check_alive(&what) {
            return error;
        }
        match self.signature().map(|signature| &signature.parameters[index]) {
            Some(spec) if spec.dtype() != argument.dtype() => {
                Error::DType { what, expected: spec.dtype(), found: argument.dtype() }
            }
            Some(spec) => Error::Dimensions {
                what,
                expected: spec.dims().to_vec(),
                found: argument.dims().to_vec(),
            },
            None => Error::argument(format!("{what} cannot be used")),
        }
    }

    fn set_options(&self, frame: &mut Frame, options: &ExecuteOptions<'_>) -> Result<()> {
        let client = &self.inner.client;
        frame.args.execute_device = match options.device {
            Some(device) => {
                device.check_client(client)?;
                device.as_ptr()
            }
            None if self.is_portable() => Destination::default().place(client)?.0,
            None => std::ptr::null_mut(),
        };
        frame.options.context = match options.context {
            Some(context) if !Arc::ptr_eq(context.client_inner(), client) => {
                return Err(Error::ForeignClient { what: "the execute context".to_owned() });
            }
            Some(context) => context.as_ptr(),
            None if self.signature().is_some_and(|signature| !signature.calls_handlers) => {
                std::ptr::null_mut()
            }
            None => client.empty_context,
        };
        frame.has_handlers = options.context.is_some();
        frame.donates = options.donation.is_any();
        frame.options.launch_id = options.launch_id;
        frame.options.call_location =
            options.call_location.map_or(std::ptr::null(), |location| location.as_ptr());
        self.set_kept(frame, options.donation);
        Ok(())
    }

    /// Sets which arguments the plugin must not take over. By default it takes over all that it
    /// can.
    fn set_kept(&self, frame: &mut Frame, donation: Donation<'_>) {
        let donatable = self.signature().and_then(|s| s.donatable.as_deref());
        let kept: &[i64] = match (donatable, donation) {
            (_, Donation::All) | (Some([]), _) => &[],
            (Some(all), Donation::None) => all,
            (Some(all), _) => {
                let keep = |&&index: &&i64| !donation.contains(index as usize);
                frame.kept.clear();
                frame.kept.extend(all.iter().filter(keep));
                &frame.kept
            }
            (None, _) => {
                let keep = |&index: &usize| !donation.contains(index);
                frame.kept.clear();
                frame.kept.extend((0..frame.width).filter(keep).map(|index| index as i64));
                &frame.kept
            }
        };
        frame.options.non_donatable_input_indices = kept.as_ptr();
        frame.options.num_non_donatable_input_indices = kept.len();
    }

    /// Keeps what a running execution needs until it has completed, and returns its events.
    fn hold(
        &self,
        frame: &mut Frame,
        arguments: &[&Buffer],
        options: &ExecuteOptions<'_>,
        mut complete: Option<&mut Vec<Event>>,
    ) -> Result<()> {
        let mut outcome = Ok(());
        for (device, &raw) in frame.events.iter().enumerate() {
            // SAFETY: a new event that belongs to us.
            let event = match unsafe { Event::from_call(&self.inner.client, raw, FUNCTION) } {
                Ok(event) => event,
                Err(error) => {
                    arguments.iter().for_each(|argument| argument.lose_track());
                    outcome = Err(error);
                    continue;
                }
            };
            // Small programs have often ended by now.
            if let Some(context) = options.context
                && !event.is_ready().unwrap_or(false)
            {
                let context = context.clone();
                if event.on_ready(move |_| drop(context)).is_err() {
                    let _ = event.wait_for_end();
                }
            }
            let own = &arguments[device * frame.width..][..frame.width];
            own.iter().for_each(|argument| argument.track(&event));
            if let Some(complete) = &mut complete {
                complete.push(event);
            }
        }
        outcome
    }
}

/// The donated arguments of a launch; the donation is reverted unless the launch happens.
struct Donated<'a> {
    arguments: &'a [&'a Buffer],
    /// The number of leading arguments that were examined.
    marked: usize,
    width: usize,
    donation: Donation<'a>,
}

impl<'a> Donated<'a> {
    #[inline]
    fn begin(
        executable: &LoadedExecutable,
        arguments: &'a [&'a Buffer],
        width: usize,
        donation: Donation<'a>,
    ) -> Result<Self> {
        let mut donated = Self { arguments, marked: 0, width, donation };
        if donation == Donation::None {
            return Ok(donated);
        }
        for (index, argument) in arguments.iter().enumerate() {
            let index = index % width;
            if donation.contains(index) {
                let what = || format!("donation of argument {index} of `{}`", executable.name());
                argument.begin_donation(what)?;
            }
            donated.marked += 1;
        }
        Ok(donated)
    }

    #[inline]
    fn commit(mut self) {
        self.marked = 0;
    }
}

impl Drop for Donated<'_> {
    #[inline]
    fn drop(&mut self) {
        for (index, argument) in self.arguments[..self.marked].iter().enumerate() {
            if self.donation.contains(index % self.width) {
                argument.cancel_donation();
            }
        }
    }
}
