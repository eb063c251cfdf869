//! The kinds of memory of a device, attached or only described by a topology.

use crate::{
    Api, Device, Result, Topology,
    extension::{call, slot},
    sys,
};
use sys::{slice, string};

/// A kind of memory, such as `device` or `pinned_host`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryKind {
    /// The name, which programs use in `mhlo.memory_kind`.
    pub name: String,
    /// The platform's id for the name.
    pub id: i64,
    /// Whether arrays go there by default.
    pub is_default: bool,
}

impl Device {
    /// The kinds of memory that the device has (API 0.59 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn memory_kinds(&self) -> Result<Vec<MemoryKind>> {
        // SAFETY: the client keeps its descriptions.
        unsafe { memory_kinds(self.client.api, self.data().description_raw) }
    }
}

impl Topology {
    /// The kinds of memory of each device (API 0.59 and later), in the order of
    /// [`Topology::devices`].
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn memory_kinds(&self) -> Result<Vec<Vec<MemoryKind>>> {
        let devices = self.device_description_ptrs()?;
        // SAFETY: the topology keeps its descriptions.
        devices.iter().map(|&device| unsafe { memory_kinds(self.api, device) }).collect()
    }
}

/// # Safety
/// The description is one of this plugin and alive.
unsafe fn memory_kinds(
    api: &Api,
    device: *mut sys::PJRT_DeviceDescription,
) -> Result<Vec<MemoryKind>> {
    let (place, slot) = slot!(
        PJRT_Extension_Type_MemoryDescriptions,
        PJRT_MemoryDescriptions_Extension,
        PJRT_DeviceDescription_MemoryDescriptions,
        59
    );
    let mut args: sys::PJRT_DeviceDescription_MemoryDescriptions_Args = api.zeroed();
    args.device_description = device;
    // SAFETY: by the contract of this function; the array belongs to the description.
    let descriptions = unsafe {
        call(api, place, slot, &mut args)?;
        slice(args.memory_descriptions, args.num_memory_descriptions)
    };
    let (place, slot) = slot!(
        PJRT_Extension_Type_MemoryDescriptions,
        PJRT_MemoryDescriptions_Extension,
        PJRT_MemoryDescription_Kind,
        59
    );
    let kind = |(index, &description)| {
        let mut kind: sys::PJRT_MemoryDescription_Kind_Args = api.zeroed();
        kind.memory_description = description;
        // SAFETY: one of the device's memories; the text belongs to it and is copied.
        let name = unsafe {
            call(api, place, slot, &mut kind)?;
            string(kind.kind, kind.kind_size)
        };
        // No default is -1 in an unsigned number, which no index equals.
        Ok(MemoryKind {
            name,
            id: i64::from(kind.kind_id),
            is_default: index == args.default_memory_index,
        })
    };
    descriptions.iter().enumerate().map(kind).collect()
}
