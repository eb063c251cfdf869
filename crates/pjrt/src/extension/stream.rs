//! The device's own streams, to order work of other libraries with the plugin's.

use crate::{
    Buffer, Device, Result,
    extension::{call, slot},
    sys,
};

impl Device {
    /// The stream (such as a `CUstream`) that work which fills memory for the plugin should run on.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn stream_for_external_ready_events(&self) -> Result<isize> {
        let api = self.client.api;
        let (place, slot) = slot!(
            PJRT_Extension_Type_Stream,
            PJRT_Stream_Extension,
            get_stream,
            "PJRT_Get_Stream_For_External_Ready_Events",
            49
        );
        let mut args: sys::PJRT_Get_Stream_For_External_Ready_Events_Args = api.zeroed();
        args.device = self.data().raw;
        // SAFETY: the client keeps its devices.
        unsafe { call(api, place, slot, &mut args) }?;
        Ok(args.stream)
    }
}

impl Buffer {
    /// Makes a stream of the device wait until the buffer has its contents.
    ///
    /// # Errors
    /// The buffer was deleted or donated, the plugin's error, or the plugin lacks the extension.
    ///
    /// # Safety
    /// `stream` is a stream of the buffer's device, such as a `CUstream`.
    pub unsafe fn wait_on_stream(&self, stream: isize) -> Result<()> {
        self.check_alive("wait_on_stream")?;
        let api = self.api();
        let (place, slot) = slot!(
            PJRT_Extension_Type_Stream,
            PJRT_Stream_Extension,
            wait_stream,
            "PJRT_Wait_Until_Buffer_Ready_On_Stream",
            49
        );
        let mut args: sys::PJRT_Wait_Until_Buffer_Ready_On_Stream_Args = api.zeroed();
        args.stream = stream;
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive; the caller answers for the stream.
        unsafe { call(api, place, slot, &mut args) }
    }
}
