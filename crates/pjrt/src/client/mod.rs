//! Clients: the devices of a platform, as this process uses them.

pub(crate) mod builder;
pub(crate) mod counters;
pub(crate) mod key_value;

use crate::Api;
use crate::client::builder::ClientBuilder;
use crate::client::counters::{Alive, Counters};
use crate::client::key_value::KeyValueStore;
use crate::device::DeviceData;
use crate::device::memory::MemoryData;
use crate::event::HostEvent;
use crate::execute::launches::Launches;
use crate::spec::Specs;
use crate::transfer::host_lease::Owner;
use crate::{
    CompileOptions, Device, DeviceDescription, Error, LoadedExecutable, Memory, Plugin, Program,
    Result, Topology, named_value, plugin::fork, sys,
};
use hloom_ffi::callback;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};
use sys::{slice, string};

/// The devices of a platform. Cheap to clone.
///
/// A client lives until the last handle to it or to anything made by it (buffers, executables,
/// events, devices) is dropped, in whatever order that happens.
///
/// # Forked processes
/// A process that is forked from one with a client cannot use the plugin, since it has none of the
/// plugin's threads: neither the client and its objects, nor a new client. Calls return
/// [`Error::Forked`], and dropping a handle does nothing. Fork before the first client is made, or
/// start the other process by `exec`, as [`std::process::Command`] does. As in any forked process,
/// a lock that another thread held is never released: this includes those of a log's subscriber.
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<ClientInner>,
}

pub(crate) struct ClientInner {
    pub(crate) plugin: Plugin,
    pub(crate) api: &'static Api,
    pub(crate) raw: NonNull<sys::PJRT_Client>,
    pub(crate) devices: Vec<DeviceData>,
    pub(crate) addressable: Vec<usize>,
    pub(crate) memories: Vec<MemoryData>,
    platform_name: String,
    platform_version: String,
    process_index: i64,
    pub(crate) counters: Counters,
    pub(crate) specs: Specs,
    /// An empty execute context, for executions without one: a custom call that asks for its user
    /// data crashes the CPU plugin if there is no context at all.
    pub(crate) empty_context: *mut sys::PJRT_ExecuteContext,
    /// Held while a buffer's external references are counted, which plugins do without a lock.
    pub(crate) references: Mutex<()>,
    pub(crate) launches: Launches,
    store: Option<Owner<Arc<dyn KeyValueStore>>>,
}

// SAFETY: clients, devices and memories of the C API are thread-safe; the rest is immutable.
unsafe impl Send for ClientInner {}
// SAFETY: as above.
unsafe impl Sync for ClientInner {}

impl Client {
    pub(crate) fn create(builder: ClientBuilder) -> Result<Self> {
        let ClientBuilder { plugin, options, store } = builder;
        let api = plugin.api();
        fork::watch();
        // The plugin receives a plain pointer to it.
        let store = store.map(Owner::new);
        let options = named_value::to_raw(&options);
        let mut args: sys::PJRT_Client_Create_Args = api.zeroed();
        args.create_options = options.as_ptr();
        args.num_options = options.len();
        if let Some(store) = &store {
            key_value::set_callbacks(&mut args, store.get());
        }
        // SAFETY: the options outlive the call, the store outlives the client.
        unsafe { api.call(&mut args) }?;
        let raw = api.handle(args.client, "PJRT_Client_Create")?;
        let mut inner = ClientInner {
            plugin,
            api,
            raw,
            devices: Vec::new(),
            addressable: Vec::new(),
            memories: Vec::new(),
            platform_name: String::new(),
            platform_version: String::new(),
            process_index: 0,
            counters: Counters::default(),
            specs: Specs::default(),
            empty_context: std::ptr::null_mut(),
            references: Mutex::new(()),
            launches: Launches::default(),
            store,
        };
        // From here on, dropping `inner` destroys the client.
        inner.read()?;
        let inner = Arc::new(inner);
        counters::register(Arc::downgrade(&inner));
        Ok(Self { inner })
    }

    /// The plugin.
    pub fn plugin(&self) -> Plugin {
        self.inner.plugin
    }

    /// The name of the platform, such as `cpu` or `cuda`.
    pub fn platform_name(&self) -> &str {
        &self.inner.platform_name
    }

    /// The version of the platform, as the plugin reports it.
    pub fn platform_version(&self) -> &str {
        &self.inner.platform_version
    }

    /// The index of this process in a job of several.
    pub fn process_index(&self) -> i64 {
        self.inner.process_index
    }

    /// All devices of the job, those of other processes included.
    pub fn devices(&self) -> Vec<Device> {
        (0..self.inner.devices.len()).map(|index| self.device_at(index)).collect()
    }

    /// The devices that this process can use.
    pub fn addressable_devices(&self) -> Vec<Device> {
        self.inner.addressable.iter().map(|&index| self.device_at(index)).collect()
    }

    /// The addressable device at this index.
    ///
    /// # Errors
    /// The index is out of range.
    pub fn addressable_device(&self, ordinal: usize) -> Result<Device> {
        match self.inner.addressable.get(ordinal) {
            Some(&index) => Ok(self.device_at(index)),
            None => Err(Error::argument(format!(
                "there is no addressable device {ordinal}: {} has {}",
                self.platform_name(),
                self.inner.addressable.len()
            ))),
        }
    }

    /// The device with this id.
    pub fn device_with_id(&self, id: i64) -> Option<Device> {
        let index = self.inner.devices.iter().position(|d| d.description.id() == id)?;
        Some(self.device_at(index))
    }

    /// The addressable device with this local hardware id.
    pub fn device_with_local_hardware_id(&self, id: i64) -> Option<Device> {
        self.addressable_devices().into_iter().find(|d| d.local_hardware_id() == Some(id))
    }

    /// The memories that this process can use.
    pub fn memories(&self) -> Vec<Memory> {
        let memory = |index| Memory { client: Arc::clone(&self.inner), index };
        (0..self.inner.memories.len()).map(memory).collect()
    }

    /// The ids of the devices that a program runs on if its options name none, replica by replica.
    ///
    /// # Errors
    /// The plugin's error, for instance that there are too few devices; or a count of 0.
    pub fn default_device_assignment(
        &self,
        replicas: usize,
        partitions: usize,
    ) -> Result<Vec<i64>> {
        let count = |n: usize| i32::try_from(n).ok().filter(|&n| n > 0);
        let counts = (count(replicas), count(partitions), replicas.checked_mul(partitions));
        let (Some(num_replicas), Some(num_partitions), Some(len)) = counts else {
            let message = format!("cannot assign {replicas} replicas of {partitions} partitions");
            return Err(Error::argument(message));
        };
        if len > self.inner.devices.len() {
            return Err(Error::argument(format!(
                "{replicas} replicas of {partitions} partitions need {len} devices, {} has {}",
                self.platform_name(),
                self.inner.devices.len()
            )));
        }
        let mut ids = vec![0i32; len];
        let mut args: sys::PJRT_Client_DefaultDeviceAssignment_Args = self.inner.api.zeroed();
        args.client = self.inner.raw.as_ptr();
        args.num_replicas = num_replicas;
        args.num_partitions = num_partitions;
        args.default_assignment_size = len;
        args.default_assignment = ids.as_mut_ptr();
        // SAFETY: the plugin writes as many ids as there is room for.
        unsafe { self.inner.api.call(&mut args) }?;
        Ok(ids.into_iter().map(i64::from).collect())
    }

    /// Compiles a program and loads it onto its devices.
    ///
    /// # Errors
    /// The plugin's error, with all its diagnostics of the program; or the options are wrong.
    pub fn compile(
        &self,
        program: &Program<'_>,
        options: &CompileOptions,
    ) -> Result<LoadedExecutable> {
        let options = options.encode_for(self.inner.devices.len())?;
        let raw_program = program.to_raw();
        let mut args: sys::PJRT_Client_Compile_Args = self.inner.api.zeroed();
        args.client = self.inner.raw.as_ptr();
        args.program = &raw const raw_program;
        args.compile_options = options.as_ptr().cast();
        args.compile_options_size = options.len();
        let lookup = self.inner.api.begin_lookup("PJRT_Client_Compile")?;
        // SAFETY: program and options outlive the call.
        unsafe { self.inner.api.call(&mut args) }?;
        drop(lookup);
        // SAFETY: a new executable that belongs to us.
        unsafe { LoadedExecutable::from_call(&self.inner, args.executable, "PJRT_Client_Compile") }
    }

    /// The topology of the client's devices, as ahead-of-time compilation uses it.
    ///
    /// # Errors
    /// The plugin's error; some plugins have no topology.
    pub fn topology(&self) -> Result<Topology> {
        Topology::of_client(&self.inner)
    }

    /// An event that the host program completes (API 0.89 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn host_event(&self) -> Result<HostEvent> {
        HostEvent::new(&self.inner)
    }

    /// How many objects made by this client are alive.
    pub fn alive(&self) -> Alive {
        self.inner.counters.alive()
    }

    /// Destroys the client now, on this thread.
    ///
    /// # Errors
    /// Returns the client if another handle to it, or something made by it, is still alive.
    pub fn shutdown(self) -> Result<(), Self> {
        Arc::try_unwrap(self.inner).map(drop).map_err(|inner| Self { inner })
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the client lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_Client {
        self.inner.raw.as_ptr()
    }

    fn device_at(&self, index: usize) -> Device {
        Device { client: Arc::clone(&self.inner), index }
    }
}

impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Client {}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("platform", &self.platform_name())
            .field("devices", &self.inner.devices.len())
            .field("alive", &self.alive())
            .finish_non_exhaustive()
    }
}

impl ClientInner {
    /// Copies what does not change while the client lives.
    fn read(&mut self) -> Result<()> {
        let api = self.api;
        let client = self.raw.as_ptr();
        let mut name: sys::PJRT_Client_PlatformName_Args = api.zeroed();
        name.client = client;
        let mut version: sys::PJRT_Client_PlatformVersion_Args = api.zeroed();
        version.client = client;
        let mut process: sys::PJRT_Client_ProcessIndex_Args = api.zeroed();
        process.client = client;
        let mut devices: sys::PJRT_Client_Devices_Args = api.zeroed();
        devices.client = client;
        let mut addressable: sys::PJRT_Client_AddressableDevices_Args = api.zeroed();
        addressable.client = client;
        // SAFETY: the client is alive; texts and arrays belong to it.
        let (devices, addressable) = unsafe {
            api.call(&mut name)?;
            api.call(&mut version)?;
            api.call(&mut process)?;
            api.call(&mut devices)?;
            api.call(&mut addressable)?;
            self.platform_name = string(name.platform_name, name.platform_name_size);
            self.platform_version = string(version.platform_version, version.platform_version_size);
            self.process_index = i64::from(process.process_index);
            (
                slice(devices.devices, devices.num_devices),
                slice(addressable.addressable_devices, addressable.num_addressable_devices),
            )
        };
        for &raw in devices {
            // SAFETY: a device of the client.
            let device = unsafe { read_device(api, raw) }?;
            self.devices.push(device);
        }
        let index = |&device: &_| devices.iter().position(|&d| d == device);
        self.addressable = addressable.iter().filter_map(index).collect();
        self.read_memories()?;
        self.make_empty_context()
    }

    fn read_memories(&mut self) -> Result<()> {
        let api = self.api;
        let mut args: sys::PJRT_Client_AddressableMemories_Args = api.zeroed();
        args.client = self.raw.as_ptr();
        // SAFETY: the client is alive, and the array belongs to it.
        let memories = match unsafe { api.call(&mut args) } {
            // SAFETY: as above.
            Ok(()) => unsafe { slice(args.addressable_memories, args.num_addressable_memories) },
            Err(error) if error.is_unimplemented() => &[],
            Err(error) => return Err(error),
        };
        for &raw in memories {
            // SAFETY: a memory of the client.
            let memory = unsafe { MemoryData::read(api, raw, &self.devices) }?;
            self.memories.push(memory);
        }
        let index = |&memory: &_| memories.iter().position(|&m| m == memory);
        for device in self.devices.iter_mut().filter(|d| d.is_addressable && !memories.is_empty()) {
            let mut all: sys::PJRT_Device_AddressableMemories_Args = api.zeroed();
            all.device = device.raw;
            let mut default: sys::PJRT_Device_DefaultMemory_Args = api.zeroed();
            default.device = device.raw;
            // SAFETY: the device is alive, and the array belongs to it.
            unsafe {
                api.call(&mut all)?;
                device.memories =
                    slice(all.memories, all.num_memories).iter().filter_map(index).collect();
                // For a device without a default memory the plugin returns an error.
                device.default_memory =
                    api.call(&mut default).ok().and_then(|()| index(&default.memory));
            }
        }
        Ok(())
    }

    fn make_empty_context(&mut self) -> Result<()> {
        let mut args: sys::PJRT_ExecuteContext_Create_Args = self.api.zeroed();
        // SAFETY: no inputs.
        match unsafe { self.api.call(&mut args) } {
            Ok(()) => {
                self.empty_context =
                    self.api.handle(args.context, "PJRT_ExecuteContext_Create")?.as_ptr()
            }
            // Plugins without custom calls may lack contexts.
            Err(error) if error.is_unimplemented() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The device with this pointer of the plugin.
    pub(crate) fn device(self: &Arc<Self>, raw: *mut sys::PJRT_Device) -> Option<Device> {
        let index = self.devices.iter().position(|d| d.raw == raw)?;
        Some(Device { client: Arc::clone(self), index })
    }

    /// The memory with this pointer of the plugin.
    pub(crate) fn memory(self: &Arc<Self>, raw: *mut sys::PJRT_Memory) -> Option<Memory> {
        let index = self.memories.iter().position(|m| m.raw == raw)?;
        Some(Memory { client: Arc::clone(self), index })
    }
}

/// # Safety
/// `raw` is a device of this plugin that is alive.
unsafe fn read_device(api: &Api, raw: *mut sys::PJRT_Device) -> Result<DeviceData> {
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
        Ok(DeviceData {
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

impl Drop for ClientInner {
    fn drop(&mut self) {
        if fork::is_child() {
            return;
        }
        let destroy = Destroy {
            api: self.api,
            client: self.raw,
            empty_context: self.empty_context,
            _store: self.store.take(),
        };
        if !callback::is_running() {
            return destroy.run();
        }
        // This is a thread of the client itself: destroying it here would wait for this thread
        // forever.
        let thread = std::thread::Builder::new().name("pjrt-client-drop".to_owned());
        if let Err(error) = thread.spawn(move || destroy.run()) {
            tracing::error!(%error, "no thread to destroy a client on: it is never destroyed");
        }
    }
}

/// The pointers of a client that is to be destroyed.
struct Destroy {
    api: &'static Api,
    client: NonNull<sys::PJRT_Client>,
    empty_context: *mut sys::PJRT_ExecuteContext,
    // Freed after the client, whose threads may use it until then.
    _store: Option<Owner<Arc<dyn KeyValueStore>>>,
}

// SAFETY: the pointers are handed over to whichever thread destroys them.
unsafe impl Send for Destroy {}

impl Destroy {
    fn run(self) {
        if !self.empty_context.is_null() {
            let mut args: sys::PJRT_ExecuteContext_Destroy_Args = self.api.zeroed();
            args.context = self.empty_context;
            // SAFETY: nothing runs any more that could use it.
            unsafe { self.api.release(&mut args) };
        }
        let mut args: sys::PJRT_Client_Destroy_Args = self.api.zeroed();
        args.client = self.client.as_ptr();
        // SAFETY: no handle to anything of the client is left.
        unsafe { self.api.release(&mut args) };
    }
}
