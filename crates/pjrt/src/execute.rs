//! Execution of compiled programs.
//!
//! An execution passes arrays of pointers to the plugin. They are kept with the executable in
//! frames and used again, so that an execution allocates nothing here but the vector of its
//! results, and nothing at all with [`LoadedExecutable::execute_into`]. Types, dimensions and
//! client of an argument are checked by one comparison of pointers: see [`Spec`](crate::Spec).

use crate::client::ClientInner;
use crate::loaded_executable::Inner;
use crate::{Buffer, Device, Error, Event, ExecuteContext, LoadedExecutable, Result, Spec, sys};
use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

/// How to execute a program.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ExecuteOptions<'a> {
    /// Which arguments the program may take over, on every device.
    pub donation: Donation<'a>,
    /// The device, for a portable executable (default: the first addressable one).
    pub device: Option<&'a Device>,
    /// Data for the program's custom calls.
    pub context: Option<&'a ExecuteContext>,
    /// A number that all processes of a job give to the same launch, so that the plugin can tell
    /// when they launch in different orders; 0 for none.
    pub launch_id: i32,
    /// Where the program is called, for profilers (API 0.76 and later).
    pub call_location: Option<&'a CStr>,
}

/// Which arguments an execution may take over.
///
/// Only parameters that the program was compiled to alias are really reused, but every donated
/// argument is unusable afterwards, so that this does not depend on the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Donation<'a> {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// Those for which the mask, as long as the arguments, is true.
    Mask(&'a [bool]),
    /// Those with these indices.
    Indices(&'a [usize]),
}

impl<'a> ExecuteOptions<'a> {
    /// Default options: no donation.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which arguments may be taken over.
    #[must_use]
    pub fn donate(mut self, donation: Donation<'a>) -> Self {
        self.donation = donation;
        self
    }

    /// Sets the device, for a portable executable.
    #[must_use]
    pub fn on_device(mut self, device: &'a Device) -> Self {
        self.device = Some(device);
        self
    }

    /// Sets the data for custom calls.
    #[must_use]
    pub fn context(mut self, context: &'a ExecuteContext) -> Self {
        self.context = Some(context);
        self
    }

    /// Sets the number of the launch.
    #[must_use]
    pub fn launch_id(mut self, launch_id: i32) -> Self {
        self.launch_id = launch_id;
        self
    }

    /// Sets where the program is called.
    #[must_use]
    pub fn call_location(mut self, location: &'a CStr) -> Self {
        self.call_location = Some(location);
        self
    }
}

impl Donation<'_> {
    #[inline]
    fn contains(self, index: usize) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Mask(mask) => mask.get(index).copied().unwrap_or(false),
            Self::Indices(indices) => indices.contains(&index),
        }
    }

    fn check(self, arguments: usize) -> Result<()> {
        match self {
            Self::Mask(mask) if mask.len() != arguments => {
                Err(Error::size("entries of the donation mask", arguments, mask.len()))
            }
            Self::Indices(indices) => match indices.iter().find(|&&i| i >= arguments) {
                Some(index) => Err(Error::argument(format!(
                    "donation of argument {index}: there are {arguments} arguments"
                ))),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

/// A launched execution on one or several devices.
#[derive(Debug)]
pub struct Execution {
    /// The results, for each device in the order of [`LoadedExecutable::devices`].
    pub outputs: Vec<Vec<Buffer>>,
    /// For each device, the event that the program has ended there.
    pub complete: Vec<Event>,
}

/// The arrays of pointers of one execution.
pub(crate) struct Frame {
    devices: usize,
    /// Per device, the number of arguments.
    width: usize,
    arguments: Box<[*mut sys::PJRT_Buffer]>,
    argument_lists: Box<[*const *mut sys::PJRT_Buffer]>,
    outputs: Box<[*mut sys::PJRT_Buffer]>,
    output_lists: Box<[*mut *mut sys::PJRT_Buffer]>,
    events: Box<[*mut sys::PJRT_Event]>,
    kept: Vec<i64>,
    options: sys::PJRT_ExecuteOptions,
    args: sys::PJRT_LoadedExecutable_Execute_Args,
}

// SAFETY: the pointers mean something only during an execution.
unsafe impl Send for Frame {}

impl Frame {
    pub(crate) fn new(executable: &Inner, devices: usize, width: usize) -> Box<Self> {
        let null = std::ptr::null_mut();
        let outputs = executable.outputs.len();
        let api = executable.client.api;
        let mut frame = Box::new(Self {
            devices,
            width,
            arguments: vec![null; devices * width].into(),
            argument_lists: Box::default(),
            outputs: vec![null; devices * outputs].into(),
            output_lists: Box::default(),
            events: vec![std::ptr::null_mut(); devices].into(),
            kept: Vec::new(),
            options: api.zeroed(),
            args: api.zeroed(),
        });
        let start = frame.arguments.as_ptr();
        frame.argument_lists = (0..devices).map(|d| start.wrapping_add(d * width)).collect();
        let start = frame.outputs.as_mut_ptr();
        frame.output_lists = (0..devices).map(|d| start.wrapping_add(d * outputs)).collect();
        frame.options.use_major_to_minor_data_layout_for_callbacks = true;
        frame.args.executable = executable.raw.as_ptr();
        frame.args.argument_lists = frame.argument_lists.as_ptr();
        frame.args.num_devices = devices;
        frame.args.num_args = width;
        frame.args.output_lists = frame.output_lists.as_ptr();
        frame
    }

    /// Launches with the pointers of this frame.
    ///
    /// # Safety
    /// The arguments are buffers that are alive.
    #[inline]
    unsafe fn launch(&mut self, client: &ClientInner, with_events: bool) -> Result<()> {
        self.outputs.fill(std::ptr::null_mut());
        self.args.device_complete_events = std::ptr::null_mut();
        if with_events {
            self.events.fill(std::ptr::null_mut());
            self.args.device_complete_events = self.events.as_mut_ptr();
        }
        self.args.options = &raw mut self.options;
        // SAFETY: all arrays are as long as the arguments say; the caller answers for the buffers.
        unsafe { client.api.call(&mut self.args) }
    }
}

impl LoadedExecutable {
    /// Launches the program on its device and gives its results, which may not exist yet.
    ///
    /// Errors of the running program show when the results are waited for or read.
    ///
    /// # Errors
    /// The number of arguments, or the type or dimensions of one, are not those of the program; an
    /// argument was deleted or donated, is lent to a view, or belongs to another client; the
    /// program runs on several devices; or the plugin's own.
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
    pub fn execute(&self, arguments: &[&Buffer], options: &ExecuteOptions<'_>) -> Result<Vec<Buffer>> {
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
    /// As for [`LoadedExecutable::execute`]; the vector is then as it was.
    pub fn execute_into<'b, I>(
        &self,
        arguments: I,
        options: &ExecuteOptions<'_>,
        outputs: &mut Vec<Buffer>,
    ) -> Result<()>
    where
        I: IntoIterator<Item = &'b Buffer>,
        I::IntoIter: ExactSizeIterator + Clone,
    {
        self.run(arguments.into_iter(), options, outputs, None)
    }

    /// Launches the program on its devices: `arguments[device][argument]`.
    ///
    /// # Errors
    /// As for [`LoadedExecutable::execute`], or the devices have different numbers of arguments.
    pub fn execute_sharded(&self, arguments: &[&[&Buffer]], options: &ExecuteOptions<'_>) -> Result<Execution> {
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
        Ok(Execution {
            outputs: (0..arguments.len()).map(split).collect(),
            complete,
        })
    }

    fn run<'b>(
        &self,
        arguments: impl ExactSizeIterator<Item = &'b Buffer> + Clone,
        options: &ExecuteOptions<'_>,
        outputs: &mut Vec<Buffer>,
        complete: Option<&mut Vec<Event>>,
    ) -> Result<()> {
        let inner = &*self.inner;
        let devices = self.num_devices();
        let width = self.width(arguments.len(), devices)?;
        options.donation.check(width)?;
        let fits = |frame: &Box<Frame>| frame.devices == devices && frame.width == width;
        let mut frame = inner
            .take_frame()
            .filter(fits)
            .unwrap_or_else(|| Frame::new(inner, devices, width));
        let outcome = self.run_in(&mut frame, arguments, options, outputs, complete);
        inner.put_frame(frame);
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
        arguments: impl Iterator<Item = &'b Buffer> + Clone,
        options: &ExecuteOptions<'_>,
        outputs: &mut Vec<Buffer>,
        complete: Option<&mut Vec<Event>>,
    ) -> Result<()> {
        let inner = &*self.inner;
        let client = &inner.client;
        let shared = self.set_arguments(frame, arguments.clone())?;
        self.set_options(frame, options)?;
        let donated = Donated::begin(self, arguments.clone(), frame.width, options.donation)?;
        let with_events = complete.is_some() || shared || options.context.is_some();
        // SAFETY: the arguments are borrowed, and checked to be alive.
        unsafe { frame.launch(client, with_events) }?;
        donated.commit();
        outputs.reserve(frame.outputs.len());
        let specs = inner.outputs.iter().cycle();
        let mut missing = false;
        for (&raw, spec) in frame.outputs.iter().zip(specs) {
            match NonNull::new(raw) {
                // SAFETY: a new buffer that belongs to us, of the type that the executable says.
                Some(raw) => outputs.push(unsafe { Buffer::new(client, raw, Arc::clone(spec)) }),
                None => missing = true,
            }
        }
        if with_events {
            self.hold(frame, arguments, options, complete)?;
        }
        match missing {
            true => Err(Error::argument(format!("`{}` gave null for a result", self.name()))),
            false => Ok(()),
        }
    }

    /// Checks the arguments and writes their pointers. Gives whether the host shares one's memory.
    #[inline]
    fn set_arguments<'b>(&self, frame: &mut Frame, arguments: impl Iterator<Item = &'b Buffer>) -> Result<bool> {
        let mut shared = false;
        match self.signature() {
            Some(signature) => {
                let parameters = signature.parameters.iter().cycle();
                let slots = frame.arguments.iter_mut().zip(parameters);
                for (index, (argument, (slot, spec))) in arguments.zip(slots).enumerate() {
                    if !Arc::ptr_eq(&argument.spec, spec) || !argument.is_alive() {
                        return Err(self.wrong_argument(index % frame.width, argument, Some(spec)));
                    }
                    shared |= argument.usage.is_some();
                    *slot = argument.as_ptr();
                }
            }
            None => {
                for (index, (argument, slot)) in arguments.zip(&mut frame.arguments).enumerate() {
                    let foreign = !Arc::ptr_eq(&argument.client, &self.inner.client);
                    if foreign || !argument.is_alive() {
                        return Err(self.wrong_argument(index % frame.width, argument, None));
                    }
                    shared |= argument.usage.is_some();
                    *slot = argument.as_ptr();
                }
            }
        }
        Ok(shared)
    }

    #[cold]
    fn wrong_argument(&self, index: usize, argument: &Buffer, spec: Option<&Arc<Spec>>) -> Error {
        let what = format!("argument {index} of `{}`", self.name());
        if let Err(error) = argument.check_client(&self.inner.client, &what) {
            return error;
        }
        if let Err(error) = argument.check_alive(&what) {
            return error;
        }
        match spec {
            Some(spec) if spec.dtype() != argument.dtype() => Error::DType {
                what,
                expected: spec.dtype(),
                found: argument.dtype(),
            },
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
            None if self.is_portable() => crate::host_buffer::place(client, None, None)?.0,
            None => std::ptr::null_mut(),
        };
        frame.options.context = match options.context {
            Some(context) if !Arc::ptr_eq(context.client_inner(), client) => {
                return Err(Error::ForeignClient {
                    what: "the execute context".to_owned(),
                });
            }
            Some(context) => context.as_ptr(),
            None => client.empty_context,
        };
        frame.options.launch_id = options.launch_id;
        frame.options.call_location = options
            .call_location
            .map_or(std::ptr::null(), |location| location.as_ptr());
        self.set_kept(frame, options.donation);
        Ok(())
    }

    /// Tells the plugin which arguments it must not take over. By itself it takes all it can.
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
                frame
                    .kept
                    .extend((0..frame.width).filter(keep).map(|index| index as i64));
                &frame.kept
            }
        };
        frame.options.non_donatable_input_indices = kept.as_ptr();
        frame.options.num_non_donatable_input_indices = kept.len();
    }

    /// Keeps what a running execution needs until it has completed, and gives out its events.
    fn hold<'b>(
        &self,
        frame: &mut Frame,
        arguments: impl Iterator<Item = &'b Buffer> + Clone,
        options: &ExecuteOptions<'_>,
        mut complete: Option<&mut Vec<Event>>,
    ) -> Result<()> {
        const FUNCTION: &str = "PJRT_LoadedExecutable_Execute";
        let mut outcome = Ok(());
        for (device, &raw) in frame.events.iter().enumerate() {
            // SAFETY: a new event that belongs to us.
            let event = match unsafe { Event::from_call(&self.inner.client, raw, FUNCTION) } {
                Ok(event) => event,
                Err(error) => {
                    outcome = Err(error);
                    continue;
                }
            };
            if let Some(context) = options.context.cloned()
                && event.on_ready(move |_| drop(context)).is_err()
            {
                let _ = event.wait();
            }
            let own = arguments.clone().skip(device * frame.width).take(frame.width);
            own.for_each(|argument| argument.track(&event));
            if let Some(complete) = &mut complete {
                complete.push(event);
            }
        }
        outcome
    }
}

/// The arguments of a launch that it takes over; given back unless it happens.
struct Donated<'b, 'd, I: Iterator<Item = &'b Buffer> + Clone> {
    arguments: I,
    /// How many arguments, from the first on, have been looked at.
    marked: usize,
    width: usize,
    donation: Donation<'d>,
}

impl<'b, 'd, I: Iterator<Item = &'b Buffer> + Clone> Donated<'b, 'd, I> {
    #[inline]
    fn begin(executable: &LoadedExecutable, arguments: I, width: usize, donation: Donation<'d>) -> Result<Self> {
        let mut donated = Self {
            arguments,
            marked: 0,
            width,
            donation,
        };
        if donation == Donation::None {
            return Ok(donated);
        }
        for (index, argument) in donated.arguments.clone().enumerate() {
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

impl<'b, I: Iterator<Item = &'b Buffer> + Clone> Drop for Donated<'b, '_, I> {
    #[inline]
    fn drop(&mut self) {
        for (index, argument) in self.arguments.clone().take(self.marked).enumerate() {
            if self.donation.contains(index % self.width) {
                argument.cancel_donation();
            }
        }
    }
}
