//! Topologies: descriptions of devices to compile for, attached or not.

use crate::{
    Api, CompileOptions, DType, DeviceDescription, Error, Executable, Layout, Plugin, Program,
    Result,
    client::{Client, core::ClientInner},
    layout::RawLayout,
    named_value::{self, NamedValues},
    plugin::fork,
    spec::check_array,
    sys,
};
use std::{ptr::NonNull, sync::Arc};
use sys::{slice, string};

/// The devices of a machine (or of many), as described to the compiler.
///
/// ```no_run
/// use hloom_pjrt::{CompileOptions, Plugin, Program, Topology};
/// let plugin = Plugin::load("tpu")?;
/// let topology = Topology::new(plugin, "v5e:2x2x1", &Default::default())?;
/// let program = Program::mlir("func.func @main() { return }");
/// // SAFETY: the program is this one.
/// let compiled = unsafe { topology.compile(&program, &CompileOptions::new(), None)? };
/// let bytes = compiled.serialize()?;
/// # Ok::<(), hloom_pjrt::Error>(())
/// ```
pub struct Topology {
    pub(crate) api: &'static Api,
    raw: NonNull<sys::PJRT_TopologyDescription>,
    /// The client that owns it; without one, this handle owns it.
    client: Option<Arc<ClientInner>>,
}

// SAFETY: topologies are immutable.
unsafe impl Send for Topology {}
// SAFETY: as above.
unsafe impl Sync for Topology {}

impl Client {
    /// The topology of the client's devices, as ahead-of-time compilation uses it.
    ///
    /// # Errors
    /// The plugin's error; some plugins have no topology.
    pub fn topology(&self) -> Result<Topology> {
        Topology::of_client(&self.inner)
    }
}

impl Topology {
    /// The topology that a plugin knows by this name, such as `v5e:2x2x1`, with options such as
    /// `target_config`. Needs no device.
    ///
    /// # Errors
    /// The plugin's error; the CPU plugin has no topologies.
    pub fn new(plugin: Plugin, name: &str, options: &NamedValues) -> Result<Self> {
        check_name(name)?;
        let api = plugin.api();
        fork::watch();
        let options = named_value::to_raw(options);
        let mut args: sys::PJRT_TopologyDescription_Create_Args = api.zeroed();
        args.topology_name = name.as_ptr().cast();
        args.topology_name_size = name.len();
        args.create_options = options.as_ptr();
        args.num_options = options.len();
        // SAFETY: name and options outlive the call; the new topology belongs to us.
        unsafe { api.call(&mut args) }?;
        let raw = api.handle(args.topology, "PJRT_TopologyDescription_Create")?;
        Ok(Self { api, raw, client: None })
    }

    /// Deserializes the bytes of [`Topology::serialize`] (API 0.75 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn deserialize(plugin: Plugin, bytes: &[u8]) -> Result<Self> {
        let api = plugin.api();
        let mut args: sys::PJRT_TopologyDescription_Deserialize_Args = api.zeroed();
        args.serialized_topology = bytes.as_ptr().cast();
        args.serialized_topology_size = bytes.len();
        // SAFETY: the bytes outlive the call; the new topology belongs to us.
        unsafe { api.call(&mut args) }?;
        let raw = api.handle(args.topology, "PJRT_TopologyDescription_Deserialize")?;
        Ok(Self { api, raw, client: None })
    }

    fn of_client(client: &Arc<ClientInner>) -> Result<Self> {
        let api = client.api;
        let mut args: sys::PJRT_Client_TopologyDescription_Args = api.zeroed();
        args.client = client.raw.as_ptr();
        // SAFETY: the client is alive, and keeps the topology.
        unsafe { api.call(&mut args) }?;
        let raw = api.handle(args.topology, "PJRT_Client_TopologyDescription")?;
        Ok(Self { api, raw, client: Some(Arc::clone(client)) })
    }

    /// The name of the platform.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn platform_name(&self) -> Result<String> {
        let mut args: sys::PJRT_TopologyDescription_PlatformName_Args = self.api.zeroed();
        args.topology = self.as_ptr();
        // SAFETY: the topology is alive; the text belongs to it and is copied.
        unsafe {
            self.api.call(&mut args)?;
            Ok(string(args.platform_name, args.platform_name_size))
        }
    }

    /// The version of the platform, as the plugin reports it.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn platform_version(&self) -> Result<String> {
        let mut args: sys::PJRT_TopologyDescription_PlatformVersion_Args = self.api.zeroed();
        args.topology = self.as_ptr();
        // SAFETY: the topology is alive; the text belongs to it and is copied.
        unsafe {
            self.api.call(&mut args)?;
            Ok(string(args.platform_version, args.platform_version_size))
        }
    }

    /// Its devices.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn devices(&self) -> Result<Vec<DeviceDescription>> {
        let devices = self.device_description_ptrs()?;
        // SAFETY: descriptions of the topology, which is alive.
        devices.iter().map(|&d| unsafe { DeviceDescription::read(self.api, d) }).collect()
    }

    /// The pointers of the devices' descriptions. Valid while the topology lives.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn device_description_ptrs(&self) -> Result<Vec<*mut sys::PJRT_DeviceDescription>> {
        let mut args: sys::PJRT_TopologyDescription_GetDeviceDescriptions_Args = self.api.zeroed();
        args.topology = self.as_ptr();
        // SAFETY: the topology is alive; the array belongs to it and is copied.
        unsafe {
            self.api.call(&mut args)?;
            Ok(slice(args.descriptions, args.num_descriptions).to_vec())
        }
    }

    /// Attributes that depend on the platform.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn attributes(&self) -> Result<NamedValues> {
        let mut args: sys::PJRT_TopologyDescription_Attributes_Args = self.api.zeroed();
        args.topology = self.as_ptr();
        // SAFETY: the topology is alive; the array belongs to it and is copied.
        unsafe {
            self.api.call(&mut args)?;
            Ok(named_value::from_raw(args.attributes, args.num_attributes))
        }
    }

    /// The topology as bytes.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        let mut args: sys::PJRT_TopologyDescription_Serialize_Args = self.api.zeroed();
        args.topology = self.as_ptr();
        // SAFETY: the topology is alive; the bytes are copied before their deleter is called, once.
        unsafe {
            self.api.call(&mut args)?;
            let bytes = slice(args.serialized_bytes.cast::<u8>(), args.serialized_bytes_size);
            let bytes = bytes.to_vec();
            if let Some(deleter) = args.serialized_topology_deleter {
                deleter(args.serialized_topology);
            }
            if bytes.is_empty() {
                Err(self.api.null_handle("PJRT_TopologyDescription_Serialize"))
            } else {
                Ok(bytes)
            }
        }
    }

    /// A number that equal topologies share (API 0.101 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn fingerprint(&self) -> Result<u64> {
        let mut args: sys::PJRT_TopologyDescription_Fingerprint_Args = self.api.zeroed();
        args.topology = self.as_ptr();
        // SAFETY: the topology is alive.
        unsafe { self.api.call(&mut args) }?;
        Ok(args.fingerprint)
    }

    /// The kinds of memory that the devices have, by number (API 0.110 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn memory_kind_ids(&self) -> Result<Vec<i64>> {
        let mut args: sys::PJRT_TopologyDescription_GetMemorySpaceKindIds_Args = self.api.zeroed();
        args.topology = self.as_ptr();
        // SAFETY: the topology is alive; the array belongs to it and is copied.
        unsafe {
            self.api.call(&mut args)?;
            let ids = slice(args.memory_space_kind_ids, args.num_memory_space_kind_ids);
            Ok(ids.iter().map(|&id| i64::from(id)).collect())
        }
    }

    /// The serialized `ShapeProto`, with its layout, of an array in a kind of memory (API 0.109
    /// and later).
    ///
    /// # Errors
    /// The dimensions are not those of an array of this type, the layout has another rank, the
    /// plugin's error, or the plugin lacks the function.
    pub fn canonical_shape(
        &self,
        memory_kind_id: i32,
        dtype: DType,
        dims: &[i64],
        layout: Option<&Layout>,
    ) -> Result<Vec<u8>> {
        check_array(self.api, dtype, dims)?;
        let layout = layout.map(|layout| RawLayout::of_array(layout, dims)).transpose()?;
        let mut args: sys::PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args =
            self.api.zeroed();
        args.topology = self.as_ptr();
        args.memory_space_kind_id = memory_kind_id;
        args.dims = dims.as_ptr();
        args.num_dims = dims.len();
        args.element_type = dtype.to_raw();
        args.layout = layout.as_ref().map_or(std::ptr::null(), |l| &raw const l.raw);
        // SAFETY: inputs outlive the call; the bytes are copied before their deleter is called.
        unsafe {
            self.api.call(&mut args)?;
            let bytes = slice(args.serialized_shape.cast::<u8>(), args.serialized_shape_size);
            let bytes = bytes.to_vec();
            if let Some(deleter) = args.serialized_shape_deleter {
                deleter(args.serialized_shape);
            }
            Ok(bytes)
        }
    }

    /// Compiles a program for these devices, which need not be attached. A client, if there is one,
    /// may help (to measure variants, for instance).
    ///
    /// # Errors
    /// The plugin's error, with all its diagnostics of the program; or the options are wrong.
    ///
    /// # Safety
    /// As for [`Client::compile`].
    pub unsafe fn compile(
        &self,
        program: &Program<'_>,
        options: &CompileOptions,
        client: Option<&Client>,
    ) -> Result<Executable> {
        let options = options.encode_for(self.device_description_ptrs()?.len())?;
        let raw_program = program.to_raw();
        let mut args: sys::PJRT_Compile_Args = self.api.zeroed();
        args.topology = self.as_ptr();
        args.program = &raw const raw_program;
        args.compile_options = options.as_ptr().cast();
        args.compile_options_size = options.len();
        let client = client.filter(|client| std::ptr::eq(client.inner.api, self.api));
        args.client = client.map_or(std::ptr::null_mut(), Client::as_ptr);
        let owner = client.map(|c| Arc::clone(&c.inner)).or_else(|| self.client.clone());
        let _lookup = self.api.begin_lookup("PJRT_Compile")?;
        // SAFETY: all inputs outlive the call, and the caller vouches for the program; the new
        // executable belongs to us.
        unsafe {
            self.api.call(&mut args)?;
            Executable::from_call(self.api, owner, args.executable, "PJRT_Compile")
        }
    }

    /// The function table of the plugin.
    pub fn api(&self) -> &'static Api {
        self.api
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the topology lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_TopologyDescription {
        self.raw.as_ptr()
    }
}

impl Drop for Topology {
    fn drop(&mut self) {
        if self.client.is_some() {
            return;
        }
        let mut args: sys::PJRT_TopologyDescription_Destroy_Args = self.api.zeroed();
        args.topology = self.raw.as_ptr();
        // SAFETY: this handle owns the topology, which is not used again.
        unsafe { self.api.release(&mut args) };
    }
}

impl std::fmt::Debug for Topology {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Topology")
            .field("platform", &self.platform_name().ok())
            .finish_non_exhaustive()
    }
}

/// Refuses a slice with a side of length zero, since the TPU plugin divides by it.
fn check_name(name: &str) -> Result<()> {
    let is_zero = |side: &str| !side.is_empty() && side.bytes().all(|digit| digit == b'0');
    if name.split(['x', '_', ',', ':', '=']).any(is_zero) {
        Err(Error::argument(format!("topology `{name}`: a side has length 0")))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_length_zero_are_refused() {
        for name in ["", "v5e:2x2x1", "v5e:2x2", "v4:4x4x4", "default", "10x20"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["v5e:0x0", "v5e:2x0x1", "v5e:2x2x00", "v5e=0x1", "v5e_0x1", "0x1x1"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
