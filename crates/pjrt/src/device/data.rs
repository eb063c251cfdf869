//! The properties of devices and memories, copied when their client is created.

use crate::{Api, DeviceDescription, Result, sys};
use sys::{slice, string};

/// The cached properties of a client's device.
pub(crate) struct DeviceData {
    pub(crate) raw: *mut sys::PJRT_Device,
    pub(crate) description_raw: *mut sys::PJRT_DeviceDescription,
    pub(crate) description: DeviceDescription,
    pub(crate) is_addressable: bool,
    pub(crate) local_hardware_id: Option<i64>,
    pub(crate) memories: Vec<usize>,
    pub(crate) default_memory: Option<usize>,
}

impl DeviceData {
    /// Copies the properties of a device.
    ///
    /// # Safety
    /// `raw` is a device of this plugin that is alive.
    pub(crate) unsafe fn read(api: &Api, raw: *mut sys::PJRT_Device) -> Result<Self> {
        let mut description: sys::PJRT_Device_GetDescription_Args = api.zeroed();
        description.device = raw;
        let mut addressable: sys::PJRT_Device_IsAddressable_Args = api.zeroed();
        addressable.device = raw;
        let mut hardware: sys::PJRT_Device_LocalHardwareId_Args = api.zeroed();
        hardware.device = raw;
        // SAFETY: the device is alive, and its description with it.
        unsafe {
            api.call(&mut description)?;
            api.handle(description.device_description, "PJRT_Device_GetDescription")?;
            api.call(&mut addressable)?;
            let local = addressable.is_addressable && api.call(&mut hardware).is_ok();
            Ok(Self {
                raw,
                description_raw: description.device_description,
                description: DeviceDescription::read(api, description.device_description)?,
                is_addressable: addressable.is_addressable,
                local_hardware_id: local.then(|| i64::from(hardware.local_hardware_id)),
                memories: Vec::new(),
                default_memory: None,
            })
        }
    }
}

/// The cached properties of a client's memory.
pub(crate) struct MemoryData {
    pub(crate) raw: *mut sys::PJRT_Memory,
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) kind_id: i64,
    pub(crate) debug_string: String,
    pub(crate) display: String,
    pub(crate) devices: Vec<usize>,
}

impl MemoryData {
    /// Copies the properties of a memory.
    ///
    /// # Safety
    /// `raw` is a memory of this plugin that is alive.
    pub(crate) unsafe fn read(
        api: &Api,
        raw: *mut sys::PJRT_Memory,
        devices: &[DeviceData],
    ) -> Result<Self> {
        let mut id: sys::PJRT_Memory_Id_Args = api.zeroed();
        id.memory = raw;
        let mut kind: sys::PJRT_Memory_Kind_Args = api.zeroed();
        kind.memory = raw;
        let mut kind_id: sys::PJRT_Memory_Kind_Id_Args = api.zeroed();
        kind_id.memory = raw;
        let mut debug: sys::PJRT_Memory_DebugString_Args = api.zeroed();
        debug.memory = raw;
        let mut display: sys::PJRT_Memory_ToString_Args = api.zeroed();
        display.memory = raw;
        let mut by: sys::PJRT_Memory_AddressableByDevices_Args = api.zeroed();
        by.memory = raw;
        // SAFETY: the memory is alive; texts and arrays belong to it and are copied here.
        unsafe {
            api.call(&mut id)?;
            api.call(&mut kind)?;
            api.call(&mut kind_id)?;
            api.call(&mut debug)?;
            api.call(&mut display)?;
            api.call(&mut by)?;
            let by = slice(by.devices, by.num_devices).iter();
            Ok(Self {
                raw,
                id: i64::from(id.id),
                kind: string(kind.kind, kind.kind_size),
                kind_id: i64::from(kind_id.kind_id),
                debug_string: string(debug.debug_string, debug.debug_string_size),
                display: string(display.to_string, display.to_string_size),
                devices: by
                    .filter_map(|&d| devices.iter().position(|data| data.raw == d))
                    .collect(),
            })
        }
    }
}
