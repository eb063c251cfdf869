//! Creation of clients.

use crate::{
    Plugin, Result,
    client::{
        Client, alive,
        core::ClientInner,
        counters::Counters,
        key_value::{self, KeyValueStore},
    },
    device::data::{DeviceData, MemoryData},
    execute::{caller_launches::CallerLaunches, launches::Launches},
    named_value::{self, NamedValues},
    plugin::{exit::Awaited, fork},
    spec::Specs,
    sys,
    transfer::owner::Owner,
};
use std::sync::{Arc, Mutex};
use sys::{slice, string};

impl Client {
    /// Creates a client with options that were checked.
    ///
    /// # Errors
    /// The plugin's error.
    pub(super) fn create(
        plugin: Plugin,
        options: &NamedValues,
        store: Option<Arc<dyn KeyValueStore>>,
    ) -> Result<Self> {
        let api = plugin.api();
        fork::watch();
        // The plugin receives a plain pointer to it.
        let store = store.map(Owner::new);
        let options = named_value::to_raw(options);
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
            caller_launches: CallerLaunches::default(),
            store,
            _awaited: Awaited::client(),
        };
        // From here on, dropping `inner` destroys the client.
        inner.read()?;
        let inner = Arc::new(inner);
        alive::register(Arc::downgrade(&inner));
        Ok(Self { inner })
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
            let device = unsafe { DeviceData::read(api, raw) }?;
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
}
