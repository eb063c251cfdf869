//! Devices of a client.

pub(crate) mod data;
pub(crate) mod description;
pub(crate) mod memory;
mod of_client;
pub(crate) mod topology;

use crate::{
    DeviceDescription, Error, ErrorCode, Memory, Result,
    client::{Client, core::ClientInner},
    device::data::DeviceData,
    error::error_number,
    named_value::{self, NamedValues},
    sys,
};
use std::sync::Arc;

/// A device of a client. Cheap to clone; equal if it is the same device of the same client.
#[derive(Clone)]
pub struct Device {
    pub(crate) client: Arc<ClientInner>,
    pub(crate) index: usize,
}

/// Statistics of a device's allocator; `None` for those that it does not keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStats {
    /// Bytes in use.
    pub bytes_in_use: i64,
    /// The maximum number of bytes in use so far.
    pub peak_bytes_in_use: Option<i64>,
    /// Allocations made.
    pub num_allocs: Option<i64>,
    /// The largest allocation, in bytes.
    pub largest_alloc_size: Option<i64>,
    /// Bytes that may be in use.
    pub bytes_limit: Option<i64>,
    /// Bytes reserved.
    pub bytes_reserved: Option<i64>,
    /// The maximum number of bytes reserved so far.
    pub peak_bytes_reserved: Option<i64>,
    /// Bytes that may be reserved.
    pub bytes_reservable_limit: Option<i64>,
    /// The largest free block, in bytes.
    pub largest_free_block_bytes: Option<i64>,
    /// Bytes of the pool.
    pub pool_bytes: Option<i64>,
    /// The maximum size of the pool so far, in bytes.
    pub peak_pool_bytes: Option<i64>,
    /// The maximum number of bytes allocated so far (API 0.113 and later).
    pub peak_allocated_bytes: Option<i64>,
}

impl Device {
    /// The client's device with this pointer of the plugin.
    pub(crate) fn find(client: &Arc<ClientInner>, raw: *mut sys::PJRT_Device) -> Option<Self> {
        let index = client.devices.iter().position(|device| device.raw == raw)?;
        Some(Self { client: Arc::clone(client), index })
    }

    pub(crate) fn data(&self) -> &DeviceData {
        &self.client.devices[self.index]
    }

    /// The id of the device among all devices of the job.
    pub fn id(&self) -> i64 {
        self.description().id()
    }

    /// The kind of the device, such as `cpu` or `NVIDIA H200`.
    pub fn kind(&self) -> &str {
        self.description().kind()
    }

    /// Its properties.
    pub fn description(&self) -> &DeviceDescription {
        &self.data().description
    }

    /// Whether this process can use it.
    pub fn is_addressable(&self) -> bool {
        self.data().is_addressable
    }

    /// The hardware's id on its machine; `None` if the device is not addressable.
    pub fn local_hardware_id(&self) -> Option<i64> {
        self.data().local_hardware_id
    }

    /// Its index among the client's addressable devices.
    pub fn ordinal(&self) -> Option<usize> {
        self.client.addressable.iter().position(|&index| index == self.index)
    }

    /// Its memories.
    pub fn memories(&self) -> Vec<Memory> {
        self.data().memories.iter().map(|&index| self.memory_at(index)).collect()
    }

    /// The default memory of new buffers.
    pub fn default_memory(&self) -> Option<Memory> {
        self.data().default_memory.map(|index| self.memory_at(index))
    }

    /// Its memory of this kind, such as `device` or `pinned_host`.
    pub fn memory(&self, kind: &str) -> Option<Memory> {
        self.memories().into_iter().find(|m| m.kind() == kind)
    }

    fn memory_at(&self, index: usize) -> Memory {
        Memory { client: Arc::clone(&self.client), index }
    }

    /// The client.
    pub fn client(&self) -> Client {
        Client { inner: Arc::clone(&self.client) }
    }

    /// Statistics of the device's allocator; `None` if the plugin keeps none.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn memory_stats(&self) -> Result<Option<MemoryStats>> {
        let api = self.client.api;
        let mut args: sys::PJRT_Device_MemoryStats_Args = api.zeroed();
        args.device = self.as_ptr();
        // SAFETY: the device is alive.
        match unsafe { api.call(&mut args) } {
            Ok(()) => {}
            Err(error) if error.is_unimplemented() => return Ok(None),
            Err(error) => return Err(error),
        }
        let set = |is_set: bool, value: i64| is_set.then_some(value);
        Ok(Some(MemoryStats {
            bytes_in_use: args.bytes_in_use,
            peak_bytes_in_use: set(args.peak_bytes_in_use_is_set, args.peak_bytes_in_use),
            num_allocs: set(args.num_allocs_is_set, args.num_allocs),
            largest_alloc_size: set(args.largest_alloc_size_is_set, args.largest_alloc_size),
            bytes_limit: set(args.bytes_limit_is_set, args.bytes_limit),
            bytes_reserved: set(args.bytes_reserved_is_set, args.bytes_reserved),
            peak_bytes_reserved: set(args.peak_bytes_reserved_is_set, args.peak_bytes_reserved),
            bytes_reservable_limit: set(
                args.bytes_reservable_limit_is_set,
                args.bytes_reservable_limit,
            ),
            largest_free_block_bytes: set(
                args.largest_free_block_bytes_is_set,
                args.largest_free_block_bytes,
            ),
            pool_bytes: set(args.pool_bytes_is_set, args.pool_bytes),
            peak_pool_bytes: set(args.peak_pool_bytes_is_set, args.peak_pool_bytes),
            peak_allocated_bytes: set(args.peak_allocated_bytes_is_set, args.peak_allocated_bytes),
        }))
    }

    /// Resets the peaks of the memory statistics (API 0.106 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn clear_memory_stats(&self) -> Result<()> {
        let mut args: sys::PJRT_Device_ClearMemoryStats_Args = self.client.api.zeroed();
        args.device = self.as_ptr();
        // SAFETY: the device is alive.
        unsafe { self.client.api.call(&mut args) }
    }

    /// Attributes that may change while the client lives (API 0.92 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn current_attributes(&self) -> Result<NamedValues> {
        let mut args: sys::PJRT_Device_GetAttributes_Args = self.client.api.zeroed();
        args.device = self.as_ptr();
        // SAFETY: the device is alive; the array is copied before its deleter is called, once.
        unsafe {
            self.client.api.call(&mut args)?;
            let values = named_value::from_raw(args.attributes, args.num_attributes);
            if let Some(deleter) = args.attributes_deleter {
                deleter(args.device_attributes);
            }
            Ok(values)
        }
    }

    /// Makes the results of the launch `launch_id` errors, if it has not run on this device yet
    /// (API 0.85 and later). Returns whether they became errors.
    ///
    /// # Errors
    /// The code is 0, the plugin's error, or the plugin lacks the function.
    pub fn poison_execution(&self, launch_id: i32, code: ErrorCode, message: &str) -> Result<bool> {
        let mut args: sys::PJRT_Device_PoisonExecution_Args = self.client.api.zeroed();
        args.device = self.as_ptr();
        args.launch_id = launch_id;
        args.error_code = error_number(code)?;
        args.error_message = message.as_ptr().cast();
        args.error_message_size = message.len();
        // SAFETY: the device is alive, the message outlives the call.
        unsafe { self.client.api.call(&mut args) }?;
        Ok(args.poisoned)
    }

    /// Reports a wait to the device's profiler, until the guard is dropped (API 0.86 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn track(&self, description: &str) -> Result<AsyncTracking> {
        let mut args: sys::PJRT_Device_CreateAsyncTrackingEvent_Args = self.client.api.zeroed();
        args.device = self.as_ptr();
        args.description = description.as_ptr().cast();
        args.description_size = description.len();
        // SAFETY: the device is alive, the text outlives the call.
        unsafe { self.client.api.call(&mut args) }?;
        let raw = self.client.api.handle(args.event, "PJRT_Device_CreateAsyncTrackingEvent")?;
        Ok(AsyncTracking { client: Arc::clone(&self.client), raw: raw.as_ptr() })
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the client lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_Device {
        self.data().raw
    }

    /// The pointer of the description. Valid while the client lives.
    pub fn description_ptr(&self) -> *mut sys::PJRT_DeviceDescription {
        self.data().description_raw
    }

    /// Returns an error unless this device belongs to `client`.
    pub(crate) fn check_client(&self, client: &Arc<ClientInner>) -> Result<()> {
        if Arc::ptr_eq(&self.client, client) {
            Ok(())
        } else {
            Err(Error::ForeignClient { what: format!("device {}", self.id()) })
        }
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.client, &other.client) && self.index == other.index
    }
}

impl Eq for Device {}

impl std::hash::Hash for Device {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_ptr().hash(state);
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Device({})", self.description().debug_string())
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.description().fmt(f)
    }
}

/// A wait that is reported to a device's profiler until this is dropped.
pub struct AsyncTracking {
    client: Arc<ClientInner>,
    raw: *mut sys::PJRT_AsyncTrackingEvent,
}

// SAFETY: the tracking event is only destroyed, by whichever thread drops it.
unsafe impl Send for AsyncTracking {}
// SAFETY: nothing can be done with a shared reference.
unsafe impl Sync for AsyncTracking {}

impl Drop for AsyncTracking {
    fn drop(&mut self) {
        let mut args: sys::PJRT_AsyncTrackingEvent_Destroy_Args = self.client.api.zeroed();
        args.event = self.raw;
        // SAFETY: this handle owns the event, which is not used again.
        unsafe { self.client.api.release(&mut args) };
    }
}
