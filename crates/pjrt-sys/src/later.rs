//! Declared by hand: what the C API gained after the newest published header, up to minor 116.
//!
//! Functions, in the order of the table, are in [`mod@crate::functions`]; here are their argument
//! structs, and at their full size the structs that have grown since. Opaque inputs that no caller
//! of ours fills are typed as such: send null and zero.

use std::{
    ffi::{c_char, c_int, c_void},
    mem::{offset_of, size_of},
};

use crate::bindings::*;

/// An opaque set of attributes that a device owns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Device_Attributes {
    _unused: [u8; 0],
}

/// An opaque multi-slice configuration.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_MultiSlice_Config {
    _unused: [u8; 0],
}

/// A device's place in a compiled program.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_LogicalDeviceIds {
    pub replica: c_int,
    pub partition: c_int,
}

/// Since 0.92: attributes that may change while the client lives.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Device_GetAttributes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub attributes: *const PJRT_NamedValue,
    pub num_attributes: usize,
    pub device_attributes: *mut PJRT_Device_Attributes,
    pub attributes_deleter: Option<unsafe extern "C" fn(attributes: *mut PJRT_Device_Attributes)>,
}

/// Since 0.95: makes an executable that was compiled for a topology runnable on a client.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Client_Load_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub executable: *mut PJRT_Executable,
    pub compile_options: *const c_char,
    pub compile_options_size: usize,
    pub loaded_executable: *mut PJRT_LoadedExecutable,
}

/// Since 0.96: which replica and partition each addressable device runs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_LoadedExecutable,
    pub addressable_device_logical_ids: *const PJRT_LogicalDeviceIds,
    pub num_addressable_device_logical_ids: usize,
}

/// Since 0.98: the same bytes seen with another element type and other dimensions.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Buffer_Bitcast_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub element_type: PJRT_Buffer_Type,
    pub dims: *const i64,
    pub num_dims: usize,
    pub device_layout: *mut PJRT_Buffer_MemoryLayout,
    pub out_buffer: *mut PJRT_Buffer,
}

/// Sees one payload of an error: a key and its bytes.
pub type PJRT_Error_PayloadVisitor = Option<
    unsafe extern "C" fn(
        key: *const c_char,
        key_size: usize,
        value: *const c_char,
        value_size: usize,
        user_arg: *mut c_void,
    ),
>;

/// Since 0.99: visits the payloads of an error.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Error_ForEachPayload_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub error: *const PJRT_Error,
    pub visitor: PJRT_Error_PayloadVisitor,
    pub user_arg: *mut c_void,
}

/// Since 0.101: a number that equal topologies share.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_TopologyDescription_Fingerprint_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *const PJRT_TopologyDescription,
    pub fingerprint: u64,
}

/// Since 0.102: the memory kind of each parameter.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Executable_ParameterMemoryKinds_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_parameters: usize,
    pub memory_kinds: *const *const c_char,
    pub memory_kind_sizes: *const usize,
}

/// Since 0.106: sets the peaks of a device's memory statistics back.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Device_ClearMemoryStats_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
}

/// Since 0.109: the shape, with its layout, that an array has in a memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *const PJRT_TopologyDescription,
    pub memory_space_kind_id: c_int,
    pub dims: *const i64,
    pub num_dims: usize,
    pub element_type: PJRT_Buffer_Type,
    pub layout: *const PJRT_Buffer_MemoryLayout,
    pub serialized_shape: *const c_char,
    pub serialized_shape_size: usize,
    pub serialized_shape_deleter: Option<unsafe extern "C" fn(serialized_shape: *const c_char)>,
}

/// Since 0.110: the kinds of memory that a topology has.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_TopologyDescription_GetMemorySpaceKindIds_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *const PJRT_TopologyDescription,
    pub memory_space_kind_ids: *const c_int,
    pub num_memory_space_kind_ids: usize,
}

/// Since 0.111: how to load an executable.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_LoadOptions {
    pub struct_size: usize,
    pub computation_origin: *const i32,
    pub computation_origin_size: usize,
    pub multi_slice_config: *mut PJRT_MultiSlice_Config,
}

/// Since 0.112: a host function that a program hands intermediate values to.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_HloOutputCallbackInfo {
    pub user_arg: *mut c_void,
    pub callback: *mut c_void,
    pub callback_id: i64,
    pub num_operands: usize,
}

/// Options of one execution. Grown in 0.97, 0.108 and 0.112.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_ExecuteOptions {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub send_callbacks: *mut *mut PJRT_SendCallbackInfo,
    pub recv_callbacks: *mut *mut PJRT_RecvCallbackInfo,
    pub num_send_ops: usize,
    pub num_recv_ops: usize,
    pub launch_id: c_int,
    pub non_donatable_input_indices: *const i64,
    pub num_non_donatable_input_indices: usize,
    pub context: *mut PJRT_ExecuteContext,
    /// Ends with a NUL byte.
    pub call_location: *const c_char,
    pub num_tasks: usize,
    pub task_ids: *mut c_int,
    pub incarnation_ids: *mut i64,
    pub multi_slice_config: *mut PJRT_MultiSlice_Config,
    /// Upstream's own default is true, not zero.
    pub use_major_to_minor_data_layout_for_callbacks: bool,
    pub hlo_output_callbacks: *mut PJRT_HloOutputCallbackInfo,
    pub num_hlo_output_callbacks: usize,
}

/// Memory that a compiled program needs. Grown in 0.104.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Executable_GetCompiledMemoryStats_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub generated_code_size_in_bytes: i64,
    pub argument_size_in_bytes: i64,
    pub output_size_in_bytes: i64,
    pub alias_size_in_bytes: i64,
    pub temp_size_in_bytes: i64,
    pub host_generated_code_size_in_bytes: i64,
    pub host_argument_size_in_bytes: i64,
    pub host_output_size_in_bytes: i64,
    pub host_alias_size_in_bytes: i64,
    pub host_temp_size_in_bytes: i64,
    pub peak_memory_in_bytes: i64,
    pub total_size_in_bytes: i64,
    pub total_allocation_bytes: i64,
    pub indefinite_allocations: i64,
    pub peak_unpadded_heap_bytes: i64,
}

/// Makes a serialized executable runnable. Grown in 0.111.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Executable_DeserializeAndLoad_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub serialized_executable: *const c_char,
    pub serialized_executable_size: usize,
    pub loaded_executable: *mut PJRT_LoadedExecutable,
    pub overridden_serialized_compile_options: *const c_char,
    pub overridden_serialized_compile_options_size: usize,
    pub load_options: *mut PJRT_LoadOptions,
}

/// Statistics of a device's allocator. Grown in 0.113.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Device_MemoryStats_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub bytes_in_use: i64,
    pub peak_bytes_in_use: i64,
    pub peak_bytes_in_use_is_set: bool,
    pub num_allocs: i64,
    pub num_allocs_is_set: bool,
    pub largest_alloc_size: i64,
    pub largest_alloc_size_is_set: bool,
    pub bytes_limit: i64,
    pub bytes_limit_is_set: bool,
    pub bytes_reserved: i64,
    pub bytes_reserved_is_set: bool,
    pub peak_bytes_reserved: i64,
    pub peak_bytes_reserved_is_set: bool,
    pub bytes_reservable_limit: i64,
    pub bytes_reservable_limit_is_set: bool,
    pub largest_free_block_bytes: i64,
    pub largest_free_block_bytes_is_set: bool,
    pub pool_bytes: i64,
    pub pool_bytes_is_set: bool,
    pub peak_pool_bytes: i64,
    pub peak_pool_bytes_is_set: bool,
    pub peak_allocated_bytes: i64,
    pub peak_allocated_bytes_is_set: bool,
}

/// Makes the outputs of a running launch errors. Grown in 0.100 by what is attached to the error.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Device_PoisonExecution_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub launch_id: i32,
    pub error_code: PJRT_Error_Code,
    pub error_message: *const c_char,
    pub error_message_size: usize,
    pub poisoned: bool,
    pub payload: *const PJRT_NamedValue,
    pub payload_size: usize,
}

/// A buffer that is an error. Grown in 0.103 by what is attached to the error.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Client_CreateErrorBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub error_code: PJRT_Error_Code,
    pub error_message: *const c_char,
    pub error_message_size: usize,
    pub shape_dims: *const i64,
    pub shape_num_dims: usize,
    pub shape_element_type: PJRT_Buffer_Type,
    pub shape_layout: *mut PJRT_Buffer_MemoryLayout,
    pub memory: *mut PJRT_Memory,
    pub buffer: *mut PJRT_Buffer,
    pub payload: *const PJRT_NamedValue,
    pub payload_size: usize,
}

/// Element types since 0.94 and 0.114.
pub const PJRT_Buffer_Type_S1: PJRT_Buffer_Type = 30;
pub const PJRT_Buffer_Type_U1: PJRT_Buffer_Type = 31;
pub const PJRT_Buffer_Type_F6E2M3FN: PJRT_Buffer_Type = 32;
pub const PJRT_Buffer_Type_F6E3M2FN: PJRT_Buffer_Type = 33;

const _: () = {
    assert!(size_of::<PJRT_Device_GetAttributes_Args>() == 56);
    assert!(size_of::<PJRT_Client_Load_Args>() == 56);
    assert!(size_of::<PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args>() == 40);
    assert!(size_of::<PJRT_LogicalDeviceIds>() == 8);
    assert!(size_of::<PJRT_Buffer_Bitcast_Args>() == 64);
    assert!(size_of::<PJRT_Error_ForEachPayload_Args>() == 40);
    assert!(size_of::<PJRT_TopologyDescription_Fingerprint_Args>() == 32);
    assert!(size_of::<PJRT_Executable_ParameterMemoryKinds_Args>() == 48);
    assert!(size_of::<PJRT_Device_ClearMemoryStats_Args>() == 24);
    assert!(size_of::<PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args>() == 88);
    assert!(size_of::<PJRT_TopologyDescription_GetMemorySpaceKindIds_Args>() == 40);
    assert!(size_of::<PJRT_LoadOptions>() == 32);
    assert!(size_of::<PJRT_HloOutputCallbackInfo>() == 32);
    assert!(size_of::<PJRT_ExecuteOptions>() == 144);
    assert!(offset_of!(PJRT_ExecuteOptions, launch_id) == 48);
    assert!(offset_of!(PJRT_ExecuteOptions, context) == 72);
    assert!(offset_of!(PJRT_ExecuteOptions, call_location) == 80);
    assert!(offset_of!(PJRT_ExecuteOptions, incarnation_ids) == 104);
    assert!(offset_of!(PJRT_ExecuteOptions, multi_slice_config) == 112);
    assert!(offset_of!(PJRT_ExecuteOptions, use_major_to_minor_data_layout_for_callbacks) == 120);
    assert!(offset_of!(PJRT_ExecuteOptions, hlo_output_callbacks) == 128);
    assert!(size_of::<PJRT_Executable_GetCompiledMemoryStats_Args>() == 144);
    assert!(offset_of!(PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes) == 104);
    assert!(size_of::<PJRT_Executable_DeserializeAndLoad_Args>() == 72);
    assert!(offset_of!(PJRT_Executable_DeserializeAndLoad_Args, load_options) == 64);
    assert!(size_of::<PJRT_Device_MemoryStats_Args>() == 208);
    assert!(offset_of!(PJRT_Device_MemoryStats_Args, peak_pool_bytes_is_set) == 184);
    assert!(offset_of!(PJRT_Device_MemoryStats_Args, peak_allocated_bytes_is_set) == 200);
    assert!(size_of::<PJRT_Device_PoisonExecution_Args>() == 72);
    assert!(offset_of!(PJRT_Device_PoisonExecution_Args, poisoned) == 48);
    assert!(size_of::<PJRT_Client_CreateErrorBuffer_Args>() == 112);
    assert!(offset_of!(PJRT_Client_CreateErrorBuffer_Args, buffer) == 88);
};
