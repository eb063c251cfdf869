//! Extensions that no published header carries, and the other forms of those that have changed.
//!
//! An extension struct may be shorter or longer than declared here: look at a slot only where the
//! extension's own `struct_size` reaches beyond it, and never copy the struct.

use std::{
    ffi::{c_char, c_int, c_void},
    mem::{offset_of, size_of},
};

use crate::bindings::*;

/// Extension types since 0.91.
pub const PJRT_Extension_Type_Shardings: PJRT_Extension_Type = 19;
pub const PJRT_Extension_Type_AbiVersion: PJRT_Extension_Type = 20;
pub const PJRT_Extension_Type_Collectives: PJRT_Extension_Type = 21;
pub const PJRT_Extension_Type_MultiSlice: PJRT_Extension_Type = 22;
pub const PJRT_Extension_Type_HostMemoryAllocator: PJRT_Extension_Type = 23;
pub const PJRT_Extension_Type_XlaTransform: PJRT_Extension_Type = 24;

/// User data as version 2 of the FFI extension (before 0.81) took it, with a deleter.
///
/// Version 3 has no deleter but accepts the longer struct, so that this form, with a null deleter,
/// is right for both.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_FFI_UserData_Add_Args_V2 {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub context: *mut PJRT_ExecuteContext,
    pub type_id: i64,
    pub data: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(data: *mut c_void)>,
}

/// A handler as version 2 of the FFI extension (before 0.81) took it, with the kind of its
/// interface.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_FFI_Register_Handler_Args_V2 {
    pub struct_size: usize,
    pub target_name: *const c_char,
    pub target_name_size: usize,
    /// 0: untyped, 1: typed.
    pub api_version: c_int,
    pub handler: *mut c_void,
    pub platform_name: *const c_char,
    pub platform_name_size: usize,
    pub traits: PJRT_FFI_Handler_TraitsBits,
}

/// The FFI extension as it was before 0.73: without a slot for handlers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_FFI_Extension_V1 {
    pub base: PJRT_Extension_Base,
    pub type_register: PJRT_FFI_Type_Register,
    pub user_data_add: PJRT_FFI_UserData_Add,
}

/// Sets or reads a handler's state, as XLA FFI up to 0.2 takes it: without a stage.
///
/// The oldest form takes a deleter when the state is set; later ones take it from the type.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct XLA_FFI_State_Args_V2 {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub type_id: *mut XLA_FFI_TypeId,
    pub state: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(state: *mut c_void)>,
}

/// Reads an error since XLA FFI 0.4, in the slot of `XLA_FFI_Error_GetMessage`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct XLA_FFI_Error_GetDetails_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub error: *mut XLA_FFI_Error,
    pub message: *const c_char,
    pub code: XLA_FFI_Error_Code,
}

/// Calls that the GPU extension registers: older than the FFI extension's handler slot.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Gpu_Register_Custom_Call_Args {
    pub struct_size: usize,
    pub function_name: *const c_char,
    pub function_name_size: usize,
    /// 0: untyped, 1: typed.
    pub api_version: c_int,
    pub handler_instantiate: *mut c_void,
    pub handler_prepare: *mut c_void,
    pub handler_initialize: *mut c_void,
    pub handler_execute: *mut c_void,
}

/// Registers a custom call on GPU.
pub type PJRT_Gpu_Register_Custom_Call =
    Option<unsafe extern "C" fn(args: *mut PJRT_Gpu_Register_Custom_Call_Args) -> *mut PJRT_Error>;

/// The GPU custom call extension; newer plugins append a flag.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Gpu_Custom_Call {
    pub base: PJRT_Extension_Base,
    pub custom_call: PJRT_Gpu_Register_Custom_Call,
}

/// The layouts of a program's parameters.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_parameters: usize,
    pub layouts: *mut *mut PJRT_Layouts_MemoryLayout,
}

/// Reads the layouts of a program's parameters.
pub type PJRT_Layouts_PJRT_Executable_GetParameterLayouts = Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args,
    ) -> *mut PJRT_Error,
>;

/// The layouts extension since 0.93: one slot more.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Layouts_Extension_V4 {
    pub published: PJRT_Layouts_Extension,
    pub PJRT_Layouts_PJRT_Executable_GetParameterLayouts:
        PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
}

/// The shardings of a program's parameters, or of its outputs: the two have one form.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Shardings_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_shardings: usize,
    /// Serialized `xla.OpSharding` messages, or null.
    pub shardings: *const *const c_char,
    pub sharding_sizes: *const usize,
}

/// Reads shardings.
pub type PJRT_Shardings_Get =
    Option<unsafe extern "C" fn(args: *mut PJRT_Shardings_Args) -> *mut PJRT_Error>;

/// The shardings extension.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Shardings_Extension {
    pub base: PJRT_Extension_Base,
    pub PJRT_Shardings_PJRT_Executable_ParameterShardings: PJRT_Shardings_Get,
    pub PJRT_Shardings_PJRT_Executable_OutputShardings: PJRT_Shardings_Get,
}

/// The binary interface that a client runs.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_RuntimeAbiVersion {
    _unused: [u8; 0],
}

/// The binary interface that an executable was compiled for.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_ExecutableAbiVersion {
    _unused: [u8; 0],
}

/// Owns the bytes of a serialized message.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_SerializedProto {
    _unused: [u8; 0],
}

/// Arguments of most calls of the version extension: an object of type `O` in, a version `V` in or
/// out.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_AbiVersion_Pair_Args<O, V> {
    pub struct_size: usize,
    pub object: O,
    pub version: V,
}

/// Frees a version.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_AbiVersion_Destroy_Args<V> {
    pub struct_size: usize,
    pub abi_version: *mut V,
}

/// Writes a version as a message.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_AbiVersion_ToProto_Args<V> {
    pub struct_size: usize,
    pub abi_version: *const V,
    pub serialized_proto: *const c_char,
    pub serialized_proto_size: usize,
    pub serialized_proto_holder: *mut PJRT_SerializedProto,
    pub serialized_proto_deleter: Option<unsafe extern "C" fn(holder: *mut PJRT_SerializedProto)>,
}

/// Reads a version from a message.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_AbiVersion_FromProto_Args<V> {
    pub struct_size: usize,
    pub serialized_proto: *const c_char,
    pub serialized_proto_size: usize,
    pub abi_version: *mut V,
}

/// A slot that takes an argument struct and returns an error.
pub type PJRT_Extension_Slot<A> = Option<unsafe extern "C" fn(args: *mut A) -> *mut PJRT_Error>;

/// The version extension.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_AbiVersion_Extension {
    pub base: PJRT_Extension_Base,
    pub client_runtime_abi_version: PJRT_Extension_Slot<
        PJRT_AbiVersion_Pair_Args<*mut PJRT_Client, *mut PJRT_RuntimeAbiVersion>,
    >,
    pub executable_get_abi_version: PJRT_Extension_Slot<
        PJRT_AbiVersion_Pair_Args<*mut PJRT_Executable, *mut PJRT_ExecutableAbiVersion>,
    >,
    pub runtime_abi_version_destroy:
        PJRT_Extension_Slot<PJRT_AbiVersion_Destroy_Args<PJRT_RuntimeAbiVersion>>,
    pub runtime_abi_version_is_compatible_with_runtime: PJRT_Extension_Slot<
        PJRT_AbiVersion_Pair_Args<*const PJRT_RuntimeAbiVersion, *const PJRT_RuntimeAbiVersion>,
    >,
    pub runtime_abi_version_is_compatible_with_executable: PJRT_Extension_Slot<
        PJRT_AbiVersion_Pair_Args<*const PJRT_RuntimeAbiVersion, *const PJRT_ExecutableAbiVersion>,
    >,
    pub runtime_abi_version_to_proto:
        PJRT_Extension_Slot<PJRT_AbiVersion_ToProto_Args<PJRT_RuntimeAbiVersion>>,
    pub runtime_abi_version_platform_id:
        PJRT_Extension_Slot<PJRT_AbiVersion_Pair_Args<*const PJRT_RuntimeAbiVersion, u64>>,
    pub executable_abi_version_destroy:
        PJRT_Extension_Slot<PJRT_AbiVersion_Destroy_Args<PJRT_ExecutableAbiVersion>>,
    pub executable_abi_version_to_proto:
        PJRT_Extension_Slot<PJRT_AbiVersion_ToProto_Args<PJRT_ExecutableAbiVersion>>,
    pub executable_abi_version_platform_id:
        PJRT_Extension_Slot<PJRT_AbiVersion_Pair_Args<*const PJRT_ExecutableAbiVersion, u64>>,
    pub runtime_abi_version_from_proto:
        PJRT_Extension_Slot<PJRT_AbiVersion_FromProto_Args<PJRT_RuntimeAbiVersion>>,
    pub executable_abi_version_from_proto:
        PJRT_Extension_Slot<PJRT_AbiVersion_FromProto_Args<PJRT_ExecutableAbiVersion>>,
}

/// A custom call that is split along its first axis like an elementwise operation.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Register_Batch_Partitionable_Args {
    pub struct_size: usize,
    pub name: *const c_char,
    pub name_size: usize,
}

/// Teaches the partitioner about custom calls. The first slot takes a table of C callbacks.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_Custom_Partitioner_Extension {
    pub base: PJRT_Extension_Base,
    pub register_custom_partitioner: PJRT_Extension_Slot<c_void>,
    pub register_batch_partitionable: PJRT_Extension_Slot<PJRT_Register_Batch_Partitionable_Args>,
}

/// The memory of a buffer, without its shape.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_RawBuffer {
    _unused: [u8; 0],
}

/// An alias of a buffer's memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_RawBuffer_CreateRawAliasOfBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub raw_buffer: *mut PJRT_RawBuffer,
}

/// Arguments of calls that read one value of type `V` from a raw buffer; nothing for its release.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_RawBuffer_Get_Args<V> {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_RawBuffer,
    pub value: V,
}

/// A copy between host memory and a range of a raw buffer, in either direction.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_RawBuffer_Copy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_RawBuffer,
    pub host: *mut c_void,
    pub offset: i64,
    pub transfer_size: i64,
    pub event: *mut PJRT_Event,
}

/// The raw buffer extension; the last slot came with version 2.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PJRT_RawBuffer_Extension {
    pub base: PJRT_Extension_Base,
    pub PJRT_RawBuffer_CreateRawAliasOfBuffer:
        PJRT_Extension_Slot<PJRT_RawBuffer_CreateRawAliasOfBuffer_Args>,
    pub PJRT_RawBuffer_Destroy: PJRT_Extension_Slot<PJRT_RawBuffer_Get_Args<()>>,
    pub PJRT_RawBuffer_GetOnDeviceSizeInBytes: PJRT_Extension_Slot<PJRT_RawBuffer_Get_Args<usize>>,
    pub PJRT_RawBuffer_GetMemorySpace:
        PJRT_Extension_Slot<PJRT_RawBuffer_Get_Args<*mut PJRT_Memory>>,
    pub PJRT_RawBuffer_CopyRawHostToDevice: PJRT_Extension_Slot<PJRT_RawBuffer_Copy_Args>,
    pub PJRT_RawBuffer_CopyRawDeviceToHost: PJRT_Extension_Slot<PJRT_RawBuffer_Copy_Args>,
    pub PJRT_RawBuffer_GetHostPointer: PJRT_Extension_Slot<PJRT_RawBuffer_Get_Args<*mut c_void>>,
}

const _: () = {
    assert!(size_of::<PJRT_FFI_Extension_V1>() == 40);
    assert!(size_of::<PJRT_FFI_Extension>() == 48);
    assert!(size_of::<PJRT_FFI_UserData_Add_Args_V2>() == 48);
    assert!(PJRT_FFI_Type_Register_Args_STRUCT_SIZE == 48);
    assert!(PJRT_FFI_Register_Handler_Args_STRUCT_SIZE == 52);
    assert!(offset_of!(PJRT_FFI_Register_Handler_Args, target_name) == 8);
    assert!(size_of::<XLA_FFI_State_Args_V2>() == 48);
    assert!(XLA_FFI_State_Get_Args_STRUCT_SIZE == 48);
    assert!(XLA_FFI_Handler_Register_Args_STRUCT_SIZE == 84);
    assert!(size_of::<PJRT_Gpu_Register_Custom_Call_Args>() == 64);
    assert!(offset_of!(PJRT_Gpu_Custom_Call, custom_call) == 24);
    assert!(size_of::<PJRT_Layouts_Extension>() == 72);
    assert!(size_of::<PJRT_Layouts_Extension_V4>() == 80);
    assert!(size_of::<PJRT_Shardings_Args>() == 48);
    assert!(size_of::<PJRT_Shardings_Extension>() == 40);
    assert!(size_of::<PJRT_AbiVersion_Extension>() == 120);
    assert!(size_of::<PJRT_AbiVersion_ToProto_Args<PJRT_RuntimeAbiVersion>>() == 48);
    assert!(size_of::<PJRT_Custom_Partitioner_Extension>() == 40);
    assert!(size_of::<PJRT_RawBuffer_Extension>() == 80);
};
