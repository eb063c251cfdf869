//! The device, memory and layout of a new buffer.

use crate::{
    Device, Error, Memory, Result,
    client::core::ClientInner,
    layout::{Layout, RawLayout},
    sys,
};
use std::sync::Arc;

/// The device or memory of a new buffer, and its layout.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Destination<'a> {
    /// Default: the first addressable device.
    pub device: Option<&'a Device>,
    /// Default: the device's default memory.
    pub memory: Option<&'a Memory>,
    pub layout: Option<&'a Layout>,
}

/// The setters of a builder whose device, memory and layout are fields of the builder, or of its
/// field of this name.
macro_rules! destination_setters {
    ($builder:ident $(. $field:ident)?) => {
        impl<'a> $builder<'a> {
            /// Puts the buffer into the default memory of a device (default: the first addressable
            /// one).
            pub fn on_device(mut self, device: &'a $crate::Device) -> Self {
                self$(.$field)?.device = Some(device);
                self
            }

            /// Puts the buffer into a memory, instead of the device's default one.
            pub fn in_memory(mut self, memory: &'a $crate::Memory) -> Self {
                self$(.$field)?.memory = Some(memory);
                self
            }

            /// Sets the buffer's layout on the device.
            pub fn layout(mut self, layout: &'a $crate::layout::Layout) -> Self {
                self$(.$field)?.layout = Some(layout);
                self
            }
        }
    };
}
pub(crate) use destination_setters;

impl Destination<'_> {
    /// The device and the memory to pass, one of which is null.
    pub fn place(
        &self,
        client: &Arc<ClientInner>,
    ) -> Result<(*mut sys::PJRT_Device, *mut sys::PJRT_Memory)> {
        if let Some(memory) = self.memory {
            memory.check_client(client)?;
            return Ok((std::ptr::null_mut(), memory.as_ptr()));
        }
        if let Some(device) = self.device {
            device.check_client(client)?;
            if !device.is_addressable() {
                let message = format!("device {} belongs to another process", device.id());
                return Err(Error::argument(message));
            }
            return Ok((device.as_ptr(), std::ptr::null_mut()));
        }
        match client.addressable.first() {
            Some(&index) => Ok((client.devices[index].raw, std::ptr::null_mut())),
            None => Err(Error::argument("the client has no addressable device")),
        }
    }

    /// The memory to pass to a call that takes no device.
    pub fn memory(&self, client: &Arc<ClientInner>) -> Result<*mut sys::PJRT_Memory> {
        let (device, memory) = self.place(client)?;
        if !memory.is_null() {
            return Ok(memory);
        }
        let device = Device::find(client, device);
        let memory = device.as_ref().and_then(Device::default_memory);
        memory
            .map(|memory| memory.as_ptr())
            .ok_or_else(|| Error::argument("the device has no default memory: name a memory"))
    }

    /// The layout to pass for a buffer of these dimensions.
    pub fn layout(&self, dims: &[i64]) -> Result<Option<RawLayout>> {
        self.layout.map(|layout| RawLayout::of_array(layout, dims)).transpose()
    }
}
