//! Layouts of arrays in device memory, in the compiler's text format.
//!
//! A program whose arguments have `mhlo.layout_mode = "auto"` chooses its own layouts; weights that
//! are converted to them beforehand need no transpose in every call.

use crate::{
    Api, Buffer, Client, DType, Executable, Layout, Result, Topology,
    extension::{call, release, slot},
    spec::check_array,
    sys,
};
use std::fmt;
use sys::{slice, string};

/// A layout in the compiler's text format, such as `{1,0}` or `{1,0:T(8,128)(2,1)}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceLayout(String);

impl DeviceLayout {
    /// The text, which is also what `mhlo.layout_mode` takes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The order of dimensions and the tiles; `None` if the text has more than these, such as a
    /// memory space.
    pub fn layout(&self) -> Option<Layout> {
        Layout::from_text(&self.0)
    }
}

impl fmt::Display for DeviceLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Client {
    /// The default layout of arrays of this type and these dimensions.
    ///
    /// # Errors
    /// The dimensions are not those of an array of this type, the plugin's error, or the plugin
    /// lacks the extension.
    pub fn default_layout(&self, dtype: DType, dims: &[i64]) -> Result<DeviceLayout> {
        let api = self.plugin().api();
        check_array(api, dtype, dims)?;
        let (place, slot) = slot!(
            PJRT_Extension_Type_Layouts,
            PJRT_Layouts_Extension,
            PJRT_Layouts_PJRT_Client_GetDefaultLayout,
            51
        );
        let mut args: sys::PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args = api.zeroed();
        args.client = self.as_ptr();
        args.type_ = dtype.to_raw();
        args.dims = dims.as_ptr();
        args.num_dims = dims.len();
        // SAFETY: the client is alive, the dimensions outlive the call; the layout is ours.
        unsafe {
            call(api, place, slot, &mut args)?;
            take(api, args.layout)
        }
    }
}

impl Topology {
    /// The default layout of arrays of this type and these dimensions (API 0.75 and later).
    ///
    /// # Errors
    /// The dimensions are not those of an array of this type, the plugin's error, or the plugin
    /// lacks the extension.
    pub fn default_layout(&self, dtype: DType, dims: &[i64]) -> Result<DeviceLayout> {
        check_array(self.api, dtype, dims)?;
        let (place, slot) = slot!(
            PJRT_Extension_Type_Layouts,
            PJRT_Layouts_Extension,
            PJRT_Layouts_PJRT_Topology_GetDefaultLayout,
            75
        );
        let mut args: sys::PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args = self.api.zeroed();
        args.topology_description = self.as_ptr();
        args.type_ = dtype.to_raw();
        args.dims = dims.as_ptr();
        args.num_dims = dims.len();
        // SAFETY: the topology is alive, the dimensions outlive the call; the layout is ours.
        unsafe {
            call(self.api, place, slot, &mut args)?;
            take(self.api, args.layout)
        }
    }
}

impl Buffer {
    /// The layout of the buffer, in the compiler's text format.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn device_layout(&self) -> Result<DeviceLayout> {
        self.check_alive("device_layout")?;
        let api = self.api();
        let (place, slot) = slot!(
            PJRT_Extension_Type_Layouts,
            PJRT_Layouts_Extension,
            PJRT_Layouts_PJRT_Buffer_MemoryLayout,
            51
        );
        let mut args: sys::PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args = api.zeroed();
        args.buffer = self.as_ptr();
        // SAFETY: the buffer is alive; the layout is ours.
        unsafe {
            call(api, place, slot, &mut args)?;
            take(api, args.layout)
        }
    }
}

impl Executable {
    /// The layouts of the results (API 0.81 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the extension.
    pub fn output_layouts(&self) -> Result<Vec<DeviceLayout>> {
        let (place, slot) = slot!(
            PJRT_Extension_Type_Layouts,
            PJRT_Layouts_Extension,
            PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
            81
        );
        let mut args: sys::PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive, and owns the layouts.
        unsafe {
            call(self.api, place, slot, &mut args)?;
            slice(args.layouts.cast_const(), args.num_outputs)
                .iter()
                .map(|&layout| read(self.api, layout))
                .collect()
        }
    }

    /// The layouts of the parameters (API 0.93 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn parameter_layouts(&self) -> Result<Vec<DeviceLayout>> {
        let (place, slot) = slot!(
            PJRT_Extension_Type_Layouts,
            PJRT_Layouts_Extension_V4,
            PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
            93
        );
        let mut args: sys::PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args =
            self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive, and owns the layouts.
        unsafe {
            call(self.api, place, slot, &mut args)?;
            slice(args.layouts.cast_const(), args.num_parameters)
                .iter()
                .map(|&layout| read(self.api, layout))
                .collect()
        }
    }
}

/// Copies a layout and frees it.
///
/// # Safety
/// The layout came from this plugin, is the caller's, and is not used again.
unsafe fn take(api: &Api, layout: *mut sys::PJRT_Layouts_MemoryLayout) -> Result<DeviceLayout> {
    // SAFETY: by the contract of this function.
    let text = unsafe { read(api, layout) };
    let (place, slot) = slot!(
        PJRT_Extension_Type_Layouts,
        PJRT_Layouts_Extension,
        PJRT_Layouts_MemoryLayout_Destroy,
        51
    );
    let mut args: sys::PJRT_Layouts_MemoryLayout_Destroy_Args = api.zeroed();
    args.layout = layout;
    // SAFETY: as above.
    unsafe { release(api, place, slot, &mut args) };
    text
}

/// Copies a layout.
///
/// # Safety
/// The layout came from this plugin and is alive.
unsafe fn read(api: &Api, layout: *mut sys::PJRT_Layouts_MemoryLayout) -> Result<DeviceLayout> {
    let layout = api.handle(layout, "PJRT_Layouts")?;
    let (place, slot) = slot!(
        PJRT_Extension_Type_Layouts,
        PJRT_Layouts_Extension,
        PJRT_Layouts_MemoryLayout_Serialize,
        51
    );
    let mut args: sys::PJRT_Layouts_MemoryLayout_Serialize_Args = api.zeroed();
    args.layout = layout.as_ptr();
    // SAFETY: the layout is alive; the text is copied before its owner is freed, once.
    unsafe {
        call(api, place, slot, &mut args)?;
        let text = string(args.serialized_bytes, args.serialized_bytes_size);
        if let Some(deleter) = args.serialized_layout_deleter {
            deleter(args.serialized_layout);
        }
        Ok(DeviceLayout(text))
    }
}
