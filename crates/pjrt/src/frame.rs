//! The arrays of pointers that an execution passes to the plugin.

use crate::loaded_executable::Inner;
use crate::{Buffer, Result, launch_scope, sys};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

/// The arrays of pointers of one execution.
pub(crate) struct Frame {
    pub(crate) devices: usize,
    /// Per device, the number of arguments.
    pub(crate) width: usize,
    pub(crate) arguments: Box<[*mut sys::PJRT_Buffer]>,
    /// The handles that the arguments come from. Dangling after the execution.
    pub(crate) handles: Box<[*const Buffer]>,
    argument_lists: Box<[*const *mut sys::PJRT_Buffer]>,
    pub(crate) outputs: Box<[*mut sys::PJRT_Buffer]>,
    output_lists: Box<[*mut *mut sys::PJRT_Buffer]>,
    pub(crate) events: Box<[*mut sys::PJRT_Event]>,
    pub(crate) kept: Vec<i64>,
    pub(crate) options: sys::PJRT_ExecuteOptions,
    pub(crate) args: sys::PJRT_LoadedExecutable_Execute_Args,
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
            handles: vec![std::ptr::null(); devices * width].into(),
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
    /// # Errors
    /// The plugin's own, or [`Error::NestedLaunch`](crate::Error::NestedLaunch).
    ///
    /// # Safety
    /// The arguments are buffers that are alive.
    #[inline]
    pub(crate) unsafe fn launch(&mut self, executable: &Inner, with_events: bool) -> Result<()> {
        let client = &executable.client;
        if self.devices > 1 {
            launch_scope::check(&executable.name)?;
        }
        self.outputs.fill(std::ptr::null_mut());
        self.args.options = &raw mut self.options;
        let mut launches = (self.devices > 1).then(|| client.launches.begin());
        let marked = launches.as_ref().is_some_and(|launches| launches.is_due());
        self.args.device_complete_events = std::ptr::null_mut();
        if with_events || marked {
            self.events.fill(std::ptr::null_mut());
            self.args.device_complete_events = self.events.as_mut_ptr();
        }
        // SAFETY: all arrays are as long as the arguments say; the caller answers for the buffers.
        unsafe { client.api.call(&mut self.args) }?;
        if let (Some(launches), true) = (&mut launches, marked) {
            launches.mark(client, &mut self.events, with_events);
        }
        Ok(())
    }
}

/// Frames that are not in use: one at hand, and those of executions that run at the same time.
#[derive(Default)]
pub(crate) struct Frames {
    at_hand: AtomicPtr<Frame>,
    // Boxed, so that a frame never moves: it is half a kilobyte.
    #[allow(clippy::vec_box, reason = "frames are handed around as boxes")]
    others: Mutex<Vec<Box<Frame>>>,
}

impl Frames {
    /// More executions than this at the same time make new frames.
    const MOST: usize = 64;

    #[inline]
    pub(crate) fn take(&self) -> Option<Box<Frame>> {
        let frame = self.at_hand.swap(std::ptr::null_mut(), Ordering::Acquire);
        if frame.is_null() {
            return self.others.lock().unwrap_or_else(PoisonError::into_inner).pop();
        }
        // SAFETY: put there by `put`, and taken out of there by nobody else.
        Some(unsafe { Box::from_raw(frame) })
    }

    #[inline]
    pub(crate) fn put(&self, frame: Box<Frame>) {
        let frame = Box::into_raw(frame);
        let null = std::ptr::null_mut();
        if self
            .at_hand
            .compare_exchange(null, frame, Ordering::Release, Ordering::Relaxed)
            .is_ok()
        {
            return;
        }
        // SAFETY: made from a box just now, and not given away.
        let frame = unsafe { Box::from_raw(frame) };
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if others.len() < Self::MOST {
            others.push(frame);
        }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        drop(self.take());
    }
}
