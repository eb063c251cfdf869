//! Compiled programs, loaded onto devices.

use crate::{
    Device, Error, Executable, Result, Signature, Spec,
    client::{Client, core::ClientInner},
    execute::{frame::Frame, free_list::FreeList},
    plugin::exit,
    program::proto::DeviceAssignmentProto,
    sys,
};
use prost::Message;
use std::{
    ptr::NonNull,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use sys::slice;

/// A compiled program, ready to run on its devices. Cheap to clone.
#[derive(Clone)]
pub struct LoadedExecutable {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) client: Arc<ClientInner>,
    pub(crate) raw: NonNull<sys::PJRT_LoadedExecutable>,
    executable: Executable,
    pub(crate) name: String,
    pub(crate) outputs: Box<[Arc<Spec>]>,
    devices: Vec<Device>,
    signature: OnceLock<Option<Signature>>,
    /// Set by `delete`: not every plugin records it.
    pub(crate) is_deleted: AtomicBool,
    /// The arrays of pointers of executions, kept for the next ones.
    pub(crate) frames: FreeList<Frame>,
}

// SAFETY: the C API's executables are thread-safe; the rest is locked or immutable.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// The replica and partition of a device in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogicalDeviceId {
    /// The index of the replica.
    pub replica: usize,
    /// The index of the partition.
    pub partition: usize,
}

impl LoadedExecutable {
    /// Takes ownership of an executable that a call returned.
    ///
    /// # Errors
    /// The plugin returned null, or cannot describe the executable.
    ///
    /// # Safety
    /// `raw` is null or an executable of this client that nobody else destroys.
    pub(crate) unsafe fn from_call(
        client: &Arc<ClientInner>,
        raw: *mut sys::PJRT_LoadedExecutable,
        function: &'static str,
    ) -> Result<Self> {
        struct Guard<'a>(&'a Arc<ClientInner>, NonNull<sys::PJRT_LoadedExecutable>);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                // SAFETY: still ours, since describing it failed.
                unsafe { destroy(self.0, self.1) };
            }
        }
        let guard = Guard(client, client.api.handle(raw, function)?);
        let mut args: sys::PJRT_LoadedExecutable_GetExecutable_Args = client.api.zeroed();
        args.loaded_executable = raw;
        let mut devices: sys::PJRT_LoadedExecutable_AddressableDevices_Args = client.api.zeroed();
        devices.executable = raw;
        // SAFETY: the executable is alive; the array belongs to it.
        let (executable, devices) = unsafe {
            client.api.call(&mut args)?;
            let function = "PJRT_LoadedExecutable_GetExecutable";
            let owner = Some(Arc::clone(client));
            let executable = Executable::from_call(client.api, owner, args.executable, function)?;
            client.api.call(&mut devices)?;
            (executable, slice(devices.addressable_devices, devices.num_addressable_devices))
        };
        let outputs: Box<[_]> = executable.shared_output_specs(client)?.into();
        // An execution writes this many results.
        let expected = executable.num_outputs()?;
        if outputs.len() != expected {
            return Err(Error::size("types of the results of a program", expected, outputs.len()));
        }
        let name = executable.name()?;
        let raw = guard.1;
        std::mem::forget(guard);
        client.counters.loaded_executables.add();
        exit::watch();
        Ok(Self {
            inner: Arc::new(Inner {
                raw,
                executable,
                name,
                outputs,
                devices: devices.iter().filter_map(|&d| Device::find(client, d)).collect(),
                signature: OnceLock::new(),
                is_deleted: AtomicBool::new(false),
                frames: FreeList::default(),
                client: Arc::clone(client),
            }),
        })
    }

    /// The client.
    pub fn client(&self) -> Client {
        Client { inner: Arc::clone(&self.inner.client) }
    }

    /// The name of the program's module.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The compiled program: costs, memory, bytes.
    pub fn executable(&self) -> &Executable {
        &self.inner.executable
    }

    /// The number of results on each device.
    pub fn num_outputs(&self) -> usize {
        self.inner.outputs.len()
    }

    /// Types and dimensions of the results on each device.
    pub fn outputs(&self) -> &[Arc<Spec>] {
        &self.inner.outputs
    }

    /// The devices that run the program, in the order of an execution's arguments and results.
    /// Empty for a portable executable: each execution names its device.
    pub fn devices(&self) -> &[Device] {
        &self.inner.devices
    }

    /// The number of devices of an execution; 1 for a portable executable.
    pub fn num_devices(&self) -> usize {
        self.inner.devices.len().max(1)
    }

    /// Whether each execution names its device.
    pub fn is_portable(&self) -> bool {
        self.inner.devices.is_empty()
    }

    /// The program's parameters on each device, from the optimized program; `None` if the plugin
    /// does not return that in a form that this crate reads. Executions then check neither types
    /// nor dimensions, and the plugin checks only sizes.
    ///
    /// The first call reads the optimized program, which takes a while for large programs;
    /// [`LoadedExecutable::set_signature`] avoids that.
    pub fn signature(&self) -> Option<&Signature> {
        let read = || self.inner.executable.signature(&self.inner.client);
        self.inner.signature.get_or_init(read).as_ref()
    }

    /// Sets the program's parameters on each device, for callers that know them. Returns whether it
    /// was set: only the first signature counts.
    ///
    /// A wrong signature makes executions refuse valid arguments or pass on wrong ones, which the
    /// plugin checks for their sizes: results may be wrong, memory is safe.
    /// [`Signature::donatable`] is trusted.
    pub fn set_signature(&self, signature: &Signature) -> bool {
        self.inner.signature.set(Some(signature.shared(&self.inner.client))).is_ok()
    }

    /// The ids of all devices that run the program, replica by replica (API 0.79 and later).
    /// Empty for a portable executable.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn device_assignment(&self) -> Result<Vec<i64>> {
        let mut args: sys::PJRT_LoadedExecutable_GetDeviceAssignment_Args =
            self.inner.client.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; the bytes are read before their deleter is called, once.
        unsafe {
            self.inner.client.api.call(&mut args)?;
            let bytes = slice(args.serialized_bytes.cast::<u8>(), args.serialized_bytes_size);
            let assignment = DeviceAssignmentProto::decode(bytes);
            if let Some(deleter) = args.serialized_device_assignment_deleter {
                deleter(args.serialized_device_assignment);
            }
            let assignment =
                assignment.map_err(|e| Error::argument(format!("the device assignment: {e}")))?;
            Ok(assignment.ids())
        }
    }

    /// The replica and partition that each device runs (API 0.96 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn logical_device_ids(&self) -> Result<Vec<LogicalDeviceId>> {
        let mut args: sys::PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args =
            self.inner.client.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; the array belongs to it and is copied.
        let ids = unsafe {
            self.inner.client.api.call(&mut args)?;
            slice(args.addressable_device_logical_ids, args.num_addressable_device_logical_ids)
        };
        let id = |id: &sys::PJRT_LogicalDeviceIds| LogicalDeviceId {
            replica: id.replica.max(0) as usize,
            partition: id.partition.max(0) as usize,
        };
        Ok(ids.iter().map(id).collect())
    }

    /// Frees the program on its devices; executing it is an error from now on.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn delete(&self) -> Result<()> {
        let mut args: sys::PJRT_LoadedExecutable_Delete_Args = self.inner.client.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive.
        unsafe { self.inner.client.api.call(&mut args) }?;
        self.inner.is_deleted.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether [`LoadedExecutable::delete`] was called.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn is_deleted(&self) -> Result<bool> {
        if self.inner.is_deleted.load(Ordering::Acquire) {
            return Ok(true);
        }
        let mut args: sys::PJRT_LoadedExecutable_IsDeleted_Args = self.inner.client.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive.
        unsafe { self.inner.client.api.call(&mut args) }?;
        Ok(args.is_deleted)
    }

    /// Returns an error after [`LoadedExecutable::delete`] and in a forked process, before waiting
    /// for any lock.
    #[inline]
    pub(crate) fn check_alive(&self) -> Result<()> {
        self.inner.client.api.check_process("PJRT_LoadedExecutable_Execute")?;
        if self.inner.is_deleted.load(Ordering::Acquire) {
            Err(Error::argument(format!("the executable `{}` was deleted", self.name())))
        } else {
            Ok(())
        }
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the executable lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_LoadedExecutable {
        self.inner.raw.as_ptr()
    }
}

impl Inner {
    /// A new frame for executions on so many devices, with `width` arguments on each.
    pub(crate) fn frame(&self, devices: usize, width: usize) -> Box<Frame> {
        Frame::new(self.client.api, self.raw, devices, width, self.outputs.len())
    }
}

/// # Safety
/// `raw` is an executable of this client that is not used again.
unsafe fn destroy(client: &ClientInner, raw: NonNull<sys::PJRT_LoadedExecutable>) {
    let mut args: sys::PJRT_LoadedExecutable_Destroy_Args = client.api.zeroed();
    args.executable = raw.as_ptr();
    // SAFETY: by the contract of this function.
    unsafe { client.api.release(&mut args) };
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: this handle owns the executable, which is not used again.
        unsafe { destroy(&self.client, self.raw) };
        self.client.counters.loaded_executables.remove();
    }
}

impl std::fmt::Debug for LoadedExecutable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedExecutable")
            .field("name", &self.name())
            .field("devices", &self.inner.devices)
            .field("outputs", &self.inner.outputs)
            .finish_non_exhaustive()
    }
}
