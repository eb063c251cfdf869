//! Descriptions of devices, attached ones or those of a topology.

use crate::{
    Api, Result,
    named_value::{self, NamedValues},
    sys,
};
use sys::string;

/// The properties of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceDescription {
    id: i64,
    process_index: i64,
    kind: String,
    debug_string: String,
    display: String,
    attributes: NamedValues,
}

impl DeviceDescription {
    /// The id of the device among all devices of the job.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// The process that the device belongs to.
    pub fn process_index(&self) -> i64 {
        self.process_index
    }

    /// The kind of the device, such as `cpu` or `NVIDIA H200`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// A long text for debugging.
    pub fn debug_string(&self) -> &str {
        &self.debug_string
    }

    /// Attributes that depend on the platform, such as coordinates or compute capability.
    pub fn attributes(&self) -> &NamedValues {
        &self.attributes
    }

    /// Copies a description.
    ///
    /// # Safety
    /// `raw` is a description of this plugin that is alive.
    pub(crate) unsafe fn read(api: &Api, raw: *mut sys::PJRT_DeviceDescription) -> Result<Self> {
        let mut id: sys::PJRT_DeviceDescription_Id_Args = api.zeroed();
        id.device_description = raw;
        let mut process: sys::PJRT_DeviceDescription_ProcessIndex_Args = api.zeroed();
        process.device_description = raw;
        let mut kind: sys::PJRT_DeviceDescription_Kind_Args = api.zeroed();
        kind.device_description = raw;
        let mut debug: sys::PJRT_DeviceDescription_DebugString_Args = api.zeroed();
        debug.device_description = raw;
        let mut display: sys::PJRT_DeviceDescription_ToString_Args = api.zeroed();
        display.device_description = raw;
        let mut attributes: sys::PJRT_DeviceDescription_Attributes_Args = api.zeroed();
        attributes.device_description = raw;
        // SAFETY: the description is alive; texts and arrays belong to it and are copied here.
        unsafe {
            api.call(&mut id)?;
            api.call(&mut process)?;
            api.call(&mut kind)?;
            api.call(&mut debug)?;
            api.call(&mut display)?;
            let attributes = match api.call(&mut attributes) {
                Ok(()) => named_value::from_raw(attributes.attributes, attributes.num_attributes),
                Err(error) if error.is_unimplemented() => NamedValues::new(),
                Err(error) => return Err(error),
            };
            Ok(Self {
                id: i64::from(id.id),
                process_index: i64::from(process.process_index),
                kind: string(kind.device_kind, kind.device_kind_size),
                debug_string: string(debug.debug_string, debug.debug_string_size),
                display: string(display.to_string, display.to_string_size),
                attributes,
            })
        }
    }
}

impl std::fmt::Display for DeviceDescription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.display)
    }
}
