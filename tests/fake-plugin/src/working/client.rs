//! Clients with their devices and memories.

use std::ffi::c_char;

use hloom_pjrt_sys as sys;

use super::failure::{Failure, Outcome};
use super::object::{Client, Description, Device, Handles, Memory, Topology, handle, id};
use super::state::PluginState;

/// Devices of a client, each with a memory of its own.
pub(crate) const DEVICES: i32 = 2;

/// A text that lives as long as the process, in the form of the C API.
pub(crate) fn text(text: &str) -> (*const c_char, usize) {
    (text.as_ptr().cast(), text.len())
}

pub(crate) fn create(state: &mut PluginState, args: &mut sys::PJRT_Client_Create_Args) -> Outcome {
    let descriptions = descriptions(state);
    let mut memories: Vec<*mut sys::PJRT_Memory> = Vec::new();
    let mut devices: Vec<*mut sys::PJRT_Device> = Vec::new();
    for ordinal in 0..=DEVICES {
        // The last memory is the host's, which all devices can use.
        let kind = if ordinal == DEVICES { "unpinned_host" } else { "device" };
        memories.push(state.insert_part(Memory {
            id: ordinal,
            kind,
            text: format!("memory {ordinal}"),
            devices: Handles(Box::default()),
        }));
    }
    for ordinal in 0..DEVICES {
        let own = memories[ordinal as usize];
        devices.push(state.insert_part(Device {
            ordinal,
            description: id(descriptions[ordinal as usize]),
            memories: Handles([own, memories[DEVICES as usize]].into()),
        }));
    }
    for (ordinal, &memory) in memories.iter().enumerate() {
        let using = devices.get(ordinal..=ordinal).unwrap_or(&devices);
        state.get(memory)?.devices = Handles(using.into());
    }
    let topology = state.insert_part::<sys::PJRT_TopologyDescription>(Topology {
        descriptions: Handles(descriptions.clone().into()),
    });
    args.client = state.insert(Client {
        devices: Handles(devices.into()),
        memories: Handles(memories.into()),
        descriptions: Handles(descriptions.into()),
        topology: id(topology),
        mapped: Vec::new(),
    });
    Ok(())
}

pub(crate) fn descriptions(state: &mut PluginState) -> Vec<*mut sys::PJRT_DeviceDescription> {
    let describe = |id| state.insert_part(Description { id, text: format!("fake device {id}") });
    (0..DEVICES).map(describe).collect()
}

pub(crate) fn destroy(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_Destroy_Args,
) -> Outcome {
    let client = state.take(args.client)?;
    let others: usize =
        state.alive().iter().filter(|(name, _)| OWNED.contains(name)).map(|(_, n)| n).sum();
    let clients = state.alive().get("client").copied().unwrap_or(0);
    if clients == 0 && others > 0 {
        let alive = state.alive();
        state.misused(format!("the client is destroyed before what it made: {alive:?}"));
    }
    if !client.mapped.is_empty() && !state.faulted.contains(&"PJRT_Client_DmaUnmap") {
        state.misused("host memory is still mapped".to_owned());
    }
    state.destroy(handle::<sys::PJRT_TopologyDescription>(client.topology))?;
    client.devices.0.iter().try_for_each(|&device| state.destroy(device))?;
    client.memories.0.iter().try_for_each(|&memory| state.destroy(memory))?;
    client.descriptions.0.iter().try_for_each(|&d| state.destroy(d))
}

/// The objects that must not outlive their client.
const OWNED: [&str; 7] = [
    "event",
    "buffer",
    "executable",
    "loaded executable",
    "transfer manager",
    "alias promise",
    "control dependency",
];

pub(crate) fn platform_name(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_PlatformName_Args,
) -> Outcome {
    state.get(args.client)?;
    // A platform whose devices use the host's memory.
    (args.platform_name, args.platform_name_size) = text("host");
    Ok(())
}

pub(crate) fn platform_version(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_PlatformVersion_Args,
) -> Outcome {
    state.get(args.client)?;
    (args.platform_version, args.platform_version_size) = text("fake 1");
    Ok(())
}

pub(crate) fn process_index(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_ProcessIndex_Args,
) -> Outcome {
    state.get(args.client).map(|_| args.process_index = 0)
}

pub(crate) fn devices(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_Devices_Args,
) -> Outcome {
    let devices = &state.get(args.client)?.devices.0;
    (args.devices, args.num_devices) = (devices.as_ptr(), devices.len());
    Ok(())
}

pub(crate) fn addressable_devices(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_AddressableDevices_Args,
) -> Outcome {
    let devices = &state.get(args.client)?.devices.0;
    (args.addressable_devices, args.num_addressable_devices) = (devices.as_ptr(), devices.len());
    Ok(())
}

pub(crate) fn memories(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_AddressableMemories_Args,
) -> Outcome {
    let memories = &state.get(args.client)?.memories.0;
    (args.addressable_memories, args.num_addressable_memories) =
        (memories.as_ptr(), memories.len());
    Ok(())
}

pub(crate) fn assignment(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_DefaultDeviceAssignment_Args,
) -> Outcome {
    state.get(args.client)?;
    for index in 0..args.default_assignment_size {
        // SAFETY: there is room for that many ids.
        unsafe { args.default_assignment.add(index).write(index as i32) };
    }
    Ok(())
}

pub(crate) fn dma_map(state: &mut PluginState, args: &mut sys::PJRT_Client_DmaMap_Args) -> Outcome {
    let start = id(args.data);
    state.get(args.client).map(|client| client.mapped.push(start))
}

pub(crate) fn dma_unmap(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_DmaUnmap_Args,
) -> Outcome {
    let start = id(args.data);
    let mapped = &mut state.get(args.client)?.mapped;
    match mapped.iter().position(|&other| other == start) {
        Some(at) => {
            mapped.remove(at);
            Ok(())
        }
        None => Err(state.misused("host memory that is not mapped".to_owned())),
    }
}

/// The destination of data: the named memory, otherwise the device's own.
pub(crate) fn place(
    state: &mut PluginState,
    client: *mut sys::PJRT_Client,
    device: *mut sys::PJRT_Device,
    memory: *mut sys::PJRT_Memory,
) -> Result<(usize, usize), Failure> {
    state.get(client)?;
    if !memory.is_null() {
        let first = state.get(memory)?.devices.0[0];
        return Ok((id(first), id(memory)));
    }
    if device.is_null() {
        return Err(Failure::invalid("neither device nor memory"));
    }
    let memory = state.get(device)?.memories.0[0];
    Ok((id(device), id(memory)))
}

pub(crate) fn description(
    state: &mut PluginState,
    args: &mut sys::PJRT_Device_GetDescription_Args,
) -> Outcome {
    args.device_description = handle(state.get(args.device)?.description);
    Ok(())
}

/// Statistics of which some are not kept.
pub(crate) fn memory_stats(
    state: &mut PluginState,
    args: &mut sys::PJRT_Device_MemoryStats_Args,
) -> Outcome {
    state.get(args.device)?;
    args.bytes_in_use = 640;
    (args.peak_bytes_in_use, args.peak_bytes_in_use_is_set) = (1280, true);
    (args.bytes_limit, args.bytes_limit_is_set) = (1 << 20, true);
    // Not kept, whatever the field says.
    (args.num_allocs, args.num_allocs_is_set) = (7, false);
    Ok(())
}

pub(crate) fn is_addressable(
    state: &mut PluginState,
    args: &mut sys::PJRT_Device_IsAddressable_Args,
) -> Outcome {
    state.get(args.device).map(|_| args.is_addressable = true)
}

pub(crate) fn hardware_id(
    state: &mut PluginState,
    args: &mut sys::PJRT_Device_LocalHardwareId_Args,
) -> Outcome {
    args.local_hardware_id = state.get(args.device)?.ordinal;
    Ok(())
}

pub(crate) fn device_memories(
    state: &mut PluginState,
    args: &mut sys::PJRT_Device_AddressableMemories_Args,
) -> Outcome {
    let memories = &state.get(args.device)?.memories.0;
    (args.memories, args.num_memories) = (memories.as_ptr(), memories.len());
    Ok(())
}

pub(crate) fn default_memory(
    state: &mut PluginState,
    args: &mut sys::PJRT_Device_DefaultMemory_Args,
) -> Outcome {
    args.memory = state.get(args.device)?.memories.0[0];
    Ok(())
}

pub(crate) fn track(
    state: &mut PluginState,
    args: &mut sys::PJRT_Device_CreateAsyncTrackingEvent_Args,
) -> Outcome {
    state.get(args.device)?;
    args.event = state.insert(());
    Ok(())
}

pub(crate) fn memory_id(state: &mut PluginState, args: &mut sys::PJRT_Memory_Id_Args) -> Outcome {
    args.id = state.get(args.memory)?.id;
    Ok(())
}

pub(crate) fn memory_kind(
    state: &mut PluginState,
    args: &mut sys::PJRT_Memory_Kind_Args,
) -> Outcome {
    (args.kind, args.kind_size) = text(state.get(args.memory)?.kind);
    Ok(())
}

pub(crate) fn memory_kind_id(
    state: &mut PluginState,
    args: &mut sys::PJRT_Memory_Kind_Id_Args,
) -> Outcome {
    args.kind_id = i32::from(state.get(args.memory)?.kind == "unpinned_host");
    Ok(())
}

pub(crate) fn memory_debug(
    state: &mut PluginState,
    args: &mut sys::PJRT_Memory_DebugString_Args,
) -> Outcome {
    (args.debug_string, args.debug_string_size) = text(&state.get(args.memory)?.text);
    Ok(())
}

pub(crate) fn memory_text(
    state: &mut PluginState,
    args: &mut sys::PJRT_Memory_ToString_Args,
) -> Outcome {
    (args.to_string, args.to_string_size) = text(&state.get(args.memory)?.text);
    Ok(())
}

pub(crate) fn memory_devices(
    state: &mut PluginState,
    args: &mut sys::PJRT_Memory_AddressableByDevices_Args,
) -> Outcome {
    let devices = &state.get(args.memory)?.devices.0;
    (args.devices, args.num_devices) = (devices.as_ptr(), devices.len());
    Ok(())
}
