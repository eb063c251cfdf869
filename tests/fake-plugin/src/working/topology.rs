//! Topologies and the descriptions of their devices.

use hloom_pjrt_sys as sys;

use super::call::slice;
use super::client::{DEVICES, descriptions, text};
use super::failure::{Failure, Outcome};
use super::object::{Handles, Topology, handle};
use super::state::{PluginState, state};

const SERIALIZED: &str = "fake topology";

fn new(state: &mut PluginState) -> *mut sys::PJRT_TopologyDescription {
    let descriptions = Handles(descriptions(state).into());
    state.insert(Topology { descriptions })
}

pub(crate) fn create(
    state: &mut PluginState,
    args: &mut sys::PJRT_TopologyDescription_Create_Args,
) -> Outcome {
    args.topology = new(state);
    Ok(())
}

pub(crate) fn destroy(
    state: &mut PluginState,
    args: &mut sys::PJRT_TopologyDescription_Destroy_Args,
) -> Outcome {
    let topology = state.take(args.topology)?;
    topology.descriptions.0.iter().try_for_each(|&d| state.destroy(d))
}

pub(crate) fn of_client(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_TopologyDescription_Args,
) -> Outcome {
    args.topology = handle(state.get(args.client)?.topology);
    Ok(())
}

pub(crate) fn platform_name(
    state: &mut PluginState,
    args: &mut sys::PJRT_TopologyDescription_PlatformName_Args,
) -> Outcome {
    state.get(args.topology)?;
    (args.platform_name, args.platform_name_size) = text("host");
    Ok(())
}

pub(crate) fn platform_version(
    state: &mut PluginState,
    args: &mut sys::PJRT_TopologyDescription_PlatformVersion_Args,
) -> Outcome {
    state.get(args.topology)?;
    (args.platform_version, args.platform_version_size) = text("fake 1");
    Ok(())
}

pub(crate) fn devices(
    state: &mut PluginState,
    args: &mut sys::PJRT_TopologyDescription_GetDeviceDescriptions_Args,
) -> Outcome {
    let all = &state.get(args.topology)?.descriptions.0;
    (args.descriptions, args.num_descriptions) = (all.as_ptr(), all.len());
    Ok(())
}

pub(crate) fn attributes(
    state: &mut PluginState,
    args: &mut sys::PJRT_TopologyDescription_Attributes_Args,
) -> Outcome {
    state.get(args.topology).map(|_| args.num_attributes = 0)
}

pub(crate) fn serialize(
    state: &mut PluginState,
    args: &mut sys::PJRT_TopologyDescription_Serialize_Args,
) -> Outcome {
    state.get(args.topology)?;
    let raw = state.insert::<sys::PJRT_SerializedTopology>(SERIALIZED.as_bytes().to_vec());
    let bytes = state.get(raw)?;
    (args.serialized_bytes, args.serialized_bytes_size) = (bytes.as_ptr().cast(), bytes.len());
    args.serialized_topology = raw;
    args.serialized_topology_deleter = Some(free_serialized);
    Ok(())
}

unsafe extern "C" fn free_serialized(raw: *mut sys::PJRT_SerializedTopology) {
    let _ = state().destroy(raw);
}

pub(crate) fn deserialize(
    state: &mut PluginState,
    args: &mut sys::PJRT_TopologyDescription_Deserialize_Args,
) -> Outcome {
    // SAFETY: there are as many bytes as it says.
    let bytes =
        unsafe { slice(args.serialized_topology.cast::<u8>(), args.serialized_topology_size) };
    if bytes != SERIALIZED.as_bytes() {
        return Err(Failure::invalid(format!("no topology of {DEVICES} devices")));
    }
    args.topology = new(state);
    Ok(())
}

pub(crate) fn id(
    state: &mut PluginState,
    args: &mut sys::PJRT_DeviceDescription_Id_Args,
) -> Outcome {
    args.id = state.get(args.device_description)?.id;
    Ok(())
}

pub(crate) fn process(
    state: &mut PluginState,
    args: &mut sys::PJRT_DeviceDescription_ProcessIndex_Args,
) -> Outcome {
    state.get(args.device_description).map(|_| args.process_index = 0)
}

pub(crate) fn kind(
    state: &mut PluginState,
    args: &mut sys::PJRT_DeviceDescription_Kind_Args,
) -> Outcome {
    state.get(args.device_description)?;
    (args.device_kind, args.device_kind_size) = text("fake");
    Ok(())
}

pub(crate) fn debug(
    state: &mut PluginState,
    args: &mut sys::PJRT_DeviceDescription_DebugString_Args,
) -> Outcome {
    (args.debug_string, args.debug_string_size) = text(&state.get(args.device_description)?.text);
    Ok(())
}

pub(crate) fn display(
    state: &mut PluginState,
    args: &mut sys::PJRT_DeviceDescription_ToString_Args,
) -> Outcome {
    (args.to_string, args.to_string_size) = text(&state.get(args.device_description)?.text);
    Ok(())
}

pub(crate) fn device_attributes(
    state: &mut PluginState,
    args: &mut sys::PJRT_DeviceDescription_Attributes_Args,
) -> Outcome {
    state.get(args.device_description).map(|_| args.num_attributes = 0)
}
