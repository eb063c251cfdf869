//! The arrays of pointers that an execution passes to the plugin.

use crate::{
    Api, Buffer, Event, Result,
    client::core::ClientInner,
    execute::{array::Array, launch_scope, launches::LaunchState, nested::Launch},
    sys,
};
use std::{ptr::NonNull, sync::Arc};

/// The arrays of pointers of one execution.
pub(crate) struct Frame {
    pub(crate) devices: usize,
    /// Per device, the number of arguments.
    pub(crate) width: usize,
    pub(crate) arguments: Array<*mut sys::PJRT_Buffer>,
    /// The handles that the arguments come from. Dangling after the execution.
    pub(crate) handles: Array<*const Buffer>,
    argument_lists: Array<*const *mut sys::PJRT_Buffer>,
    pub(crate) outputs: Array<*mut sys::PJRT_Buffer>,
    output_lists: Array<*mut *mut sys::PJRT_Buffer>,
    pub(crate) events: Array<*mut sys::PJRT_Event>,
    pub(crate) kept: Vec<i64>,
    /// Whether handlers of this process find data in the execution's context.
    pub(crate) has_handlers: bool,
    /// Whether arguments are taken over.
    pub(crate) donates: bool,
    pub(crate) options: sys::PJRT_ExecuteOptions,
    pub(crate) args: sys::PJRT_LoadedExecutable_Execute_Args,
}

// SAFETY: the pointers are used only during an execution.
unsafe impl Send for Frame {}

impl Frame {
    /// A frame for executions of `executable` on so many `devices`, with `width` arguments and
    /// `outputs` results on each.
    pub(crate) fn new(
        api: &Api,
        executable: NonNull<sys::PJRT_LoadedExecutable>,
        devices: usize,
        width: usize,
        outputs: usize,
    ) -> Box<Self> {
        let null = std::ptr::null_mut();
        let mut frame = Box::new(Self {
            devices,
            width,
            arguments: vec![null; devices * width].into(),
            handles: vec![std::ptr::null(); devices * width].into(),
            argument_lists: Vec::new().into(),
            outputs: vec![null; devices * outputs].into(),
            output_lists: Vec::new().into(),
            events: vec![std::ptr::null_mut(); devices].into(),
            kept: Vec::new(),
            has_handlers: false,
            donates: false,
            options: api.zeroed(),
            args: api.zeroed(),
        });
        let start = frame.arguments.start().cast_const();
        let lists: Vec<_> = (0..devices).map(|d| start.wrapping_add(d * width)).collect();
        frame.argument_lists = lists.into();
        let start = frame.outputs.start();
        let lists: Vec<_> = (0..devices).map(|d| start.wrapping_add(d * outputs)).collect();
        frame.output_lists = lists.into();
        frame.options.use_major_to_minor_data_layout_for_callbacks = true;
        frame.args.executable = executable.as_ptr();
        frame.args.argument_lists = frame.argument_lists.start();
        frame.args.num_devices = devices;
        frame.args.num_args = width;
        frame.args.output_lists = frame.output_lists.start();
        frame
    }

    /// Launches the program of this name with the pointers of this frame.
    ///
    /// # Errors
    /// The plugin's error, or [`Error::NestedLaunch`](crate::Error::NestedLaunch).
    ///
    /// # Safety
    /// The arguments are buffers of the client that are alive, and so is the executable.
    #[inline]
    pub(crate) unsafe fn launch(
        &mut self,
        client: &Arc<ClientInner>,
        program: &str,
        with_events: bool,
    ) -> Result<()> {
        let (devices, has_handlers, donates) = (self.devices, self.has_handlers, self.donates);
        let admitted = Launch { program, devices, has_handlers, donates }.admit(client)?;
        self.outputs.fill(std::ptr::null_mut());
        self.args.options = &raw mut self.options;
        let mut launches = (self.devices > 1).then(|| client.launches.begin());
        let marked = launches.as_ref().is_some_and(|launches| launches.is_due());
        self.args.device_complete_events = std::ptr::null_mut();
        if with_events || marked || admitted.is_awaited {
            self.events.fill(std::ptr::null_mut());
            self.args.device_complete_events = self.events.start();
        }
        // SAFETY: all arrays are as long as the arguments say; the caller answers for the buffers.
        launch_scope::executing(|| unsafe { client.api.call(&mut self.args) })?;
        if let (Some(launches), true) = (&mut launches, marked) {
            mark(launches, client, &mut self.events, with_events || admitted.is_awaited);
        }
        drop(launches);
        if admitted.is_awaited {
            await_end(client, &mut self.events, with_events);
        }
        Ok(())
    }
}

/// Waits until a launch has ended on each device. Its events are destroyed unless they are `needed`.
fn await_end(client: &Arc<ClientInner>, events: &mut [*mut sys::PJRT_Event], needed: bool) {
    for slot in events {
        let Some(raw) = NonNull::new(std::mem::replace(slot, std::ptr::null_mut())) else {
            continue;
        };
        // SAFETY: a new event of this client, which nothing else owns yet.
        let event = unsafe { Event::new(Arc::clone(client), raw) };
        // The results report the failure of the program.
        let _ = event.wait_for_end();
        if needed {
            *slot = event.into_raw();
        }
    }
}

/// Marks a launch, whose events for its end on each device are destroyed unless they are `needed`.
fn mark<const BETWEEN: usize>(
    launches: &mut LaunchState<BETWEEN>,
    client: &Arc<ClientInner>,
    events: &mut [*mut sys::PJRT_Event],
    needed: bool,
) {
    let mark = launches.mark(events.len());
    for slot in events {
        let Some(raw) = NonNull::new(std::mem::replace(slot, std::ptr::null_mut())) else {
            mark.count_down();
            continue;
        };
        // SAFETY: a new event of this client, which nothing else owns yet.
        let event = unsafe { Event::new(Arc::clone(client), raw) };
        let on_device = Arc::clone(&mark);
        if event.on_ready(move |_| on_device.count_down()).is_err() {
            mark.count_down();
        }
        if needed {
            *slot = event.into_raw();
        }
    }
}
