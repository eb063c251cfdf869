use crate::later::{
    PJRT_Client_CreateErrorBuffer_Args, PJRT_Device_MemoryStats_Args,
    PJRT_Device_PoisonExecution_Args, PJRT_Executable_DeserializeAndLoad_Args,
    PJRT_Executable_GetCompiledMemoryStats_Args, PJRT_ExecuteOptions,
};

pub const XLA_FFI_API_MAJOR: u32 = 0;
pub const XLA_FFI_API_MINOR: u32 = 3;
pub const PJRT_API_MAJOR: u32 = 0;
pub const PJRT_API_MINOR: u32 = 90;
pub const PJRT_API_FFI_EXTENSION_VERSION: u32 = 3;
pub const PJRT_API_LAYOUTS_EXTENSION_VERSION: u32 = 3;
pub const PJRT_API_MEMORY_DESCRIPTIONS_EXTENSION_VERSION: u32 = 1;
pub const PJRT_API_PHASE_COMPILE_EXTENSION_VERSION: u32 = 1;
pub const PLUGIN_PROFILER_VERSION: u32 = 1;
pub const PJRT_API_PROFILER_EXTENSION_VERSION: u32 = 1;
pub const PJRT_API_STREAM_EXTENSION_VERSION: u32 = 0;
pub const PJRT_API_TPU_TOPOLOGY_EXTENSION_VERSION: u32 = 1;
pub const PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION: u32 = 5;
pub const PJRT_API_EXECUTABLE_METADATA_EXTENSION_VERSION: u32 = 1;
pub const PJRT_API_HOST_ALLOCATOR_EXTENSION_VERSION: u32 = 0;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_InternalApi {
    _unused: [u8; 0],
}
pub const XLA_FFI_Extension_Metadata: XLA_FFI_Extension_Type = 1;
pub type XLA_FFI_Extension_Type = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Extension_Base {
    pub struct_size: usize,
    pub type_: XLA_FFI_Extension_Type,
    pub next: *mut XLA_FFI_Extension_Base,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Extension_Base"][::std::mem::size_of::<XLA_FFI_Extension_Base>() - 24usize];
    ["Alignment of XLA_FFI_Extension_Base"]
        [::std::mem::align_of::<XLA_FFI_Extension_Base>() - 8usize];
    ["Offset of field: XLA_FFI_Extension_Base::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Extension_Base, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Extension_Base::type_"]
        [::std::mem::offset_of!(XLA_FFI_Extension_Base, type_) - 8usize];
    ["Offset of field: XLA_FFI_Extension_Base::next"]
        [::std::mem::offset_of!(XLA_FFI_Extension_Base, next) - 16usize];
};
pub const XLA_FFI_Extension_Base_STRUCT_SIZE: usize = 24;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Api_Version {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub major_version: ::std::os::raw::c_int,
    pub minor_version: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Api_Version"][::std::mem::size_of::<XLA_FFI_Api_Version>() - 24usize];
    ["Alignment of XLA_FFI_Api_Version"][::std::mem::align_of::<XLA_FFI_Api_Version>() - 8usize];
    ["Offset of field: XLA_FFI_Api_Version::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Api_Version, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Api_Version::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Api_Version, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Api_Version::major_version"]
        [::std::mem::offset_of!(XLA_FFI_Api_Version, major_version) - 16usize];
    ["Offset of field: XLA_FFI_Api_Version::minor_version"]
        [::std::mem::offset_of!(XLA_FFI_Api_Version, minor_version) - 20usize];
};
pub const XLA_FFI_Api_Version_STRUCT_SIZE: usize = 24;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Error {
    _unused: [u8; 0],
}
pub const XLA_FFI_Error_Code_OK: XLA_FFI_Error_Code = 0;
pub const XLA_FFI_Error_Code_CANCELLED: XLA_FFI_Error_Code = 1;
pub const XLA_FFI_Error_Code_UNKNOWN: XLA_FFI_Error_Code = 2;
pub const XLA_FFI_Error_Code_INVALID_ARGUMENT: XLA_FFI_Error_Code = 3;
pub const XLA_FFI_Error_Code_DEADLINE_EXCEEDED: XLA_FFI_Error_Code = 4;
pub const XLA_FFI_Error_Code_NOT_FOUND: XLA_FFI_Error_Code = 5;
pub const XLA_FFI_Error_Code_ALREADY_EXISTS: XLA_FFI_Error_Code = 6;
pub const XLA_FFI_Error_Code_PERMISSION_DENIED: XLA_FFI_Error_Code = 7;
pub const XLA_FFI_Error_Code_RESOURCE_EXHAUSTED: XLA_FFI_Error_Code = 8;
pub const XLA_FFI_Error_Code_FAILED_PRECONDITION: XLA_FFI_Error_Code = 9;
pub const XLA_FFI_Error_Code_ABORTED: XLA_FFI_Error_Code = 10;
pub const XLA_FFI_Error_Code_OUT_OF_RANGE: XLA_FFI_Error_Code = 11;
pub const XLA_FFI_Error_Code_UNIMPLEMENTED: XLA_FFI_Error_Code = 12;
pub const XLA_FFI_Error_Code_INTERNAL: XLA_FFI_Error_Code = 13;
pub const XLA_FFI_Error_Code_UNAVAILABLE: XLA_FFI_Error_Code = 14;
pub const XLA_FFI_Error_Code_DATA_LOSS: XLA_FFI_Error_Code = 15;
pub const XLA_FFI_Error_Code_UNAUTHENTICATED: XLA_FFI_Error_Code = 16;
pub type XLA_FFI_Error_Code = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Error_Create_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub message: *const ::std::os::raw::c_char,
    pub errc: XLA_FFI_Error_Code,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Error_Create_Args"]
        [::std::mem::size_of::<XLA_FFI_Error_Create_Args>() - 32usize];
    ["Alignment of XLA_FFI_Error_Create_Args"]
        [::std::mem::align_of::<XLA_FFI_Error_Create_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Error_Create_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Error_Create_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Error_Create_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Error_Create_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Error_Create_Args::message"]
        [::std::mem::offset_of!(XLA_FFI_Error_Create_Args, message) - 16usize];
    ["Offset of field: XLA_FFI_Error_Create_Args::errc"]
        [::std::mem::offset_of!(XLA_FFI_Error_Create_Args, errc) - 24usize];
};
pub const XLA_FFI_Error_Create_Args_STRUCT_SIZE: usize = 28;
pub type XLA_FFI_Error_Create = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_Error_Create_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Error_GetMessage_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub error: *mut XLA_FFI_Error,
    pub message: *const ::std::os::raw::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Error_GetMessage_Args"]
        [::std::mem::size_of::<XLA_FFI_Error_GetMessage_Args>() - 32usize];
    ["Alignment of XLA_FFI_Error_GetMessage_Args"]
        [::std::mem::align_of::<XLA_FFI_Error_GetMessage_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Error_GetMessage_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Error_GetMessage_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Error_GetMessage_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Error_GetMessage_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Error_GetMessage_Args::error"]
        [::std::mem::offset_of!(XLA_FFI_Error_GetMessage_Args, error) - 16usize];
    ["Offset of field: XLA_FFI_Error_GetMessage_Args::message"]
        [::std::mem::offset_of!(XLA_FFI_Error_GetMessage_Args, message) - 24usize];
};
pub const XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE: usize = 32;
pub type XLA_FFI_Error_GetMessage =
    ::std::option::Option<unsafe extern "C" fn(args: *mut XLA_FFI_Error_GetMessage_Args)>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Error_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub error: *mut XLA_FFI_Error,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Error_Destroy_Args"]
        [::std::mem::size_of::<XLA_FFI_Error_Destroy_Args>() - 24usize];
    ["Alignment of XLA_FFI_Error_Destroy_Args"]
        [::std::mem::align_of::<XLA_FFI_Error_Destroy_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Error_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Error_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Error_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Error_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Error_Destroy_Args::error"]
        [::std::mem::offset_of!(XLA_FFI_Error_Destroy_Args, error) - 16usize];
};
pub const XLA_FFI_Error_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type XLA_FFI_Error_Destroy =
    ::std::option::Option<unsafe extern "C" fn(args: *mut XLA_FFI_Error_Destroy_Args)>;
pub const XLA_FFI_DataType_INVALID: XLA_FFI_DataType = 0;
pub const XLA_FFI_DataType_PRED: XLA_FFI_DataType = 1;
pub const XLA_FFI_DataType_S1: XLA_FFI_DataType = 30;
pub const XLA_FFI_DataType_S2: XLA_FFI_DataType = 26;
pub const XLA_FFI_DataType_S4: XLA_FFI_DataType = 21;
pub const XLA_FFI_DataType_S8: XLA_FFI_DataType = 2;
pub const XLA_FFI_DataType_S16: XLA_FFI_DataType = 3;
pub const XLA_FFI_DataType_S32: XLA_FFI_DataType = 4;
pub const XLA_FFI_DataType_S64: XLA_FFI_DataType = 5;
pub const XLA_FFI_DataType_U1: XLA_FFI_DataType = 31;
pub const XLA_FFI_DataType_U2: XLA_FFI_DataType = 27;
pub const XLA_FFI_DataType_U4: XLA_FFI_DataType = 22;
pub const XLA_FFI_DataType_U8: XLA_FFI_DataType = 6;
pub const XLA_FFI_DataType_U16: XLA_FFI_DataType = 7;
pub const XLA_FFI_DataType_U32: XLA_FFI_DataType = 8;
pub const XLA_FFI_DataType_U64: XLA_FFI_DataType = 9;
pub const XLA_FFI_DataType_F16: XLA_FFI_DataType = 10;
pub const XLA_FFI_DataType_F32: XLA_FFI_DataType = 11;
pub const XLA_FFI_DataType_F64: XLA_FFI_DataType = 12;
pub const XLA_FFI_DataType_BF16: XLA_FFI_DataType = 16;
pub const XLA_FFI_DataType_C64: XLA_FFI_DataType = 15;
pub const XLA_FFI_DataType_C128: XLA_FFI_DataType = 18;
pub const XLA_FFI_DataType_TOKEN: XLA_FFI_DataType = 17;
pub const XLA_FFI_DataType_F8E5M2: XLA_FFI_DataType = 19;
pub const XLA_FFI_DataType_F8E3M4: XLA_FFI_DataType = 29;
pub const XLA_FFI_DataType_F8E4M3: XLA_FFI_DataType = 28;
pub const XLA_FFI_DataType_F8E4M3FN: XLA_FFI_DataType = 20;
pub const XLA_FFI_DataType_F8E4M3B11FNUZ: XLA_FFI_DataType = 23;
pub const XLA_FFI_DataType_F8E5M2FNUZ: XLA_FFI_DataType = 24;
pub const XLA_FFI_DataType_F8E4M3FNUZ: XLA_FFI_DataType = 25;
pub const XLA_FFI_DataType_F4E2M1FN: XLA_FFI_DataType = 32;
pub const XLA_FFI_DataType_F8E8M0FNU: XLA_FFI_DataType = 33;
pub type XLA_FFI_DataType = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Buffer {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub dtype: XLA_FFI_DataType,
    pub data: *mut ::std::os::raw::c_void,
    pub rank: i64,
    pub dims: *mut i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Buffer"][::std::mem::size_of::<XLA_FFI_Buffer>() - 48usize];
    ["Alignment of XLA_FFI_Buffer"][::std::mem::align_of::<XLA_FFI_Buffer>() - 8usize];
    ["Offset of field: XLA_FFI_Buffer::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Buffer, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Buffer::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Buffer, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Buffer::dtype"]
        [::std::mem::offset_of!(XLA_FFI_Buffer, dtype) - 16usize];
    ["Offset of field: XLA_FFI_Buffer::data"]
        [::std::mem::offset_of!(XLA_FFI_Buffer, data) - 24usize];
    ["Offset of field: XLA_FFI_Buffer::rank"]
        [::std::mem::offset_of!(XLA_FFI_Buffer, rank) - 32usize];
    ["Offset of field: XLA_FFI_Buffer::dims"]
        [::std::mem::offset_of!(XLA_FFI_Buffer, dims) - 40usize];
};
pub const XLA_FFI_Buffer_STRUCT_SIZE: usize = 48;
pub const XLA_FFI_ArgType_BUFFER: XLA_FFI_ArgType = 1;
pub type XLA_FFI_ArgType = ::std::os::raw::c_uint;
pub const XLA_FFI_RetType_BUFFER: XLA_FFI_RetType = 1;
pub type XLA_FFI_RetType = ::std::os::raw::c_uint;
pub const XLA_FFI_AttrType_ARRAY: XLA_FFI_AttrType = 1;
pub const XLA_FFI_AttrType_DICTIONARY: XLA_FFI_AttrType = 2;
pub const XLA_FFI_AttrType_SCALAR: XLA_FFI_AttrType = 3;
pub const XLA_FFI_AttrType_STRING: XLA_FFI_AttrType = 4;
pub type XLA_FFI_AttrType = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_ExecutionContext {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_ByteSpan {
    pub ptr: *const ::std::os::raw::c_char,
    pub len: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_ByteSpan"][::std::mem::size_of::<XLA_FFI_ByteSpan>() - 16usize];
    ["Alignment of XLA_FFI_ByteSpan"][::std::mem::align_of::<XLA_FFI_ByteSpan>() - 8usize];
    ["Offset of field: XLA_FFI_ByteSpan::ptr"]
        [::std::mem::offset_of!(XLA_FFI_ByteSpan, ptr) - 0usize];
    ["Offset of field: XLA_FFI_ByteSpan::len"]
        [::std::mem::offset_of!(XLA_FFI_ByteSpan, len) - 8usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Scalar {
    pub dtype: XLA_FFI_DataType,
    pub value: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Scalar"][::std::mem::size_of::<XLA_FFI_Scalar>() - 16usize];
    ["Alignment of XLA_FFI_Scalar"][::std::mem::align_of::<XLA_FFI_Scalar>() - 8usize];
    ["Offset of field: XLA_FFI_Scalar::dtype"]
        [::std::mem::offset_of!(XLA_FFI_Scalar, dtype) - 0usize];
    ["Offset of field: XLA_FFI_Scalar::value"]
        [::std::mem::offset_of!(XLA_FFI_Scalar, value) - 8usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Array {
    pub dtype: XLA_FFI_DataType,
    pub size: usize,
    pub data: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Array"][::std::mem::size_of::<XLA_FFI_Array>() - 24usize];
    ["Alignment of XLA_FFI_Array"][::std::mem::align_of::<XLA_FFI_Array>() - 8usize];
    ["Offset of field: XLA_FFI_Array::dtype"]
        [::std::mem::offset_of!(XLA_FFI_Array, dtype) - 0usize];
    ["Offset of field: XLA_FFI_Array::size"][::std::mem::offset_of!(XLA_FFI_Array, size) - 8usize];
    ["Offset of field: XLA_FFI_Array::data"][::std::mem::offset_of!(XLA_FFI_Array, data) - 16usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_TypeId {
    pub type_id: i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_TypeId"][::std::mem::size_of::<XLA_FFI_TypeId>() - 8usize];
    ["Alignment of XLA_FFI_TypeId"][::std::mem::align_of::<XLA_FFI_TypeId>() - 8usize];
    ["Offset of field: XLA_FFI_TypeId::type_id"]
        [::std::mem::offset_of!(XLA_FFI_TypeId, type_id) - 0usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_TypeInfo {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub deleter: ::std::option::Option<unsafe extern "C" fn(object: *mut ::std::os::raw::c_void)>,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_TypeInfo"][::std::mem::size_of::<XLA_FFI_TypeInfo>() - 24usize];
    ["Alignment of XLA_FFI_TypeInfo"][::std::mem::align_of::<XLA_FFI_TypeInfo>() - 8usize];
    ["Offset of field: XLA_FFI_TypeInfo::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_TypeInfo, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_TypeInfo::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_TypeInfo, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_TypeInfo::deleter"]
        [::std::mem::offset_of!(XLA_FFI_TypeInfo, deleter) - 16usize];
};
pub const XLA_FFI_TypeInfo_STRUCT_SIZE: usize = 24;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Future {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Future_Create_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub future: *mut XLA_FFI_Future,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Future_Create_Args"]
        [::std::mem::size_of::<XLA_FFI_Future_Create_Args>() - 24usize];
    ["Alignment of XLA_FFI_Future_Create_Args"]
        [::std::mem::align_of::<XLA_FFI_Future_Create_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Future_Create_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Future_Create_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Future_Create_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Future_Create_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Future_Create_Args::future"]
        [::std::mem::offset_of!(XLA_FFI_Future_Create_Args, future) - 16usize];
};
pub const XLA_FFI_Future_Create_Args_STRUCT_SIZE: usize = 16;
pub type XLA_FFI_Future_Create = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_Future_Create_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Future_SetAvailable_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub future: *mut XLA_FFI_Future,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Future_SetAvailable_Args"]
        [::std::mem::size_of::<XLA_FFI_Future_SetAvailable_Args>() - 24usize];
    ["Alignment of XLA_FFI_Future_SetAvailable_Args"]
        [::std::mem::align_of::<XLA_FFI_Future_SetAvailable_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Future_SetAvailable_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Future_SetAvailable_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Future_SetAvailable_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Future_SetAvailable_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Future_SetAvailable_Args::future"]
        [::std::mem::offset_of!(XLA_FFI_Future_SetAvailable_Args, future) - 16usize];
};
pub const XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE: usize = 24;
pub type XLA_FFI_Future_SetAvailable = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_Future_SetAvailable_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Future_SetError_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub future: *mut XLA_FFI_Future,
    pub error: *mut XLA_FFI_Error,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Future_SetError_Args"]
        [::std::mem::size_of::<XLA_FFI_Future_SetError_Args>() - 32usize];
    ["Alignment of XLA_FFI_Future_SetError_Args"]
        [::std::mem::align_of::<XLA_FFI_Future_SetError_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Future_SetError_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Future_SetError_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Future_SetError_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Future_SetError_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Future_SetError_Args::future"]
        [::std::mem::offset_of!(XLA_FFI_Future_SetError_Args, future) - 16usize];
    ["Offset of field: XLA_FFI_Future_SetError_Args::error"]
        [::std::mem::offset_of!(XLA_FFI_Future_SetError_Args, error) - 24usize];
};
pub const XLA_FFI_Future_SetError_Args_STRUCT_SIZE: usize = 32;
pub type XLA_FFI_Future_SetError = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_Future_SetError_Args) -> *mut XLA_FFI_Error,
>;
pub const XLA_FFI_ExecutionStage_INSTANTIATE: XLA_FFI_ExecutionStage = 0;
pub const XLA_FFI_ExecutionStage_PREPARE: XLA_FFI_ExecutionStage = 1;
pub const XLA_FFI_ExecutionStage_INITIALIZE: XLA_FFI_ExecutionStage = 2;
pub const XLA_FFI_ExecutionStage_EXECUTE: XLA_FFI_ExecutionStage = 3;
pub type XLA_FFI_ExecutionStage = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub size: i64,
    pub types: *mut XLA_FFI_ArgType,
    pub args: *mut *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Args"][::std::mem::size_of::<XLA_FFI_Args>() - 40usize];
    ["Alignment of XLA_FFI_Args"][::std::mem::align_of::<XLA_FFI_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Args::size"][::std::mem::offset_of!(XLA_FFI_Args, size) - 16usize];
    ["Offset of field: XLA_FFI_Args::types"][::std::mem::offset_of!(XLA_FFI_Args, types) - 24usize];
    ["Offset of field: XLA_FFI_Args::args"][::std::mem::offset_of!(XLA_FFI_Args, args) - 32usize];
};
pub const XLA_FFI_Args_STRUCT_SIZE: usize = 40;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Rets {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub size: i64,
    pub types: *mut XLA_FFI_RetType,
    pub rets: *mut *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Rets"][::std::mem::size_of::<XLA_FFI_Rets>() - 40usize];
    ["Alignment of XLA_FFI_Rets"][::std::mem::align_of::<XLA_FFI_Rets>() - 8usize];
    ["Offset of field: XLA_FFI_Rets::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Rets, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Rets::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Rets, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Rets::size"][::std::mem::offset_of!(XLA_FFI_Rets, size) - 16usize];
    ["Offset of field: XLA_FFI_Rets::types"][::std::mem::offset_of!(XLA_FFI_Rets, types) - 24usize];
    ["Offset of field: XLA_FFI_Rets::rets"][::std::mem::offset_of!(XLA_FFI_Rets, rets) - 32usize];
};
pub const XLA_FFI_Rets_STRUCT_SIZE: usize = 40;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Attrs {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub size: i64,
    pub types: *mut XLA_FFI_AttrType,
    pub names: *mut *mut XLA_FFI_ByteSpan,
    pub attrs: *mut *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Attrs"][::std::mem::size_of::<XLA_FFI_Attrs>() - 48usize];
    ["Alignment of XLA_FFI_Attrs"][::std::mem::align_of::<XLA_FFI_Attrs>() - 8usize];
    ["Offset of field: XLA_FFI_Attrs::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Attrs, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Attrs::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Attrs, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Attrs::size"][::std::mem::offset_of!(XLA_FFI_Attrs, size) - 16usize];
    ["Offset of field: XLA_FFI_Attrs::types"]
        [::std::mem::offset_of!(XLA_FFI_Attrs, types) - 24usize];
    ["Offset of field: XLA_FFI_Attrs::names"]
        [::std::mem::offset_of!(XLA_FFI_Attrs, names) - 32usize];
    ["Offset of field: XLA_FFI_Attrs::attrs"]
        [::std::mem::offset_of!(XLA_FFI_Attrs, attrs) - 40usize];
};
pub const XLA_FFI_Attrs_STRUCT_SIZE: usize = 48;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_CallFrame {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub api: *const XLA_FFI_Api,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub stage: XLA_FFI_ExecutionStage,
    pub args: XLA_FFI_Args,
    pub rets: XLA_FFI_Rets,
    pub attrs: XLA_FFI_Attrs,
    pub future: *mut XLA_FFI_Future,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_CallFrame"][::std::mem::size_of::<XLA_FFI_CallFrame>() - 176usize];
    ["Alignment of XLA_FFI_CallFrame"][::std::mem::align_of::<XLA_FFI_CallFrame>() - 8usize];
    ["Offset of field: XLA_FFI_CallFrame::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_CallFrame::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_CallFrame::api"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, api) - 16usize];
    ["Offset of field: XLA_FFI_CallFrame::ctx"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, ctx) - 24usize];
    ["Offset of field: XLA_FFI_CallFrame::stage"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, stage) - 32usize];
    ["Offset of field: XLA_FFI_CallFrame::args"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, args) - 40usize];
    ["Offset of field: XLA_FFI_CallFrame::rets"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, rets) - 80usize];
    ["Offset of field: XLA_FFI_CallFrame::attrs"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, attrs) - 120usize];
    ["Offset of field: XLA_FFI_CallFrame::future"]
        [::std::mem::offset_of!(XLA_FFI_CallFrame, future) - 168usize];
};
pub const XLA_FFI_CallFrame_STRUCT_SIZE: usize = 168;
pub type XLA_FFI_Handler = ::std::option::Option<
    unsafe extern "C" fn(call_frame: *mut XLA_FFI_CallFrame) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Handler_Bundle {
    pub instantiate: XLA_FFI_Handler,
    pub prepare: XLA_FFI_Handler,
    pub initialize: XLA_FFI_Handler,
    pub execute: XLA_FFI_Handler,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Handler_Bundle"][::std::mem::size_of::<XLA_FFI_Handler_Bundle>() - 32usize];
    ["Alignment of XLA_FFI_Handler_Bundle"]
        [::std::mem::align_of::<XLA_FFI_Handler_Bundle>() - 8usize];
    ["Offset of field: XLA_FFI_Handler_Bundle::instantiate"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Bundle, instantiate) - 0usize];
    ["Offset of field: XLA_FFI_Handler_Bundle::prepare"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Bundle, prepare) - 8usize];
    ["Offset of field: XLA_FFI_Handler_Bundle::initialize"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Bundle, initialize) - 16usize];
    ["Offset of field: XLA_FFI_Handler_Bundle::execute"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Bundle, execute) - 24usize];
};
pub const XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE: XLA_FFI_Handler_TraitsBits = 1;
pub type XLA_FFI_Handler_TraitsBits = ::std::os::raw::c_uint;
pub type XLA_FFI_Handler_Traits = u32;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Handler_Register_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub name: XLA_FFI_ByteSpan,
    pub platform: XLA_FFI_ByteSpan,
    pub bundle: XLA_FFI_Handler_Bundle,
    pub traits: XLA_FFI_Handler_Traits,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Handler_Register_Args"]
        [::std::mem::size_of::<XLA_FFI_Handler_Register_Args>() - 88usize];
    ["Alignment of XLA_FFI_Handler_Register_Args"]
        [::std::mem::align_of::<XLA_FFI_Handler_Register_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Handler_Register_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Register_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Handler_Register_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Register_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Handler_Register_Args::name"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Register_Args, name) - 16usize];
    ["Offset of field: XLA_FFI_Handler_Register_Args::platform"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Register_Args, platform) - 32usize];
    ["Offset of field: XLA_FFI_Handler_Register_Args::bundle"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Register_Args, bundle) - 48usize];
    ["Offset of field: XLA_FFI_Handler_Register_Args::traits"]
        [::std::mem::offset_of!(XLA_FFI_Handler_Register_Args, traits) - 80usize];
};
pub const XLA_FFI_Handler_Register_Args_STRUCT_SIZE: usize = 84;
pub type XLA_FFI_Handler_Register = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_Handler_Register_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Type_Register_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub name: XLA_FFI_ByteSpan,
    pub type_id: *mut XLA_FFI_TypeId,
    pub type_info: *const XLA_FFI_TypeInfo,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Type_Register_Args"]
        [::std::mem::size_of::<XLA_FFI_Type_Register_Args>() - 48usize];
    ["Alignment of XLA_FFI_Type_Register_Args"]
        [::std::mem::align_of::<XLA_FFI_Type_Register_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Type_Register_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Type_Register_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Type_Register_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Type_Register_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Type_Register_Args::name"]
        [::std::mem::offset_of!(XLA_FFI_Type_Register_Args, name) - 16usize];
    ["Offset of field: XLA_FFI_Type_Register_Args::type_id"]
        [::std::mem::offset_of!(XLA_FFI_Type_Register_Args, type_id) - 32usize];
    ["Offset of field: XLA_FFI_Type_Register_Args::type_info"]
        [::std::mem::offset_of!(XLA_FFI_Type_Register_Args, type_info) - 40usize];
};
pub const XLA_FFI_Type_Register_Args_STRUCT_SIZE: usize = 40;
pub type XLA_FFI_Type_Register = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_Type_Register_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_ExecutionContext_Get_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub type_id: *mut XLA_FFI_TypeId,
    pub data: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_ExecutionContext_Get_Args"]
        [::std::mem::size_of::<XLA_FFI_ExecutionContext_Get_Args>() - 40usize];
    ["Alignment of XLA_FFI_ExecutionContext_Get_Args"]
        [::std::mem::align_of::<XLA_FFI_ExecutionContext_Get_Args>() - 8usize];
    ["Offset of field: XLA_FFI_ExecutionContext_Get_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_ExecutionContext_Get_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_ExecutionContext_Get_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_ExecutionContext_Get_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_ExecutionContext_Get_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_ExecutionContext_Get_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_ExecutionContext_Get_Args::type_id"]
        [::std::mem::offset_of!(XLA_FFI_ExecutionContext_Get_Args, type_id) - 24usize];
    ["Offset of field: XLA_FFI_ExecutionContext_Get_Args::data"]
        [::std::mem::offset_of!(XLA_FFI_ExecutionContext_Get_Args, data) - 32usize];
};
pub const XLA_FFI_ExecutionContext_Get_Args_STRUCT_SIZE: usize = 40;
pub type XLA_FFI_ExecutionContext_Get = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_ExecutionContext_Get_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_State_Set_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub stage: XLA_FFI_ExecutionStage,
    pub type_id: *mut XLA_FFI_TypeId,
    pub state: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_State_Set_Args"][::std::mem::size_of::<XLA_FFI_State_Set_Args>() - 48usize];
    ["Alignment of XLA_FFI_State_Set_Args"]
        [::std::mem::align_of::<XLA_FFI_State_Set_Args>() - 8usize];
    ["Offset of field: XLA_FFI_State_Set_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_State_Set_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_State_Set_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_State_Set_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_State_Set_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_State_Set_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_State_Set_Args::stage"]
        [::std::mem::offset_of!(XLA_FFI_State_Set_Args, stage) - 24usize];
    ["Offset of field: XLA_FFI_State_Set_Args::type_id"]
        [::std::mem::offset_of!(XLA_FFI_State_Set_Args, type_id) - 32usize];
    ["Offset of field: XLA_FFI_State_Set_Args::state"]
        [::std::mem::offset_of!(XLA_FFI_State_Set_Args, state) - 40usize];
};
pub const XLA_FFI_State_Set_Args_STRUCT_SIZE: usize = 48;
pub type XLA_FFI_State_Set = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_State_Set_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_State_Get_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub stage: XLA_FFI_ExecutionStage,
    pub type_id: *mut XLA_FFI_TypeId,
    pub state: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_State_Get_Args"][::std::mem::size_of::<XLA_FFI_State_Get_Args>() - 48usize];
    ["Alignment of XLA_FFI_State_Get_Args"]
        [::std::mem::align_of::<XLA_FFI_State_Get_Args>() - 8usize];
    ["Offset of field: XLA_FFI_State_Get_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_State_Get_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_State_Get_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_State_Get_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_State_Get_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_State_Get_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_State_Get_Args::stage"]
        [::std::mem::offset_of!(XLA_FFI_State_Get_Args, stage) - 24usize];
    ["Offset of field: XLA_FFI_State_Get_Args::type_id"]
        [::std::mem::offset_of!(XLA_FFI_State_Get_Args, type_id) - 32usize];
    ["Offset of field: XLA_FFI_State_Get_Args::state"]
        [::std::mem::offset_of!(XLA_FFI_State_Get_Args, state) - 40usize];
};
pub const XLA_FFI_State_Get_Args_STRUCT_SIZE: usize = 48;
pub type XLA_FFI_State_Get = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_State_Get_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Stream_Get_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub stream: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Stream_Get_Args"][::std::mem::size_of::<XLA_FFI_Stream_Get_Args>() - 32usize];
    ["Alignment of XLA_FFI_Stream_Get_Args"]
        [::std::mem::align_of::<XLA_FFI_Stream_Get_Args>() - 8usize];
    ["Offset of field: XLA_FFI_Stream_Get_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Stream_Get_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Stream_Get_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Stream_Get_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Stream_Get_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_Stream_Get_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_Stream_Get_Args::stream"]
        [::std::mem::offset_of!(XLA_FFI_Stream_Get_Args, stream) - 24usize];
};
pub const XLA_FFI_Stream_Get_Args_STRUCT_SIZE: usize = 32;
pub type XLA_FFI_Stream_Get = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_Stream_Get_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_DeviceMemory_Allocate_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub size: usize,
    pub alignment: usize,
    pub data: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_DeviceMemory_Allocate_Args"]
        [::std::mem::size_of::<XLA_FFI_DeviceMemory_Allocate_Args>() - 48usize];
    ["Alignment of XLA_FFI_DeviceMemory_Allocate_Args"]
        [::std::mem::align_of::<XLA_FFI_DeviceMemory_Allocate_Args>() - 8usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Allocate_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Allocate_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Allocate_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Allocate_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Allocate_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Allocate_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Allocate_Args::size"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Allocate_Args, size) - 24usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Allocate_Args::alignment"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Allocate_Args, alignment) - 32usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Allocate_Args::data"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Allocate_Args, data) - 40usize];
};
pub const XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE: usize = 48;
pub type XLA_FFI_DeviceMemory_Allocate = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_DeviceMemory_Allocate_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_DeviceMemory_Free_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub size: usize,
    pub data: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_DeviceMemory_Free_Args"]
        [::std::mem::size_of::<XLA_FFI_DeviceMemory_Free_Args>() - 40usize];
    ["Alignment of XLA_FFI_DeviceMemory_Free_Args"]
        [::std::mem::align_of::<XLA_FFI_DeviceMemory_Free_Args>() - 8usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Free_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Free_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Free_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Free_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Free_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Free_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Free_Args::size"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Free_Args, size) - 24usize];
    ["Offset of field: XLA_FFI_DeviceMemory_Free_Args::data"]
        [::std::mem::offset_of!(XLA_FFI_DeviceMemory_Free_Args, data) - 32usize];
};
pub const XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE: usize = 40;
pub type XLA_FFI_DeviceMemory_Free = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_DeviceMemory_Free_Args) -> *mut XLA_FFI_Error,
>;
pub type XLA_FFI_Task =
    ::std::option::Option<unsafe extern "C" fn(data: *mut ::std::os::raw::c_void)>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_ThreadPool_Schedule_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub task: XLA_FFI_Task,
    pub data: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_ThreadPool_Schedule_Args"]
        [::std::mem::size_of::<XLA_FFI_ThreadPool_Schedule_Args>() - 40usize];
    ["Alignment of XLA_FFI_ThreadPool_Schedule_Args"]
        [::std::mem::align_of::<XLA_FFI_ThreadPool_Schedule_Args>() - 8usize];
    ["Offset of field: XLA_FFI_ThreadPool_Schedule_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_Schedule_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_ThreadPool_Schedule_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_Schedule_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_ThreadPool_Schedule_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_Schedule_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_ThreadPool_Schedule_Args::task"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_Schedule_Args, task) - 24usize];
    ["Offset of field: XLA_FFI_ThreadPool_Schedule_Args::data"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_Schedule_Args, data) - 32usize];
};
pub const XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE: usize = 40;
pub type XLA_FFI_ThreadPool_Schedule = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_ThreadPool_Schedule_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_ThreadPool_NumThreads_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub num_threads: *mut i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_ThreadPool_NumThreads_Args"]
        [::std::mem::size_of::<XLA_FFI_ThreadPool_NumThreads_Args>() - 32usize];
    ["Alignment of XLA_FFI_ThreadPool_NumThreads_Args"]
        [::std::mem::align_of::<XLA_FFI_ThreadPool_NumThreads_Args>() - 8usize];
    ["Offset of field: XLA_FFI_ThreadPool_NumThreads_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_NumThreads_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_ThreadPool_NumThreads_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_NumThreads_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_ThreadPool_NumThreads_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_NumThreads_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_ThreadPool_NumThreads_Args::num_threads"]
        [::std::mem::offset_of!(XLA_FFI_ThreadPool_NumThreads_Args, num_threads) - 24usize];
};
pub const XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE: usize = 32;
pub type XLA_FFI_ThreadPool_NumThreads = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_ThreadPool_NumThreads_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_RunId_Get_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub run_id: i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_RunId_Get_Args"][::std::mem::size_of::<XLA_FFI_RunId_Get_Args>() - 32usize];
    ["Alignment of XLA_FFI_RunId_Get_Args"]
        [::std::mem::align_of::<XLA_FFI_RunId_Get_Args>() - 8usize];
    ["Offset of field: XLA_FFI_RunId_Get_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_RunId_Get_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_RunId_Get_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_RunId_Get_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_RunId_Get_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_RunId_Get_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_RunId_Get_Args::run_id"]
        [::std::mem::offset_of!(XLA_FFI_RunId_Get_Args, run_id) - 24usize];
};
pub const XLA_FFI_RunId_Get_Args_STRUCT_SIZE: usize = 32;
pub type XLA_FFI_RunId_Get = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_RunId_Get_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_DeviceOrdinal_Get_Args {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub ctx: *mut XLA_FFI_ExecutionContext,
    pub device_ordinal: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_DeviceOrdinal_Get_Args"]
        [::std::mem::size_of::<XLA_FFI_DeviceOrdinal_Get_Args>() - 32usize];
    ["Alignment of XLA_FFI_DeviceOrdinal_Get_Args"]
        [::std::mem::align_of::<XLA_FFI_DeviceOrdinal_Get_Args>() - 8usize];
    ["Offset of field: XLA_FFI_DeviceOrdinal_Get_Args::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_DeviceOrdinal_Get_Args, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_DeviceOrdinal_Get_Args::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_DeviceOrdinal_Get_Args, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_DeviceOrdinal_Get_Args::ctx"]
        [::std::mem::offset_of!(XLA_FFI_DeviceOrdinal_Get_Args, ctx) - 16usize];
    ["Offset of field: XLA_FFI_DeviceOrdinal_Get_Args::device_ordinal"]
        [::std::mem::offset_of!(XLA_FFI_DeviceOrdinal_Get_Args, device_ordinal) - 24usize];
};
pub const XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE: usize = 28;
pub type XLA_FFI_DeviceOrdinal_Get = ::std::option::Option<
    unsafe extern "C" fn(args: *mut XLA_FFI_DeviceOrdinal_Get_Args) -> *mut XLA_FFI_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Metadata {
    pub struct_size: usize,
    pub api_version: XLA_FFI_Api_Version,
    pub traits: XLA_FFI_Handler_Traits,
    pub state_type_id: XLA_FFI_TypeId,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Metadata"][::std::mem::size_of::<XLA_FFI_Metadata>() - 48usize];
    ["Alignment of XLA_FFI_Metadata"][::std::mem::align_of::<XLA_FFI_Metadata>() - 8usize];
    ["Offset of field: XLA_FFI_Metadata::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Metadata, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Metadata::api_version"]
        [::std::mem::offset_of!(XLA_FFI_Metadata, api_version) - 8usize];
    ["Offset of field: XLA_FFI_Metadata::traits"]
        [::std::mem::offset_of!(XLA_FFI_Metadata, traits) - 32usize];
    ["Offset of field: XLA_FFI_Metadata::state_type_id"]
        [::std::mem::offset_of!(XLA_FFI_Metadata, state_type_id) - 40usize];
};
pub const XLA_FFI_Metadata_STRUCT_SIZE: usize = 36;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Metadata_Extension {
    pub extension_base: XLA_FFI_Extension_Base,
    pub metadata: *mut XLA_FFI_Metadata,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Metadata_Extension"]
        [::std::mem::size_of::<XLA_FFI_Metadata_Extension>() - 32usize];
    ["Alignment of XLA_FFI_Metadata_Extension"]
        [::std::mem::align_of::<XLA_FFI_Metadata_Extension>() - 8usize];
    ["Offset of field: XLA_FFI_Metadata_Extension::extension_base"]
        [::std::mem::offset_of!(XLA_FFI_Metadata_Extension, extension_base) - 0usize];
    ["Offset of field: XLA_FFI_Metadata_Extension::metadata"]
        [::std::mem::offset_of!(XLA_FFI_Metadata_Extension, metadata) - 24usize];
};
pub const XLA_FFI_Metadata_Extension_STRUCT_SIZE: usize = 32;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct XLA_FFI_Api {
    pub struct_size: usize,
    pub extension_start: *mut XLA_FFI_Extension_Base,
    pub api_version: XLA_FFI_Api_Version,
    pub internal_api: *const XLA_FFI_InternalApi,
    pub XLA_FFI_Error_Create: XLA_FFI_Error_Create,
    pub XLA_FFI_Error_GetMessage: XLA_FFI_Error_GetMessage,
    pub XLA_FFI_Error_Destroy: XLA_FFI_Error_Destroy,
    pub XLA_FFI_Handler_Register: XLA_FFI_Handler_Register,
    pub XLA_FFI_Stream_Get: XLA_FFI_Stream_Get,
    pub XLA_FFI_Type_Register: XLA_FFI_Type_Register,
    pub XLA_FFI_ExecutionContext_Get: XLA_FFI_ExecutionContext_Get,
    pub XLA_FFI_State_Set: XLA_FFI_State_Set,
    pub XLA_FFI_State_Get: XLA_FFI_State_Get,
    pub XLA_FFI_DeviceMemory_Allocate: XLA_FFI_DeviceMemory_Allocate,
    pub XLA_FFI_DeviceMemory_Free: XLA_FFI_DeviceMemory_Free,
    pub XLA_FFI_ThreadPool_Schedule: XLA_FFI_ThreadPool_Schedule,
    pub XLA_FFI_ThreadPool_NumThreads: XLA_FFI_ThreadPool_NumThreads,
    pub XLA_FFI_Future_Create: XLA_FFI_Future_Create,
    pub XLA_FFI_Future_SetAvailable: XLA_FFI_Future_SetAvailable,
    pub XLA_FFI_Future_SetError: XLA_FFI_Future_SetError,
    pub XLA_FFI_RunId_Get: XLA_FFI_RunId_Get,
    pub XLA_FFI_DeviceOrdinal_Get: XLA_FFI_DeviceOrdinal_Get,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of XLA_FFI_Api"][::std::mem::size_of::<XLA_FFI_Api>() - 192usize];
    ["Alignment of XLA_FFI_Api"][::std::mem::align_of::<XLA_FFI_Api>() - 8usize];
    ["Offset of field: XLA_FFI_Api::struct_size"]
        [::std::mem::offset_of!(XLA_FFI_Api, struct_size) - 0usize];
    ["Offset of field: XLA_FFI_Api::extension_start"]
        [::std::mem::offset_of!(XLA_FFI_Api, extension_start) - 8usize];
    ["Offset of field: XLA_FFI_Api::api_version"]
        [::std::mem::offset_of!(XLA_FFI_Api, api_version) - 16usize];
    ["Offset of field: XLA_FFI_Api::internal_api"]
        [::std::mem::offset_of!(XLA_FFI_Api, internal_api) - 40usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Error_Create"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Error_Create) - 48usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Error_GetMessage"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Error_GetMessage) - 56usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Error_Destroy"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Error_Destroy) - 64usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Handler_Register"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Handler_Register) - 72usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Stream_Get"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Stream_Get) - 80usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Type_Register"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Type_Register) - 88usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_ExecutionContext_Get"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_ExecutionContext_Get) - 96usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_State_Set"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_State_Set) - 104usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_State_Get"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_State_Get) - 112usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_DeviceMemory_Allocate"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_DeviceMemory_Allocate) - 120usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_DeviceMemory_Free"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_DeviceMemory_Free) - 128usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_ThreadPool_Schedule"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_ThreadPool_Schedule) - 136usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_ThreadPool_NumThreads"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_ThreadPool_NumThreads) - 144usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Future_Create"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Future_Create) - 152usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Future_SetAvailable"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Future_SetAvailable) - 160usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_Future_SetError"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_Future_SetError) - 168usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_RunId_Get"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_RunId_Get) - 176usize];
    ["Offset of field: XLA_FFI_Api::XLA_FFI_DeviceOrdinal_Get"]
        [::std::mem::offset_of!(XLA_FFI_Api, XLA_FFI_DeviceOrdinal_Get) - 184usize];
};
pub const XLA_FFI_Api_STRUCT_SIZE: usize = 192;
pub const PJRT_Extension_Type_Gpu_Custom_Call: PJRT_Extension_Type = 0;
pub const PJRT_Extension_Type_Profiler: PJRT_Extension_Type = 1;
pub const PJRT_Extension_Type_Custom_Partitioner: PJRT_Extension_Type = 2;
pub const PJRT_Extension_Type_Stream: PJRT_Extension_Type = 3;
pub const PJRT_Extension_Type_Layouts: PJRT_Extension_Type = 4;
pub const PJRT_Extension_Type_FFI: PJRT_Extension_Type = 5;
pub const PJRT_Extension_Type_MemoryDescriptions: PJRT_Extension_Type = 6;
pub const PJRT_Extension_Type_Triton: PJRT_Extension_Type = 7;
pub const PJRT_Extension_Type_RawBuffer: PJRT_Extension_Type = 8;
pub const PJRT_Extension_Type_PhaseCompile: PJRT_Extension_Type = 9;
pub const PJRT_Extension_Type_Example: PJRT_Extension_Type = 10;
pub const PJRT_Extension_Type_Unknown: PJRT_Extension_Type = 11;
pub const PJRT_Extension_Type_CrossHostTransfers: PJRT_Extension_Type = 12;
pub const PJRT_Extension_Type_ExecutableMetadata: PJRT_Extension_Type = 13;
pub const PJRT_Extension_Type_Callback: PJRT_Extension_Type = 14;
pub const PJRT_Extension_Type_HostAllocator: PJRT_Extension_Type = 15;
pub const PJRT_Extension_Type_TpuTopology: PJRT_Extension_Type = 16;
pub const PJRT_Extension_Type_TpuExecutable: PJRT_Extension_Type = 17;
pub const PJRT_Extension_Type_Megascale: PJRT_Extension_Type = 18;
pub type PJRT_Extension_Type = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Extension_Base {
    pub struct_size: usize,
    pub type_: PJRT_Extension_Type,
    pub next: *mut PJRT_Extension_Base,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Extension_Base"][::std::mem::size_of::<PJRT_Extension_Base>() - 24usize];
    ["Alignment of PJRT_Extension_Base"][::std::mem::align_of::<PJRT_Extension_Base>() - 8usize];
    ["Offset of field: PJRT_Extension_Base::struct_size"]
        [::std::mem::offset_of!(PJRT_Extension_Base, struct_size) - 0usize];
    ["Offset of field: PJRT_Extension_Base::type_"]
        [::std::mem::offset_of!(PJRT_Extension_Base, type_) - 8usize];
    ["Offset of field: PJRT_Extension_Base::next"]
        [::std::mem::offset_of!(PJRT_Extension_Base, next) - 16usize];
};
pub const PJRT_Extension_Base_STRUCT_SIZE: usize = 24;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Api_Version {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub major_version: ::std::os::raw::c_int,
    pub minor_version: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Api_Version"][::std::mem::size_of::<PJRT_Api_Version>() - 24usize];
    ["Alignment of PJRT_Api_Version"][::std::mem::align_of::<PJRT_Api_Version>() - 8usize];
    ["Offset of field: PJRT_Api_Version::struct_size"]
        [::std::mem::offset_of!(PJRT_Api_Version, struct_size) - 0usize];
    ["Offset of field: PJRT_Api_Version::extension_start"]
        [::std::mem::offset_of!(PJRT_Api_Version, extension_start) - 8usize];
    ["Offset of field: PJRT_Api_Version::major_version"]
        [::std::mem::offset_of!(PJRT_Api_Version, major_version) - 16usize];
    ["Offset of field: PJRT_Api_Version::minor_version"]
        [::std::mem::offset_of!(PJRT_Api_Version, minor_version) - 20usize];
};
pub const PJRT_Api_Version_STRUCT_SIZE: usize = 24;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Error {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Error_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub error: *mut PJRT_Error,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Error_Destroy_Args"][::std::mem::size_of::<PJRT_Error_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_Error_Destroy_Args"]
        [::std::mem::align_of::<PJRT_Error_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_Error_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Error_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Error_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Error_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Error_Destroy_Args::error"]
        [::std::mem::offset_of!(PJRT_Error_Destroy_Args, error) - 16usize];
};
pub const PJRT_Error_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Error_Destroy =
    ::std::option::Option<unsafe extern "C" fn(args: *mut PJRT_Error_Destroy_Args)>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Error_Message_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub error: *const PJRT_Error,
    pub message: *const ::std::os::raw::c_char,
    pub message_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Error_Message_Args"][::std::mem::size_of::<PJRT_Error_Message_Args>() - 40usize];
    ["Alignment of PJRT_Error_Message_Args"]
        [::std::mem::align_of::<PJRT_Error_Message_Args>() - 8usize];
    ["Offset of field: PJRT_Error_Message_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Error_Message_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Error_Message_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Error_Message_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Error_Message_Args::error"]
        [::std::mem::offset_of!(PJRT_Error_Message_Args, error) - 16usize];
    ["Offset of field: PJRT_Error_Message_Args::message"]
        [::std::mem::offset_of!(PJRT_Error_Message_Args, message) - 24usize];
    ["Offset of field: PJRT_Error_Message_Args::message_size"]
        [::std::mem::offset_of!(PJRT_Error_Message_Args, message_size) - 32usize];
};
pub const PJRT_Error_Message_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Error_Message =
    ::std::option::Option<unsafe extern "C" fn(args: *mut PJRT_Error_Message_Args)>;
pub const PJRT_Error_Code_OK: PJRT_Error_Code = 0;
pub const PJRT_Error_Code_CANCELLED: PJRT_Error_Code = 1;
pub const PJRT_Error_Code_UNKNOWN: PJRT_Error_Code = 2;
pub const PJRT_Error_Code_INVALID_ARGUMENT: PJRT_Error_Code = 3;
pub const PJRT_Error_Code_DEADLINE_EXCEEDED: PJRT_Error_Code = 4;
pub const PJRT_Error_Code_NOT_FOUND: PJRT_Error_Code = 5;
pub const PJRT_Error_Code_ALREADY_EXISTS: PJRT_Error_Code = 6;
pub const PJRT_Error_Code_PERMISSION_DENIED: PJRT_Error_Code = 7;
pub const PJRT_Error_Code_RESOURCE_EXHAUSTED: PJRT_Error_Code = 8;
pub const PJRT_Error_Code_FAILED_PRECONDITION: PJRT_Error_Code = 9;
pub const PJRT_Error_Code_ABORTED: PJRT_Error_Code = 10;
pub const PJRT_Error_Code_OUT_OF_RANGE: PJRT_Error_Code = 11;
pub const PJRT_Error_Code_UNIMPLEMENTED: PJRT_Error_Code = 12;
pub const PJRT_Error_Code_INTERNAL: PJRT_Error_Code = 13;
pub const PJRT_Error_Code_UNAVAILABLE: PJRT_Error_Code = 14;
pub const PJRT_Error_Code_DATA_LOSS: PJRT_Error_Code = 15;
pub const PJRT_Error_Code_UNAUTHENTICATED: PJRT_Error_Code = 16;
pub type PJRT_Error_Code = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Error_GetCode_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub error: *const PJRT_Error,
    pub code: PJRT_Error_Code,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Error_GetCode_Args"][::std::mem::size_of::<PJRT_Error_GetCode_Args>() - 32usize];
    ["Alignment of PJRT_Error_GetCode_Args"]
        [::std::mem::align_of::<PJRT_Error_GetCode_Args>() - 8usize];
    ["Offset of field: PJRT_Error_GetCode_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Error_GetCode_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Error_GetCode_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Error_GetCode_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Error_GetCode_Args::error"]
        [::std::mem::offset_of!(PJRT_Error_GetCode_Args, error) - 16usize];
    ["Offset of field: PJRT_Error_GetCode_Args::code"]
        [::std::mem::offset_of!(PJRT_Error_GetCode_Args, code) - 24usize];
};
pub const PJRT_Error_GetCode_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_Error_GetCode = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Error_GetCode_Args) -> *mut PJRT_Error,
>;
pub type PJRT_CallbackError = ::std::option::Option<
    unsafe extern "C" fn(
        code: PJRT_Error_Code,
        message: *const ::std::os::raw::c_char,
        message_size: usize,
    ) -> *mut PJRT_Error,
>;
pub const PJRT_NamedValue_kString: PJRT_NamedValue_Type = 0;
pub const PJRT_NamedValue_kInt64: PJRT_NamedValue_Type = 1;
pub const PJRT_NamedValue_kInt64List: PJRT_NamedValue_Type = 2;
pub const PJRT_NamedValue_kFloat: PJRT_NamedValue_Type = 3;
pub const PJRT_NamedValue_kBool: PJRT_NamedValue_Type = 4;
pub type PJRT_NamedValue_Type = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_NamedValue {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub name: *const ::std::os::raw::c_char,
    pub name_size: usize,
    pub type_: PJRT_NamedValue_Type,
    pub __bindgen_anon_1: PJRT_NamedValue__bindgen_ty_1,
    pub value_size: usize,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union PJRT_NamedValue__bindgen_ty_1 {
    pub string_value: *const ::std::os::raw::c_char,
    pub int64_value: i64,
    pub int64_array_value: *const i64,
    pub float_value: f32,
    pub bool_value: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_NamedValue__bindgen_ty_1"]
        [::std::mem::size_of::<PJRT_NamedValue__bindgen_ty_1>() - 8usize];
    ["Alignment of PJRT_NamedValue__bindgen_ty_1"]
        [::std::mem::align_of::<PJRT_NamedValue__bindgen_ty_1>() - 8usize];
    ["Offset of field: PJRT_NamedValue__bindgen_ty_1::string_value"]
        [::std::mem::offset_of!(PJRT_NamedValue__bindgen_ty_1, string_value) - 0usize];
    ["Offset of field: PJRT_NamedValue__bindgen_ty_1::int64_value"]
        [::std::mem::offset_of!(PJRT_NamedValue__bindgen_ty_1, int64_value) - 0usize];
    ["Offset of field: PJRT_NamedValue__bindgen_ty_1::int64_array_value"]
        [::std::mem::offset_of!(PJRT_NamedValue__bindgen_ty_1, int64_array_value) - 0usize];
    ["Offset of field: PJRT_NamedValue__bindgen_ty_1::float_value"]
        [::std::mem::offset_of!(PJRT_NamedValue__bindgen_ty_1, float_value) - 0usize];
    ["Offset of field: PJRT_NamedValue__bindgen_ty_1::bool_value"]
        [::std::mem::offset_of!(PJRT_NamedValue__bindgen_ty_1, bool_value) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_NamedValue"][::std::mem::size_of::<PJRT_NamedValue>() - 56usize];
    ["Alignment of PJRT_NamedValue"][::std::mem::align_of::<PJRT_NamedValue>() - 8usize];
    ["Offset of field: PJRT_NamedValue::struct_size"]
        [::std::mem::offset_of!(PJRT_NamedValue, struct_size) - 0usize];
    ["Offset of field: PJRT_NamedValue::extension_start"]
        [::std::mem::offset_of!(PJRT_NamedValue, extension_start) - 8usize];
    ["Offset of field: PJRT_NamedValue::name"]
        [::std::mem::offset_of!(PJRT_NamedValue, name) - 16usize];
    ["Offset of field: PJRT_NamedValue::name_size"]
        [::std::mem::offset_of!(PJRT_NamedValue, name_size) - 24usize];
    ["Offset of field: PJRT_NamedValue::type_"]
        [::std::mem::offset_of!(PJRT_NamedValue, type_) - 32usize];
    ["Offset of field: PJRT_NamedValue::value_size"]
        [::std::mem::offset_of!(PJRT_NamedValue, value_size) - 48usize];
};
pub const PJRT_NamedValue_STRUCT_SIZE: usize = 56;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Plugin_Initialize_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Plugin_Initialize_Args"]
        [::std::mem::size_of::<PJRT_Plugin_Initialize_Args>() - 16usize];
    ["Alignment of PJRT_Plugin_Initialize_Args"]
        [::std::mem::align_of::<PJRT_Plugin_Initialize_Args>() - 8usize];
    ["Offset of field: PJRT_Plugin_Initialize_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Plugin_Initialize_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Plugin_Initialize_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Plugin_Initialize_Args, extension_start) - 8usize];
};
pub const PJRT_Plugin_Initialize_Args_STRUCT_SIZE: usize = 16;
pub type PJRT_Plugin_Initialize = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Plugin_Initialize_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Plugin_Attributes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub attributes: *const PJRT_NamedValue,
    pub num_attributes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Plugin_Attributes_Args"]
        [::std::mem::size_of::<PJRT_Plugin_Attributes_Args>() - 32usize];
    ["Alignment of PJRT_Plugin_Attributes_Args"]
        [::std::mem::align_of::<PJRT_Plugin_Attributes_Args>() - 8usize];
    ["Offset of field: PJRT_Plugin_Attributes_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Plugin_Attributes_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Plugin_Attributes_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Plugin_Attributes_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Plugin_Attributes_Args::attributes"]
        [::std::mem::offset_of!(PJRT_Plugin_Attributes_Args, attributes) - 16usize];
    ["Offset of field: PJRT_Plugin_Attributes_Args::num_attributes"]
        [::std::mem::offset_of!(PJRT_Plugin_Attributes_Args, num_attributes) - 24usize];
};
pub const PJRT_Plugin_Attributes_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Plugin_Attributes = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Plugin_Attributes_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Event {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Event_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub event: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Event_Destroy_Args"][::std::mem::size_of::<PJRT_Event_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_Event_Destroy_Args"]
        [::std::mem::align_of::<PJRT_Event_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_Event_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Event_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Event_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Event_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Event_Destroy_Args::event"]
        [::std::mem::offset_of!(PJRT_Event_Destroy_Args, event) - 16usize];
};
pub const PJRT_Event_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Event_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Event_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Event_IsReady_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub event: *mut PJRT_Event,
    pub is_ready: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Event_IsReady_Args"][::std::mem::size_of::<PJRT_Event_IsReady_Args>() - 32usize];
    ["Alignment of PJRT_Event_IsReady_Args"]
        [::std::mem::align_of::<PJRT_Event_IsReady_Args>() - 8usize];
    ["Offset of field: PJRT_Event_IsReady_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Event_IsReady_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Event_IsReady_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Event_IsReady_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Event_IsReady_Args::event"]
        [::std::mem::offset_of!(PJRT_Event_IsReady_Args, event) - 16usize];
    ["Offset of field: PJRT_Event_IsReady_Args::is_ready"]
        [::std::mem::offset_of!(PJRT_Event_IsReady_Args, is_ready) - 24usize];
};
pub const PJRT_Event_IsReady_Args_STRUCT_SIZE: usize = 25;
pub type PJRT_Event_IsReady = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Event_IsReady_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Event_Error_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub event: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Event_Error_Args"][::std::mem::size_of::<PJRT_Event_Error_Args>() - 24usize];
    ["Alignment of PJRT_Event_Error_Args"]
        [::std::mem::align_of::<PJRT_Event_Error_Args>() - 8usize];
    ["Offset of field: PJRT_Event_Error_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Event_Error_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Event_Error_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Event_Error_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Event_Error_Args::event"]
        [::std::mem::offset_of!(PJRT_Event_Error_Args, event) - 16usize];
};
pub const PJRT_Event_Error_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Event_Error = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Event_Error_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Event_Await_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub event: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Event_Await_Args"][::std::mem::size_of::<PJRT_Event_Await_Args>() - 24usize];
    ["Alignment of PJRT_Event_Await_Args"]
        [::std::mem::align_of::<PJRT_Event_Await_Args>() - 8usize];
    ["Offset of field: PJRT_Event_Await_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Event_Await_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Event_Await_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Event_Await_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Event_Await_Args::event"]
        [::std::mem::offset_of!(PJRT_Event_Await_Args, event) - 16usize];
};
pub const PJRT_Event_Await_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Event_Await = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Event_Await_Args) -> *mut PJRT_Error,
>;
pub type PJRT_Event_OnReadyCallback = ::std::option::Option<
    unsafe extern "C" fn(error: *mut PJRT_Error, user_arg: *mut ::std::os::raw::c_void),
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Event_OnReady_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub event: *mut PJRT_Event,
    pub callback: PJRT_Event_OnReadyCallback,
    pub user_arg: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Event_OnReady_Args"][::std::mem::size_of::<PJRT_Event_OnReady_Args>() - 40usize];
    ["Alignment of PJRT_Event_OnReady_Args"]
        [::std::mem::align_of::<PJRT_Event_OnReady_Args>() - 8usize];
    ["Offset of field: PJRT_Event_OnReady_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Event_OnReady_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Event_OnReady_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Event_OnReady_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Event_OnReady_Args::event"]
        [::std::mem::offset_of!(PJRT_Event_OnReady_Args, event) - 16usize];
    ["Offset of field: PJRT_Event_OnReady_Args::callback"]
        [::std::mem::offset_of!(PJRT_Event_OnReady_Args, callback) - 24usize];
    ["Offset of field: PJRT_Event_OnReady_Args::user_arg"]
        [::std::mem::offset_of!(PJRT_Event_OnReady_Args, user_arg) - 32usize];
};
pub const PJRT_Event_OnReady_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Event_OnReady = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Event_OnReady_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Event_Create_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub event: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Event_Create_Args"][::std::mem::size_of::<PJRT_Event_Create_Args>() - 24usize];
    ["Alignment of PJRT_Event_Create_Args"]
        [::std::mem::align_of::<PJRT_Event_Create_Args>() - 8usize];
    ["Offset of field: PJRT_Event_Create_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Event_Create_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Event_Create_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Event_Create_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Event_Create_Args::event"]
        [::std::mem::offset_of!(PJRT_Event_Create_Args, event) - 16usize];
};
pub const PJRT_Event_Create_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Event_Create = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Event_Create_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Event_Set_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub event: *mut PJRT_Event,
    pub error_code: PJRT_Error_Code,
    pub error_message: *const ::std::os::raw::c_char,
    pub error_message_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Event_Set_Args"][::std::mem::size_of::<PJRT_Event_Set_Args>() - 48usize];
    ["Alignment of PJRT_Event_Set_Args"][::std::mem::align_of::<PJRT_Event_Set_Args>() - 8usize];
    ["Offset of field: PJRT_Event_Set_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Event_Set_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Event_Set_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Event_Set_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Event_Set_Args::event"]
        [::std::mem::offset_of!(PJRT_Event_Set_Args, event) - 16usize];
    ["Offset of field: PJRT_Event_Set_Args::error_code"]
        [::std::mem::offset_of!(PJRT_Event_Set_Args, error_code) - 24usize];
    ["Offset of field: PJRT_Event_Set_Args::error_message"]
        [::std::mem::offset_of!(PJRT_Event_Set_Args, error_message) - 32usize];
    ["Offset of field: PJRT_Event_Set_Args::error_message_size"]
        [::std::mem::offset_of!(PJRT_Event_Set_Args, error_message_size) - 40usize];
};
pub const PJRT_Event_Set_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_Event_Set =
    ::std::option::Option<unsafe extern "C" fn(args: *mut PJRT_Event_Set_Args) -> *mut PJRT_Error>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Device {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Memory {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceDescription {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_FulfillAliasBufferCallback {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_PhaseCompiler {
    _unused: [u8; 0],
}
pub type PJRT_KeyValueGetCallback_ValueDeleter =
    ::std::option::Option<unsafe extern "C" fn(value: *mut ::std::os::raw::c_char)>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_KeyValueGetCallback_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub key: *const ::std::os::raw::c_char,
    pub key_size: usize,
    pub timeout_in_ms: ::std::os::raw::c_int,
    pub callback_error: *mut PJRT_CallbackError,
    pub user_arg: *mut ::std::os::raw::c_void,
    pub value: *mut ::std::os::raw::c_char,
    pub value_size: usize,
    pub value_deleter_callback: PJRT_KeyValueGetCallback_ValueDeleter,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_KeyValueGetCallback_Args"]
        [::std::mem::size_of::<PJRT_KeyValueGetCallback_Args>() - 80usize];
    ["Alignment of PJRT_KeyValueGetCallback_Args"]
        [::std::mem::align_of::<PJRT_KeyValueGetCallback_Args>() - 8usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::key"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, key) - 16usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::key_size"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, key_size) - 24usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::timeout_in_ms"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, timeout_in_ms) - 32usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::callback_error"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, callback_error) - 40usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::user_arg"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, user_arg) - 48usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::value"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, value) - 56usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::value_size"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, value_size) - 64usize];
    ["Offset of field: PJRT_KeyValueGetCallback_Args::value_deleter_callback"]
        [::std::mem::offset_of!(PJRT_KeyValueGetCallback_Args, value_deleter_callback) - 72usize];
};
pub const PJRT_KeyValueGetCallback_Args_STRUCT_SIZE: usize = 80;
pub type PJRT_KeyValueGetCallback = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_KeyValueGetCallback_Args) -> *mut PJRT_Error,
>;
pub type PJRT_KeyValueTryGetCallback_ValueDeleter =
    ::std::option::Option<unsafe extern "C" fn(value: *mut ::std::os::raw::c_char)>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_KeyValueTryGetCallback_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub key: *const ::std::os::raw::c_char,
    pub key_size: usize,
    pub callback_error: *mut PJRT_CallbackError,
    pub user_arg: *mut ::std::os::raw::c_void,
    pub value: *mut ::std::os::raw::c_char,
    pub value_size: usize,
    pub value_deleter_callback: PJRT_KeyValueTryGetCallback_ValueDeleter,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_KeyValueTryGetCallback_Args"]
        [::std::mem::size_of::<PJRT_KeyValueTryGetCallback_Args>() - 72usize];
    ["Alignment of PJRT_KeyValueTryGetCallback_Args"]
        [::std::mem::align_of::<PJRT_KeyValueTryGetCallback_Args>() - 8usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_KeyValueTryGetCallback_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_KeyValueTryGetCallback_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::key"]
        [::std::mem::offset_of!(PJRT_KeyValueTryGetCallback_Args, key) - 16usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::key_size"]
        [::std::mem::offset_of!(PJRT_KeyValueTryGetCallback_Args, key_size) - 24usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::callback_error"]
        [::std::mem::offset_of!(PJRT_KeyValueTryGetCallback_Args, callback_error) - 32usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::user_arg"]
        [::std::mem::offset_of!(PJRT_KeyValueTryGetCallback_Args, user_arg) - 40usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::value"]
        [::std::mem::offset_of!(PJRT_KeyValueTryGetCallback_Args, value) - 48usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::value_size"]
        [::std::mem::offset_of!(PJRT_KeyValueTryGetCallback_Args, value_size) - 56usize];
    ["Offset of field: PJRT_KeyValueTryGetCallback_Args::value_deleter_callback"][::std::mem::offset_of!(
        PJRT_KeyValueTryGetCallback_Args,
        value_deleter_callback
    ) - 64usize];
};
pub const PJRT_KeyValueTryGetCallback_Args_STRUCT_SIZE: usize = 72;
pub type PJRT_KeyValueTryGetCallback = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_KeyValueTryGetCallback_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_KeyValuePutCallback_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub key: *const ::std::os::raw::c_char,
    pub key_size: usize,
    pub value: *const ::std::os::raw::c_char,
    pub value_size: usize,
    pub callback_error: *mut PJRT_CallbackError,
    pub user_arg: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_KeyValuePutCallback_Args"]
        [::std::mem::size_of::<PJRT_KeyValuePutCallback_Args>() - 64usize];
    ["Alignment of PJRT_KeyValuePutCallback_Args"]
        [::std::mem::align_of::<PJRT_KeyValuePutCallback_Args>() - 8usize];
    ["Offset of field: PJRT_KeyValuePutCallback_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_KeyValuePutCallback_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_KeyValuePutCallback_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_KeyValuePutCallback_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_KeyValuePutCallback_Args::key"]
        [::std::mem::offset_of!(PJRT_KeyValuePutCallback_Args, key) - 16usize];
    ["Offset of field: PJRT_KeyValuePutCallback_Args::key_size"]
        [::std::mem::offset_of!(PJRT_KeyValuePutCallback_Args, key_size) - 24usize];
    ["Offset of field: PJRT_KeyValuePutCallback_Args::value"]
        [::std::mem::offset_of!(PJRT_KeyValuePutCallback_Args, value) - 32usize];
    ["Offset of field: PJRT_KeyValuePutCallback_Args::value_size"]
        [::std::mem::offset_of!(PJRT_KeyValuePutCallback_Args, value_size) - 40usize];
    ["Offset of field: PJRT_KeyValuePutCallback_Args::callback_error"]
        [::std::mem::offset_of!(PJRT_KeyValuePutCallback_Args, callback_error) - 48usize];
    ["Offset of field: PJRT_KeyValuePutCallback_Args::user_arg"]
        [::std::mem::offset_of!(PJRT_KeyValuePutCallback_Args, user_arg) - 56usize];
};
pub const PJRT_KeyValuePutCallback_Args_STRUCT_SIZE: usize = 64;
pub type PJRT_KeyValuePutCallback = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_KeyValuePutCallback_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_Create_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub create_options: *const PJRT_NamedValue,
    pub num_options: usize,
    pub kv_get_callback: PJRT_KeyValueGetCallback,
    pub kv_get_user_arg: *mut ::std::os::raw::c_void,
    pub kv_put_callback: PJRT_KeyValuePutCallback,
    pub kv_put_user_arg: *mut ::std::os::raw::c_void,
    pub client: *mut PJRT_Client,
    pub kv_try_get_callback: PJRT_KeyValueTryGetCallback,
    pub kv_try_get_user_arg: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_Create_Args"][::std::mem::size_of::<PJRT_Client_Create_Args>() - 88usize];
    ["Alignment of PJRT_Client_Create_Args"]
        [::std::mem::align_of::<PJRT_Client_Create_Args>() - 8usize];
    ["Offset of field: PJRT_Client_Create_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_Create_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_Create_Args::create_options"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, create_options) - 16usize];
    ["Offset of field: PJRT_Client_Create_Args::num_options"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, num_options) - 24usize];
    ["Offset of field: PJRT_Client_Create_Args::kv_get_callback"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, kv_get_callback) - 32usize];
    ["Offset of field: PJRT_Client_Create_Args::kv_get_user_arg"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, kv_get_user_arg) - 40usize];
    ["Offset of field: PJRT_Client_Create_Args::kv_put_callback"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, kv_put_callback) - 48usize];
    ["Offset of field: PJRT_Client_Create_Args::kv_put_user_arg"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, kv_put_user_arg) - 56usize];
    ["Offset of field: PJRT_Client_Create_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, client) - 64usize];
    ["Offset of field: PJRT_Client_Create_Args::kv_try_get_callback"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, kv_try_get_callback) - 72usize];
    ["Offset of field: PJRT_Client_Create_Args::kv_try_get_user_arg"]
        [::std::mem::offset_of!(PJRT_Client_Create_Args, kv_try_get_user_arg) - 80usize];
};
pub const PJRT_Client_Create_Args_STRUCT_SIZE: usize = 88;
pub type PJRT_Client_Create = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_Create_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_Destroy_Args"]
        [::std::mem::size_of::<PJRT_Client_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_Client_Destroy_Args"]
        [::std::mem::align_of::<PJRT_Client_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_Client_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_Destroy_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_Destroy_Args, client) - 16usize];
};
pub const PJRT_Client_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Client_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_PlatformName_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub platform_name: *const ::std::os::raw::c_char,
    pub platform_name_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_PlatformName_Args"]
        [::std::mem::size_of::<PJRT_Client_PlatformName_Args>() - 40usize];
    ["Alignment of PJRT_Client_PlatformName_Args"]
        [::std::mem::align_of::<PJRT_Client_PlatformName_Args>() - 8usize];
    ["Offset of field: PJRT_Client_PlatformName_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_PlatformName_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_PlatformName_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_PlatformName_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_PlatformName_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_PlatformName_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_PlatformName_Args::platform_name"]
        [::std::mem::offset_of!(PJRT_Client_PlatformName_Args, platform_name) - 24usize];
    ["Offset of field: PJRT_Client_PlatformName_Args::platform_name_size"]
        [::std::mem::offset_of!(PJRT_Client_PlatformName_Args, platform_name_size) - 32usize];
};
pub const PJRT_Client_PlatformName_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_PlatformName = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_PlatformName_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_ProcessIndex_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub process_index: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_ProcessIndex_Args"]
        [::std::mem::size_of::<PJRT_Client_ProcessIndex_Args>() - 32usize];
    ["Alignment of PJRT_Client_ProcessIndex_Args"]
        [::std::mem::align_of::<PJRT_Client_ProcessIndex_Args>() - 8usize];
    ["Offset of field: PJRT_Client_ProcessIndex_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_ProcessIndex_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_ProcessIndex_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_ProcessIndex_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_ProcessIndex_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_ProcessIndex_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_ProcessIndex_Args::process_index"]
        [::std::mem::offset_of!(PJRT_Client_ProcessIndex_Args, process_index) - 24usize];
};
pub const PJRT_Client_ProcessIndex_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_Client_ProcessIndex = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_ProcessIndex_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_PlatformVersion_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub platform_version: *const ::std::os::raw::c_char,
    pub platform_version_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_PlatformVersion_Args"]
        [::std::mem::size_of::<PJRT_Client_PlatformVersion_Args>() - 40usize];
    ["Alignment of PJRT_Client_PlatformVersion_Args"]
        [::std::mem::align_of::<PJRT_Client_PlatformVersion_Args>() - 8usize];
    ["Offset of field: PJRT_Client_PlatformVersion_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_PlatformVersion_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_PlatformVersion_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_PlatformVersion_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_PlatformVersion_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_PlatformVersion_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_PlatformVersion_Args::platform_version"]
        [::std::mem::offset_of!(PJRT_Client_PlatformVersion_Args, platform_version) - 24usize];
    ["Offset of field: PJRT_Client_PlatformVersion_Args::platform_version_size"]
        [::std::mem::offset_of!(PJRT_Client_PlatformVersion_Args, platform_version_size) - 32usize];
};
pub const PJRT_Client_PlatformVersion_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_PlatformVersion = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_PlatformVersion_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_TopologyDescription_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub topology: *mut PJRT_TopologyDescription,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_TopologyDescription_Args"]
        [::std::mem::size_of::<PJRT_Client_TopologyDescription_Args>() - 32usize];
    ["Alignment of PJRT_Client_TopologyDescription_Args"]
        [::std::mem::align_of::<PJRT_Client_TopologyDescription_Args>() - 8usize];
    ["Offset of field: PJRT_Client_TopologyDescription_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_TopologyDescription_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_TopologyDescription_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_TopologyDescription_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_TopologyDescription_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_TopologyDescription_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_TopologyDescription_Args::topology"]
        [::std::mem::offset_of!(PJRT_Client_TopologyDescription_Args, topology) - 24usize];
};
pub const PJRT_Client_TopologyDescription_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Client_TopologyDescription = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_TopologyDescription_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_Devices_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub devices: *const *mut PJRT_Device,
    pub num_devices: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_Devices_Args"]
        [::std::mem::size_of::<PJRT_Client_Devices_Args>() - 40usize];
    ["Alignment of PJRT_Client_Devices_Args"]
        [::std::mem::align_of::<PJRT_Client_Devices_Args>() - 8usize];
    ["Offset of field: PJRT_Client_Devices_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_Devices_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_Devices_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_Devices_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_Devices_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_Devices_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_Devices_Args::devices"]
        [::std::mem::offset_of!(PJRT_Client_Devices_Args, devices) - 24usize];
    ["Offset of field: PJRT_Client_Devices_Args::num_devices"]
        [::std::mem::offset_of!(PJRT_Client_Devices_Args, num_devices) - 32usize];
};
pub const PJRT_Client_Devices_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_Devices = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_Devices_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_AddressableDevices_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub addressable_devices: *const *mut PJRT_Device,
    pub num_addressable_devices: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_AddressableDevices_Args"]
        [::std::mem::size_of::<PJRT_Client_AddressableDevices_Args>() - 40usize];
    ["Alignment of PJRT_Client_AddressableDevices_Args"]
        [::std::mem::align_of::<PJRT_Client_AddressableDevices_Args>() - 8usize];
    ["Offset of field: PJRT_Client_AddressableDevices_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_AddressableDevices_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_AddressableDevices_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_AddressableDevices_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_AddressableDevices_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_AddressableDevices_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_AddressableDevices_Args::addressable_devices"][::std::mem::offset_of!(
        PJRT_Client_AddressableDevices_Args,
        addressable_devices
    ) - 24usize];
    ["Offset of field: PJRT_Client_AddressableDevices_Args::num_addressable_devices"][::std::mem::offset_of!(
        PJRT_Client_AddressableDevices_Args,
        num_addressable_devices
    ) - 32usize];
};
pub const PJRT_Client_AddressableDevices_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_AddressableDevices = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_AddressableDevices_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_LookupDevice_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub id: ::std::os::raw::c_int,
    pub device: *mut PJRT_Device,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_LookupDevice_Args"]
        [::std::mem::size_of::<PJRT_Client_LookupDevice_Args>() - 40usize];
    ["Alignment of PJRT_Client_LookupDevice_Args"]
        [::std::mem::align_of::<PJRT_Client_LookupDevice_Args>() - 8usize];
    ["Offset of field: PJRT_Client_LookupDevice_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_LookupDevice_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_LookupDevice_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_LookupDevice_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_LookupDevice_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_LookupDevice_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_LookupDevice_Args::id"]
        [::std::mem::offset_of!(PJRT_Client_LookupDevice_Args, id) - 24usize];
    ["Offset of field: PJRT_Client_LookupDevice_Args::device"]
        [::std::mem::offset_of!(PJRT_Client_LookupDevice_Args, device) - 32usize];
};
pub const PJRT_Client_LookupDevice_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_LookupDevice = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_LookupDevice_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_LookupAddressableDevice_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub local_hardware_id: ::std::os::raw::c_int,
    pub addressable_device: *mut PJRT_Device,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_LookupAddressableDevice_Args"]
        [::std::mem::size_of::<PJRT_Client_LookupAddressableDevice_Args>() - 40usize];
    ["Alignment of PJRT_Client_LookupAddressableDevice_Args"]
        [::std::mem::align_of::<PJRT_Client_LookupAddressableDevice_Args>() - 8usize];
    ["Offset of field: PJRT_Client_LookupAddressableDevice_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_LookupAddressableDevice_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_LookupAddressableDevice_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Client_LookupAddressableDevice_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Client_LookupAddressableDevice_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_LookupAddressableDevice_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_LookupAddressableDevice_Args::local_hardware_id"][::std::mem::offset_of!(
        PJRT_Client_LookupAddressableDevice_Args,
        local_hardware_id
    ) - 24usize];
    ["Offset of field: PJRT_Client_LookupAddressableDevice_Args::addressable_device"][::std::mem::offset_of!(
        PJRT_Client_LookupAddressableDevice_Args,
        addressable_device
    ) - 32usize];
};
pub const PJRT_Client_LookupAddressableDevice_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_LookupAddressableDevice = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_LookupAddressableDevice_Args) -> *mut PJRT_Error,
>;
pub const PJRT_ProcessState_kUnspecified: PJRT_ProcessState = 0;
pub const PJRT_ProcessState_kUninitialized: PJRT_ProcessState = 1;
pub const PJRT_ProcessState_kDisconnected: PJRT_ProcessState = 2;
pub const PJRT_ProcessState_kConnected: PJRT_ProcessState = 3;
pub const PJRT_ProcessState_kError: PJRT_ProcessState = 4;
pub type PJRT_ProcessState = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ProcessInfo {
    pub struct_size: usize,
    pub task_id: ::std::os::raw::c_int,
    pub incarnation_id: u64,
    pub state: PJRT_ProcessState,
    pub error_code: ::std::os::raw::c_int,
    pub error_message: *const ::std::os::raw::c_char,
    pub error_message_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_ProcessInfo"][::std::mem::size_of::<PJRT_ProcessInfo>() - 48usize];
    ["Alignment of PJRT_ProcessInfo"][::std::mem::align_of::<PJRT_ProcessInfo>() - 8usize];
    ["Offset of field: PJRT_ProcessInfo::struct_size"]
        [::std::mem::offset_of!(PJRT_ProcessInfo, struct_size) - 0usize];
    ["Offset of field: PJRT_ProcessInfo::task_id"]
        [::std::mem::offset_of!(PJRT_ProcessInfo, task_id) - 8usize];
    ["Offset of field: PJRT_ProcessInfo::incarnation_id"]
        [::std::mem::offset_of!(PJRT_ProcessInfo, incarnation_id) - 16usize];
    ["Offset of field: PJRT_ProcessInfo::state"]
        [::std::mem::offset_of!(PJRT_ProcessInfo, state) - 24usize];
    ["Offset of field: PJRT_ProcessInfo::error_code"]
        [::std::mem::offset_of!(PJRT_ProcessInfo, error_code) - 28usize];
    ["Offset of field: PJRT_ProcessInfo::error_message"]
        [::std::mem::offset_of!(PJRT_ProcessInfo, error_message) - 32usize];
    ["Offset of field: PJRT_ProcessInfo::error_message_size"]
        [::std::mem::offset_of!(PJRT_ProcessInfo, error_message_size) - 40usize];
};
pub const PJRT_ProcessInfo_STRUCT_SIZE: usize = 48;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_UpdateGlobalProcessInfo_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub process_infos: *mut PJRT_ProcessInfo,
    pub num_process_infos: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_UpdateGlobalProcessInfo_Args"]
        [::std::mem::size_of::<PJRT_Client_UpdateGlobalProcessInfo_Args>() - 40usize];
    ["Alignment of PJRT_Client_UpdateGlobalProcessInfo_Args"]
        [::std::mem::align_of::<PJRT_Client_UpdateGlobalProcessInfo_Args>() - 8usize];
    ["Offset of field: PJRT_Client_UpdateGlobalProcessInfo_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_UpdateGlobalProcessInfo_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_UpdateGlobalProcessInfo_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Client_UpdateGlobalProcessInfo_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Client_UpdateGlobalProcessInfo_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_UpdateGlobalProcessInfo_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_UpdateGlobalProcessInfo_Args::process_infos"]
        [::std::mem::offset_of!(PJRT_Client_UpdateGlobalProcessInfo_Args, process_infos) - 24usize];
    ["Offset of field: PJRT_Client_UpdateGlobalProcessInfo_Args::num_process_infos"][::std::mem::offset_of!(
        PJRT_Client_UpdateGlobalProcessInfo_Args,
        num_process_infos
    ) - 32usize];
};
pub const PJRT_Client_UpdateGlobalProcessInfo_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_UpdateGlobalProcessInfo = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_UpdateGlobalProcessInfo_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_AddressableMemories_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub addressable_memories: *const *mut PJRT_Memory,
    pub num_addressable_memories: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_AddressableMemories_Args"]
        [::std::mem::size_of::<PJRT_Client_AddressableMemories_Args>() - 40usize];
    ["Alignment of PJRT_Client_AddressableMemories_Args"]
        [::std::mem::align_of::<PJRT_Client_AddressableMemories_Args>() - 8usize];
    ["Offset of field: PJRT_Client_AddressableMemories_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_AddressableMemories_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_AddressableMemories_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_AddressableMemories_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_AddressableMemories_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_AddressableMemories_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_AddressableMemories_Args::addressable_memories"][::std::mem::offset_of!(
        PJRT_Client_AddressableMemories_Args,
        addressable_memories
    ) - 24usize];
    ["Offset of field: PJRT_Client_AddressableMemories_Args::num_addressable_memories"][::std::mem::offset_of!(
        PJRT_Client_AddressableMemories_Args,
        num_addressable_memories
    )
        - 32usize];
};
pub const PJRT_Client_AddressableMemories_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_AddressableMemories = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_AddressableMemories_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Program {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub code: *mut ::std::os::raw::c_char,
    pub code_size: usize,
    pub format: *const ::std::os::raw::c_char,
    pub format_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Program"][::std::mem::size_of::<PJRT_Program>() - 48usize];
    ["Alignment of PJRT_Program"][::std::mem::align_of::<PJRT_Program>() - 8usize];
    ["Offset of field: PJRT_Program::struct_size"]
        [::std::mem::offset_of!(PJRT_Program, struct_size) - 0usize];
    ["Offset of field: PJRT_Program::extension_start"]
        [::std::mem::offset_of!(PJRT_Program, extension_start) - 8usize];
    ["Offset of field: PJRT_Program::code"][::std::mem::offset_of!(PJRT_Program, code) - 16usize];
    ["Offset of field: PJRT_Program::code_size"]
        [::std::mem::offset_of!(PJRT_Program, code_size) - 24usize];
    ["Offset of field: PJRT_Program::format"]
        [::std::mem::offset_of!(PJRT_Program, format) - 32usize];
    ["Offset of field: PJRT_Program::format_size"]
        [::std::mem::offset_of!(PJRT_Program, format_size) - 40usize];
};
pub const PJRT_Program_STRUCT_SIZE: usize = 48;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_Compile_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub program: *const PJRT_Program,
    pub compile_options: *const ::std::os::raw::c_char,
    pub compile_options_size: usize,
    pub executable: *mut PJRT_LoadedExecutable,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_Compile_Args"]
        [::std::mem::size_of::<PJRT_Client_Compile_Args>() - 56usize];
    ["Alignment of PJRT_Client_Compile_Args"]
        [::std::mem::align_of::<PJRT_Client_Compile_Args>() - 8usize];
    ["Offset of field: PJRT_Client_Compile_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_Compile_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_Compile_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_Compile_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_Compile_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_Compile_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_Compile_Args::program"]
        [::std::mem::offset_of!(PJRT_Client_Compile_Args, program) - 24usize];
    ["Offset of field: PJRT_Client_Compile_Args::compile_options"]
        [::std::mem::offset_of!(PJRT_Client_Compile_Args, compile_options) - 32usize];
    ["Offset of field: PJRT_Client_Compile_Args::compile_options_size"]
        [::std::mem::offset_of!(PJRT_Client_Compile_Args, compile_options_size) - 40usize];
    ["Offset of field: PJRT_Client_Compile_Args::executable"]
        [::std::mem::offset_of!(PJRT_Client_Compile_Args, executable) - 48usize];
};
pub const PJRT_Client_Compile_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_Client_Compile = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_Compile_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_DefaultDeviceAssignment_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub num_replicas: ::std::os::raw::c_int,
    pub num_partitions: ::std::os::raw::c_int,
    pub default_assignment_size: usize,
    pub default_assignment: *mut ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_DefaultDeviceAssignment_Args"]
        [::std::mem::size_of::<PJRT_Client_DefaultDeviceAssignment_Args>() - 48usize];
    ["Alignment of PJRT_Client_DefaultDeviceAssignment_Args"]
        [::std::mem::align_of::<PJRT_Client_DefaultDeviceAssignment_Args>() - 8usize];
    ["Offset of field: PJRT_Client_DefaultDeviceAssignment_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_DefaultDeviceAssignment_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_DefaultDeviceAssignment_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Client_DefaultDeviceAssignment_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Client_DefaultDeviceAssignment_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_DefaultDeviceAssignment_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_DefaultDeviceAssignment_Args::num_replicas"]
        [::std::mem::offset_of!(PJRT_Client_DefaultDeviceAssignment_Args, num_replicas) - 24usize];
    ["Offset of field: PJRT_Client_DefaultDeviceAssignment_Args::num_partitions"][::std::mem::offset_of!(
        PJRT_Client_DefaultDeviceAssignment_Args,
        num_partitions
    ) - 28usize];
    ["Offset of field: PJRT_Client_DefaultDeviceAssignment_Args::default_assignment_size"][::std::mem::offset_of!(
        PJRT_Client_DefaultDeviceAssignment_Args,
        default_assignment_size
    )
        - 32usize];
    ["Offset of field: PJRT_Client_DefaultDeviceAssignment_Args::default_assignment"][::std::mem::offset_of!(
        PJRT_Client_DefaultDeviceAssignment_Args,
        default_assignment
    ) - 40usize];
};
pub const PJRT_Client_DefaultDeviceAssignment_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_Client_DefaultDeviceAssignment = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_DefaultDeviceAssignment_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_DmaMap_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub data: *mut ::std::os::raw::c_void,
    pub size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_DmaMap_Args"][::std::mem::size_of::<PJRT_Client_DmaMap_Args>() - 40usize];
    ["Alignment of PJRT_Client_DmaMap_Args"]
        [::std::mem::align_of::<PJRT_Client_DmaMap_Args>() - 8usize];
    ["Offset of field: PJRT_Client_DmaMap_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_DmaMap_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_DmaMap_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_DmaMap_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_DmaMap_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_DmaMap_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_DmaMap_Args::data"]
        [::std::mem::offset_of!(PJRT_Client_DmaMap_Args, data) - 24usize];
    ["Offset of field: PJRT_Client_DmaMap_Args::size"]
        [::std::mem::offset_of!(PJRT_Client_DmaMap_Args, size) - 32usize];
};
pub const PJRT_Client_DmaMap_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Client_DmaMap = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_DmaMap_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_DmaUnmap_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub data: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_DmaUnmap_Args"]
        [::std::mem::size_of::<PJRT_Client_DmaUnmap_Args>() - 32usize];
    ["Alignment of PJRT_Client_DmaUnmap_Args"]
        [::std::mem::align_of::<PJRT_Client_DmaUnmap_Args>() - 8usize];
    ["Offset of field: PJRT_Client_DmaUnmap_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_DmaUnmap_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_DmaUnmap_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_DmaUnmap_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_DmaUnmap_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_DmaUnmap_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_DmaUnmap_Args::data"]
        [::std::mem::offset_of!(PJRT_Client_DmaUnmap_Args, data) - 24usize];
};
pub const PJRT_Client_DmaUnmap_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Client_DmaUnmap = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_DmaUnmap_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_Destroy_Args"]
        [::std::mem::size_of::<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_Destroy_Args"]
        [::std::mem::align_of::<PJRT_AsyncHostToDeviceTransferManager_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_Destroy_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_Destroy_Args::extension_start"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_Destroy_Args::transfer_manager"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
        transfer_manager
    )
        - 16usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_AsyncHostToDeviceTransferManager_Destroy = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_TransferData_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
    pub buffer_index: ::std::os::raw::c_int,
    pub data: *const ::std::os::raw::c_void,
    pub offset: i64,
    pub transfer_size: i64,
    pub is_last_transfer: bool,
    pub done_with_h2d_transfer: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_TransferData_Args"][::std::mem::size_of::<
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
    >() - 72usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_TransferData_Args"][::std::mem::align_of::<
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
    >() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::extension_start"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::transfer_manager"]
        [::std::mem::offset_of!(
            PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
            transfer_manager
        ) - 16usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::buffer_index"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
        buffer_index
    )
        - 24usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::data"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
        data
    ) - 32usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::offset"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
        offset
    )
        - 40usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::transfer_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
        transfer_size
    )
        - 48usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::is_last_transfer"]
        [::std::mem::offset_of!(
            PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
            is_last_transfer
        ) - 56usize];
    [
        "Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferData_Args::done_with_h2d_transfer",
    ][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
        done_with_h2d_transfer
    ) - 64usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_TransferData_Args_STRUCT_SIZE: usize = 72;
pub type PJRT_AsyncHostToDeviceTransferManager_TransferData = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
    pub buffer_index: ::std::os::raw::c_int,
    pub buffer_out: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args"][::std::mem::size_of::<
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
    >() - 40usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args"][::std::mem::align_of::<
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
    >() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args::extension_start"]
        [::std::mem::offset_of!(
            PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
            extension_start
        ) - 8usize];
    [
        "Offset of field: PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args::transfer_manager",
    ][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
        transfer_manager
    ) - 16usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args::buffer_index"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
        buffer_index
    )
        - 24usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args::buffer_out"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
        buffer_out
    )
        - 32usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_Device_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
    pub device_out: *mut PJRT_Device,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_Device_Args"]
        [::std::mem::size_of::<PJRT_AsyncHostToDeviceTransferManager_Device_Args>() - 32usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_Device_Args"]
        [::std::mem::align_of::<PJRT_AsyncHostToDeviceTransferManager_Device_Args>() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_Device_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_Device_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_Device_Args::extension_start"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_Device_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_Device_Args::transfer_manager"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_Device_Args,
        transfer_manager
    )
        - 16usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_Device_Args::device_out"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_Device_Args,
        device_out
    ) - 24usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_Device_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_AsyncHostToDeviceTransferManager_Device = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_Device_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
    pub buffer_count: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args"]
        [::std::mem::size_of::<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>() - 32usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args"]
        [::std::mem::align_of::<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args::extension_start"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args::transfer_manager"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args,
        transfer_manager
    )
        - 16usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args::buffer_count"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args,
        buffer_count
    )
        - 24usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_AsyncHostToDeviceTransferManager_BufferCount = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
    pub buffer_index: ::std::os::raw::c_int,
    pub buffer_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args"]
        [::std::mem::size_of::<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>() - 40usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args"]
        [::std::mem::align_of::<PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args>() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args::extension_start"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args::transfer_manager"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
        transfer_manager
    )
        - 16usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args::buffer_index"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
        buffer_index
    )
        - 24usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args::buffer_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
        buffer_size
    )
        - 32usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_AsyncHostToDeviceTransferManager_BufferSize = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
    pub buffer_index: ::std::os::raw::c_int,
    pub error_code: PJRT_Error_Code,
    pub error_message: *const ::std::os::raw::c_char,
    pub error_message_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args"][::std::mem::size_of::<
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
    >() - 48usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args"][::std::mem::align_of::<
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
    >() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args::extension_start"]
        [::std::mem::offset_of!(
            PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
            extension_start
        ) - 8usize];
    [
        "Offset of field: PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args::transfer_manager",
    ][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
        transfer_manager
    ) - 16usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args::buffer_index"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
        buffer_index
    )
        - 24usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args::error_code"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
        error_code
    )
        - 28usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args::error_message"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
        error_message
    )
        - 32usize];
    [
        "Offset of field: PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args::error_message_size",
    ][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
        error_message_size
    ) - 40usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_AsyncHostToDeviceTransferManager_SetBufferError = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
    pub transfer_metadata: *const PJRT_NamedValue,
    pub num_metadata: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args"]
        [::std::mem::size_of::<PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args>() - 40usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args"]
        [::std::mem::align_of::<PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args>() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args::extension_start"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args::transfer_manager"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
        transfer_manager
    )
        - 16usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args::transfer_metadata"]
        [::std::mem::offset_of!(
            PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
            transfer_metadata
        ) - 24usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args::num_metadata"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
        num_metadata
    )
        - 32usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_AsyncHostToDeviceTransferManager_AddMetadata = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
    ) -> *mut PJRT_Error,
>;
pub const PJRT_Buffer_Type_INVALID: PJRT_Buffer_Type = 0;
pub const PJRT_Buffer_Type_PRED: PJRT_Buffer_Type = 1;
pub const PJRT_Buffer_Type_S8: PJRT_Buffer_Type = 2;
pub const PJRT_Buffer_Type_S16: PJRT_Buffer_Type = 3;
pub const PJRT_Buffer_Type_S32: PJRT_Buffer_Type = 4;
pub const PJRT_Buffer_Type_S64: PJRT_Buffer_Type = 5;
pub const PJRT_Buffer_Type_U8: PJRT_Buffer_Type = 6;
pub const PJRT_Buffer_Type_U16: PJRT_Buffer_Type = 7;
pub const PJRT_Buffer_Type_U32: PJRT_Buffer_Type = 8;
pub const PJRT_Buffer_Type_U64: PJRT_Buffer_Type = 9;
pub const PJRT_Buffer_Type_F16: PJRT_Buffer_Type = 10;
pub const PJRT_Buffer_Type_F32: PJRT_Buffer_Type = 11;
pub const PJRT_Buffer_Type_F64: PJRT_Buffer_Type = 12;
pub const PJRT_Buffer_Type_BF16: PJRT_Buffer_Type = 13;
pub const PJRT_Buffer_Type_C64: PJRT_Buffer_Type = 14;
pub const PJRT_Buffer_Type_C128: PJRT_Buffer_Type = 15;
pub const PJRT_Buffer_Type_F8E5M2: PJRT_Buffer_Type = 16;
pub const PJRT_Buffer_Type_F8E4M3FN: PJRT_Buffer_Type = 17;
pub const PJRT_Buffer_Type_F8E4M3B11FNUZ: PJRT_Buffer_Type = 18;
pub const PJRT_Buffer_Type_F8E5M2FNUZ: PJRT_Buffer_Type = 19;
pub const PJRT_Buffer_Type_F8E4M3FNUZ: PJRT_Buffer_Type = 20;
pub const PJRT_Buffer_Type_S4: PJRT_Buffer_Type = 21;
pub const PJRT_Buffer_Type_U4: PJRT_Buffer_Type = 22;
pub const PJRT_Buffer_Type_TOKEN: PJRT_Buffer_Type = 23;
pub const PJRT_Buffer_Type_S2: PJRT_Buffer_Type = 24;
pub const PJRT_Buffer_Type_U2: PJRT_Buffer_Type = 25;
pub const PJRT_Buffer_Type_F8E4M3: PJRT_Buffer_Type = 26;
pub const PJRT_Buffer_Type_F8E3M4: PJRT_Buffer_Type = 27;
pub const PJRT_Buffer_Type_F8E8M0FNU: PJRT_Buffer_Type = 28;
pub const PJRT_Buffer_Type_F4E2M1FN: PJRT_Buffer_Type = 29;
pub type PJRT_Buffer_Type = ::std::os::raw::c_uint;
pub const PJRT_HostBufferSemantics_kImmutableOnlyDuringCall: PJRT_HostBufferSemantics = 0;
pub const PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes: PJRT_HostBufferSemantics = 1;
pub const PJRT_HostBufferSemantics_kImmutableZeroCopy: PJRT_HostBufferSemantics = 2;
pub const PJRT_HostBufferSemantics_kMutableZeroCopy: PJRT_HostBufferSemantics = 3;
pub type PJRT_HostBufferSemantics = ::std::os::raw::c_uint;
pub const PJRT_Buffer_MemoryLayout_Type_Tiled: PJRT_Buffer_MemoryLayout_Type = 0;
pub const PJRT_Buffer_MemoryLayout_Type_Strides: PJRT_Buffer_MemoryLayout_Type = 1;
pub type PJRT_Buffer_MemoryLayout_Type = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_MemoryLayout_Tiled {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub minor_to_major: *const i64,
    pub minor_to_major_size: usize,
    pub tile_dims: *const i64,
    pub tile_dim_sizes: *const usize,
    pub num_tiles: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_MemoryLayout_Tiled"]
        [::std::mem::size_of::<PJRT_Buffer_MemoryLayout_Tiled>() - 56usize];
    ["Alignment of PJRT_Buffer_MemoryLayout_Tiled"]
        [::std::mem::align_of::<PJRT_Buffer_MemoryLayout_Tiled>() - 8usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Tiled::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Tiled, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Tiled::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Tiled, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Tiled::minor_to_major"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Tiled, minor_to_major) - 16usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Tiled::minor_to_major_size"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Tiled, minor_to_major_size) - 24usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Tiled::tile_dims"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Tiled, tile_dims) - 32usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Tiled::tile_dim_sizes"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Tiled, tile_dim_sizes) - 40usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Tiled::num_tiles"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Tiled, num_tiles) - 48usize];
};
pub const PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE: usize = 56;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_MemoryLayout_Strides {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub byte_strides: *const i64,
    pub num_byte_strides: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_MemoryLayout_Strides"]
        [::std::mem::size_of::<PJRT_Buffer_MemoryLayout_Strides>() - 32usize];
    ["Alignment of PJRT_Buffer_MemoryLayout_Strides"]
        [::std::mem::align_of::<PJRT_Buffer_MemoryLayout_Strides>() - 8usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Strides::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Strides, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Strides::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Strides, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Strides::byte_strides"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Strides, byte_strides) - 16usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout_Strides::num_byte_strides"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides) - 24usize];
};
pub const PJRT_Buffer_MemoryLayout_Strides_STRUCT_SIZE: usize = 32;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_MemoryLayout {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub __bindgen_anon_1: PJRT_Buffer_MemoryLayout__bindgen_ty_1,
    pub type_: PJRT_Buffer_MemoryLayout_Type,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union PJRT_Buffer_MemoryLayout__bindgen_ty_1 {
    pub tiled: PJRT_Buffer_MemoryLayout_Tiled,
    pub strides: PJRT_Buffer_MemoryLayout_Strides,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_MemoryLayout__bindgen_ty_1"]
        [::std::mem::size_of::<PJRT_Buffer_MemoryLayout__bindgen_ty_1>() - 56usize];
    ["Alignment of PJRT_Buffer_MemoryLayout__bindgen_ty_1"]
        [::std::mem::align_of::<PJRT_Buffer_MemoryLayout__bindgen_ty_1>() - 8usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout__bindgen_ty_1::tiled"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout__bindgen_ty_1, tiled) - 0usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout__bindgen_ty_1::strides"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout__bindgen_ty_1, strides) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_MemoryLayout"]
        [::std::mem::size_of::<PJRT_Buffer_MemoryLayout>() - 80usize];
    ["Alignment of PJRT_Buffer_MemoryLayout"]
        [::std::mem::align_of::<PJRT_Buffer_MemoryLayout>() - 8usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_MemoryLayout::type_"]
        [::std::mem::offset_of!(PJRT_Buffer_MemoryLayout, type_) - 72usize];
};
pub const PJRT_Buffer_MemoryLayout_STRUCT_SIZE: usize = 76;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
    pub buffer_index: ::std::os::raw::c_int,
    pub data: *const ::std::os::raw::c_void,
    pub shape_dims: *const i64,
    pub shape_num_dims: usize,
    pub shape_element_type: PJRT_Buffer_Type,
    pub shape_layout: *mut PJRT_Buffer_MemoryLayout,
    pub done_with_h2d_transfer: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args"][::std::mem::size_of::<
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
    >() - 80usize];
    ["Alignment of PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args"][::std::mem::align_of::<
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
    >() - 8usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::struct_size"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        struct_size
    )
        - 0usize];
    [
        "Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::extension_start",
    ][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        extension_start
    ) - 8usize];
    [
        "Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::transfer_manager",
    ][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        transfer_manager
    ) - 16usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::buffer_index"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        buffer_index
    )
        - 24usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::data"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        data
    )
        - 32usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::shape_dims"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        shape_dims
    )
        - 40usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::shape_num_dims"]
        [::std::mem::offset_of!(
            PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
            shape_num_dims
        ) - 48usize];
    [
        "Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::shape_element_type",
    ][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        shape_element_type
    ) - 56usize];
    ["Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::shape_layout"][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        shape_layout
    )
        - 64usize];
    [
        "Offset of field: PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args::done_with_h2d_transfer",
    ][::std::mem::offset_of!(
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
        done_with_h2d_transfer
    ) - 72usize];
};
pub const PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args_STRUCT_SIZE: usize = 80;
pub type PJRT_AsyncHostToDeviceTransferManager_TransferLiteral = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_CreateUninitializedBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub shape_dims: *const i64,
    pub shape_num_dims: usize,
    pub shape_element_type: PJRT_Buffer_Type,
    pub shape_layout: *mut PJRT_Buffer_MemoryLayout,
    pub device: *mut PJRT_Device,
    pub memory: *mut PJRT_Memory,
    pub buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_CreateUninitializedBuffer_Args"]
        [::std::mem::size_of::<PJRT_Client_CreateUninitializedBuffer_Args>() - 80usize];
    ["Alignment of PJRT_Client_CreateUninitializedBuffer_Args"]
        [::std::mem::align_of::<PJRT_Client_CreateUninitializedBuffer_Args>() - 8usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_CreateUninitializedBuffer_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Client_CreateUninitializedBuffer_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_CreateUninitializedBuffer_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::shape_dims"]
        [::std::mem::offset_of!(PJRT_Client_CreateUninitializedBuffer_Args, shape_dims) - 24usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::shape_num_dims"][::std::mem::offset_of!(
        PJRT_Client_CreateUninitializedBuffer_Args,
        shape_num_dims
    ) - 32usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::shape_element_type"][::std::mem::offset_of!(
        PJRT_Client_CreateUninitializedBuffer_Args,
        shape_element_type
    )
        - 40usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::shape_layout"][::std::mem::offset_of!(
        PJRT_Client_CreateUninitializedBuffer_Args,
        shape_layout
    ) - 48usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::device"]
        [::std::mem::offset_of!(PJRT_Client_CreateUninitializedBuffer_Args, device) - 56usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::memory"]
        [::std::mem::offset_of!(PJRT_Client_CreateUninitializedBuffer_Args, memory) - 64usize];
    ["Offset of field: PJRT_Client_CreateUninitializedBuffer_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Client_CreateUninitializedBuffer_Args, buffer) - 72usize];
};
pub const PJRT_Client_CreateUninitializedBuffer_Args_STRUCT_SIZE: usize = 80;
pub type PJRT_Client_CreateUninitializedBuffer = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_CreateUninitializedBuffer_Args) -> *mut PJRT_Error,
>;
pub const PJRT_Client_CreateErrorBuffer_Args_STRUCT_SIZE: usize = 96;
pub type PJRT_Client_CreateErrorBuffer = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_CreateErrorBuffer_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_CreateAliasBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub memory: *mut PJRT_Memory,
    pub shape_dims: *const i64,
    pub shape_num_dims: usize,
    pub shape_element_type: PJRT_Buffer_Type,
    pub shape_layout: *mut PJRT_Buffer_MemoryLayout,
    pub alias_buffer: *mut PJRT_Buffer,
    pub fulfill_alias_buffer_cb: *mut PJRT_FulfillAliasBufferCallback,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_CreateAliasBuffer_Args"]
        [::std::mem::size_of::<PJRT_Client_CreateAliasBuffer_Args>() - 80usize];
    ["Alignment of PJRT_Client_CreateAliasBuffer_Args"]
        [::std::mem::align_of::<PJRT_Client_CreateAliasBuffer_Args>() - 8usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::memory"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, memory) - 24usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::shape_dims"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, shape_dims) - 32usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::shape_num_dims"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, shape_num_dims) - 40usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::shape_element_type"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, shape_element_type) - 48usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::shape_layout"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, shape_layout) - 56usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::alias_buffer"]
        [::std::mem::offset_of!(PJRT_Client_CreateAliasBuffer_Args, alias_buffer) - 64usize];
    ["Offset of field: PJRT_Client_CreateAliasBuffer_Args::fulfill_alias_buffer_cb"][::std::mem::offset_of!(
        PJRT_Client_CreateAliasBuffer_Args,
        fulfill_alias_buffer_cb
    ) - 72usize];
};
pub const PJRT_Client_CreateAliasBuffer_Args_STRUCT_SIZE: usize = 80;
pub type PJRT_Client_CreateAliasBuffer = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_CreateAliasBuffer_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_FulfillAliasBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub buffer: *mut PJRT_Buffer,
    pub status_code: PJRT_Error_Code,
    pub error_message: *const ::std::os::raw::c_char,
    pub error_message_size: usize,
    pub fulfill_alias_buffer_cb: *mut PJRT_FulfillAliasBufferCallback,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_FulfillAliasBuffer_Args"]
        [::std::mem::size_of::<PJRT_Client_FulfillAliasBuffer_Args>() - 64usize];
    ["Alignment of PJRT_Client_FulfillAliasBuffer_Args"]
        [::std::mem::align_of::<PJRT_Client_FulfillAliasBuffer_Args>() - 8usize];
    ["Offset of field: PJRT_Client_FulfillAliasBuffer_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_FulfillAliasBuffer_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_FulfillAliasBuffer_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_FulfillAliasBuffer_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_FulfillAliasBuffer_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_FulfillAliasBuffer_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_FulfillAliasBuffer_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Client_FulfillAliasBuffer_Args, buffer) - 24usize];
    ["Offset of field: PJRT_Client_FulfillAliasBuffer_Args::status_code"]
        [::std::mem::offset_of!(PJRT_Client_FulfillAliasBuffer_Args, status_code) - 32usize];
    ["Offset of field: PJRT_Client_FulfillAliasBuffer_Args::error_message"]
        [::std::mem::offset_of!(PJRT_Client_FulfillAliasBuffer_Args, error_message) - 40usize];
    ["Offset of field: PJRT_Client_FulfillAliasBuffer_Args::error_message_size"]
        [::std::mem::offset_of!(PJRT_Client_FulfillAliasBuffer_Args, error_message_size) - 48usize];
    ["Offset of field: PJRT_Client_FulfillAliasBuffer_Args::fulfill_alias_buffer_cb"][::std::mem::offset_of!(
        PJRT_Client_FulfillAliasBuffer_Args,
        fulfill_alias_buffer_cb
    ) - 56usize];
};
pub const PJRT_Client_FulfillAliasBuffer_Args_STRUCT_SIZE: usize = 64;
pub type PJRT_Client_FulfillAliasBuffer = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_FulfillAliasBuffer_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_BufferFromHostBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub data: *const ::std::os::raw::c_void,
    pub type_: PJRT_Buffer_Type,
    pub dims: *const i64,
    pub num_dims: usize,
    pub byte_strides: *const i64,
    pub num_byte_strides: usize,
    pub host_buffer_semantics: PJRT_HostBufferSemantics,
    pub device: *mut PJRT_Device,
    pub memory: *mut PJRT_Memory,
    pub device_layout: *mut PJRT_Buffer_MemoryLayout,
    pub done_with_host_buffer: *mut PJRT_Event,
    pub buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_BufferFromHostBuffer_Args"]
        [::std::mem::size_of::<PJRT_Client_BufferFromHostBuffer_Args>() - 120usize];
    ["Alignment of PJRT_Client_BufferFromHostBuffer_Args"]
        [::std::mem::align_of::<PJRT_Client_BufferFromHostBuffer_Args>() - 8usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::data"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, data) - 24usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::type_"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, type_) - 32usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::dims"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, dims) - 40usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::num_dims"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, num_dims) - 48usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::byte_strides"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, byte_strides) - 56usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::num_byte_strides"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, num_byte_strides) - 64usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::host_buffer_semantics"][::std::mem::offset_of!(
        PJRT_Client_BufferFromHostBuffer_Args,
        host_buffer_semantics
    ) - 72usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::device"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, device) - 80usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::memory"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, memory) - 88usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::device_layout"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, device_layout) - 96usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::done_with_host_buffer"][::std::mem::offset_of!(
        PJRT_Client_BufferFromHostBuffer_Args,
        done_with_host_buffer
    ) - 104usize];
    ["Offset of field: PJRT_Client_BufferFromHostBuffer_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Client_BufferFromHostBuffer_Args, buffer) - 112usize];
};
pub const PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE: usize = 120;
pub type PJRT_Client_BufferFromHostBuffer = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_BufferFromHostBuffer_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_CreateViewOfDeviceBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub device_buffer_ptr: *mut ::std::os::raw::c_void,
    pub dims: *const i64,
    pub num_dims: usize,
    pub element_type: PJRT_Buffer_Type,
    pub layout: *mut PJRT_Buffer_MemoryLayout,
    pub device: *mut PJRT_Device,
    pub on_delete_callback: ::std::option::Option<
        unsafe extern "C" fn(
            device_buffer_ptr: *mut ::std::os::raw::c_void,
            user_arg: *mut ::std::os::raw::c_void,
        ),
    >,
    pub on_delete_callback_arg: *mut ::std::os::raw::c_void,
    pub stream: isize,
    pub buffer: *mut PJRT_Buffer,
    pub memory: *mut PJRT_Memory,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_CreateViewOfDeviceBuffer_Args"]
        [::std::mem::size_of::<PJRT_Client_CreateViewOfDeviceBuffer_Args>() - 112usize];
    ["Alignment of PJRT_Client_CreateViewOfDeviceBuffer_Args"]
        [::std::mem::align_of::<PJRT_Client_CreateViewOfDeviceBuffer_Args>() - 8usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Client_CreateViewOfDeviceBuffer_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::client"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, client) - 16usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::device_buffer_ptr"][::std::mem::offset_of!(
        PJRT_Client_CreateViewOfDeviceBuffer_Args,
        device_buffer_ptr
    ) - 24usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::dims"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, dims) - 32usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::num_dims"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, num_dims) - 40usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::element_type"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, element_type) - 48usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::layout"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, layout) - 56usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::device"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, device) - 64usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::on_delete_callback"][::std::mem::offset_of!(
        PJRT_Client_CreateViewOfDeviceBuffer_Args,
        on_delete_callback
    ) - 72usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::on_delete_callback_arg"][::std::mem::offset_of!(
        PJRT_Client_CreateViewOfDeviceBuffer_Args,
        on_delete_callback_arg
    )
        - 80usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::stream"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, stream) - 88usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, buffer) - 96usize];
    ["Offset of field: PJRT_Client_CreateViewOfDeviceBuffer_Args::memory"]
        [::std::mem::offset_of!(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory) - 104usize];
};
pub const PJRT_Client_CreateViewOfDeviceBuffer_Args_STRUCT_SIZE: usize = 112;
pub type PJRT_Client_CreateViewOfDeviceBuffer = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Client_CreateViewOfDeviceBuffer_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ShapeSpec {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub dims: *const i64,
    pub num_dims: usize,
    pub element_type: PJRT_Buffer_Type,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_ShapeSpec"][::std::mem::size_of::<PJRT_ShapeSpec>() - 40usize];
    ["Alignment of PJRT_ShapeSpec"][::std::mem::align_of::<PJRT_ShapeSpec>() - 8usize];
    ["Offset of field: PJRT_ShapeSpec::struct_size"]
        [::std::mem::offset_of!(PJRT_ShapeSpec, struct_size) - 0usize];
    ["Offset of field: PJRT_ShapeSpec::extension_start"]
        [::std::mem::offset_of!(PJRT_ShapeSpec, extension_start) - 8usize];
    ["Offset of field: PJRT_ShapeSpec::dims"]
        [::std::mem::offset_of!(PJRT_ShapeSpec, dims) - 16usize];
    ["Offset of field: PJRT_ShapeSpec::num_dims"]
        [::std::mem::offset_of!(PJRT_ShapeSpec, num_dims) - 24usize];
    ["Offset of field: PJRT_ShapeSpec::element_type"]
        [::std::mem::offset_of!(PJRT_ShapeSpec, element_type) - 32usize];
};
pub const PJRT_ShapeSpec_STRUCT_SIZE: usize = 36;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Client_CreateBuffersForAsyncHostToDevice_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub shape_specs: *mut PJRT_ShapeSpec,
    pub num_shape_specs: usize,
    pub device_layouts: *mut *mut PJRT_Buffer_MemoryLayout,
    pub num_device_layouts: usize,
    pub memory: *mut PJRT_Memory,
    pub transfer_manager: *mut PJRT_AsyncHostToDeviceTransferManager,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Client_CreateBuffersForAsyncHostToDevice_Args"]
        [::std::mem::size_of::<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>() - 72usize];
    ["Alignment of PJRT_Client_CreateBuffersForAsyncHostToDevice_Args"]
        [::std::mem::align_of::<PJRT_Client_CreateBuffersForAsyncHostToDevice_Args>() - 8usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::client"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        client
    ) - 16usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::shape_specs"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        shape_specs
    )
        - 24usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::num_shape_specs"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        num_shape_specs
    )
        - 32usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::device_layouts"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        device_layouts
    )
        - 40usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::num_device_layouts"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        num_device_layouts
    )
        - 48usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::memory"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        memory
    ) - 56usize];
    ["Offset of field: PJRT_Client_CreateBuffersForAsyncHostToDevice_Args::transfer_manager"][::std::mem::offset_of!(
        PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
        transfer_manager
    )
        - 64usize];
};
pub const PJRT_Client_CreateBuffersForAsyncHostToDevice_Args_STRUCT_SIZE: usize = 72;
pub type PJRT_Client_CreateBuffersForAsyncHostToDevice = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceDescription_Id_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device_description: *mut PJRT_DeviceDescription,
    pub id: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_DeviceDescription_Id_Args"]
        [::std::mem::size_of::<PJRT_DeviceDescription_Id_Args>() - 32usize];
    ["Alignment of PJRT_DeviceDescription_Id_Args"]
        [::std::mem::align_of::<PJRT_DeviceDescription_Id_Args>() - 8usize];
    ["Offset of field: PJRT_DeviceDescription_Id_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Id_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_DeviceDescription_Id_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Id_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_DeviceDescription_Id_Args::device_description"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Id_Args, device_description) - 16usize];
    ["Offset of field: PJRT_DeviceDescription_Id_Args::id"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Id_Args, id) - 24usize];
};
pub const PJRT_DeviceDescription_Id_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_DeviceDescription_Id = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_DeviceDescription_Id_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceDescription_ProcessIndex_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device_description: *mut PJRT_DeviceDescription,
    pub process_index: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_DeviceDescription_ProcessIndex_Args"]
        [::std::mem::size_of::<PJRT_DeviceDescription_ProcessIndex_Args>() - 32usize];
    ["Alignment of PJRT_DeviceDescription_ProcessIndex_Args"]
        [::std::mem::align_of::<PJRT_DeviceDescription_ProcessIndex_Args>() - 8usize];
    ["Offset of field: PJRT_DeviceDescription_ProcessIndex_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_ProcessIndex_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_DeviceDescription_ProcessIndex_Args::extension_start"][::std::mem::offset_of!(
        PJRT_DeviceDescription_ProcessIndex_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_DeviceDescription_ProcessIndex_Args::device_description"][::std::mem::offset_of!(
        PJRT_DeviceDescription_ProcessIndex_Args,
        device_description
    ) - 16usize];
    ["Offset of field: PJRT_DeviceDescription_ProcessIndex_Args::process_index"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_ProcessIndex_Args, process_index) - 24usize];
};
pub const PJRT_DeviceDescription_ProcessIndex_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_DeviceDescription_ProcessIndex = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_DeviceDescription_ProcessIndex_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceDescription_Attributes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device_description: *mut PJRT_DeviceDescription,
    pub num_attributes: usize,
    pub attributes: *const PJRT_NamedValue,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_DeviceDescription_Attributes_Args"]
        [::std::mem::size_of::<PJRT_DeviceDescription_Attributes_Args>() - 40usize];
    ["Alignment of PJRT_DeviceDescription_Attributes_Args"]
        [::std::mem::align_of::<PJRT_DeviceDescription_Attributes_Args>() - 8usize];
    ["Offset of field: PJRT_DeviceDescription_Attributes_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Attributes_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_DeviceDescription_Attributes_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Attributes_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_DeviceDescription_Attributes_Args::device_description"][::std::mem::offset_of!(
        PJRT_DeviceDescription_Attributes_Args,
        device_description
    ) - 16usize];
    ["Offset of field: PJRT_DeviceDescription_Attributes_Args::num_attributes"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Attributes_Args, num_attributes) - 24usize];
    ["Offset of field: PJRT_DeviceDescription_Attributes_Args::attributes"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Attributes_Args, attributes) - 32usize];
};
pub const PJRT_DeviceDescription_Attributes_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_DeviceDescription_Attributes = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_DeviceDescription_Attributes_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceDescription_Kind_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device_description: *mut PJRT_DeviceDescription,
    pub device_kind: *const ::std::os::raw::c_char,
    pub device_kind_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_DeviceDescription_Kind_Args"]
        [::std::mem::size_of::<PJRT_DeviceDescription_Kind_Args>() - 40usize];
    ["Alignment of PJRT_DeviceDescription_Kind_Args"]
        [::std::mem::align_of::<PJRT_DeviceDescription_Kind_Args>() - 8usize];
    ["Offset of field: PJRT_DeviceDescription_Kind_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Kind_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_DeviceDescription_Kind_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Kind_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_DeviceDescription_Kind_Args::device_description"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Kind_Args, device_description) - 16usize];
    ["Offset of field: PJRT_DeviceDescription_Kind_Args::device_kind"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Kind_Args, device_kind) - 24usize];
    ["Offset of field: PJRT_DeviceDescription_Kind_Args::device_kind_size"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_Kind_Args, device_kind_size) - 32usize];
};
pub const PJRT_DeviceDescription_Kind_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_DeviceDescription_Kind = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_DeviceDescription_Kind_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceDescription_DebugString_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device_description: *mut PJRT_DeviceDescription,
    pub debug_string: *const ::std::os::raw::c_char,
    pub debug_string_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_DeviceDescription_DebugString_Args"]
        [::std::mem::size_of::<PJRT_DeviceDescription_DebugString_Args>() - 40usize];
    ["Alignment of PJRT_DeviceDescription_DebugString_Args"]
        [::std::mem::align_of::<PJRT_DeviceDescription_DebugString_Args>() - 8usize];
    ["Offset of field: PJRT_DeviceDescription_DebugString_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_DebugString_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_DeviceDescription_DebugString_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_DebugString_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_DeviceDescription_DebugString_Args::device_description"][::std::mem::offset_of!(
        PJRT_DeviceDescription_DebugString_Args,
        device_description
    ) - 16usize];
    ["Offset of field: PJRT_DeviceDescription_DebugString_Args::debug_string"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_DebugString_Args, debug_string) - 24usize];
    ["Offset of field: PJRT_DeviceDescription_DebugString_Args::debug_string_size"][::std::mem::offset_of!(
        PJRT_DeviceDescription_DebugString_Args,
        debug_string_size
    ) - 32usize];
};
pub const PJRT_DeviceDescription_DebugString_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_DeviceDescription_DebugString = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_DeviceDescription_DebugString_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceDescription_ToString_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device_description: *mut PJRT_DeviceDescription,
    pub to_string: *const ::std::os::raw::c_char,
    pub to_string_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_DeviceDescription_ToString_Args"]
        [::std::mem::size_of::<PJRT_DeviceDescription_ToString_Args>() - 40usize];
    ["Alignment of PJRT_DeviceDescription_ToString_Args"]
        [::std::mem::align_of::<PJRT_DeviceDescription_ToString_Args>() - 8usize];
    ["Offset of field: PJRT_DeviceDescription_ToString_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_ToString_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_DeviceDescription_ToString_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_ToString_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_DeviceDescription_ToString_Args::device_description"][::std::mem::offset_of!(
        PJRT_DeviceDescription_ToString_Args,
        device_description
    ) - 16usize];
    ["Offset of field: PJRT_DeviceDescription_ToString_Args::to_string"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_ToString_Args, to_string) - 24usize];
    ["Offset of field: PJRT_DeviceDescription_ToString_Args::to_string_size"]
        [::std::mem::offset_of!(PJRT_DeviceDescription_ToString_Args, to_string_size) - 32usize];
};
pub const PJRT_DeviceDescription_ToString_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_DeviceDescription_ToString = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_DeviceDescription_ToString_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Device_GetDescription_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub device_description: *mut PJRT_DeviceDescription,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Device_GetDescription_Args"]
        [::std::mem::size_of::<PJRT_Device_GetDescription_Args>() - 32usize];
    ["Alignment of PJRT_Device_GetDescription_Args"]
        [::std::mem::align_of::<PJRT_Device_GetDescription_Args>() - 8usize];
    ["Offset of field: PJRT_Device_GetDescription_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Device_GetDescription_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Device_GetDescription_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Device_GetDescription_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Device_GetDescription_Args::device"]
        [::std::mem::offset_of!(PJRT_Device_GetDescription_Args, device) - 16usize];
    ["Offset of field: PJRT_Device_GetDescription_Args::device_description"]
        [::std::mem::offset_of!(PJRT_Device_GetDescription_Args, device_description) - 24usize];
};
pub const PJRT_Device_GetDescription_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Device_GetDescription = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Device_GetDescription_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Device_IsAddressable_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub is_addressable: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Device_IsAddressable_Args"]
        [::std::mem::size_of::<PJRT_Device_IsAddressable_Args>() - 32usize];
    ["Alignment of PJRT_Device_IsAddressable_Args"]
        [::std::mem::align_of::<PJRT_Device_IsAddressable_Args>() - 8usize];
    ["Offset of field: PJRT_Device_IsAddressable_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Device_IsAddressable_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Device_IsAddressable_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Device_IsAddressable_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Device_IsAddressable_Args::device"]
        [::std::mem::offset_of!(PJRT_Device_IsAddressable_Args, device) - 16usize];
    ["Offset of field: PJRT_Device_IsAddressable_Args::is_addressable"]
        [::std::mem::offset_of!(PJRT_Device_IsAddressable_Args, is_addressable) - 24usize];
};
pub const PJRT_Device_IsAddressable_Args_STRUCT_SIZE: usize = 25;
pub type PJRT_Device_IsAddressable = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Device_IsAddressable_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Device_LocalHardwareId_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub local_hardware_id: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Device_LocalHardwareId_Args"]
        [::std::mem::size_of::<PJRT_Device_LocalHardwareId_Args>() - 32usize];
    ["Alignment of PJRT_Device_LocalHardwareId_Args"]
        [::std::mem::align_of::<PJRT_Device_LocalHardwareId_Args>() - 8usize];
    ["Offset of field: PJRT_Device_LocalHardwareId_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Device_LocalHardwareId_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Device_LocalHardwareId_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Device_LocalHardwareId_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Device_LocalHardwareId_Args::device"]
        [::std::mem::offset_of!(PJRT_Device_LocalHardwareId_Args, device) - 16usize];
    ["Offset of field: PJRT_Device_LocalHardwareId_Args::local_hardware_id"]
        [::std::mem::offset_of!(PJRT_Device_LocalHardwareId_Args, local_hardware_id) - 24usize];
};
pub const PJRT_Device_LocalHardwareId_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_Device_LocalHardwareId = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Device_LocalHardwareId_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Device_AddressableMemories_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub memories: *const *mut PJRT_Memory,
    pub num_memories: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Device_AddressableMemories_Args"]
        [::std::mem::size_of::<PJRT_Device_AddressableMemories_Args>() - 40usize];
    ["Alignment of PJRT_Device_AddressableMemories_Args"]
        [::std::mem::align_of::<PJRT_Device_AddressableMemories_Args>() - 8usize];
    ["Offset of field: PJRT_Device_AddressableMemories_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Device_AddressableMemories_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Device_AddressableMemories_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Device_AddressableMemories_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Device_AddressableMemories_Args::device"]
        [::std::mem::offset_of!(PJRT_Device_AddressableMemories_Args, device) - 16usize];
    ["Offset of field: PJRT_Device_AddressableMemories_Args::memories"]
        [::std::mem::offset_of!(PJRT_Device_AddressableMemories_Args, memories) - 24usize];
    ["Offset of field: PJRT_Device_AddressableMemories_Args::num_memories"]
        [::std::mem::offset_of!(PJRT_Device_AddressableMemories_Args, num_memories) - 32usize];
};
pub const PJRT_Device_AddressableMemories_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Device_AddressableMemories = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Device_AddressableMemories_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Device_DefaultMemory_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub memory: *mut PJRT_Memory,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Device_DefaultMemory_Args"]
        [::std::mem::size_of::<PJRT_Device_DefaultMemory_Args>() - 32usize];
    ["Alignment of PJRT_Device_DefaultMemory_Args"]
        [::std::mem::align_of::<PJRT_Device_DefaultMemory_Args>() - 8usize];
    ["Offset of field: PJRT_Device_DefaultMemory_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Device_DefaultMemory_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Device_DefaultMemory_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Device_DefaultMemory_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Device_DefaultMemory_Args::device"]
        [::std::mem::offset_of!(PJRT_Device_DefaultMemory_Args, device) - 16usize];
    ["Offset of field: PJRT_Device_DefaultMemory_Args::memory"]
        [::std::mem::offset_of!(PJRT_Device_DefaultMemory_Args, memory) - 24usize];
};
pub const PJRT_Device_DefaultMemory_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Device_DefaultMemory = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Device_DefaultMemory_Args) -> *mut PJRT_Error,
>;
pub const PJRT_Device_MemoryStats_Args_STRUCT_SIZE: usize = 185;
pub type PJRT_Device_MemoryStats = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Device_MemoryStats_Args) -> *mut PJRT_Error,
>;
pub const PJRT_Device_PoisonExecution_Args_STRUCT_SIZE: usize = 49;
pub type PJRT_Device_PoisonExecution = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Device_PoisonExecution_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncTrackingEvent {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Device_CreateAsyncTrackingEvent_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device: *mut PJRT_Device,
    pub description: *const ::std::os::raw::c_char,
    pub description_size: usize,
    pub event: *mut PJRT_AsyncTrackingEvent,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Device_CreateAsyncTrackingEvent_Args"]
        [::std::mem::size_of::<PJRT_Device_CreateAsyncTrackingEvent_Args>() - 48usize];
    ["Alignment of PJRT_Device_CreateAsyncTrackingEvent_Args"]
        [::std::mem::align_of::<PJRT_Device_CreateAsyncTrackingEvent_Args>() - 8usize];
    ["Offset of field: PJRT_Device_CreateAsyncTrackingEvent_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Device_CreateAsyncTrackingEvent_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Device_CreateAsyncTrackingEvent_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Device_CreateAsyncTrackingEvent_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Device_CreateAsyncTrackingEvent_Args::device"]
        [::std::mem::offset_of!(PJRT_Device_CreateAsyncTrackingEvent_Args, device) - 16usize];
    ["Offset of field: PJRT_Device_CreateAsyncTrackingEvent_Args::description"]
        [::std::mem::offset_of!(PJRT_Device_CreateAsyncTrackingEvent_Args, description) - 24usize];
    ["Offset of field: PJRT_Device_CreateAsyncTrackingEvent_Args::description_size"][::std::mem::offset_of!(
        PJRT_Device_CreateAsyncTrackingEvent_Args,
        description_size
    ) - 32usize];
    ["Offset of field: PJRT_Device_CreateAsyncTrackingEvent_Args::event"]
        [::std::mem::offset_of!(PJRT_Device_CreateAsyncTrackingEvent_Args, event) - 40usize];
};
pub const PJRT_Device_CreateAsyncTrackingEvent_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_Device_CreateAsyncTrackingEvent = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Device_CreateAsyncTrackingEvent_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_AsyncTrackingEvent_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub event: *mut PJRT_AsyncTrackingEvent,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_AsyncTrackingEvent_Destroy_Args"]
        [::std::mem::size_of::<PJRT_AsyncTrackingEvent_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_AsyncTrackingEvent_Destroy_Args"]
        [::std::mem::align_of::<PJRT_AsyncTrackingEvent_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_AsyncTrackingEvent_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_AsyncTrackingEvent_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_AsyncTrackingEvent_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_AsyncTrackingEvent_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_AsyncTrackingEvent_Destroy_Args::event"]
        [::std::mem::offset_of!(PJRT_AsyncTrackingEvent_Destroy_Args, event) - 16usize];
};
pub const PJRT_AsyncTrackingEvent_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_AsyncTrackingEvent_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_AsyncTrackingEvent_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Memory_Id_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub memory: *mut PJRT_Memory,
    pub id: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Memory_Id_Args"][::std::mem::size_of::<PJRT_Memory_Id_Args>() - 32usize];
    ["Alignment of PJRT_Memory_Id_Args"][::std::mem::align_of::<PJRT_Memory_Id_Args>() - 8usize];
    ["Offset of field: PJRT_Memory_Id_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Memory_Id_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Memory_Id_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Memory_Id_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Memory_Id_Args::memory"]
        [::std::mem::offset_of!(PJRT_Memory_Id_Args, memory) - 16usize];
    ["Offset of field: PJRT_Memory_Id_Args::id"]
        [::std::mem::offset_of!(PJRT_Memory_Id_Args, id) - 24usize];
};
pub const PJRT_Memory_Id_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_Memory_Id =
    ::std::option::Option<unsafe extern "C" fn(args: *mut PJRT_Memory_Id_Args) -> *mut PJRT_Error>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Memory_Kind_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub memory: *mut PJRT_Memory,
    pub kind: *const ::std::os::raw::c_char,
    pub kind_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Memory_Kind_Args"][::std::mem::size_of::<PJRT_Memory_Kind_Args>() - 40usize];
    ["Alignment of PJRT_Memory_Kind_Args"]
        [::std::mem::align_of::<PJRT_Memory_Kind_Args>() - 8usize];
    ["Offset of field: PJRT_Memory_Kind_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Memory_Kind_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Memory_Kind_Args::memory"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Args, memory) - 16usize];
    ["Offset of field: PJRT_Memory_Kind_Args::kind"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Args, kind) - 24usize];
    ["Offset of field: PJRT_Memory_Kind_Args::kind_size"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Args, kind_size) - 32usize];
};
pub const PJRT_Memory_Kind_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Memory_Kind = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Memory_Kind_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Memory_Kind_Id_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub memory: *mut PJRT_Memory,
    pub kind_id: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Memory_Kind_Id_Args"]
        [::std::mem::size_of::<PJRT_Memory_Kind_Id_Args>() - 32usize];
    ["Alignment of PJRT_Memory_Kind_Id_Args"]
        [::std::mem::align_of::<PJRT_Memory_Kind_Id_Args>() - 8usize];
    ["Offset of field: PJRT_Memory_Kind_Id_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Id_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Memory_Kind_Id_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Id_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Memory_Kind_Id_Args::memory"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Id_Args, memory) - 16usize];
    ["Offset of field: PJRT_Memory_Kind_Id_Args::kind_id"]
        [::std::mem::offset_of!(PJRT_Memory_Kind_Id_Args, kind_id) - 24usize];
};
pub const PJRT_Memory_Kind_Id_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_Memory_Kind_Id = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Memory_Kind_Id_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Memory_DebugString_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub memory: *mut PJRT_Memory,
    pub debug_string: *const ::std::os::raw::c_char,
    pub debug_string_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Memory_DebugString_Args"]
        [::std::mem::size_of::<PJRT_Memory_DebugString_Args>() - 40usize];
    ["Alignment of PJRT_Memory_DebugString_Args"]
        [::std::mem::align_of::<PJRT_Memory_DebugString_Args>() - 8usize];
    ["Offset of field: PJRT_Memory_DebugString_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Memory_DebugString_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Memory_DebugString_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Memory_DebugString_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Memory_DebugString_Args::memory"]
        [::std::mem::offset_of!(PJRT_Memory_DebugString_Args, memory) - 16usize];
    ["Offset of field: PJRT_Memory_DebugString_Args::debug_string"]
        [::std::mem::offset_of!(PJRT_Memory_DebugString_Args, debug_string) - 24usize];
    ["Offset of field: PJRT_Memory_DebugString_Args::debug_string_size"]
        [::std::mem::offset_of!(PJRT_Memory_DebugString_Args, debug_string_size) - 32usize];
};
pub const PJRT_Memory_DebugString_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Memory_DebugString = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Memory_DebugString_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Memory_ToString_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub memory: *mut PJRT_Memory,
    pub to_string: *const ::std::os::raw::c_char,
    pub to_string_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Memory_ToString_Args"]
        [::std::mem::size_of::<PJRT_Memory_ToString_Args>() - 40usize];
    ["Alignment of PJRT_Memory_ToString_Args"]
        [::std::mem::align_of::<PJRT_Memory_ToString_Args>() - 8usize];
    ["Offset of field: PJRT_Memory_ToString_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Memory_ToString_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Memory_ToString_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Memory_ToString_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Memory_ToString_Args::memory"]
        [::std::mem::offset_of!(PJRT_Memory_ToString_Args, memory) - 16usize];
    ["Offset of field: PJRT_Memory_ToString_Args::to_string"]
        [::std::mem::offset_of!(PJRT_Memory_ToString_Args, to_string) - 24usize];
    ["Offset of field: PJRT_Memory_ToString_Args::to_string_size"]
        [::std::mem::offset_of!(PJRT_Memory_ToString_Args, to_string_size) - 32usize];
};
pub const PJRT_Memory_ToString_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Memory_ToString = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Memory_ToString_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Memory_AddressableByDevices_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub memory: *mut PJRT_Memory,
    pub devices: *const *mut PJRT_Device,
    pub num_devices: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Memory_AddressableByDevices_Args"]
        [::std::mem::size_of::<PJRT_Memory_AddressableByDevices_Args>() - 40usize];
    ["Alignment of PJRT_Memory_AddressableByDevices_Args"]
        [::std::mem::align_of::<PJRT_Memory_AddressableByDevices_Args>() - 8usize];
    ["Offset of field: PJRT_Memory_AddressableByDevices_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Memory_AddressableByDevices_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Memory_AddressableByDevices_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Memory_AddressableByDevices_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Memory_AddressableByDevices_Args::memory"]
        [::std::mem::offset_of!(PJRT_Memory_AddressableByDevices_Args, memory) - 16usize];
    ["Offset of field: PJRT_Memory_AddressableByDevices_Args::devices"]
        [::std::mem::offset_of!(PJRT_Memory_AddressableByDevices_Args, devices) - 24usize];
    ["Offset of field: PJRT_Memory_AddressableByDevices_Args::num_devices"]
        [::std::mem::offset_of!(PJRT_Memory_AddressableByDevices_Args, num_devices) - 32usize];
};
pub const PJRT_Memory_AddressableByDevices_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Memory_AddressableByDevices = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Memory_AddressableByDevices_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ExecuteContext {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ExecuteContext_Create_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub context: *mut PJRT_ExecuteContext,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_ExecuteContext_Create_Args"]
        [::std::mem::size_of::<PJRT_ExecuteContext_Create_Args>() - 24usize];
    ["Alignment of PJRT_ExecuteContext_Create_Args"]
        [::std::mem::align_of::<PJRT_ExecuteContext_Create_Args>() - 8usize];
    ["Offset of field: PJRT_ExecuteContext_Create_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_ExecuteContext_Create_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_ExecuteContext_Create_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_ExecuteContext_Create_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_ExecuteContext_Create_Args::context"]
        [::std::mem::offset_of!(PJRT_ExecuteContext_Create_Args, context) - 16usize];
};
pub const PJRT_ExecuteContext_Create_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_ExecuteContext_Create = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_ExecuteContext_Create_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ExecuteContext_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub context: *mut PJRT_ExecuteContext,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_ExecuteContext_Destroy_Args"]
        [::std::mem::size_of::<PJRT_ExecuteContext_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_ExecuteContext_Destroy_Args"]
        [::std::mem::align_of::<PJRT_ExecuteContext_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_ExecuteContext_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_ExecuteContext_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_ExecuteContext_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_ExecuteContext_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_ExecuteContext_Destroy_Args::context"]
        [::std::mem::offset_of!(PJRT_ExecuteContext_Destroy_Args, context) - 16usize];
};
pub const PJRT_ExecuteContext_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_ExecuteContext_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_ExecuteContext_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_Destroy_Args"]
        [::std::mem::size_of::<PJRT_Executable_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_Executable_Destroy_Args"]
        [::std::mem::align_of::<PJRT_Executable_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_Destroy_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_Destroy_Args, executable) - 16usize];
};
pub const PJRT_Executable_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Executable_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_LoadedExecutable,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_LoadedExecutable_Destroy_Args"]
        [::std::mem::size_of::<PJRT_LoadedExecutable_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_LoadedExecutable_Destroy_Args"]
        [::std::mem::align_of::<PJRT_LoadedExecutable_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_LoadedExecutable_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_Destroy_Args::executable"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Destroy_Args, executable) - 16usize];
};
pub const PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_LoadedExecutable_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_LoadedExecutable_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable_GetExecutable_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub loaded_executable: *mut PJRT_LoadedExecutable,
    pub executable: *mut PJRT_Executable,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_LoadedExecutable_GetExecutable_Args"]
        [::std::mem::size_of::<PJRT_LoadedExecutable_GetExecutable_Args>() - 32usize];
    ["Alignment of PJRT_LoadedExecutable_GetExecutable_Args"]
        [::std::mem::align_of::<PJRT_LoadedExecutable_GetExecutable_Args>() - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_GetExecutable_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_GetExecutable_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_LoadedExecutable_GetExecutable_Args::extension_start"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetExecutable_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetExecutable_Args,
        loaded_executable
    ) - 16usize];
    ["Offset of field: PJRT_LoadedExecutable_GetExecutable_Args::executable"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_GetExecutable_Args, executable) - 24usize];
};
pub const PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_LoadedExecutable_GetExecutable = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_LoadedExecutable_GetExecutable_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceAssignmentSerialized {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable_GetDeviceAssignment_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_LoadedExecutable,
    pub serialized_bytes: *const ::std::os::raw::c_char,
    pub serialized_bytes_size: usize,
    pub serialized_device_assignment: *mut PJRT_DeviceAssignmentSerialized,
    pub serialized_device_assignment_deleter:
        ::std::option::Option<unsafe extern "C" fn(da: *mut PJRT_DeviceAssignmentSerialized)>,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_LoadedExecutable_GetDeviceAssignment_Args"]
        [::std::mem::size_of::<PJRT_LoadedExecutable_GetDeviceAssignment_Args>() - 56usize];
    ["Alignment of PJRT_LoadedExecutable_GetDeviceAssignment_Args"]
        [::std::mem::align_of::<PJRT_LoadedExecutable_GetDeviceAssignment_Args>() - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_GetDeviceAssignment_Args::struct_size"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetDeviceAssignment_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_LoadedExecutable_GetDeviceAssignment_Args::extension_start"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetDeviceAssignment_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_GetDeviceAssignment_Args::executable"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetDeviceAssignment_Args,
        executable
    ) - 16usize];
    ["Offset of field: PJRT_LoadedExecutable_GetDeviceAssignment_Args::serialized_bytes"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetDeviceAssignment_Args,
        serialized_bytes
    )
        - 24usize];
    ["Offset of field: PJRT_LoadedExecutable_GetDeviceAssignment_Args::serialized_bytes_size"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetDeviceAssignment_Args,
        serialized_bytes_size
    )
        - 32usize];
    [
        "Offset of field: PJRT_LoadedExecutable_GetDeviceAssignment_Args::serialized_device_assignment",
    ][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetDeviceAssignment_Args,
        serialized_device_assignment
    ) - 40usize];
    [
        "Offset of field: PJRT_LoadedExecutable_GetDeviceAssignment_Args::serialized_device_assignment_deleter",
    ][::std::mem::offset_of!(
        PJRT_LoadedExecutable_GetDeviceAssignment_Args,
        serialized_device_assignment_deleter
    ) - 48usize];
};
pub const PJRT_LoadedExecutable_GetDeviceAssignment_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_LoadedExecutable_GetDeviceAssignment = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_LoadedExecutable_GetDeviceAssignment_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_Name_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub executable_name: *const ::std::os::raw::c_char,
    pub executable_name_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_Name_Args"]
        [::std::mem::size_of::<PJRT_Executable_Name_Args>() - 40usize];
    ["Alignment of PJRT_Executable_Name_Args"]
        [::std::mem::align_of::<PJRT_Executable_Name_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_Name_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_Name_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_Name_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_Name_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_Name_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_Name_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_Name_Args::executable_name"]
        [::std::mem::offset_of!(PJRT_Executable_Name_Args, executable_name) - 24usize];
    ["Offset of field: PJRT_Executable_Name_Args::executable_name_size"]
        [::std::mem::offset_of!(PJRT_Executable_Name_Args, executable_name_size) - 32usize];
};
pub const PJRT_Executable_Name_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Executable_Name = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_Name_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_NumReplicas_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_replicas: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_NumReplicas_Args"]
        [::std::mem::size_of::<PJRT_Executable_NumReplicas_Args>() - 32usize];
    ["Alignment of PJRT_Executable_NumReplicas_Args"]
        [::std::mem::align_of::<PJRT_Executable_NumReplicas_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_NumReplicas_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_NumReplicas_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_NumReplicas_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_NumReplicas_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_NumReplicas_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_NumReplicas_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_NumReplicas_Args::num_replicas"]
        [::std::mem::offset_of!(PJRT_Executable_NumReplicas_Args, num_replicas) - 24usize];
};
pub const PJRT_Executable_NumReplicas_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Executable_NumReplicas = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_NumReplicas_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_NumPartitions_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_partitions: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_NumPartitions_Args"]
        [::std::mem::size_of::<PJRT_Executable_NumPartitions_Args>() - 32usize];
    ["Alignment of PJRT_Executable_NumPartitions_Args"]
        [::std::mem::align_of::<PJRT_Executable_NumPartitions_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_NumPartitions_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_NumPartitions_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_NumPartitions_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_NumPartitions_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_NumPartitions_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_NumPartitions_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_NumPartitions_Args::num_partitions"]
        [::std::mem::offset_of!(PJRT_Executable_NumPartitions_Args, num_partitions) - 24usize];
};
pub const PJRT_Executable_NumPartitions_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Executable_NumPartitions = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_NumPartitions_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable_AddressableDevices_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_LoadedExecutable,
    pub addressable_devices: *const *mut PJRT_Device,
    pub num_addressable_devices: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_LoadedExecutable_AddressableDevices_Args"]
        [::std::mem::size_of::<PJRT_LoadedExecutable_AddressableDevices_Args>() - 40usize];
    ["Alignment of PJRT_LoadedExecutable_AddressableDevices_Args"]
        [::std::mem::align_of::<PJRT_LoadedExecutable_AddressableDevices_Args>() - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_AddressableDevices_Args::struct_size"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_AddressableDevices_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_LoadedExecutable_AddressableDevices_Args::extension_start"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_AddressableDevices_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_AddressableDevices_Args::executable"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_AddressableDevices_Args,
        executable
    ) - 16usize];
    ["Offset of field: PJRT_LoadedExecutable_AddressableDevices_Args::addressable_devices"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_AddressableDevices_Args,
        addressable_devices
    )
        - 24usize];
    ["Offset of field: PJRT_LoadedExecutable_AddressableDevices_Args::num_addressable_devices"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_AddressableDevices_Args,
        num_addressable_devices
    )
        - 32usize];
};
pub const PJRT_LoadedExecutable_AddressableDevices_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_LoadedExecutable_AddressableDevices = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_LoadedExecutable_AddressableDevices_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_OptimizedProgram_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub program: *mut PJRT_Program,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_OptimizedProgram_Args"]
        [::std::mem::size_of::<PJRT_Executable_OptimizedProgram_Args>() - 32usize];
    ["Alignment of PJRT_Executable_OptimizedProgram_Args"]
        [::std::mem::align_of::<PJRT_Executable_OptimizedProgram_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_OptimizedProgram_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_OptimizedProgram_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_OptimizedProgram_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_OptimizedProgram_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_OptimizedProgram_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_OptimizedProgram_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_OptimizedProgram_Args::program"]
        [::std::mem::offset_of!(PJRT_Executable_OptimizedProgram_Args, program) - 24usize];
};
pub const PJRT_Executable_OptimizedProgram_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Executable_OptimizedProgram = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_OptimizedProgram_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable_Delete_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_LoadedExecutable,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_LoadedExecutable_Delete_Args"]
        [::std::mem::size_of::<PJRT_LoadedExecutable_Delete_Args>() - 24usize];
    ["Alignment of PJRT_LoadedExecutable_Delete_Args"]
        [::std::mem::align_of::<PJRT_LoadedExecutable_Delete_Args>() - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_Delete_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Delete_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_LoadedExecutable_Delete_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Delete_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_Delete_Args::executable"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Delete_Args, executable) - 16usize];
};
pub const PJRT_LoadedExecutable_Delete_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_LoadedExecutable_Delete = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_LoadedExecutable_Delete_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable_IsDeleted_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_LoadedExecutable,
    pub is_deleted: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_LoadedExecutable_IsDeleted_Args"]
        [::std::mem::size_of::<PJRT_LoadedExecutable_IsDeleted_Args>() - 32usize];
    ["Alignment of PJRT_LoadedExecutable_IsDeleted_Args"]
        [::std::mem::align_of::<PJRT_LoadedExecutable_IsDeleted_Args>() - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_IsDeleted_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_IsDeleted_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_LoadedExecutable_IsDeleted_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_IsDeleted_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_IsDeleted_Args::executable"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_IsDeleted_Args, executable) - 16usize];
    ["Offset of field: PJRT_LoadedExecutable_IsDeleted_Args::is_deleted"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted) - 24usize];
};
pub const PJRT_LoadedExecutable_IsDeleted_Args_STRUCT_SIZE: usize = 25;
pub type PJRT_LoadedExecutable_IsDeleted = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_LoadedExecutable_IsDeleted_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Chunk {
    pub data: *mut ::std::os::raw::c_void,
    pub size: usize,
    pub deleter: ::std::option::Option<
        unsafe extern "C" fn(
            data: *mut ::std::os::raw::c_void,
            deleter_arg: *mut ::std::os::raw::c_void,
        ),
    >,
    pub deleter_arg: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Chunk"][::std::mem::size_of::<PJRT_Chunk>() - 32usize];
    ["Alignment of PJRT_Chunk"][::std::mem::align_of::<PJRT_Chunk>() - 8usize];
    ["Offset of field: PJRT_Chunk::data"][::std::mem::offset_of!(PJRT_Chunk, data) - 0usize];
    ["Offset of field: PJRT_Chunk::size"][::std::mem::offset_of!(PJRT_Chunk, size) - 8usize];
    ["Offset of field: PJRT_Chunk::deleter"][::std::mem::offset_of!(PJRT_Chunk, deleter) - 16usize];
    ["Offset of field: PJRT_Chunk::deleter_arg"]
        [::std::mem::offset_of!(PJRT_Chunk, deleter_arg) - 24usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_CopyToDeviceStream {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TransferMetadata {
    _unused: [u8; 0],
}
pub type PJRT_SendCallback = ::std::option::Option<
    unsafe extern "C" fn(
        chunk: *mut PJRT_Chunk,
        callback_error: *mut PJRT_CallbackError,
        total_size_in_bytes: usize,
        done: bool,
        user_arg: *mut ::std::os::raw::c_void,
    ) -> *mut PJRT_Error,
>;
pub type PJRT_RecvCallback = ::std::option::Option<
    unsafe extern "C" fn(
        stream: *mut PJRT_CopyToDeviceStream,
        user_arg: *mut ::std::os::raw::c_void,
    ),
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_SendCallbackInfo {
    pub channel_id: i64,
    pub user_arg: *mut ::std::os::raw::c_void,
    pub send_callback: PJRT_SendCallback,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_SendCallbackInfo"][::std::mem::size_of::<PJRT_SendCallbackInfo>() - 24usize];
    ["Alignment of PJRT_SendCallbackInfo"]
        [::std::mem::align_of::<PJRT_SendCallbackInfo>() - 8usize];
    ["Offset of field: PJRT_SendCallbackInfo::channel_id"]
        [::std::mem::offset_of!(PJRT_SendCallbackInfo, channel_id) - 0usize];
    ["Offset of field: PJRT_SendCallbackInfo::user_arg"]
        [::std::mem::offset_of!(PJRT_SendCallbackInfo, user_arg) - 8usize];
    ["Offset of field: PJRT_SendCallbackInfo::send_callback"]
        [::std::mem::offset_of!(PJRT_SendCallbackInfo, send_callback) - 16usize];
};
pub const PJRT_SendCallbackInfo_STRUCT_SIZE: usize = 24;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_RecvCallbackInfo {
    pub channel_id: i64,
    pub user_arg: *mut ::std::os::raw::c_void,
    pub recv_callback: PJRT_RecvCallback,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_RecvCallbackInfo"][::std::mem::size_of::<PJRT_RecvCallbackInfo>() - 24usize];
    ["Alignment of PJRT_RecvCallbackInfo"]
        [::std::mem::align_of::<PJRT_RecvCallbackInfo>() - 8usize];
    ["Offset of field: PJRT_RecvCallbackInfo::channel_id"]
        [::std::mem::offset_of!(PJRT_RecvCallbackInfo, channel_id) - 0usize];
    ["Offset of field: PJRT_RecvCallbackInfo::user_arg"]
        [::std::mem::offset_of!(PJRT_RecvCallbackInfo, user_arg) - 8usize];
    ["Offset of field: PJRT_RecvCallbackInfo::recv_callback"]
        [::std::mem::offset_of!(PJRT_RecvCallbackInfo, recv_callback) - 16usize];
};
pub const PJRT_RecvCallbackInfo_STRUCT_SIZE: usize = 24;
pub const PJRT_ExecuteOptions_STRUCT_SIZE: usize = 112;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable_Execute_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_LoadedExecutable,
    pub options: *mut PJRT_ExecuteOptions,
    pub argument_lists: *const *const *mut PJRT_Buffer,
    pub num_devices: usize,
    pub num_args: usize,
    pub output_lists: *const *mut *mut PJRT_Buffer,
    pub device_complete_events: *mut *mut PJRT_Event,
    pub execute_device: *mut PJRT_Device,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_LoadedExecutable_Execute_Args"]
        [::std::mem::size_of::<PJRT_LoadedExecutable_Execute_Args>() - 80usize];
    ["Alignment of PJRT_LoadedExecutable_Execute_Args"]
        [::std::mem::align_of::<PJRT_LoadedExecutable_Execute_Args>() - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::executable"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, executable) - 16usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::options"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, options) - 24usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::argument_lists"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, argument_lists) - 32usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::num_devices"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, num_devices) - 40usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::num_args"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, num_args) - 48usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::output_lists"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, output_lists) - 56usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::device_complete_events"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_Execute_Args,
        device_complete_events
    ) - 64usize];
    ["Offset of field: PJRT_LoadedExecutable_Execute_Args::execute_device"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Execute_Args, execute_device) - 72usize];
};
pub const PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE: usize = 80;
pub type PJRT_LoadedExecutable_Execute = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_LoadedExecutable_Execute_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_NumOutputs_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_outputs: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_NumOutputs_Args"]
        [::std::mem::size_of::<PJRT_Executable_NumOutputs_Args>() - 32usize];
    ["Alignment of PJRT_Executable_NumOutputs_Args"]
        [::std::mem::align_of::<PJRT_Executable_NumOutputs_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_NumOutputs_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_NumOutputs_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_NumOutputs_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_NumOutputs_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_NumOutputs_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_NumOutputs_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_NumOutputs_Args::num_outputs"]
        [::std::mem::offset_of!(PJRT_Executable_NumOutputs_Args, num_outputs) - 24usize];
};
pub const PJRT_Executable_NumOutputs_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Executable_NumOutputs = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_NumOutputs_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_SizeOfGeneratedCodeInBytes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub size_in_bytes: i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_SizeOfGeneratedCodeInBytes_Args"]
        [::std::mem::size_of::<PJRT_Executable_SizeOfGeneratedCodeInBytes_Args>() - 32usize];
    ["Alignment of PJRT_Executable_SizeOfGeneratedCodeInBytes_Args"]
        [::std::mem::align_of::<PJRT_Executable_SizeOfGeneratedCodeInBytes_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_SizeOfGeneratedCodeInBytes_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Executable_SizeOfGeneratedCodeInBytes_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Executable_SizeOfGeneratedCodeInBytes_Args::executable"][::std::mem::offset_of!(
        PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
        executable
    ) - 16usize];
    ["Offset of field: PJRT_Executable_SizeOfGeneratedCodeInBytes_Args::size_in_bytes"][::std::mem::offset_of!(
        PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
        size_in_bytes
    )
        - 24usize];
};
pub const PJRT_Executable_SizeOfGeneratedCodeInBytes_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Executable_SizeOfGeneratedCodeInBytes = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_Fingerprint_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub executable_fingerprint: *const ::std::os::raw::c_char,
    pub executable_fingerprint_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_Fingerprint_Args"]
        [::std::mem::size_of::<PJRT_Executable_Fingerprint_Args>() - 40usize];
    ["Alignment of PJRT_Executable_Fingerprint_Args"]
        [::std::mem::align_of::<PJRT_Executable_Fingerprint_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_Fingerprint_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_Fingerprint_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_Fingerprint_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_Fingerprint_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_Fingerprint_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_Fingerprint_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_Fingerprint_Args::executable_fingerprint"][::std::mem::offset_of!(
        PJRT_Executable_Fingerprint_Args,
        executable_fingerprint
    ) - 24usize];
    ["Offset of field: PJRT_Executable_Fingerprint_Args::executable_fingerprint_size"][::std::mem::offset_of!(
        PJRT_Executable_Fingerprint_Args,
        executable_fingerprint_size
    ) - 32usize];
};
pub const PJRT_Executable_Fingerprint_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Executable_Fingerprint = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_Fingerprint_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_GetCostAnalysis_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_properties: usize,
    pub properties: *const PJRT_NamedValue,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_GetCostAnalysis_Args"]
        [::std::mem::size_of::<PJRT_Executable_GetCostAnalysis_Args>() - 40usize];
    ["Alignment of PJRT_Executable_GetCostAnalysis_Args"]
        [::std::mem::align_of::<PJRT_Executable_GetCostAnalysis_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_GetCostAnalysis_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_GetCostAnalysis_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_GetCostAnalysis_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_GetCostAnalysis_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_GetCostAnalysis_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_GetCostAnalysis_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_GetCostAnalysis_Args::num_properties"]
        [::std::mem::offset_of!(PJRT_Executable_GetCostAnalysis_Args, num_properties) - 24usize];
    ["Offset of field: PJRT_Executable_GetCostAnalysis_Args::properties"]
        [::std::mem::offset_of!(PJRT_Executable_GetCostAnalysis_Args, properties) - 32usize];
};
pub const PJRT_Executable_GetCostAnalysis_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Executable_GetCostAnalysis = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_GetCostAnalysis_Args) -> *mut PJRT_Error,
>;
pub const PJRT_Executable_GetCompiledMemoryStats_Args_STRUCT_SIZE: usize = 120;
pub type PJRT_Executable_GetCompiledMemoryStats = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_GetCompiledMemoryStats_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_OutputElementTypes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub output_types: *mut PJRT_Buffer_Type,
    pub num_output_types: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_OutputElementTypes_Args"]
        [::std::mem::size_of::<PJRT_Executable_OutputElementTypes_Args>() - 40usize];
    ["Alignment of PJRT_Executable_OutputElementTypes_Args"]
        [::std::mem::align_of::<PJRT_Executable_OutputElementTypes_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_OutputElementTypes_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_OutputElementTypes_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_OutputElementTypes_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_OutputElementTypes_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_OutputElementTypes_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_OutputElementTypes_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_OutputElementTypes_Args::output_types"]
        [::std::mem::offset_of!(PJRT_Executable_OutputElementTypes_Args, output_types) - 24usize];
    ["Offset of field: PJRT_Executable_OutputElementTypes_Args::num_output_types"][::std::mem::offset_of!(
        PJRT_Executable_OutputElementTypes_Args,
        num_output_types
    ) - 32usize];
};
pub const PJRT_Executable_OutputElementTypes_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Executable_OutputElementTypes = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_OutputElementTypes_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_OutputDimensions_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_outputs: usize,
    pub dims: *const i64,
    pub dim_sizes: *const usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_OutputDimensions_Args"]
        [::std::mem::size_of::<PJRT_Executable_OutputDimensions_Args>() - 48usize];
    ["Alignment of PJRT_Executable_OutputDimensions_Args"]
        [::std::mem::align_of::<PJRT_Executable_OutputDimensions_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_OutputDimensions_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_OutputDimensions_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_OutputDimensions_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_OutputDimensions_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_OutputDimensions_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_OutputDimensions_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_OutputDimensions_Args::num_outputs"]
        [::std::mem::offset_of!(PJRT_Executable_OutputDimensions_Args, num_outputs) - 24usize];
    ["Offset of field: PJRT_Executable_OutputDimensions_Args::dims"]
        [::std::mem::offset_of!(PJRT_Executable_OutputDimensions_Args, dims) - 32usize];
    ["Offset of field: PJRT_Executable_OutputDimensions_Args::dim_sizes"]
        [::std::mem::offset_of!(PJRT_Executable_OutputDimensions_Args, dim_sizes) - 40usize];
};
pub const PJRT_Executable_OutputDimensions_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_Executable_OutputDimensions = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_OutputDimensions_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_OutputMemoryKinds_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_outputs: usize,
    pub memory_kinds: *const *const ::std::os::raw::c_char,
    pub memory_kind_sizes: *const usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_OutputMemoryKinds_Args"]
        [::std::mem::size_of::<PJRT_Executable_OutputMemoryKinds_Args>() - 48usize];
    ["Alignment of PJRT_Executable_OutputMemoryKinds_Args"]
        [::std::mem::align_of::<PJRT_Executable_OutputMemoryKinds_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_OutputMemoryKinds_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_OutputMemoryKinds_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_OutputMemoryKinds_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_OutputMemoryKinds_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_OutputMemoryKinds_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_OutputMemoryKinds_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_OutputMemoryKinds_Args::num_outputs"]
        [::std::mem::offset_of!(PJRT_Executable_OutputMemoryKinds_Args, num_outputs) - 24usize];
    ["Offset of field: PJRT_Executable_OutputMemoryKinds_Args::memory_kinds"]
        [::std::mem::offset_of!(PJRT_Executable_OutputMemoryKinds_Args, memory_kinds) - 32usize];
    ["Offset of field: PJRT_Executable_OutputMemoryKinds_Args::memory_kind_sizes"][::std::mem::offset_of!(
        PJRT_Executable_OutputMemoryKinds_Args,
        memory_kind_sizes
    ) - 40usize];
};
pub const PJRT_Executable_OutputMemoryKinds_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_Executable_OutputMemoryKinds = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_OutputMemoryKinds_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_SerializedExecutable {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_SerializedCompileOptions {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_Serialize_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *const PJRT_Executable,
    pub serialized_bytes: *const ::std::os::raw::c_char,
    pub serialized_bytes_size: usize,
    pub serialized_executable: *mut PJRT_SerializedExecutable,
    pub serialized_executable_deleter:
        ::std::option::Option<unsafe extern "C" fn(exec: *mut PJRT_SerializedExecutable)>,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_Serialize_Args"]
        [::std::mem::size_of::<PJRT_Executable_Serialize_Args>() - 56usize];
    ["Alignment of PJRT_Executable_Serialize_Args"]
        [::std::mem::align_of::<PJRT_Executable_Serialize_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_Serialize_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_Serialize_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_Serialize_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_Serialize_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_Serialize_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_Serialize_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_Serialize_Args::serialized_bytes"]
        [::std::mem::offset_of!(PJRT_Executable_Serialize_Args, serialized_bytes) - 24usize];
    ["Offset of field: PJRT_Executable_Serialize_Args::serialized_bytes_size"]
        [::std::mem::offset_of!(PJRT_Executable_Serialize_Args, serialized_bytes_size) - 32usize];
    ["Offset of field: PJRT_Executable_Serialize_Args::serialized_executable"]
        [::std::mem::offset_of!(PJRT_Executable_Serialize_Args, serialized_executable) - 40usize];
    ["Offset of field: PJRT_Executable_Serialize_Args::serialized_executable_deleter"][::std::mem::offset_of!(
        PJRT_Executable_Serialize_Args,
        serialized_executable_deleter
    ) - 48usize];
};
pub const PJRT_Executable_Serialize_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_Executable_Serialize = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_Serialize_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Executable_GetCompileOptions_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub serialized_bytes: *const ::std::os::raw::c_char,
    pub serialized_bytes_size: usize,
    pub serialized_compile_options: *mut PJRT_SerializedCompileOptions,
    pub serialized_compile_options_deleter:
        ::std::option::Option<unsafe extern "C" fn(options: *mut PJRT_SerializedCompileOptions)>,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Executable_GetCompileOptions_Args"]
        [::std::mem::size_of::<PJRT_Executable_GetCompileOptions_Args>() - 56usize];
    ["Alignment of PJRT_Executable_GetCompileOptions_Args"]
        [::std::mem::align_of::<PJRT_Executable_GetCompileOptions_Args>() - 8usize];
    ["Offset of field: PJRT_Executable_GetCompileOptions_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Executable_GetCompileOptions_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Executable_GetCompileOptions_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Executable_GetCompileOptions_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Executable_GetCompileOptions_Args::executable"]
        [::std::mem::offset_of!(PJRT_Executable_GetCompileOptions_Args, executable) - 16usize];
    ["Offset of field: PJRT_Executable_GetCompileOptions_Args::serialized_bytes"][::std::mem::offset_of!(
        PJRT_Executable_GetCompileOptions_Args,
        serialized_bytes
    ) - 24usize];
    ["Offset of field: PJRT_Executable_GetCompileOptions_Args::serialized_bytes_size"][::std::mem::offset_of!(
        PJRT_Executable_GetCompileOptions_Args,
        serialized_bytes_size
    ) - 32usize];
    ["Offset of field: PJRT_Executable_GetCompileOptions_Args::serialized_compile_options"][::std::mem::offset_of!(
        PJRT_Executable_GetCompileOptions_Args,
        serialized_compile_options
    )
        - 40usize];
    ["Offset of field: PJRT_Executable_GetCompileOptions_Args::serialized_compile_options_deleter"]
        [::std::mem::offset_of!(
            PJRT_Executable_GetCompileOptions_Args,
            serialized_compile_options_deleter
        ) - 48usize];
};
pub const PJRT_Executable_GetCompileOptions_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_Executable_GetCompileOptions = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_GetCompileOptions_Args) -> *mut PJRT_Error,
>;
pub const PJRT_Executable_DeserializeAndLoad_Args_STRUCT_SIZE: usize = 64;
pub type PJRT_Executable_DeserializeAndLoad = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Executable_DeserializeAndLoad_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_LoadedExecutable_Fingerprint_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_LoadedExecutable,
    pub executable_fingerprint: *const ::std::os::raw::c_char,
    pub executable_fingerprint_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_LoadedExecutable_Fingerprint_Args"]
        [::std::mem::size_of::<PJRT_LoadedExecutable_Fingerprint_Args>() - 40usize];
    ["Alignment of PJRT_LoadedExecutable_Fingerprint_Args"]
        [::std::mem::align_of::<PJRT_LoadedExecutable_Fingerprint_Args>() - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_Fingerprint_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Fingerprint_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_LoadedExecutable_Fingerprint_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Fingerprint_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_LoadedExecutable_Fingerprint_Args::executable"]
        [::std::mem::offset_of!(PJRT_LoadedExecutable_Fingerprint_Args, executable) - 16usize];
    ["Offset of field: PJRT_LoadedExecutable_Fingerprint_Args::executable_fingerprint"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_Fingerprint_Args,
        executable_fingerprint
    )
        - 24usize];
    ["Offset of field: PJRT_LoadedExecutable_Fingerprint_Args::executable_fingerprint_size"][::std::mem::offset_of!(
        PJRT_LoadedExecutable_Fingerprint_Args,
        executable_fingerprint_size
    )
        - 32usize];
};
pub const PJRT_LoadedExecutable_Fingerprint_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_LoadedExecutable_Fingerprint = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_LoadedExecutable_Fingerprint_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_Destroy_Args"]
        [::std::mem::size_of::<PJRT_Buffer_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_Buffer_Destroy_Args"]
        [::std::mem::align_of::<PJRT_Buffer_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_Destroy_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_Destroy_Args, buffer) - 16usize];
};
pub const PJRT_Buffer_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Buffer_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_ElementType_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub type_: PJRT_Buffer_Type,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_ElementType_Args"]
        [::std::mem::size_of::<PJRT_Buffer_ElementType_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_ElementType_Args"]
        [::std::mem::align_of::<PJRT_Buffer_ElementType_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_ElementType_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_ElementType_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_ElementType_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_ElementType_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_ElementType_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_ElementType_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_ElementType_Args::type_"]
        [::std::mem::offset_of!(PJRT_Buffer_ElementType_Args, type_) - 24usize];
};
pub const PJRT_Buffer_ElementType_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_Buffer_ElementType = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_ElementType_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_Dimensions_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub dims: *const i64,
    pub num_dims: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_Dimensions_Args"]
        [::std::mem::size_of::<PJRT_Buffer_Dimensions_Args>() - 40usize];
    ["Alignment of PJRT_Buffer_Dimensions_Args"]
        [::std::mem::align_of::<PJRT_Buffer_Dimensions_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_Dimensions_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_Dimensions_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_Dimensions_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_Dimensions_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_Dimensions_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_Dimensions_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_Dimensions_Args::dims"]
        [::std::mem::offset_of!(PJRT_Buffer_Dimensions_Args, dims) - 24usize];
    ["Offset of field: PJRT_Buffer_Dimensions_Args::num_dims"]
        [::std::mem::offset_of!(PJRT_Buffer_Dimensions_Args, num_dims) - 32usize];
};
pub const PJRT_Buffer_Dimensions_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Buffer_Dimensions = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_Dimensions_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_UnpaddedDimensions_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub unpadded_dims: *const i64,
    pub num_dims: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_UnpaddedDimensions_Args"]
        [::std::mem::size_of::<PJRT_Buffer_UnpaddedDimensions_Args>() - 40usize];
    ["Alignment of PJRT_Buffer_UnpaddedDimensions_Args"]
        [::std::mem::align_of::<PJRT_Buffer_UnpaddedDimensions_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_UnpaddedDimensions_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_UnpaddedDimensions_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_UnpaddedDimensions_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_UnpaddedDimensions_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_UnpaddedDimensions_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_UnpaddedDimensions_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_UnpaddedDimensions_Args::unpadded_dims"]
        [::std::mem::offset_of!(PJRT_Buffer_UnpaddedDimensions_Args, unpadded_dims) - 24usize];
    ["Offset of field: PJRT_Buffer_UnpaddedDimensions_Args::num_dims"]
        [::std::mem::offset_of!(PJRT_Buffer_UnpaddedDimensions_Args, num_dims) - 32usize];
};
pub const PJRT_Buffer_UnpaddedDimensions_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Buffer_UnpaddedDimensions = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_UnpaddedDimensions_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_DynamicDimensionIndices_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub dynamic_dim_indices: *const usize,
    pub num_dynamic_dims: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_DynamicDimensionIndices_Args"]
        [::std::mem::size_of::<PJRT_Buffer_DynamicDimensionIndices_Args>() - 40usize];
    ["Alignment of PJRT_Buffer_DynamicDimensionIndices_Args"]
        [::std::mem::align_of::<PJRT_Buffer_DynamicDimensionIndices_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_DynamicDimensionIndices_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_DynamicDimensionIndices_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_DynamicDimensionIndices_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Buffer_DynamicDimensionIndices_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Buffer_DynamicDimensionIndices_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_DynamicDimensionIndices_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_DynamicDimensionIndices_Args::dynamic_dim_indices"][::std::mem::offset_of!(
        PJRT_Buffer_DynamicDimensionIndices_Args,
        dynamic_dim_indices
    ) - 24usize];
    ["Offset of field: PJRT_Buffer_DynamicDimensionIndices_Args::num_dynamic_dims"][::std::mem::offset_of!(
        PJRT_Buffer_DynamicDimensionIndices_Args,
        num_dynamic_dims
    ) - 32usize];
};
pub const PJRT_Buffer_DynamicDimensionIndices_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Buffer_DynamicDimensionIndices = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_DynamicDimensionIndices_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_GetMemoryLayout_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub layout: PJRT_Buffer_MemoryLayout,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_GetMemoryLayout_Args"]
        [::std::mem::size_of::<PJRT_Buffer_GetMemoryLayout_Args>() - 104usize];
    ["Alignment of PJRT_Buffer_GetMemoryLayout_Args"]
        [::std::mem::align_of::<PJRT_Buffer_GetMemoryLayout_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_GetMemoryLayout_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_GetMemoryLayout_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_GetMemoryLayout_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_GetMemoryLayout_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_GetMemoryLayout_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_GetMemoryLayout_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_GetMemoryLayout_Args::layout"]
        [::std::mem::offset_of!(PJRT_Buffer_GetMemoryLayout_Args, layout) - 24usize];
};
pub const PJRT_Buffer_GetMemoryLayout_Args_STRUCT_SIZE: usize = 104;
pub type PJRT_Buffer_GetMemoryLayout = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_GetMemoryLayout_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_ToHostBuffer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub src: *mut PJRT_Buffer,
    pub host_layout: *mut PJRT_Buffer_MemoryLayout,
    pub dst: *mut ::std::os::raw::c_void,
    pub dst_size: usize,
    pub event: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_ToHostBuffer_Args"]
        [::std::mem::size_of::<PJRT_Buffer_ToHostBuffer_Args>() - 56usize];
    ["Alignment of PJRT_Buffer_ToHostBuffer_Args"]
        [::std::mem::align_of::<PJRT_Buffer_ToHostBuffer_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_ToHostBuffer_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_ToHostBuffer_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_ToHostBuffer_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_ToHostBuffer_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_ToHostBuffer_Args::src"]
        [::std::mem::offset_of!(PJRT_Buffer_ToHostBuffer_Args, src) - 16usize];
    ["Offset of field: PJRT_Buffer_ToHostBuffer_Args::host_layout"]
        [::std::mem::offset_of!(PJRT_Buffer_ToHostBuffer_Args, host_layout) - 24usize];
    ["Offset of field: PJRT_Buffer_ToHostBuffer_Args::dst"]
        [::std::mem::offset_of!(PJRT_Buffer_ToHostBuffer_Args, dst) - 32usize];
    ["Offset of field: PJRT_Buffer_ToHostBuffer_Args::dst_size"]
        [::std::mem::offset_of!(PJRT_Buffer_ToHostBuffer_Args, dst_size) - 40usize];
    ["Offset of field: PJRT_Buffer_ToHostBuffer_Args::event"]
        [::std::mem::offset_of!(PJRT_Buffer_ToHostBuffer_Args, event) - 48usize];
};
pub const PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_Buffer_ToHostBuffer = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_ToHostBuffer_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_OnDeviceSizeInBytes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub on_device_size_in_bytes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_OnDeviceSizeInBytes_Args"]
        [::std::mem::size_of::<PJRT_Buffer_OnDeviceSizeInBytes_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_OnDeviceSizeInBytes_Args"]
        [::std::mem::align_of::<PJRT_Buffer_OnDeviceSizeInBytes_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_OnDeviceSizeInBytes_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_OnDeviceSizeInBytes_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_OnDeviceSizeInBytes_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_OnDeviceSizeInBytes_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_OnDeviceSizeInBytes_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_OnDeviceSizeInBytes_Args::on_device_size_in_bytes"][::std::mem::offset_of!(
        PJRT_Buffer_OnDeviceSizeInBytes_Args,
        on_device_size_in_bytes
    ) - 24usize];
};
pub const PJRT_Buffer_OnDeviceSizeInBytes_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Buffer_OnDeviceSizeInBytes = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_OnDeviceSizeInBytes_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_Delete_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_Delete_Args"][::std::mem::size_of::<PJRT_Buffer_Delete_Args>() - 24usize];
    ["Alignment of PJRT_Buffer_Delete_Args"]
        [::std::mem::align_of::<PJRT_Buffer_Delete_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_Delete_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_Delete_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_Delete_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_Delete_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_Delete_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_Delete_Args, buffer) - 16usize];
};
pub const PJRT_Buffer_Delete_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Buffer_Delete = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_Delete_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_IsDeleted_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub is_deleted: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_IsDeleted_Args"]
        [::std::mem::size_of::<PJRT_Buffer_IsDeleted_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_IsDeleted_Args"]
        [::std::mem::align_of::<PJRT_Buffer_IsDeleted_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_IsDeleted_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_IsDeleted_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_IsDeleted_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_IsDeleted_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_IsDeleted_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_IsDeleted_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_IsDeleted_Args::is_deleted"]
        [::std::mem::offset_of!(PJRT_Buffer_IsDeleted_Args, is_deleted) - 24usize];
};
pub const PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE: usize = 25;
pub type PJRT_Buffer_IsDeleted = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_IsDeleted_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_CopyRawToHost_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub dst: *mut ::std::os::raw::c_void,
    pub offset: i64,
    pub transfer_size: i64,
    pub event: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_CopyRawToHost_Args"]
        [::std::mem::size_of::<PJRT_Buffer_CopyRawToHost_Args>() - 56usize];
    ["Alignment of PJRT_Buffer_CopyRawToHost_Args"]
        [::std::mem::align_of::<PJRT_Buffer_CopyRawToHost_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHost_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHost_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHost_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHost_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHost_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHost_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHost_Args::dst"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHost_Args, dst) - 24usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHost_Args::offset"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHost_Args, offset) - 32usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHost_Args::transfer_size"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHost_Args, transfer_size) - 40usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHost_Args::event"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHost_Args, event) - 48usize];
};
pub const PJRT_Buffer_CopyRawToHost_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_Buffer_CopyRawToHost = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_CopyRawToHost_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
    pub struct_size: usize,
    pub callback_data: *mut ::std::os::raw::c_void,
    pub error_code: PJRT_Error_Code,
    pub error_message: *const ::std::os::raw::c_char,
    pub error_message_size: usize,
    pub dst: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_CopyRawToHostFuture_Callback_Args"]
        [::std::mem::size_of::<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>() - 48usize];
    ["Alignment of PJRT_Buffer_CopyRawToHostFuture_Callback_Args"]
        [::std::mem::align_of::<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Callback_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Buffer_CopyRawToHostFuture_Callback_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Callback_Args::callback_data"][::std::mem::offset_of!(
        PJRT_Buffer_CopyRawToHostFuture_Callback_Args,
        callback_data
    ) - 8usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Callback_Args::error_code"][::std::mem::offset_of!(
        PJRT_Buffer_CopyRawToHostFuture_Callback_Args,
        error_code
    ) - 16usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Callback_Args::error_message"][::std::mem::offset_of!(
        PJRT_Buffer_CopyRawToHostFuture_Callback_Args,
        error_message
    ) - 24usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Callback_Args::error_message_size"][::std::mem::offset_of!(
        PJRT_Buffer_CopyRawToHostFuture_Callback_Args,
        error_message_size
    )
        - 32usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Callback_Args::dst"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst) - 40usize];
};
pub const PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE: usize = 48;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_CopyRawToHostFuture_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub offset: i64,
    pub transfer_size: i64,
    pub event: *mut PJRT_Event,
    pub callback_data: *mut ::std::os::raw::c_void,
    pub future_ready_callback: ::std::option::Option<
        unsafe extern "C" fn(args: *mut PJRT_Buffer_CopyRawToHostFuture_Callback_Args),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_CopyRawToHostFuture_Args"]
        [::std::mem::size_of::<PJRT_Buffer_CopyRawToHostFuture_Args>() - 64usize];
    ["Alignment of PJRT_Buffer_CopyRawToHostFuture_Args"]
        [::std::mem::align_of::<PJRT_Buffer_CopyRawToHostFuture_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHostFuture_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHostFuture_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHostFuture_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Args::offset"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHostFuture_Args, offset) - 24usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Args::transfer_size"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHostFuture_Args, transfer_size) - 32usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Args::event"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHostFuture_Args, event) - 40usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Args::callback_data"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyRawToHostFuture_Args, callback_data) - 48usize];
    ["Offset of field: PJRT_Buffer_CopyRawToHostFuture_Args::future_ready_callback"][::std::mem::offset_of!(
        PJRT_Buffer_CopyRawToHostFuture_Args,
        future_ready_callback
    ) - 56usize];
};
pub const PJRT_Buffer_CopyRawToHostFuture_Args_STRUCT_SIZE: usize = 64;
pub type PJRT_Buffer_CopyRawToHostFuture = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_CopyRawToHostFuture_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_CopyToDevice_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub dst_device: *mut PJRT_Device,
    pub dst_buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_CopyToDevice_Args"]
        [::std::mem::size_of::<PJRT_Buffer_CopyToDevice_Args>() - 40usize];
    ["Alignment of PJRT_Buffer_CopyToDevice_Args"]
        [::std::mem::align_of::<PJRT_Buffer_CopyToDevice_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_CopyToDevice_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToDevice_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_CopyToDevice_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToDevice_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_CopyToDevice_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToDevice_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_CopyToDevice_Args::dst_device"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToDevice_Args, dst_device) - 24usize];
    ["Offset of field: PJRT_Buffer_CopyToDevice_Args::dst_buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToDevice_Args, dst_buffer) - 32usize];
};
pub const PJRT_Buffer_CopyToDevice_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Buffer_CopyToDevice = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_CopyToDevice_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_CopyToMemory_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub dst_memory: *mut PJRT_Memory,
    pub dst_buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_CopyToMemory_Args"]
        [::std::mem::size_of::<PJRT_Buffer_CopyToMemory_Args>() - 40usize];
    ["Alignment of PJRT_Buffer_CopyToMemory_Args"]
        [::std::mem::align_of::<PJRT_Buffer_CopyToMemory_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_CopyToMemory_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToMemory_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_CopyToMemory_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToMemory_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_CopyToMemory_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToMemory_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_CopyToMemory_Args::dst_memory"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToMemory_Args, dst_memory) - 24usize];
    ["Offset of field: PJRT_Buffer_CopyToMemory_Args::dst_buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_CopyToMemory_Args, dst_buffer) - 32usize];
};
pub const PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Buffer_CopyToMemory = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_CopyToMemory_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_IsOnCpu_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub is_on_cpu: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_IsOnCpu_Args"]
        [::std::mem::size_of::<PJRT_Buffer_IsOnCpu_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_IsOnCpu_Args"]
        [::std::mem::align_of::<PJRT_Buffer_IsOnCpu_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_IsOnCpu_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_IsOnCpu_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_IsOnCpu_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_IsOnCpu_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_IsOnCpu_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_IsOnCpu_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_IsOnCpu_Args::is_on_cpu"]
        [::std::mem::offset_of!(PJRT_Buffer_IsOnCpu_Args, is_on_cpu) - 24usize];
};
pub const PJRT_Buffer_IsOnCpu_Args_STRUCT_SIZE: usize = 25;
pub type PJRT_Buffer_IsOnCpu = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_IsOnCpu_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_Device_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub device: *mut PJRT_Device,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_Device_Args"][::std::mem::size_of::<PJRT_Buffer_Device_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_Device_Args"]
        [::std::mem::align_of::<PJRT_Buffer_Device_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_Device_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_Device_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_Device_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_Device_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_Device_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_Device_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_Device_Args::device"]
        [::std::mem::offset_of!(PJRT_Buffer_Device_Args, device) - 24usize];
};
pub const PJRT_Buffer_Device_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Buffer_Device = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_Device_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_Memory_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub memory: *mut PJRT_Memory,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_Memory_Args"][::std::mem::size_of::<PJRT_Buffer_Memory_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_Memory_Args"]
        [::std::mem::align_of::<PJRT_Buffer_Memory_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_Memory_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_Memory_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_Memory_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_Memory_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_Memory_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_Memory_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_Memory_Args::memory"]
        [::std::mem::offset_of!(PJRT_Buffer_Memory_Args, memory) - 24usize];
};
pub const PJRT_Buffer_Memory_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Buffer_Memory = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_Memory_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_ReadyEvent_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub event: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_ReadyEvent_Args"]
        [::std::mem::size_of::<PJRT_Buffer_ReadyEvent_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_ReadyEvent_Args"]
        [::std::mem::align_of::<PJRT_Buffer_ReadyEvent_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_ReadyEvent_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_ReadyEvent_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_ReadyEvent_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_ReadyEvent_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_ReadyEvent_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_ReadyEvent_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_ReadyEvent_Args::event"]
        [::std::mem::offset_of!(PJRT_Buffer_ReadyEvent_Args, event) - 24usize];
};
pub const PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Buffer_ReadyEvent = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_ReadyEvent_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_UnsafePointer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub buffer_pointer: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_UnsafePointer_Args"]
        [::std::mem::size_of::<PJRT_Buffer_UnsafePointer_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_UnsafePointer_Args"]
        [::std::mem::align_of::<PJRT_Buffer_UnsafePointer_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_UnsafePointer_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Buffer_UnsafePointer_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Buffer_UnsafePointer_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Buffer_UnsafePointer_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Buffer_UnsafePointer_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_UnsafePointer_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_UnsafePointer_Args::buffer_pointer"]
        [::std::mem::offset_of!(PJRT_Buffer_UnsafePointer_Args, buffer_pointer) - 24usize];
};
pub const PJRT_Buffer_UnsafePointer_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Buffer_UnsafePointer = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Buffer_UnsafePointer_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_IncreaseExternalReferenceCount_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_IncreaseExternalReferenceCount_Args"]
        [::std::mem::size_of::<PJRT_Buffer_IncreaseExternalReferenceCount_Args>() - 24usize];
    ["Alignment of PJRT_Buffer_IncreaseExternalReferenceCount_Args"]
        [::std::mem::align_of::<PJRT_Buffer_IncreaseExternalReferenceCount_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_IncreaseExternalReferenceCount_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Buffer_IncreaseExternalReferenceCount_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Buffer_IncreaseExternalReferenceCount_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Buffer_IncreaseExternalReferenceCount_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Buffer_IncreaseExternalReferenceCount_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_IncreaseExternalReferenceCount_Args, buffer) - 16usize];
};
pub const PJRT_Buffer_IncreaseExternalReferenceCount_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Buffer_IncreaseExternalReferenceCount = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Buffer_IncreaseExternalReferenceCount_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_DecreaseExternalReferenceCount_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_DecreaseExternalReferenceCount_Args"]
        [::std::mem::size_of::<PJRT_Buffer_DecreaseExternalReferenceCount_Args>() - 24usize];
    ["Alignment of PJRT_Buffer_DecreaseExternalReferenceCount_Args"]
        [::std::mem::align_of::<PJRT_Buffer_DecreaseExternalReferenceCount_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_DecreaseExternalReferenceCount_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Buffer_DecreaseExternalReferenceCount_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Buffer_DecreaseExternalReferenceCount_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Buffer_DecreaseExternalReferenceCount_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Buffer_DecreaseExternalReferenceCount_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_DecreaseExternalReferenceCount_Args, buffer) - 16usize];
};
pub const PJRT_Buffer_DecreaseExternalReferenceCount_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Buffer_DecreaseExternalReferenceCount = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Buffer_DecreaseExternalReferenceCount_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub device_memory_ptr: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args"]
        [::std::mem::size_of::<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>() - 32usize];
    ["Alignment of PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args"]
        [::std::mem::align_of::<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args::device_memory_ptr"][::std::mem::offset_of!(
        PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
        device_memory_ptr
    )
        - 24usize];
};
pub const PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Buffer_OpaqueDeviceMemoryDataPointer = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
    pub struct_size: usize,
    pub callback_data: *mut ::std::os::raw::c_void,
    pub error_code: PJRT_Error_Code,
    pub error_message: *const ::std::os::raw::c_char,
    pub error_message_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_DonateWithControlDependency_Callback_Args"]
        [::std::mem::size_of::<PJRT_Buffer_DonateWithControlDependency_Callback_Args>() - 40usize];
    ["Alignment of PJRT_Buffer_DonateWithControlDependency_Callback_Args"]
        [::std::mem::align_of::<PJRT_Buffer_DonateWithControlDependency_Callback_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Callback_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Callback_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Callback_Args::callback_data"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Callback_Args,
        callback_data
    )
        - 8usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Callback_Args::error_code"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Callback_Args,
        error_code
    )
        - 16usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Callback_Args::error_message"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Callback_Args,
        error_message
    )
        - 24usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Callback_Args::error_message_size"]
        [::std::mem::offset_of!(
            PJRT_Buffer_DonateWithControlDependency_Callback_Args,
            error_message_size
        ) - 32usize];
};
pub const PJRT_Buffer_DonateWithControlDependency_Callback_Args_STRUCT_SIZE: usize = 40;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Buffer_DonateWithControlDependency_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub callback_data: *mut ::std::os::raw::c_void,
    pub dependency_ready_callback: ::std::option::Option<
        unsafe extern "C" fn(args: *mut PJRT_Buffer_DonateWithControlDependency_Callback_Args),
    >,
    pub out_buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Buffer_DonateWithControlDependency_Args"]
        [::std::mem::size_of::<PJRT_Buffer_DonateWithControlDependency_Args>() - 48usize];
    ["Alignment of PJRT_Buffer_DonateWithControlDependency_Args"]
        [::std::mem::align_of::<PJRT_Buffer_DonateWithControlDependency_Args>() - 8usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Buffer_DonateWithControlDependency_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Args::callback_data"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Args,
        callback_data
    ) - 24usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Args::dependency_ready_callback"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Args,
        dependency_ready_callback
    )
        - 32usize];
    ["Offset of field: PJRT_Buffer_DonateWithControlDependency_Args::out_buffer"][::std::mem::offset_of!(
        PJRT_Buffer_DonateWithControlDependency_Args,
        out_buffer
    ) - 40usize];
};
pub const PJRT_Buffer_DonateWithControlDependency_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_Buffer_DonateWithControlDependency = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Buffer_DonateWithControlDependency_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_CopyToDeviceStream_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub stream: *mut PJRT_CopyToDeviceStream,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_CopyToDeviceStream_Destroy_Args"]
        [::std::mem::size_of::<PJRT_CopyToDeviceStream_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_CopyToDeviceStream_Destroy_Args"]
        [::std::mem::align_of::<PJRT_CopyToDeviceStream_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_CopyToDeviceStream_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_Destroy_Args::stream"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_Destroy_Args, stream) - 16usize];
};
pub const PJRT_CopyToDeviceStream_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_CopyToDeviceStream_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_CopyToDeviceStream_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_CopyToDeviceStream_AddChunk_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub stream: *mut PJRT_CopyToDeviceStream,
    pub chunk: *mut PJRT_Chunk,
    pub transfer_complete: *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_CopyToDeviceStream_AddChunk_Args"]
        [::std::mem::size_of::<PJRT_CopyToDeviceStream_AddChunk_Args>() - 40usize];
    ["Alignment of PJRT_CopyToDeviceStream_AddChunk_Args"]
        [::std::mem::align_of::<PJRT_CopyToDeviceStream_AddChunk_Args>() - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_AddChunk_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_AddChunk_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_CopyToDeviceStream_AddChunk_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_AddChunk_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_AddChunk_Args::stream"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_AddChunk_Args, stream) - 16usize];
    ["Offset of field: PJRT_CopyToDeviceStream_AddChunk_Args::chunk"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_AddChunk_Args, chunk) - 24usize];
    ["Offset of field: PJRT_CopyToDeviceStream_AddChunk_Args::transfer_complete"][::std::mem::offset_of!(
        PJRT_CopyToDeviceStream_AddChunk_Args,
        transfer_complete
    ) - 32usize];
};
pub const PJRT_CopyToDeviceStream_AddChunk_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_CopyToDeviceStream_AddChunk = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_CopyToDeviceStream_AddChunk_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_CopyToDeviceStream_TotalBytes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub stream: *mut PJRT_CopyToDeviceStream,
    pub total_bytes: i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_CopyToDeviceStream_TotalBytes_Args"]
        [::std::mem::size_of::<PJRT_CopyToDeviceStream_TotalBytes_Args>() - 32usize];
    ["Alignment of PJRT_CopyToDeviceStream_TotalBytes_Args"]
        [::std::mem::align_of::<PJRT_CopyToDeviceStream_TotalBytes_Args>() - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_TotalBytes_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_TotalBytes_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_CopyToDeviceStream_TotalBytes_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_TotalBytes_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_TotalBytes_Args::stream"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_TotalBytes_Args, stream) - 16usize];
    ["Offset of field: PJRT_CopyToDeviceStream_TotalBytes_Args::total_bytes"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_TotalBytes_Args, total_bytes) - 24usize];
};
pub const PJRT_CopyToDeviceStream_TotalBytes_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_CopyToDeviceStream_TotalBytes = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_CopyToDeviceStream_TotalBytes_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_CopyToDeviceStream_GranuleSize_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub stream: *mut PJRT_CopyToDeviceStream,
    pub granule_size_in_bytes: i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_CopyToDeviceStream_GranuleSize_Args"]
        [::std::mem::size_of::<PJRT_CopyToDeviceStream_GranuleSize_Args>() - 32usize];
    ["Alignment of PJRT_CopyToDeviceStream_GranuleSize_Args"]
        [::std::mem::align_of::<PJRT_CopyToDeviceStream_GranuleSize_Args>() - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_GranuleSize_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_GranuleSize_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_CopyToDeviceStream_GranuleSize_Args::extension_start"][::std::mem::offset_of!(
        PJRT_CopyToDeviceStream_GranuleSize_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_GranuleSize_Args::stream"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_GranuleSize_Args, stream) - 16usize];
    ["Offset of field: PJRT_CopyToDeviceStream_GranuleSize_Args::granule_size_in_bytes"][::std::mem::offset_of!(
        PJRT_CopyToDeviceStream_GranuleSize_Args,
        granule_size_in_bytes
    )
        - 24usize];
};
pub const PJRT_CopyToDeviceStream_GranuleSize_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_CopyToDeviceStream_GranuleSize = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_CopyToDeviceStream_GranuleSize_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_CopyToDeviceStream_CurrentBytes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub stream: *mut PJRT_CopyToDeviceStream,
    pub current_bytes: i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_CopyToDeviceStream_CurrentBytes_Args"]
        [::std::mem::size_of::<PJRT_CopyToDeviceStream_CurrentBytes_Args>() - 32usize];
    ["Alignment of PJRT_CopyToDeviceStream_CurrentBytes_Args"]
        [::std::mem::align_of::<PJRT_CopyToDeviceStream_CurrentBytes_Args>() - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_CurrentBytes_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_CurrentBytes_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_CopyToDeviceStream_CurrentBytes_Args::extension_start"][::std::mem::offset_of!(
        PJRT_CopyToDeviceStream_CurrentBytes_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_CopyToDeviceStream_CurrentBytes_Args::stream"]
        [::std::mem::offset_of!(PJRT_CopyToDeviceStream_CurrentBytes_Args, stream) - 16usize];
    ["Offset of field: PJRT_CopyToDeviceStream_CurrentBytes_Args::current_bytes"][::std::mem::offset_of!(
        PJRT_CopyToDeviceStream_CurrentBytes_Args,
        current_bytes
    ) - 24usize];
};
pub const PJRT_CopyToDeviceStream_CurrentBytes_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_CopyToDeviceStream_CurrentBytes = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_CopyToDeviceStream_CurrentBytes_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription_Create_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology_name: *const ::std::os::raw::c_char,
    pub topology_name_size: usize,
    pub create_options: *const PJRT_NamedValue,
    pub num_options: usize,
    pub topology: *mut PJRT_TopologyDescription,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TopologyDescription_Create_Args"]
        [::std::mem::size_of::<PJRT_TopologyDescription_Create_Args>() - 56usize];
    ["Alignment of PJRT_TopologyDescription_Create_Args"]
        [::std::mem::align_of::<PJRT_TopologyDescription_Create_Args>() - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Create_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Create_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TopologyDescription_Create_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Create_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Create_Args::topology_name"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Create_Args, topology_name) - 16usize];
    ["Offset of field: PJRT_TopologyDescription_Create_Args::topology_name_size"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Create_Args,
        topology_name_size
    ) - 24usize];
    ["Offset of field: PJRT_TopologyDescription_Create_Args::create_options"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Create_Args, create_options) - 32usize];
    ["Offset of field: PJRT_TopologyDescription_Create_Args::num_options"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Create_Args, num_options) - 40usize];
    ["Offset of field: PJRT_TopologyDescription_Create_Args::topology"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Create_Args, topology) - 48usize];
};
pub const PJRT_TopologyDescription_Create_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_TopologyDescription_Create = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TopologyDescription_Create_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *mut PJRT_TopologyDescription,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TopologyDescription_Destroy_Args"]
        [::std::mem::size_of::<PJRT_TopologyDescription_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_TopologyDescription_Destroy_Args"]
        [::std::mem::align_of::<PJRT_TopologyDescription_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TopologyDescription_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Destroy_Args::topology"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Destroy_Args, topology) - 16usize];
};
pub const PJRT_TopologyDescription_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_TopologyDescription_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TopologyDescription_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription_PlatformVersion_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *mut PJRT_TopologyDescription,
    pub platform_version: *const ::std::os::raw::c_char,
    pub platform_version_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TopologyDescription_PlatformVersion_Args"]
        [::std::mem::size_of::<PJRT_TopologyDescription_PlatformVersion_Args>() - 40usize];
    ["Alignment of PJRT_TopologyDescription_PlatformVersion_Args"]
        [::std::mem::align_of::<PJRT_TopologyDescription_PlatformVersion_Args>() - 8usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformVersion_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TopologyDescription_PlatformVersion_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformVersion_Args::extension_start"][::std::mem::offset_of!(
        PJRT_TopologyDescription_PlatformVersion_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformVersion_Args::topology"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_PlatformVersion_Args, topology) - 16usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformVersion_Args::platform_version"][::std::mem::offset_of!(
        PJRT_TopologyDescription_PlatformVersion_Args,
        platform_version
    )
        - 24usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformVersion_Args::platform_version_size"][::std::mem::offset_of!(
        PJRT_TopologyDescription_PlatformVersion_Args,
        platform_version_size
    )
        - 32usize];
};
pub const PJRT_TopologyDescription_PlatformVersion_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TopologyDescription_PlatformVersion = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TopologyDescription_PlatformVersion_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription_PlatformName_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *const PJRT_TopologyDescription,
    pub platform_name: *const ::std::os::raw::c_char,
    pub platform_name_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TopologyDescription_PlatformName_Args"]
        [::std::mem::size_of::<PJRT_TopologyDescription_PlatformName_Args>() - 40usize];
    ["Alignment of PJRT_TopologyDescription_PlatformName_Args"]
        [::std::mem::align_of::<PJRT_TopologyDescription_PlatformName_Args>() - 8usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformName_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_PlatformName_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformName_Args::extension_start"][::std::mem::offset_of!(
        PJRT_TopologyDescription_PlatformName_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformName_Args::topology"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_PlatformName_Args, topology) - 16usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformName_Args::platform_name"][::std::mem::offset_of!(
        PJRT_TopologyDescription_PlatformName_Args,
        platform_name
    ) - 24usize];
    ["Offset of field: PJRT_TopologyDescription_PlatformName_Args::platform_name_size"][::std::mem::offset_of!(
        PJRT_TopologyDescription_PlatformName_Args,
        platform_name_size
    )
        - 32usize];
};
pub const PJRT_TopologyDescription_PlatformName_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TopologyDescription_PlatformName = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TopologyDescription_PlatformName_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription_GetDeviceDescriptions_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *const PJRT_TopologyDescription,
    pub descriptions: *const *mut PJRT_DeviceDescription,
    pub num_descriptions: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TopologyDescription_GetDeviceDescriptions_Args"]
        [::std::mem::size_of::<PJRT_TopologyDescription_GetDeviceDescriptions_Args>() - 40usize];
    ["Alignment of PJRT_TopologyDescription_GetDeviceDescriptions_Args"]
        [::std::mem::align_of::<PJRT_TopologyDescription_GetDeviceDescriptions_Args>() - 8usize];
    ["Offset of field: PJRT_TopologyDescription_GetDeviceDescriptions_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TopologyDescription_GetDeviceDescriptions_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_TopologyDescription_GetDeviceDescriptions_Args::extension_start"][::std::mem::offset_of!(
        PJRT_TopologyDescription_GetDeviceDescriptions_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_TopologyDescription_GetDeviceDescriptions_Args::topology"][::std::mem::offset_of!(
        PJRT_TopologyDescription_GetDeviceDescriptions_Args,
        topology
    ) - 16usize];
    ["Offset of field: PJRT_TopologyDescription_GetDeviceDescriptions_Args::descriptions"][::std::mem::offset_of!(
        PJRT_TopologyDescription_GetDeviceDescriptions_Args,
        descriptions
    )
        - 24usize];
    ["Offset of field: PJRT_TopologyDescription_GetDeviceDescriptions_Args::num_descriptions"][::std::mem::offset_of!(
        PJRT_TopologyDescription_GetDeviceDescriptions_Args,
        num_descriptions
    )
        - 32usize];
};
pub const PJRT_TopologyDescription_GetDeviceDescriptions_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TopologyDescription_GetDeviceDescriptions = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TopologyDescription_GetDeviceDescriptions_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_SerializedTopology {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription_Serialize_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *mut PJRT_TopologyDescription,
    pub serialized_bytes: *const ::std::os::raw::c_char,
    pub serialized_bytes_size: usize,
    pub serialized_topology: *mut PJRT_SerializedTopology,
    pub serialized_topology_deleter: ::std::option::Option<
        unsafe extern "C" fn(serialized_topology: *mut PJRT_SerializedTopology),
    >,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TopologyDescription_Serialize_Args"]
        [::std::mem::size_of::<PJRT_TopologyDescription_Serialize_Args>() - 56usize];
    ["Alignment of PJRT_TopologyDescription_Serialize_Args"]
        [::std::mem::align_of::<PJRT_TopologyDescription_Serialize_Args>() - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Serialize_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Serialize_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TopologyDescription_Serialize_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Serialize_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Serialize_Args::topology"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Serialize_Args, topology) - 16usize];
    ["Offset of field: PJRT_TopologyDescription_Serialize_Args::serialized_bytes"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Serialize_Args,
        serialized_bytes
    ) - 24usize];
    ["Offset of field: PJRT_TopologyDescription_Serialize_Args::serialized_bytes_size"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Serialize_Args,
        serialized_bytes_size
    )
        - 32usize];
    ["Offset of field: PJRT_TopologyDescription_Serialize_Args::serialized_topology"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Serialize_Args,
        serialized_topology
    ) - 40usize];
    ["Offset of field: PJRT_TopologyDescription_Serialize_Args::serialized_topology_deleter"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Serialize_Args,
        serialized_topology_deleter
    )
        - 48usize];
};
pub const PJRT_TopologyDescription_Serialize_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_TopologyDescription_Serialize = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TopologyDescription_Serialize_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription_Deserialize_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub serialized_topology: *const ::std::os::raw::c_char,
    pub serialized_topology_size: usize,
    pub topology: *mut PJRT_TopologyDescription,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TopologyDescription_Deserialize_Args"]
        [::std::mem::size_of::<PJRT_TopologyDescription_Deserialize_Args>() - 40usize];
    ["Alignment of PJRT_TopologyDescription_Deserialize_Args"]
        [::std::mem::align_of::<PJRT_TopologyDescription_Deserialize_Args>() - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Deserialize_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Deserialize_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TopologyDescription_Deserialize_Args::extension_start"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Deserialize_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Deserialize_Args::serialized_topology"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Deserialize_Args,
        serialized_topology
    )
        - 16usize];
    ["Offset of field: PJRT_TopologyDescription_Deserialize_Args::serialized_topology_size"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Deserialize_Args,
        serialized_topology_size
    )
        - 24usize];
    ["Offset of field: PJRT_TopologyDescription_Deserialize_Args::topology"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Deserialize_Args, topology) - 32usize];
};
pub const PJRT_TopologyDescription_Deserialize_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TopologyDescription_Deserialize = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TopologyDescription_Deserialize_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TopologyDescription_Attributes_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *mut PJRT_TopologyDescription,
    pub attributes: *const PJRT_NamedValue,
    pub num_attributes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TopologyDescription_Attributes_Args"]
        [::std::mem::size_of::<PJRT_TopologyDescription_Attributes_Args>() - 40usize];
    ["Alignment of PJRT_TopologyDescription_Attributes_Args"]
        [::std::mem::align_of::<PJRT_TopologyDescription_Attributes_Args>() - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Attributes_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Attributes_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TopologyDescription_Attributes_Args::extension_start"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Attributes_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_TopologyDescription_Attributes_Args::topology"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Attributes_Args, topology) - 16usize];
    ["Offset of field: PJRT_TopologyDescription_Attributes_Args::attributes"]
        [::std::mem::offset_of!(PJRT_TopologyDescription_Attributes_Args, attributes) - 24usize];
    ["Offset of field: PJRT_TopologyDescription_Attributes_Args::num_attributes"][::std::mem::offset_of!(
        PJRT_TopologyDescription_Attributes_Args,
        num_attributes
    ) - 32usize];
};
pub const PJRT_TopologyDescription_Attributes_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TopologyDescription_Attributes = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TopologyDescription_Attributes_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Compile_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology: *const PJRT_TopologyDescription,
    pub program: *const PJRT_Program,
    pub compile_options: *const ::std::os::raw::c_char,
    pub compile_options_size: usize,
    pub client: *mut PJRT_Client,
    pub executable: *mut PJRT_Executable,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Compile_Args"][::std::mem::size_of::<PJRT_Compile_Args>() - 64usize];
    ["Alignment of PJRT_Compile_Args"][::std::mem::align_of::<PJRT_Compile_Args>() - 8usize];
    ["Offset of field: PJRT_Compile_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Compile_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Compile_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Compile_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Compile_Args::topology"]
        [::std::mem::offset_of!(PJRT_Compile_Args, topology) - 16usize];
    ["Offset of field: PJRT_Compile_Args::program"]
        [::std::mem::offset_of!(PJRT_Compile_Args, program) - 24usize];
    ["Offset of field: PJRT_Compile_Args::compile_options"]
        [::std::mem::offset_of!(PJRT_Compile_Args, compile_options) - 32usize];
    ["Offset of field: PJRT_Compile_Args::compile_options_size"]
        [::std::mem::offset_of!(PJRT_Compile_Args, compile_options_size) - 40usize];
    ["Offset of field: PJRT_Compile_Args::client"]
        [::std::mem::offset_of!(PJRT_Compile_Args, client) - 48usize];
    ["Offset of field: PJRT_Compile_Args::executable"]
        [::std::mem::offset_of!(PJRT_Compile_Args, executable) - 56usize];
};
pub const PJRT_Compile_Args_STRUCT_SIZE: usize = 64;
pub type PJRT_Compile =
    ::std::option::Option<unsafe extern "C" fn(args: *mut PJRT_Compile_Args) -> *mut PJRT_Error>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Api {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub pjrt_api_version: PJRT_Api_Version,
    pub PJRT_Error_Destroy: PJRT_Error_Destroy,
    pub PJRT_Error_Message: PJRT_Error_Message,
    pub PJRT_Error_GetCode: PJRT_Error_GetCode,
    pub PJRT_Plugin_Initialize: PJRT_Plugin_Initialize,
    pub PJRT_Plugin_Attributes: PJRT_Plugin_Attributes,
    pub PJRT_Event_Destroy: PJRT_Event_Destroy,
    pub PJRT_Event_IsReady: PJRT_Event_IsReady,
    pub PJRT_Event_Error: PJRT_Event_Error,
    pub PJRT_Event_Await: PJRT_Event_Await,
    pub PJRT_Event_OnReady: PJRT_Event_OnReady,
    pub PJRT_Client_Create: PJRT_Client_Create,
    pub PJRT_Client_Destroy: PJRT_Client_Destroy,
    pub PJRT_Client_PlatformName: PJRT_Client_PlatformName,
    pub PJRT_Client_ProcessIndex: PJRT_Client_ProcessIndex,
    pub PJRT_Client_PlatformVersion: PJRT_Client_PlatformVersion,
    pub PJRT_Client_Devices: PJRT_Client_Devices,
    pub PJRT_Client_AddressableDevices: PJRT_Client_AddressableDevices,
    pub PJRT_Client_LookupDevice: PJRT_Client_LookupDevice,
    pub PJRT_Client_LookupAddressableDevice: PJRT_Client_LookupAddressableDevice,
    pub PJRT_Client_AddressableMemories: PJRT_Client_AddressableMemories,
    pub PJRT_Client_Compile: PJRT_Client_Compile,
    pub PJRT_Client_DefaultDeviceAssignment: PJRT_Client_DefaultDeviceAssignment,
    pub PJRT_Client_BufferFromHostBuffer: PJRT_Client_BufferFromHostBuffer,
    pub PJRT_DeviceDescription_Id: PJRT_DeviceDescription_Id,
    pub PJRT_DeviceDescription_ProcessIndex: PJRT_DeviceDescription_ProcessIndex,
    pub PJRT_DeviceDescription_Attributes: PJRT_DeviceDescription_Attributes,
    pub PJRT_DeviceDescription_Kind: PJRT_DeviceDescription_Kind,
    pub PJRT_DeviceDescription_DebugString: PJRT_DeviceDescription_DebugString,
    pub PJRT_DeviceDescription_ToString: PJRT_DeviceDescription_ToString,
    pub PJRT_Device_GetDescription: PJRT_Device_GetDescription,
    pub PJRT_Device_IsAddressable: PJRT_Device_IsAddressable,
    pub PJRT_Device_LocalHardwareId: PJRT_Device_LocalHardwareId,
    pub PJRT_Device_AddressableMemories: PJRT_Device_AddressableMemories,
    pub PJRT_Device_DefaultMemory: PJRT_Device_DefaultMemory,
    pub PJRT_Device_MemoryStats: PJRT_Device_MemoryStats,
    pub PJRT_Memory_Id: PJRT_Memory_Id,
    pub PJRT_Memory_Kind: PJRT_Memory_Kind,
    pub PJRT_Memory_DebugString: PJRT_Memory_DebugString,
    pub PJRT_Memory_ToString: PJRT_Memory_ToString,
    pub PJRT_Memory_AddressableByDevices: PJRT_Memory_AddressableByDevices,
    pub PJRT_Executable_Destroy: PJRT_Executable_Destroy,
    pub PJRT_Executable_Name: PJRT_Executable_Name,
    pub PJRT_Executable_NumReplicas: PJRT_Executable_NumReplicas,
    pub PJRT_Executable_NumPartitions: PJRT_Executable_NumPartitions,
    pub PJRT_Executable_NumOutputs: PJRT_Executable_NumOutputs,
    pub PJRT_Executable_SizeOfGeneratedCodeInBytes: PJRT_Executable_SizeOfGeneratedCodeInBytes,
    pub PJRT_Executable_GetCostAnalysis: PJRT_Executable_GetCostAnalysis,
    pub PJRT_Executable_OutputMemoryKinds: PJRT_Executable_OutputMemoryKinds,
    pub PJRT_Executable_OptimizedProgram: PJRT_Executable_OptimizedProgram,
    pub PJRT_Executable_Serialize: PJRT_Executable_Serialize,
    pub PJRT_LoadedExecutable_Destroy: PJRT_LoadedExecutable_Destroy,
    pub PJRT_LoadedExecutable_GetExecutable: PJRT_LoadedExecutable_GetExecutable,
    pub PJRT_LoadedExecutable_AddressableDevices: PJRT_LoadedExecutable_AddressableDevices,
    pub PJRT_LoadedExecutable_Delete: PJRT_LoadedExecutable_Delete,
    pub PJRT_LoadedExecutable_IsDeleted: PJRT_LoadedExecutable_IsDeleted,
    pub PJRT_LoadedExecutable_Execute: PJRT_LoadedExecutable_Execute,
    pub PJRT_Executable_DeserializeAndLoad: PJRT_Executable_DeserializeAndLoad,
    pub PJRT_LoadedExecutable_Fingerprint: PJRT_LoadedExecutable_Fingerprint,
    pub PJRT_Buffer_Destroy: PJRT_Buffer_Destroy,
    pub PJRT_Buffer_ElementType: PJRT_Buffer_ElementType,
    pub PJRT_Buffer_Dimensions: PJRT_Buffer_Dimensions,
    pub PJRT_Buffer_UnpaddedDimensions: PJRT_Buffer_UnpaddedDimensions,
    pub PJRT_Buffer_DynamicDimensionIndices: PJRT_Buffer_DynamicDimensionIndices,
    pub PJRT_Buffer_GetMemoryLayout: PJRT_Buffer_GetMemoryLayout,
    pub PJRT_Buffer_OnDeviceSizeInBytes: PJRT_Buffer_OnDeviceSizeInBytes,
    pub PJRT_Buffer_Device: PJRT_Buffer_Device,
    pub PJRT_Buffer_Memory: PJRT_Buffer_Memory,
    pub PJRT_Buffer_Delete: PJRT_Buffer_Delete,
    pub PJRT_Buffer_IsDeleted: PJRT_Buffer_IsDeleted,
    pub PJRT_Buffer_CopyToDevice: PJRT_Buffer_CopyToDevice,
    pub PJRT_Buffer_ToHostBuffer: PJRT_Buffer_ToHostBuffer,
    pub PJRT_Buffer_IsOnCpu: PJRT_Buffer_IsOnCpu,
    pub PJRT_Buffer_ReadyEvent: PJRT_Buffer_ReadyEvent,
    pub PJRT_Buffer_UnsafePointer: PJRT_Buffer_UnsafePointer,
    pub PJRT_Buffer_IncreaseExternalReferenceCount: PJRT_Buffer_IncreaseExternalReferenceCount,
    pub PJRT_Buffer_DecreaseExternalReferenceCount: PJRT_Buffer_DecreaseExternalReferenceCount,
    pub PJRT_Buffer_OpaqueDeviceMemoryDataPointer: PJRT_Buffer_OpaqueDeviceMemoryDataPointer,
    pub PJRT_CopyToDeviceStream_Destroy: PJRT_CopyToDeviceStream_Destroy,
    pub PJRT_CopyToDeviceStream_AddChunk: PJRT_CopyToDeviceStream_AddChunk,
    pub PJRT_CopyToDeviceStream_TotalBytes: PJRT_CopyToDeviceStream_TotalBytes,
    pub PJRT_CopyToDeviceStream_GranuleSize: PJRT_CopyToDeviceStream_GranuleSize,
    pub PJRT_CopyToDeviceStream_CurrentBytes: PJRT_CopyToDeviceStream_CurrentBytes,
    pub PJRT_TopologyDescription_Create: PJRT_TopologyDescription_Create,
    pub PJRT_TopologyDescription_Destroy: PJRT_TopologyDescription_Destroy,
    pub PJRT_TopologyDescription_PlatformName: PJRT_TopologyDescription_PlatformName,
    pub PJRT_TopologyDescription_PlatformVersion: PJRT_TopologyDescription_PlatformVersion,
    pub PJRT_TopologyDescription_GetDeviceDescriptions:
        PJRT_TopologyDescription_GetDeviceDescriptions,
    pub PJRT_TopologyDescription_Serialize: PJRT_TopologyDescription_Serialize,
    pub PJRT_TopologyDescription_Attributes: PJRT_TopologyDescription_Attributes,
    pub PJRT_Compile: PJRT_Compile,
    pub PJRT_Executable_OutputElementTypes: PJRT_Executable_OutputElementTypes,
    pub PJRT_Executable_OutputDimensions: PJRT_Executable_OutputDimensions,
    pub PJRT_Buffer_CopyToMemory: PJRT_Buffer_CopyToMemory,
    pub PJRT_Client_CreateViewOfDeviceBuffer: PJRT_Client_CreateViewOfDeviceBuffer,
    pub PJRT_Executable_Fingerprint: PJRT_Executable_Fingerprint,
    pub PJRT_Client_TopologyDescription: PJRT_Client_TopologyDescription,
    pub PJRT_Executable_GetCompiledMemoryStats: PJRT_Executable_GetCompiledMemoryStats,
    pub PJRT_Memory_Kind_Id: PJRT_Memory_Kind_Id,
    pub PJRT_ExecuteContext_Create: PJRT_ExecuteContext_Create,
    pub PJRT_ExecuteContext_Destroy: PJRT_ExecuteContext_Destroy,
    pub PJRT_Buffer_CopyRawToHost: PJRT_Buffer_CopyRawToHost,
    pub PJRT_AsyncHostToDeviceTransferManager_Destroy:
        PJRT_AsyncHostToDeviceTransferManager_Destroy,
    pub PJRT_AsyncHostToDeviceTransferManager_TransferData:
        PJRT_AsyncHostToDeviceTransferManager_TransferData,
    pub PJRT_Client_CreateBuffersForAsyncHostToDevice:
        PJRT_Client_CreateBuffersForAsyncHostToDevice,
    pub PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer:
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,
    pub PJRT_AsyncHostToDeviceTransferManager_Device: PJRT_AsyncHostToDeviceTransferManager_Device,
    pub PJRT_AsyncHostToDeviceTransferManager_BufferCount:
        PJRT_AsyncHostToDeviceTransferManager_BufferCount,
    pub PJRT_AsyncHostToDeviceTransferManager_BufferSize:
        PJRT_AsyncHostToDeviceTransferManager_BufferSize,
    pub PJRT_AsyncHostToDeviceTransferManager_SetBufferError:
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError,
    pub PJRT_AsyncHostToDeviceTransferManager_AddMetadata:
        PJRT_AsyncHostToDeviceTransferManager_AddMetadata,
    pub PJRT_Client_DmaMap: PJRT_Client_DmaMap,
    pub PJRT_Client_DmaUnmap: PJRT_Client_DmaUnmap,
    pub PJRT_Client_CreateUninitializedBuffer: PJRT_Client_CreateUninitializedBuffer,
    pub PJRT_Client_UpdateGlobalProcessInfo: PJRT_Client_UpdateGlobalProcessInfo,
    pub PJRT_TopologyDescription_Deserialize: PJRT_TopologyDescription_Deserialize,
    pub PJRT_Client_CreateAliasBuffer: PJRT_Client_CreateAliasBuffer,
    pub PJRT_Client_FulfillAliasBuffer: PJRT_Client_FulfillAliasBuffer,
    pub PJRT_LoadedExecutable_GetDeviceAssignment: PJRT_LoadedExecutable_GetDeviceAssignment,
    pub PJRT_Client_CreateErrorBuffer: PJRT_Client_CreateErrorBuffer,
    pub PJRT_AsyncHostToDeviceTransferManager_TransferLiteral:
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral,
    pub PJRT_Buffer_CopyRawToHostFuture: PJRT_Buffer_CopyRawToHostFuture,
    pub PJRT_Device_PoisonExecution: PJRT_Device_PoisonExecution,
    pub PJRT_Device_CreateAsyncTrackingEvent: PJRT_Device_CreateAsyncTrackingEvent,
    pub PJRT_AsyncTrackingEvent_Destroy: PJRT_AsyncTrackingEvent_Destroy,
    pub PJRT_Executable_GetCompileOptions: PJRT_Executable_GetCompileOptions,
    pub PJRT_Buffer_DonateWithControlDependency: PJRT_Buffer_DonateWithControlDependency,
    pub PJRT_Event_Create: PJRT_Event_Create,
    pub PJRT_Event_Set: PJRT_Event_Set,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Api"][::std::mem::size_of::<PJRT_Api>() - 1064usize];
    ["Alignment of PJRT_Api"][::std::mem::align_of::<PJRT_Api>() - 8usize];
    ["Offset of field: PJRT_Api::struct_size"]
        [::std::mem::offset_of!(PJRT_Api, struct_size) - 0usize];
    ["Offset of field: PJRT_Api::extension_start"]
        [::std::mem::offset_of!(PJRT_Api, extension_start) - 8usize];
    ["Offset of field: PJRT_Api::pjrt_api_version"]
        [::std::mem::offset_of!(PJRT_Api, pjrt_api_version) - 16usize];
    ["Offset of field: PJRT_Api::PJRT_Error_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Error_Destroy) - 40usize];
    ["Offset of field: PJRT_Api::PJRT_Error_Message"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Error_Message) - 48usize];
    ["Offset of field: PJRT_Api::PJRT_Error_GetCode"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Error_GetCode) - 56usize];
    ["Offset of field: PJRT_Api::PJRT_Plugin_Initialize"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Plugin_Initialize) - 64usize];
    ["Offset of field: PJRT_Api::PJRT_Plugin_Attributes"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Plugin_Attributes) - 72usize];
    ["Offset of field: PJRT_Api::PJRT_Event_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Event_Destroy) - 80usize];
    ["Offset of field: PJRT_Api::PJRT_Event_IsReady"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Event_IsReady) - 88usize];
    ["Offset of field: PJRT_Api::PJRT_Event_Error"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Event_Error) - 96usize];
    ["Offset of field: PJRT_Api::PJRT_Event_Await"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Event_Await) - 104usize];
    ["Offset of field: PJRT_Api::PJRT_Event_OnReady"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Event_OnReady) - 112usize];
    ["Offset of field: PJRT_Api::PJRT_Client_Create"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_Create) - 120usize];
    ["Offset of field: PJRT_Api::PJRT_Client_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_Destroy) - 128usize];
    ["Offset of field: PJRT_Api::PJRT_Client_PlatformName"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_PlatformName) - 136usize];
    ["Offset of field: PJRT_Api::PJRT_Client_ProcessIndex"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_ProcessIndex) - 144usize];
    ["Offset of field: PJRT_Api::PJRT_Client_PlatformVersion"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_PlatformVersion) - 152usize];
    ["Offset of field: PJRT_Api::PJRT_Client_Devices"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_Devices) - 160usize];
    ["Offset of field: PJRT_Api::PJRT_Client_AddressableDevices"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_AddressableDevices) - 168usize];
    ["Offset of field: PJRT_Api::PJRT_Client_LookupDevice"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_LookupDevice) - 176usize];
    ["Offset of field: PJRT_Api::PJRT_Client_LookupAddressableDevice"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_LookupAddressableDevice) - 184usize];
    ["Offset of field: PJRT_Api::PJRT_Client_AddressableMemories"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_AddressableMemories) - 192usize];
    ["Offset of field: PJRT_Api::PJRT_Client_Compile"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_Compile) - 200usize];
    ["Offset of field: PJRT_Api::PJRT_Client_DefaultDeviceAssignment"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_DefaultDeviceAssignment) - 208usize];
    ["Offset of field: PJRT_Api::PJRT_Client_BufferFromHostBuffer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_BufferFromHostBuffer) - 216usize];
    ["Offset of field: PJRT_Api::PJRT_DeviceDescription_Id"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_DeviceDescription_Id) - 224usize];
    ["Offset of field: PJRT_Api::PJRT_DeviceDescription_ProcessIndex"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_DeviceDescription_ProcessIndex) - 232usize];
    ["Offset of field: PJRT_Api::PJRT_DeviceDescription_Attributes"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_DeviceDescription_Attributes) - 240usize];
    ["Offset of field: PJRT_Api::PJRT_DeviceDescription_Kind"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_DeviceDescription_Kind) - 248usize];
    ["Offset of field: PJRT_Api::PJRT_DeviceDescription_DebugString"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_DeviceDescription_DebugString) - 256usize];
    ["Offset of field: PJRT_Api::PJRT_DeviceDescription_ToString"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_DeviceDescription_ToString) - 264usize];
    ["Offset of field: PJRT_Api::PJRT_Device_GetDescription"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Device_GetDescription) - 272usize];
    ["Offset of field: PJRT_Api::PJRT_Device_IsAddressable"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Device_IsAddressable) - 280usize];
    ["Offset of field: PJRT_Api::PJRT_Device_LocalHardwareId"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Device_LocalHardwareId) - 288usize];
    ["Offset of field: PJRT_Api::PJRT_Device_AddressableMemories"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Device_AddressableMemories) - 296usize];
    ["Offset of field: PJRT_Api::PJRT_Device_DefaultMemory"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Device_DefaultMemory) - 304usize];
    ["Offset of field: PJRT_Api::PJRT_Device_MemoryStats"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Device_MemoryStats) - 312usize];
    ["Offset of field: PJRT_Api::PJRT_Memory_Id"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Memory_Id) - 320usize];
    ["Offset of field: PJRT_Api::PJRT_Memory_Kind"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Memory_Kind) - 328usize];
    ["Offset of field: PJRT_Api::PJRT_Memory_DebugString"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Memory_DebugString) - 336usize];
    ["Offset of field: PJRT_Api::PJRT_Memory_ToString"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Memory_ToString) - 344usize];
    ["Offset of field: PJRT_Api::PJRT_Memory_AddressableByDevices"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Memory_AddressableByDevices) - 352usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_Destroy) - 360usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_Name"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_Name) - 368usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_NumReplicas"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_NumReplicas) - 376usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_NumPartitions"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_NumPartitions) - 384usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_NumOutputs"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_NumOutputs) - 392usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_SizeOfGeneratedCodeInBytes"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_SizeOfGeneratedCodeInBytes) - 400usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_GetCostAnalysis"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_GetCostAnalysis) - 408usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_OutputMemoryKinds"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_OutputMemoryKinds) - 416usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_OptimizedProgram"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_OptimizedProgram) - 424usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_Serialize"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_Serialize) - 432usize];
    ["Offset of field: PJRT_Api::PJRT_LoadedExecutable_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_LoadedExecutable_Destroy) - 440usize];
    ["Offset of field: PJRT_Api::PJRT_LoadedExecutable_GetExecutable"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_LoadedExecutable_GetExecutable) - 448usize];
    ["Offset of field: PJRT_Api::PJRT_LoadedExecutable_AddressableDevices"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_LoadedExecutable_AddressableDevices) - 456usize];
    ["Offset of field: PJRT_Api::PJRT_LoadedExecutable_Delete"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_LoadedExecutable_Delete) - 464usize];
    ["Offset of field: PJRT_Api::PJRT_LoadedExecutable_IsDeleted"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_LoadedExecutable_IsDeleted) - 472usize];
    ["Offset of field: PJRT_Api::PJRT_LoadedExecutable_Execute"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_LoadedExecutable_Execute) - 480usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_DeserializeAndLoad"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_DeserializeAndLoad) - 488usize];
    ["Offset of field: PJRT_Api::PJRT_LoadedExecutable_Fingerprint"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_LoadedExecutable_Fingerprint) - 496usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_Destroy) - 504usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_ElementType"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_ElementType) - 512usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_Dimensions"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_Dimensions) - 520usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_UnpaddedDimensions"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_UnpaddedDimensions) - 528usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_DynamicDimensionIndices"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_DynamicDimensionIndices) - 536usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_GetMemoryLayout"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_GetMemoryLayout) - 544usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_OnDeviceSizeInBytes"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_OnDeviceSizeInBytes) - 552usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_Device"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_Device) - 560usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_Memory"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_Memory) - 568usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_Delete"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_Delete) - 576usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_IsDeleted"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_IsDeleted) - 584usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_CopyToDevice"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_CopyToDevice) - 592usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_ToHostBuffer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_ToHostBuffer) - 600usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_IsOnCpu"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_IsOnCpu) - 608usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_ReadyEvent"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_ReadyEvent) - 616usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_UnsafePointer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_UnsafePointer) - 624usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_IncreaseExternalReferenceCount"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_IncreaseExternalReferenceCount) - 632usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_DecreaseExternalReferenceCount) - 640usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_OpaqueDeviceMemoryDataPointer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_OpaqueDeviceMemoryDataPointer) - 648usize];
    ["Offset of field: PJRT_Api::PJRT_CopyToDeviceStream_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_CopyToDeviceStream_Destroy) - 656usize];
    ["Offset of field: PJRT_Api::PJRT_CopyToDeviceStream_AddChunk"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_CopyToDeviceStream_AddChunk) - 664usize];
    ["Offset of field: PJRT_Api::PJRT_CopyToDeviceStream_TotalBytes"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_CopyToDeviceStream_TotalBytes) - 672usize];
    ["Offset of field: PJRT_Api::PJRT_CopyToDeviceStream_GranuleSize"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_CopyToDeviceStream_GranuleSize) - 680usize];
    ["Offset of field: PJRT_Api::PJRT_CopyToDeviceStream_CurrentBytes"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_CopyToDeviceStream_CurrentBytes) - 688usize];
    ["Offset of field: PJRT_Api::PJRT_TopologyDescription_Create"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_TopologyDescription_Create) - 696usize];
    ["Offset of field: PJRT_Api::PJRT_TopologyDescription_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_TopologyDescription_Destroy) - 704usize];
    ["Offset of field: PJRT_Api::PJRT_TopologyDescription_PlatformName"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_TopologyDescription_PlatformName) - 712usize];
    ["Offset of field: PJRT_Api::PJRT_TopologyDescription_PlatformVersion"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_TopologyDescription_PlatformVersion) - 720usize];
    ["Offset of field: PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_TopologyDescription_GetDeviceDescriptions
    ) - 728usize];
    ["Offset of field: PJRT_Api::PJRT_TopologyDescription_Serialize"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_TopologyDescription_Serialize) - 736usize];
    ["Offset of field: PJRT_Api::PJRT_TopologyDescription_Attributes"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_TopologyDescription_Attributes) - 744usize];
    ["Offset of field: PJRT_Api::PJRT_Compile"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Compile) - 752usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_OutputElementTypes"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_OutputElementTypes) - 760usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_OutputDimensions"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_OutputDimensions) - 768usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_CopyToMemory"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_CopyToMemory) - 776usize];
    ["Offset of field: PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_CreateViewOfDeviceBuffer) - 784usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_Fingerprint"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_Fingerprint) - 792usize];
    ["Offset of field: PJRT_Api::PJRT_Client_TopologyDescription"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_TopologyDescription) - 800usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_GetCompiledMemoryStats"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_GetCompiledMemoryStats) - 808usize];
    ["Offset of field: PJRT_Api::PJRT_Memory_Kind_Id"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Memory_Kind_Id) - 816usize];
    ["Offset of field: PJRT_Api::PJRT_ExecuteContext_Create"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_ExecuteContext_Create) - 824usize];
    ["Offset of field: PJRT_Api::PJRT_ExecuteContext_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_ExecuteContext_Destroy) - 832usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_CopyRawToHost"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_CopyRawToHost) - 840usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Destroy"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_AsyncHostToDeviceTransferManager_Destroy
    ) - 848usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_AsyncHostToDeviceTransferManager_TransferData
    ) - 856usize];
    ["Offset of field: PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_Client_CreateBuffersForAsyncHostToDevice
    ) - 864usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer
    )
        - 872usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_Device"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_AsyncHostToDeviceTransferManager_Device) - 880usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferCount"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_AsyncHostToDeviceTransferManager_BufferCount
    ) - 888usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_BufferSize"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_AsyncHostToDeviceTransferManager_BufferSize
    ) - 896usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_SetBufferError"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_AsyncHostToDeviceTransferManager_SetBufferError
    )
        - 904usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_AddMetadata"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_AsyncHostToDeviceTransferManager_AddMetadata
    ) - 912usize];
    ["Offset of field: PJRT_Api::PJRT_Client_DmaMap"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_DmaMap) - 920usize];
    ["Offset of field: PJRT_Api::PJRT_Client_DmaUnmap"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_DmaUnmap) - 928usize];
    ["Offset of field: PJRT_Api::PJRT_Client_CreateUninitializedBuffer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_CreateUninitializedBuffer) - 936usize];
    ["Offset of field: PJRT_Api::PJRT_Client_UpdateGlobalProcessInfo"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_UpdateGlobalProcessInfo) - 944usize];
    ["Offset of field: PJRT_Api::PJRT_TopologyDescription_Deserialize"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_TopologyDescription_Deserialize) - 952usize];
    ["Offset of field: PJRT_Api::PJRT_Client_CreateAliasBuffer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_CreateAliasBuffer) - 960usize];
    ["Offset of field: PJRT_Api::PJRT_Client_FulfillAliasBuffer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_FulfillAliasBuffer) - 968usize];
    ["Offset of field: PJRT_Api::PJRT_LoadedExecutable_GetDeviceAssignment"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_LoadedExecutable_GetDeviceAssignment) - 976usize];
    ["Offset of field: PJRT_Api::PJRT_Client_CreateErrorBuffer"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Client_CreateErrorBuffer) - 984usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral"][::std::mem::offset_of!(
        PJRT_Api,
        PJRT_AsyncHostToDeviceTransferManager_TransferLiteral
    )
        - 992usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_CopyRawToHostFuture"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_CopyRawToHostFuture) - 1000usize];
    ["Offset of field: PJRT_Api::PJRT_Device_PoisonExecution"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Device_PoisonExecution) - 1008usize];
    ["Offset of field: PJRT_Api::PJRT_Device_CreateAsyncTrackingEvent"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Device_CreateAsyncTrackingEvent) - 1016usize];
    ["Offset of field: PJRT_Api::PJRT_AsyncTrackingEvent_Destroy"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_AsyncTrackingEvent_Destroy) - 1024usize];
    ["Offset of field: PJRT_Api::PJRT_Executable_GetCompileOptions"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Executable_GetCompileOptions) - 1032usize];
    ["Offset of field: PJRT_Api::PJRT_Buffer_DonateWithControlDependency"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Buffer_DonateWithControlDependency) - 1040usize];
    ["Offset of field: PJRT_Api::PJRT_Event_Create"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Event_Create) - 1048usize];
    ["Offset of field: PJRT_Api::PJRT_Event_Set"]
        [::std::mem::offset_of!(PJRT_Api, PJRT_Event_Set) - 1056usize];
};
pub const PJRT_Api_STRUCT_SIZE: usize = 1064;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_FFI_Type_Info {
    pub deleter: ::std::option::Option<unsafe extern "C" fn(object: *mut ::std::os::raw::c_void)>,
    pub serialize: ::std::option::Option<unsafe extern "C" fn()>,
    pub deserialize: ::std::option::Option<unsafe extern "C" fn()>,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_FFI_Type_Info"][::std::mem::size_of::<PJRT_FFI_Type_Info>() - 24usize];
    ["Alignment of PJRT_FFI_Type_Info"][::std::mem::align_of::<PJRT_FFI_Type_Info>() - 8usize];
    ["Offset of field: PJRT_FFI_Type_Info::deleter"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Info, deleter) - 0usize];
    ["Offset of field: PJRT_FFI_Type_Info::serialize"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Info, serialize) - 8usize];
    ["Offset of field: PJRT_FFI_Type_Info::deserialize"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Info, deserialize) - 16usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_FFI_Type_Register_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub type_name: *const ::std::os::raw::c_char,
    pub type_name_size: usize,
    pub type_id: i64,
    pub type_info: *mut PJRT_FFI_Type_Info,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_FFI_Type_Register_Args"]
        [::std::mem::size_of::<PJRT_FFI_Type_Register_Args>() - 48usize];
    ["Alignment of PJRT_FFI_Type_Register_Args"]
        [::std::mem::align_of::<PJRT_FFI_Type_Register_Args>() - 8usize];
    ["Offset of field: PJRT_FFI_Type_Register_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Register_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_FFI_Type_Register_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Register_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_FFI_Type_Register_Args::type_name"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Register_Args, type_name) - 16usize];
    ["Offset of field: PJRT_FFI_Type_Register_Args::type_name_size"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Register_Args, type_name_size) - 24usize];
    ["Offset of field: PJRT_FFI_Type_Register_Args::type_id"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Register_Args, type_id) - 32usize];
    ["Offset of field: PJRT_FFI_Type_Register_Args::type_info"]
        [::std::mem::offset_of!(PJRT_FFI_Type_Register_Args, type_info) - 40usize];
};
pub const PJRT_FFI_Type_Register_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_FFI_Type_Register = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_FFI_Type_Register_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_FFI_UserData {
    pub type_id: i64,
    pub data: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_FFI_UserData"][::std::mem::size_of::<PJRT_FFI_UserData>() - 16usize];
    ["Alignment of PJRT_FFI_UserData"][::std::mem::align_of::<PJRT_FFI_UserData>() - 8usize];
    ["Offset of field: PJRT_FFI_UserData::type_id"]
        [::std::mem::offset_of!(PJRT_FFI_UserData, type_id) - 0usize];
    ["Offset of field: PJRT_FFI_UserData::data"]
        [::std::mem::offset_of!(PJRT_FFI_UserData, data) - 8usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_FFI_UserData_Add_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub context: *mut PJRT_ExecuteContext,
    pub user_data: PJRT_FFI_UserData,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_FFI_UserData_Add_Args"]
        [::std::mem::size_of::<PJRT_FFI_UserData_Add_Args>() - 40usize];
    ["Alignment of PJRT_FFI_UserData_Add_Args"]
        [::std::mem::align_of::<PJRT_FFI_UserData_Add_Args>() - 8usize];
    ["Offset of field: PJRT_FFI_UserData_Add_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_FFI_UserData_Add_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_FFI_UserData_Add_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_FFI_UserData_Add_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_FFI_UserData_Add_Args::context"]
        [::std::mem::offset_of!(PJRT_FFI_UserData_Add_Args, context) - 16usize];
    ["Offset of field: PJRT_FFI_UserData_Add_Args::user_data"]
        [::std::mem::offset_of!(PJRT_FFI_UserData_Add_Args, user_data) - 24usize];
};
pub const PJRT_FFI_UserData_Add_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_FFI_UserData_Add = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_FFI_UserData_Add_Args) -> *mut PJRT_Error,
>;
pub const PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE: PJRT_FFI_Handler_TraitsBits = 1;
pub type PJRT_FFI_Handler_TraitsBits = ::std::os::raw::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_FFI_Register_Handler_Args {
    pub struct_size: usize,
    pub target_name: *const ::std::os::raw::c_char,
    pub target_name_size: usize,
    pub handler: *mut ::std::os::raw::c_void,
    pub platform_name: *const ::std::os::raw::c_char,
    pub platform_name_size: usize,
    pub traits: PJRT_FFI_Handler_TraitsBits,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_FFI_Register_Handler_Args"]
        [::std::mem::size_of::<PJRT_FFI_Register_Handler_Args>() - 56usize];
    ["Alignment of PJRT_FFI_Register_Handler_Args"]
        [::std::mem::align_of::<PJRT_FFI_Register_Handler_Args>() - 8usize];
    ["Offset of field: PJRT_FFI_Register_Handler_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_FFI_Register_Handler_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_FFI_Register_Handler_Args::target_name"]
        [::std::mem::offset_of!(PJRT_FFI_Register_Handler_Args, target_name) - 8usize];
    ["Offset of field: PJRT_FFI_Register_Handler_Args::target_name_size"]
        [::std::mem::offset_of!(PJRT_FFI_Register_Handler_Args, target_name_size) - 16usize];
    ["Offset of field: PJRT_FFI_Register_Handler_Args::handler"]
        [::std::mem::offset_of!(PJRT_FFI_Register_Handler_Args, handler) - 24usize];
    ["Offset of field: PJRT_FFI_Register_Handler_Args::platform_name"]
        [::std::mem::offset_of!(PJRT_FFI_Register_Handler_Args, platform_name) - 32usize];
    ["Offset of field: PJRT_FFI_Register_Handler_Args::platform_name_size"]
        [::std::mem::offset_of!(PJRT_FFI_Register_Handler_Args, platform_name_size) - 40usize];
    ["Offset of field: PJRT_FFI_Register_Handler_Args::traits"]
        [::std::mem::offset_of!(PJRT_FFI_Register_Handler_Args, traits) - 48usize];
};
pub const PJRT_FFI_Register_Handler_Args_STRUCT_SIZE: usize = 52;
pub type PJRT_FFI_Register_Handler = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_FFI_Register_Handler_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_FFI_Extension {
    pub base: PJRT_Extension_Base,
    pub type_register: PJRT_FFI_Type_Register,
    pub user_data_add: PJRT_FFI_UserData_Add,
    pub register_handler: PJRT_FFI_Register_Handler,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_FFI_Extension"][::std::mem::size_of::<PJRT_FFI_Extension>() - 48usize];
    ["Alignment of PJRT_FFI_Extension"][::std::mem::align_of::<PJRT_FFI_Extension>() - 8usize];
    ["Offset of field: PJRT_FFI_Extension::base"]
        [::std::mem::offset_of!(PJRT_FFI_Extension, base) - 0usize];
    ["Offset of field: PJRT_FFI_Extension::type_register"]
        [::std::mem::offset_of!(PJRT_FFI_Extension, type_register) - 24usize];
    ["Offset of field: PJRT_FFI_Extension::user_data_add"]
        [::std::mem::offset_of!(PJRT_FFI_Extension, user_data_add) - 32usize];
    ["Offset of field: PJRT_FFI_Extension::register_handler"]
        [::std::mem::offset_of!(PJRT_FFI_Extension, register_handler) - 40usize];
};
pub type PJRT_FFI = PJRT_FFI_Extension;
pub const PJRT_FFI_Extension_STRUCT_SIZE: usize = 48;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_MemoryLayout {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_SerializedLayout {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_MemoryLayout_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub layout: *mut PJRT_Layouts_MemoryLayout,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Layouts_MemoryLayout_Destroy_Args"]
        [::std::mem::size_of::<PJRT_Layouts_MemoryLayout_Destroy_Args>() - 24usize];
    ["Alignment of PJRT_Layouts_MemoryLayout_Destroy_Args"]
        [::std::mem::align_of::<PJRT_Layouts_MemoryLayout_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Layouts_MemoryLayout_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Destroy_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_Layouts_MemoryLayout_Destroy_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Destroy_Args::layout"]
        [::std::mem::offset_of!(PJRT_Layouts_MemoryLayout_Destroy_Args, layout) - 16usize];
};
pub const PJRT_Layouts_MemoryLayout_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Layouts_MemoryLayout_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Layouts_MemoryLayout_Destroy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_MemoryLayout_Serialize_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub layout: *mut PJRT_Layouts_MemoryLayout,
    pub serialized_bytes: *const ::std::os::raw::c_char,
    pub serialized_bytes_size: usize,
    pub serialized_layout: *mut PJRT_Layouts_SerializedLayout,
    pub serialized_layout_deleter:
        ::std::option::Option<unsafe extern "C" fn(s_layout: *mut PJRT_Layouts_SerializedLayout)>,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Layouts_MemoryLayout_Serialize_Args"]
        [::std::mem::size_of::<PJRT_Layouts_MemoryLayout_Serialize_Args>() - 56usize];
    ["Alignment of PJRT_Layouts_MemoryLayout_Serialize_Args"]
        [::std::mem::align_of::<PJRT_Layouts_MemoryLayout_Serialize_Args>() - 8usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Serialize_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Layouts_MemoryLayout_Serialize_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Serialize_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Layouts_MemoryLayout_Serialize_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Serialize_Args::layout"]
        [::std::mem::offset_of!(PJRT_Layouts_MemoryLayout_Serialize_Args, layout) - 16usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Serialize_Args::serialized_bytes"][::std::mem::offset_of!(
        PJRT_Layouts_MemoryLayout_Serialize_Args,
        serialized_bytes
    ) - 24usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Serialize_Args::serialized_bytes_size"][::std::mem::offset_of!(
        PJRT_Layouts_MemoryLayout_Serialize_Args,
        serialized_bytes_size
    )
        - 32usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Serialize_Args::serialized_layout"][::std::mem::offset_of!(
        PJRT_Layouts_MemoryLayout_Serialize_Args,
        serialized_layout
    ) - 40usize];
    ["Offset of field: PJRT_Layouts_MemoryLayout_Serialize_Args::serialized_layout_deleter"][::std::mem::offset_of!(
        PJRT_Layouts_MemoryLayout_Serialize_Args,
        serialized_layout_deleter
    )
        - 48usize];
};
pub const PJRT_Layouts_MemoryLayout_Serialize_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_Layouts_MemoryLayout_Serialize = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Layouts_MemoryLayout_Serialize_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub layout: *mut PJRT_Layouts_MemoryLayout,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args"]
        [::std::mem::size_of::<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>() - 32usize];
    ["Alignment of PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args"]
        [::std::mem::align_of::<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>() - 8usize];
    ["Offset of field: PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, buffer) - 16usize];
    ["Offset of field: PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args::layout"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, layout) - 24usize];
};
pub const PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_Layouts_PJRT_Buffer_MemoryLayout = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub type_: PJRT_Buffer_Type,
    pub dims: *const i64,
    pub num_dims: usize,
    pub layout: *mut PJRT_Layouts_MemoryLayout,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args"]
        [::std::mem::size_of::<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>() - 56usize];
    ["Alignment of PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args"]
        [::std::mem::align_of::<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>() - 8usize];
    ["Offset of field: PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args::client"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, client) - 16usize];
    ["Offset of field: PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args::type_"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, type_) - 24usize];
    ["Offset of field: PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args::dims"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, dims) - 32usize];
    ["Offset of field: PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args::num_dims"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args,
        num_dims
    ) - 40usize];
    ["Offset of field: PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args::layout"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, layout) - 48usize];
};
pub const PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_Layouts_PJRT_Client_GetDefaultLayout = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub topology_description: *mut PJRT_TopologyDescription,
    pub type_: PJRT_Buffer_Type,
    pub dims: *const i64,
    pub num_dims: usize,
    pub layout: *mut PJRT_Layouts_MemoryLayout,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args"]
        [::std::mem::size_of::<PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args>() - 56usize];
    ["Alignment of PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args"]
        [::std::mem::align_of::<PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args>() - 8usize];
    ["Offset of field: PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args::topology_description"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args,
        topology_description
    )
        - 16usize];
    ["Offset of field: PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args::type_"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, type_) - 24usize];
    ["Offset of field: PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args::dims"]
        [::std::mem::offset_of!(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, dims) - 32usize];
    ["Offset of field: PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args::num_dims"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args,
        num_dims
    ) - 40usize];
    ["Offset of field: PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args::layout"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args,
        layout
    ) - 48usize];
};
pub const PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_Layouts_PJRT_Topology_GetDefaultLayout = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub executable: *mut PJRT_Executable,
    pub num_outputs: usize,
    pub layouts: *mut *mut PJRT_Layouts_MemoryLayout,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args"]
        [::std::mem::size_of::<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>() - 40usize];
    ["Alignment of PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args"]
        [::std::mem::align_of::<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>() - 8usize];
    ["Offset of field: PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args::executable"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args,
        executable
    )
        - 16usize];
    ["Offset of field: PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args::num_outputs"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args,
        num_outputs
    )
        - 24usize];
    ["Offset of field: PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args::layouts"][::std::mem::offset_of!(
        PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args,
        layouts
    ) - 32usize];
};
pub const PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_Layouts_PJRT_Executable_GetOutputLayouts = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Layouts_Extension {
    pub base: PJRT_Extension_Base,
    pub PJRT_Layouts_MemoryLayout_Destroy: PJRT_Layouts_MemoryLayout_Destroy,
    pub PJRT_Layouts_MemoryLayout_Serialize: PJRT_Layouts_MemoryLayout_Serialize,
    pub PJRT_Layouts_PJRT_Client_GetDefaultLayout: PJRT_Layouts_PJRT_Client_GetDefaultLayout,
    pub PJRT_Layouts_PJRT_Buffer_MemoryLayout: PJRT_Layouts_PJRT_Buffer_MemoryLayout,
    pub PJRT_Layouts_PJRT_Topology_GetDefaultLayout: PJRT_Layouts_PJRT_Topology_GetDefaultLayout,
    pub PJRT_Layouts_PJRT_Executable_GetOutputLayouts:
        PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Layouts_Extension"][::std::mem::size_of::<PJRT_Layouts_Extension>() - 72usize];
    ["Alignment of PJRT_Layouts_Extension"]
        [::std::mem::align_of::<PJRT_Layouts_Extension>() - 8usize];
    ["Offset of field: PJRT_Layouts_Extension::base"]
        [::std::mem::offset_of!(PJRT_Layouts_Extension, base) - 0usize];
    ["Offset of field: PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy"][::std::mem::offset_of!(
        PJRT_Layouts_Extension,
        PJRT_Layouts_MemoryLayout_Destroy
    ) - 24usize];
    ["Offset of field: PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize"][::std::mem::offset_of!(
        PJRT_Layouts_Extension,
        PJRT_Layouts_MemoryLayout_Serialize
    ) - 32usize];
    ["Offset of field: PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Client_GetDefaultLayout"][::std::mem::offset_of!(
        PJRT_Layouts_Extension,
        PJRT_Layouts_PJRT_Client_GetDefaultLayout
    )
        - 40usize];
    ["Offset of field: PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout"][::std::mem::offset_of!(
        PJRT_Layouts_Extension,
        PJRT_Layouts_PJRT_Buffer_MemoryLayout
    ) - 48usize];
    ["Offset of field: PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Topology_GetDefaultLayout"][::std::mem::offset_of!(
        PJRT_Layouts_Extension,
        PJRT_Layouts_PJRT_Topology_GetDefaultLayout
    )
        - 56usize];
    ["Offset of field: PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts"][::std::mem::offset_of!(
        PJRT_Layouts_Extension,
        PJRT_Layouts_PJRT_Executable_GetOutputLayouts
    )
        - 64usize];
};
pub const PJRT_Layouts_Extension_STRUCT_SIZE: usize = 72;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_MemoryDescription {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_DeviceDescription_MemoryDescriptions_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub device_description: *mut PJRT_DeviceDescription,
    pub memory_descriptions: *const *const PJRT_MemoryDescription,
    pub num_memory_descriptions: usize,
    pub default_memory_index: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_DeviceDescription_MemoryDescriptions_Args"]
        [::std::mem::size_of::<PJRT_DeviceDescription_MemoryDescriptions_Args>() - 48usize];
    ["Alignment of PJRT_DeviceDescription_MemoryDescriptions_Args"]
        [::std::mem::align_of::<PJRT_DeviceDescription_MemoryDescriptions_Args>() - 8usize];
    ["Offset of field: PJRT_DeviceDescription_MemoryDescriptions_Args::struct_size"][::std::mem::offset_of!(
        PJRT_DeviceDescription_MemoryDescriptions_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_DeviceDescription_MemoryDescriptions_Args::extension_start"][::std::mem::offset_of!(
        PJRT_DeviceDescription_MemoryDescriptions_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_DeviceDescription_MemoryDescriptions_Args::device_description"][::std::mem::offset_of!(
        PJRT_DeviceDescription_MemoryDescriptions_Args,
        device_description
    )
        - 16usize];
    ["Offset of field: PJRT_DeviceDescription_MemoryDescriptions_Args::memory_descriptions"][::std::mem::offset_of!(
        PJRT_DeviceDescription_MemoryDescriptions_Args,
        memory_descriptions
    )
        - 24usize];
    ["Offset of field: PJRT_DeviceDescription_MemoryDescriptions_Args::num_memory_descriptions"][::std::mem::offset_of!(
        PJRT_DeviceDescription_MemoryDescriptions_Args,
        num_memory_descriptions
    )
        - 32usize];
    ["Offset of field: PJRT_DeviceDescription_MemoryDescriptions_Args::default_memory_index"][::std::mem::offset_of!(
        PJRT_DeviceDescription_MemoryDescriptions_Args,
        default_memory_index
    )
        - 40usize];
};
pub const PJRT_DeviceDescription_MemoryDescriptions_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_DeviceDescription_MemoryDescriptions = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_DeviceDescription_MemoryDescriptions_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_MemoryDescription_Kind_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub memory_description: *const PJRT_MemoryDescription,
    pub kind: *const ::std::os::raw::c_char,
    pub kind_size: usize,
    pub kind_id: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_MemoryDescription_Kind_Args"]
        [::std::mem::size_of::<PJRT_MemoryDescription_Kind_Args>() - 48usize];
    ["Alignment of PJRT_MemoryDescription_Kind_Args"]
        [::std::mem::align_of::<PJRT_MemoryDescription_Kind_Args>() - 8usize];
    ["Offset of field: PJRT_MemoryDescription_Kind_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_MemoryDescription_Kind_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_MemoryDescription_Kind_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_MemoryDescription_Kind_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_MemoryDescription_Kind_Args::memory_description"]
        [::std::mem::offset_of!(PJRT_MemoryDescription_Kind_Args, memory_description) - 16usize];
    ["Offset of field: PJRT_MemoryDescription_Kind_Args::kind"]
        [::std::mem::offset_of!(PJRT_MemoryDescription_Kind_Args, kind) - 24usize];
    ["Offset of field: PJRT_MemoryDescription_Kind_Args::kind_size"]
        [::std::mem::offset_of!(PJRT_MemoryDescription_Kind_Args, kind_size) - 32usize];
    ["Offset of field: PJRT_MemoryDescription_Kind_Args::kind_id"]
        [::std::mem::offset_of!(PJRT_MemoryDescription_Kind_Args, kind_id) - 40usize];
};
pub const PJRT_MemoryDescription_Kind_Args_STRUCT_SIZE: usize = 44;
pub type PJRT_MemoryDescription_Kind = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_MemoryDescription_Kind_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_MemoryDescriptions_Extension {
    pub base: PJRT_Extension_Base,
    pub PJRT_DeviceDescription_MemoryDescriptions: PJRT_DeviceDescription_MemoryDescriptions,
    pub PJRT_MemoryDescription_Kind: PJRT_MemoryDescription_Kind,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_MemoryDescriptions_Extension"]
        [::std::mem::size_of::<PJRT_MemoryDescriptions_Extension>() - 40usize];
    ["Alignment of PJRT_MemoryDescriptions_Extension"]
        [::std::mem::align_of::<PJRT_MemoryDescriptions_Extension>() - 8usize];
    ["Offset of field: PJRT_MemoryDescriptions_Extension::base"]
        [::std::mem::offset_of!(PJRT_MemoryDescriptions_Extension, base) - 0usize];
    [
        "Offset of field: PJRT_MemoryDescriptions_Extension::PJRT_DeviceDescription_MemoryDescriptions",
    ][::std::mem::offset_of!(
        PJRT_MemoryDescriptions_Extension,
        PJRT_DeviceDescription_MemoryDescriptions
    ) - 24usize];
    ["Offset of field: PJRT_MemoryDescriptions_Extension::PJRT_MemoryDescription_Kind"][::std::mem::offset_of!(
        PJRT_MemoryDescriptions_Extension,
        PJRT_MemoryDescription_Kind
    )
        - 32usize];
};
pub const PJRT_MemoryDescriptions_Extension_STRUCT_SIZE: usize = 40;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_PhaseCompile_Get_Compiler_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub phase_compiler: *const PJRT_PhaseCompiler,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_PhaseCompile_Get_Compiler_Args"]
        [::std::mem::size_of::<PJRT_PhaseCompile_Get_Compiler_Args>() - 24usize];
    ["Alignment of PJRT_PhaseCompile_Get_Compiler_Args"]
        [::std::mem::align_of::<PJRT_PhaseCompile_Get_Compiler_Args>() - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Get_Compiler_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Get_Compiler_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_PhaseCompile_Get_Compiler_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Get_Compiler_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Get_Compiler_Args::phase_compiler"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Get_Compiler_Args, phase_compiler) - 16usize];
};
pub const PJRT_PhaseCompile_Get_Compiler_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_PhaseCompile_Get_Compiler = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_PhaseCompile_Get_Compiler_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_PhaseCompile_Destroy_Compiler_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub phase_compiler: *const PJRT_PhaseCompiler,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_PhaseCompile_Destroy_Compiler_Args"]
        [::std::mem::size_of::<PJRT_PhaseCompile_Destroy_Compiler_Args>() - 24usize];
    ["Alignment of PJRT_PhaseCompile_Destroy_Compiler_Args"]
        [::std::mem::align_of::<PJRT_PhaseCompile_Destroy_Compiler_Args>() - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Destroy_Compiler_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Destroy_Compiler_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_PhaseCompile_Destroy_Compiler_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Destroy_Compiler_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Destroy_Compiler_Args::phase_compiler"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Destroy_Compiler_Args, phase_compiler) - 16usize];
};
pub const PJRT_PhaseCompile_Destroy_Compiler_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_PhaseCompile_Destroy_Compiler =
    ::std::option::Option<unsafe extern "C" fn(args: *mut PJRT_PhaseCompile_Destroy_Compiler_Args)>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_PhaseCompile_Run_Phase_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub phase_compiler: *const PJRT_PhaseCompiler,
    pub input_programs: *mut *const ::std::os::raw::c_char,
    pub input_programs_sizes: *const usize,
    pub num_input_programs: usize,
    pub phases_to_run: *mut *const ::std::os::raw::c_char,
    pub phases_to_run_sizes: *const usize,
    pub num_phases_to_run: usize,
    pub compile_options: *const ::std::os::raw::c_char,
    pub compile_options_size: usize,
    pub topology: *mut PJRT_TopologyDescription,
    pub output_programs: *mut *const ::std::os::raw::c_char,
    pub output_programs_sizes: *const usize,
    pub num_output_programs: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_PhaseCompile_Run_Phase_Args"]
        [::std::mem::size_of::<PJRT_PhaseCompile_Run_Phase_Args>() - 120usize];
    ["Alignment of PJRT_PhaseCompile_Run_Phase_Args"]
        [::std::mem::align_of::<PJRT_PhaseCompile_Run_Phase_Args>() - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::phase_compiler"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, phase_compiler) - 16usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::input_programs"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, input_programs) - 24usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::input_programs_sizes"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, input_programs_sizes) - 32usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::num_input_programs"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, num_input_programs) - 40usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::phases_to_run"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, phases_to_run) - 48usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::phases_to_run_sizes"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, phases_to_run_sizes) - 56usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::num_phases_to_run"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, num_phases_to_run) - 64usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::compile_options"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, compile_options) - 72usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::compile_options_size"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, compile_options_size) - 80usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::topology"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, topology) - 88usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::output_programs"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, output_programs) - 96usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::output_programs_sizes"][::std::mem::offset_of!(
        PJRT_PhaseCompile_Run_Phase_Args,
        output_programs_sizes
    ) - 104usize];
    ["Offset of field: PJRT_PhaseCompile_Run_Phase_Args::num_output_programs"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Run_Phase_Args, num_output_programs) - 112usize];
};
pub const PJRT_PhaseCompile_Run_Phase_Args_STRUCT_SIZE: usize = 120;
pub type PJRT_PhaseCompile_Run_Phase = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_PhaseCompile_Run_Phase_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_PhaseCompile_Get_PhaseNames_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub phase_compiler: *const PJRT_PhaseCompiler,
    pub phase_names: *mut *const ::std::os::raw::c_char,
    pub phase_names_sizes: *const usize,
    pub num_phase_names: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_PhaseCompile_Get_PhaseNames_Args"]
        [::std::mem::size_of::<PJRT_PhaseCompile_Get_PhaseNames_Args>() - 48usize];
    ["Alignment of PJRT_PhaseCompile_Get_PhaseNames_Args"]
        [::std::mem::align_of::<PJRT_PhaseCompile_Get_PhaseNames_Args>() - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Get_PhaseNames_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Get_PhaseNames_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_PhaseCompile_Get_PhaseNames_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Get_PhaseNames_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Get_PhaseNames_Args::phase_compiler"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Get_PhaseNames_Args, phase_compiler) - 16usize];
    ["Offset of field: PJRT_PhaseCompile_Get_PhaseNames_Args::phase_names"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Get_PhaseNames_Args, phase_names) - 24usize];
    ["Offset of field: PJRT_PhaseCompile_Get_PhaseNames_Args::phase_names_sizes"][::std::mem::offset_of!(
        PJRT_PhaseCompile_Get_PhaseNames_Args,
        phase_names_sizes
    ) - 32usize];
    ["Offset of field: PJRT_PhaseCompile_Get_PhaseNames_Args::num_phase_names"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Get_PhaseNames_Args, num_phase_names) - 40usize];
};
pub const PJRT_PhaseCompile_Get_PhaseNames_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_PhaseCompile_Get_PhaseNames = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_PhaseCompile_Get_PhaseNames_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_PhaseCompile_C_Buffers_Destroy_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub char_buffers: *mut *const ::std::os::raw::c_char,
    pub char_buffer_sizes: *const usize,
    pub num_char_buffers: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_PhaseCompile_C_Buffers_Destroy_Args"]
        [::std::mem::size_of::<PJRT_PhaseCompile_C_Buffers_Destroy_Args>() - 40usize];
    ["Alignment of PJRT_PhaseCompile_C_Buffers_Destroy_Args"]
        [::std::mem::align_of::<PJRT_PhaseCompile_C_Buffers_Destroy_Args>() - 8usize];
    ["Offset of field: PJRT_PhaseCompile_C_Buffers_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_C_Buffers_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_PhaseCompile_C_Buffers_Destroy_Args::extension_start"][::std::mem::offset_of!(
        PJRT_PhaseCompile_C_Buffers_Destroy_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_PhaseCompile_C_Buffers_Destroy_Args::char_buffers"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_C_Buffers_Destroy_Args, char_buffers) - 16usize];
    ["Offset of field: PJRT_PhaseCompile_C_Buffers_Destroy_Args::char_buffer_sizes"][::std::mem::offset_of!(
        PJRT_PhaseCompile_C_Buffers_Destroy_Args,
        char_buffer_sizes
    ) - 24usize];
    ["Offset of field: PJRT_PhaseCompile_C_Buffers_Destroy_Args::num_char_buffers"][::std::mem::offset_of!(
        PJRT_PhaseCompile_C_Buffers_Destroy_Args,
        num_char_buffers
    ) - 32usize];
};
pub const PJRT_PhaseCompile_C_Buffers_Destroy_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_PhaseCompile_C_Buffers_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_PhaseCompile_C_Buffers_Destroy_Args),
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_PhaseCompile_Extension {
    pub base: PJRT_Extension_Base,
    pub phase_compile_get_compiler: PJRT_PhaseCompile_Get_Compiler,
    pub phase_compile_destroy_compiler: PJRT_PhaseCompile_Destroy_Compiler,
    pub phase_compile_run_phases: PJRT_PhaseCompile_Run_Phase,
    pub phase_compile_get_phase_names: PJRT_PhaseCompile_Get_PhaseNames,
    pub phase_compile_c_buffers_destroy: PJRT_PhaseCompile_C_Buffers_Destroy,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_PhaseCompile_Extension"]
        [::std::mem::size_of::<PJRT_PhaseCompile_Extension>() - 64usize];
    ["Alignment of PJRT_PhaseCompile_Extension"]
        [::std::mem::align_of::<PJRT_PhaseCompile_Extension>() - 8usize];
    ["Offset of field: PJRT_PhaseCompile_Extension::base"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Extension, base) - 0usize];
    ["Offset of field: PJRT_PhaseCompile_Extension::phase_compile_get_compiler"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Extension, phase_compile_get_compiler) - 24usize];
    ["Offset of field: PJRT_PhaseCompile_Extension::phase_compile_destroy_compiler"][::std::mem::offset_of!(
        PJRT_PhaseCompile_Extension,
        phase_compile_destroy_compiler
    ) - 32usize];
    ["Offset of field: PJRT_PhaseCompile_Extension::phase_compile_run_phases"]
        [::std::mem::offset_of!(PJRT_PhaseCompile_Extension, phase_compile_run_phases) - 40usize];
    ["Offset of field: PJRT_PhaseCompile_Extension::phase_compile_get_phase_names"][::std::mem::offset_of!(
        PJRT_PhaseCompile_Extension,
        phase_compile_get_phase_names
    ) - 48usize];
    ["Offset of field: PJRT_PhaseCompile_Extension::phase_compile_c_buffers_destroy"][::std::mem::offset_of!(
        PJRT_PhaseCompile_Extension,
        phase_compile_c_buffers_destroy
    ) - 56usize];
};
pub const PJRT_PhaseCompile_Extension_STRUCT_SIZE: usize = 64;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Error {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Error_Destroy_Args {
    pub struct_size: usize,
    pub priv_: *mut ::std::os::raw::c_void,
    pub error: *mut PLUGIN_Profiler_Error,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_Error_Destroy_Args"]
        [::std::mem::size_of::<PLUGIN_Profiler_Error_Destroy_Args>() - 24usize];
    ["Alignment of PLUGIN_Profiler_Error_Destroy_Args"]
        [::std::mem::align_of::<PLUGIN_Profiler_Error_Destroy_Args>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_Error_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_Error_Destroy_Args::priv_"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_Destroy_Args, priv_) - 8usize];
    ["Offset of field: PLUGIN_Profiler_Error_Destroy_Args::error"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_Destroy_Args, error) - 16usize];
};
pub const PLUGIN_Profiler_Error_Destroy_Args_STRUCT_SIZE: usize = 24;
pub type PLUGIN_Profiler_Error_Destroy =
    ::std::option::Option<unsafe extern "C" fn(args: *mut PLUGIN_Profiler_Error_Destroy_Args)>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Error_Message_Args {
    pub struct_size: usize,
    pub priv_: *mut ::std::os::raw::c_void,
    pub error: *const PLUGIN_Profiler_Error,
    pub message: *const ::std::os::raw::c_char,
    pub message_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_Error_Message_Args"]
        [::std::mem::size_of::<PLUGIN_Profiler_Error_Message_Args>() - 40usize];
    ["Alignment of PLUGIN_Profiler_Error_Message_Args"]
        [::std::mem::align_of::<PLUGIN_Profiler_Error_Message_Args>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_Error_Message_Args::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_Message_Args, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_Error_Message_Args::priv_"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_Message_Args, priv_) - 8usize];
    ["Offset of field: PLUGIN_Profiler_Error_Message_Args::error"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_Message_Args, error) - 16usize];
    ["Offset of field: PLUGIN_Profiler_Error_Message_Args::message"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_Message_Args, message) - 24usize];
    ["Offset of field: PLUGIN_Profiler_Error_Message_Args::message_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_Message_Args, message_size) - 32usize];
};
pub const PLUGIN_Profiler_Error_Message_Args_STRUCT_SIZE: usize = 40;
pub type PLUGIN_Profiler_Error_Message =
    ::std::option::Option<unsafe extern "C" fn(args: *mut PLUGIN_Profiler_Error_Message_Args)>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Error_GetCode_Args {
    pub struct_size: usize,
    pub priv_: *mut ::std::os::raw::c_void,
    pub error: *const PLUGIN_Profiler_Error,
    pub code: ::std::os::raw::c_int,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_Error_GetCode_Args"]
        [::std::mem::size_of::<PLUGIN_Profiler_Error_GetCode_Args>() - 32usize];
    ["Alignment of PLUGIN_Profiler_Error_GetCode_Args"]
        [::std::mem::align_of::<PLUGIN_Profiler_Error_GetCode_Args>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_Error_GetCode_Args::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_GetCode_Args, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_Error_GetCode_Args::priv_"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_GetCode_Args, priv_) - 8usize];
    ["Offset of field: PLUGIN_Profiler_Error_GetCode_Args::error"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_GetCode_Args, error) - 16usize];
    ["Offset of field: PLUGIN_Profiler_Error_GetCode_Args::code"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Error_GetCode_Args, code) - 24usize];
};
pub const PLUGIN_Profiler_Error_GetCode_Args_STRUCT_SIZE: usize = 28;
pub type PLUGIN_Profiler_Error_GetCode = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PLUGIN_Profiler_Error_GetCode_Args,
    ) -> *mut PLUGIN_Profiler_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Create_Args {
    pub struct_size: usize,
    pub options: *const ::std::os::raw::c_char,
    pub options_size: usize,
    pub profiler: *mut PLUGIN_Profiler,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_Create_Args"]
        [::std::mem::size_of::<PLUGIN_Profiler_Create_Args>() - 32usize];
    ["Alignment of PLUGIN_Profiler_Create_Args"]
        [::std::mem::align_of::<PLUGIN_Profiler_Create_Args>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_Create_Args::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Create_Args, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_Create_Args::options"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Create_Args, options) - 8usize];
    ["Offset of field: PLUGIN_Profiler_Create_Args::options_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Create_Args, options_size) - 16usize];
    ["Offset of field: PLUGIN_Profiler_Create_Args::profiler"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Create_Args, profiler) - 24usize];
};
pub const PLUGIN_Profiler_Create_Args_STRUCT_SIZE: usize = 32;
pub type PLUGIN_Profiler_Create = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PLUGIN_Profiler_Create_Args) -> *mut PLUGIN_Profiler_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Destroy_Args {
    pub struct_size: usize,
    pub profiler: *mut PLUGIN_Profiler,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_Destroy_Args"]
        [::std::mem::size_of::<PLUGIN_Profiler_Destroy_Args>() - 16usize];
    ["Alignment of PLUGIN_Profiler_Destroy_Args"]
        [::std::mem::align_of::<PLUGIN_Profiler_Destroy_Args>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_Destroy_Args::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Destroy_Args, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_Destroy_Args::profiler"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Destroy_Args, profiler) - 8usize];
};
pub const PLUGIN_Profiler_Destroy_Args_STRUCT_SIZE: usize = 16;
pub type PLUGIN_Profiler_Destroy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PLUGIN_Profiler_Destroy_Args) -> *mut PLUGIN_Profiler_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Start_Args {
    pub struct_size: usize,
    pub profiler: *mut PLUGIN_Profiler,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_Start_Args"]
        [::std::mem::size_of::<PLUGIN_Profiler_Start_Args>() - 16usize];
    ["Alignment of PLUGIN_Profiler_Start_Args"]
        [::std::mem::align_of::<PLUGIN_Profiler_Start_Args>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_Start_Args::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Start_Args, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_Start_Args::profiler"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Start_Args, profiler) - 8usize];
};
pub const PLUGIN_Profiler_Start_Args_STRUCT_SIZE: usize = 16;
pub type PLUGIN_Profiler_Start = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PLUGIN_Profiler_Start_Args) -> *mut PLUGIN_Profiler_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Stop_Args {
    pub struct_size: usize,
    pub profiler: *mut PLUGIN_Profiler,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_Stop_Args"]
        [::std::mem::size_of::<PLUGIN_Profiler_Stop_Args>() - 16usize];
    ["Alignment of PLUGIN_Profiler_Stop_Args"]
        [::std::mem::align_of::<PLUGIN_Profiler_Stop_Args>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_Stop_Args::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Stop_Args, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_Stop_Args::profiler"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Stop_Args, profiler) - 8usize];
};
pub const PLUGIN_Profiler_Stop_Args_STRUCT_SIZE: usize = 16;
pub type PLUGIN_Profiler_Stop = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PLUGIN_Profiler_Stop_Args) -> *mut PLUGIN_Profiler_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_CollectData_Args {
    pub struct_size: usize,
    pub profiler: *mut PLUGIN_Profiler,
    pub buffer: *mut u8,
    pub buffer_size_in_bytes: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_CollectData_Args"]
        [::std::mem::size_of::<PLUGIN_Profiler_CollectData_Args>() - 32usize];
    ["Alignment of PLUGIN_Profiler_CollectData_Args"]
        [::std::mem::align_of::<PLUGIN_Profiler_CollectData_Args>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_CollectData_Args::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_CollectData_Args, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_CollectData_Args::profiler"]
        [::std::mem::offset_of!(PLUGIN_Profiler_CollectData_Args, profiler) - 8usize];
    ["Offset of field: PLUGIN_Profiler_CollectData_Args::buffer"]
        [::std::mem::offset_of!(PLUGIN_Profiler_CollectData_Args, buffer) - 16usize];
    ["Offset of field: PLUGIN_Profiler_CollectData_Args::buffer_size_in_bytes"]
        [::std::mem::offset_of!(PLUGIN_Profiler_CollectData_Args, buffer_size_in_bytes) - 24usize];
};
pub const PLUGIN_Profiler_CollectData_Args_STRUCT_SIZE: usize = 32;
pub type PLUGIN_Profiler_CollectData = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PLUGIN_Profiler_CollectData_Args) -> *mut PLUGIN_Profiler_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PLUGIN_Profiler_Api {
    pub struct_size: usize,
    pub priv_: *mut ::std::os::raw::c_void,
    pub error_destroy: PLUGIN_Profiler_Error_Destroy,
    pub error_message: PLUGIN_Profiler_Error_Message,
    pub error_get_code: PLUGIN_Profiler_Error_GetCode,
    pub create: PLUGIN_Profiler_Create,
    pub destroy: PLUGIN_Profiler_Destroy,
    pub start: PLUGIN_Profiler_Start,
    pub stop: PLUGIN_Profiler_Stop,
    pub collect_data: PLUGIN_Profiler_CollectData,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PLUGIN_Profiler_Api"][::std::mem::size_of::<PLUGIN_Profiler_Api>() - 80usize];
    ["Alignment of PLUGIN_Profiler_Api"][::std::mem::align_of::<PLUGIN_Profiler_Api>() - 8usize];
    ["Offset of field: PLUGIN_Profiler_Api::struct_size"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, struct_size) - 0usize];
    ["Offset of field: PLUGIN_Profiler_Api::priv_"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, priv_) - 8usize];
    ["Offset of field: PLUGIN_Profiler_Api::error_destroy"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, error_destroy) - 16usize];
    ["Offset of field: PLUGIN_Profiler_Api::error_message"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, error_message) - 24usize];
    ["Offset of field: PLUGIN_Profiler_Api::error_get_code"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, error_get_code) - 32usize];
    ["Offset of field: PLUGIN_Profiler_Api::create"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, create) - 40usize];
    ["Offset of field: PLUGIN_Profiler_Api::destroy"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, destroy) - 48usize];
    ["Offset of field: PLUGIN_Profiler_Api::start"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, start) - 56usize];
    ["Offset of field: PLUGIN_Profiler_Api::stop"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, stop) - 64usize];
    ["Offset of field: PLUGIN_Profiler_Api::collect_data"]
        [::std::mem::offset_of!(PLUGIN_Profiler_Api, collect_data) - 72usize];
};
pub const PLUGIN_Profiler_Api_STRUCT_SIZE: usize = 80;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Profiler_Extension {
    pub base: PJRT_Extension_Base,
    pub profiler_api: *mut PLUGIN_Profiler_Api,
    pub traceme_context_id: i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Profiler_Extension"][::std::mem::size_of::<PJRT_Profiler_Extension>() - 40usize];
    ["Alignment of PJRT_Profiler_Extension"]
        [::std::mem::align_of::<PJRT_Profiler_Extension>() - 8usize];
    ["Offset of field: PJRT_Profiler_Extension::base"]
        [::std::mem::offset_of!(PJRT_Profiler_Extension, base) - 0usize];
    ["Offset of field: PJRT_Profiler_Extension::profiler_api"]
        [::std::mem::offset_of!(PJRT_Profiler_Extension, profiler_api) - 24usize];
    ["Offset of field: PJRT_Profiler_Extension::traceme_context_id"]
        [::std::mem::offset_of!(PJRT_Profiler_Extension, traceme_context_id) - 32usize];
};
pub const PJRT_Profiler_Extension_STRUCT_SIZE: usize = 40;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Get_Stream_For_External_Ready_Events_Args {
    pub struct_size: usize,
    pub device: *mut PJRT_Device,
    pub stream: isize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Get_Stream_For_External_Ready_Events_Args"]
        [::std::mem::size_of::<PJRT_Get_Stream_For_External_Ready_Events_Args>() - 24usize];
    ["Alignment of PJRT_Get_Stream_For_External_Ready_Events_Args"]
        [::std::mem::align_of::<PJRT_Get_Stream_For_External_Ready_Events_Args>() - 8usize];
    ["Offset of field: PJRT_Get_Stream_For_External_Ready_Events_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Get_Stream_For_External_Ready_Events_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_Get_Stream_For_External_Ready_Events_Args::device"]
        [::std::mem::offset_of!(PJRT_Get_Stream_For_External_Ready_Events_Args, device) - 8usize];
    ["Offset of field: PJRT_Get_Stream_For_External_Ready_Events_Args::stream"]
        [::std::mem::offset_of!(PJRT_Get_Stream_For_External_Ready_Events_Args, stream) - 16usize];
};
pub const PJRT_Get_Stream_For_External_Ready_Events_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Get_Stream_For_External_Ready_Events = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Get_Stream_For_External_Ready_Events_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Wait_Until_Buffer_Ready_On_Stream_Args {
    pub struct_size: usize,
    pub stream: isize,
    pub buffer: *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Wait_Until_Buffer_Ready_On_Stream_Args"]
        [::std::mem::size_of::<PJRT_Wait_Until_Buffer_Ready_On_Stream_Args>() - 24usize];
    ["Alignment of PJRT_Wait_Until_Buffer_Ready_On_Stream_Args"]
        [::std::mem::align_of::<PJRT_Wait_Until_Buffer_Ready_On_Stream_Args>() - 8usize];
    ["Offset of field: PJRT_Wait_Until_Buffer_Ready_On_Stream_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_Wait_Until_Buffer_Ready_On_Stream_Args::stream"]
        [::std::mem::offset_of!(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, stream) - 8usize];
    ["Offset of field: PJRT_Wait_Until_Buffer_Ready_On_Stream_Args::buffer"]
        [::std::mem::offset_of!(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, buffer) - 16usize];
};
pub const PJRT_Wait_Until_Buffer_Ready_On_Stream_Args_STRUCT_SIZE: usize = 24;
pub type PJRT_Wait_Until_Buffer_Ready_On_Stream = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Wait_Until_Buffer_Ready_On_Stream_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Stream_Extension {
    pub base: PJRT_Extension_Base,
    pub get_stream: PJRT_Get_Stream_For_External_Ready_Events,
    pub wait_stream: PJRT_Wait_Until_Buffer_Ready_On_Stream,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Stream_Extension"][::std::mem::size_of::<PJRT_Stream_Extension>() - 40usize];
    ["Alignment of PJRT_Stream_Extension"]
        [::std::mem::align_of::<PJRT_Stream_Extension>() - 8usize];
    ["Offset of field: PJRT_Stream_Extension::base"]
        [::std::mem::offset_of!(PJRT_Stream_Extension, base) - 0usize];
    ["Offset of field: PJRT_Stream_Extension::get_stream"]
        [::std::mem::offset_of!(PJRT_Stream_Extension, get_stream) - 24usize];
    ["Offset of field: PJRT_Stream_Extension::wait_stream"]
        [::std::mem::offset_of!(PJRT_Stream_Extension, wait_stream) - 32usize];
};
pub const PJRT_Stream_Extension_STRUCT_SIZE: usize = 40;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_Subslice_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub chips_per_host_bounds: *const i32,
    pub chips_per_host_bounds_num_dims: usize,
    pub host_bounds: *const i32,
    pub host_bounds_num_dims: usize,
    pub subslice_topology: *mut PJRT_TopologyDescription,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_Subslice_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_Subslice_Args>() - 56usize];
    ["Alignment of PJRT_TpuTopology_Subslice_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_Subslice_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_Subslice_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Subslice_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_Subslice_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Subslice_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_Subslice_Args::chips_per_host_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Subslice_Args, chips_per_host_bounds) - 16usize];
    ["Offset of field: PJRT_TpuTopology_Subslice_Args::chips_per_host_bounds_num_dims"][::std::mem::offset_of!(
        PJRT_TpuTopology_Subslice_Args,
        chips_per_host_bounds_num_dims
    )
        - 24usize];
    ["Offset of field: PJRT_TpuTopology_Subslice_Args::host_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Subslice_Args, host_bounds) - 32usize];
    ["Offset of field: PJRT_TpuTopology_Subslice_Args::host_bounds_num_dims"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Subslice_Args, host_bounds_num_dims) - 40usize];
    ["Offset of field: PJRT_TpuTopology_Subslice_Args::subslice_topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Subslice_Args, subslice_topology) - 48usize];
};
pub const PJRT_TpuTopology_Subslice_Args_STRUCT_SIZE: usize = 56;
pub type PJRT_TpuTopology_Subslice = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_Subslice_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_IsSubsliceTopology_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub is_subslice_topology: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_IsSubsliceTopology_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_IsSubsliceTopology_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_IsSubsliceTopology_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_IsSubsliceTopology_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_IsSubsliceTopology_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_IsSubsliceTopology_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_IsSubsliceTopology_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_IsSubsliceTopology_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_IsSubsliceTopology_Args::is_subslice_topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_IsSubsliceTopology_Args,
        is_subslice_topology
    )
        - 16usize];
};
pub const PJRT_TpuTopology_IsSubsliceTopology_Args_STRUCT_SIZE: usize = 17;
pub type PJRT_TpuTopology_IsSubsliceTopology = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_IsSubsliceTopology_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args {
    pub struct_size: usize,
    pub client_topology: *const PJRT_TopologyDescription,
    pub subslice_topology: *const PJRT_TopologyDescription,
    pub subslice_origin: *const i32,
    pub subslice_origin_dim_num: usize,
    pub full_device_id: i32,
    pub subslice_device_id: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args>() - 48usize];
    ["Alignment of PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args::client_topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args,
        client_topology
    )
        - 8usize];
    ["Offset of field: PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args::subslice_topology"]
        [::std::mem::offset_of!(
            PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args,
            subslice_topology
        ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args::subslice_origin"][::std::mem::offset_of!(
        PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args,
        subslice_origin
    )
        - 24usize];
    [
        "Offset of field: PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args::subslice_origin_dim_num",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args,
        subslice_origin_dim_num
    ) - 32usize];
    ["Offset of field: PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args::full_device_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args,
        full_device_id
    )
        - 40usize];
    ["Offset of field: PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args::subslice_device_id"]
        [::std::mem::offset_of!(
            PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args,
            subslice_device_id
        ) - 44usize];
};
pub const PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ReplaceHostBounds_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub host_bounds: *const i32,
    pub host_bounds_dim_num: usize,
    pub new_topology: *mut PJRT_TopologyDescription,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ReplaceHostBounds_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ReplaceHostBounds_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_ReplaceHostBounds_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ReplaceHostBounds_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ReplaceHostBounds_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ReplaceHostBounds_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ReplaceHostBounds_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ReplaceHostBounds_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ReplaceHostBounds_Args::host_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ReplaceHostBounds_Args, host_bounds) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ReplaceHostBounds_Args::host_bounds_dim_num"][::std::mem::offset_of!(
        PJRT_TpuTopology_ReplaceHostBounds_Args,
        host_bounds_dim_num
    ) - 24usize];
    ["Offset of field: PJRT_TpuTopology_ReplaceHostBounds_Args::new_topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ReplaceHostBounds_Args, new_topology) - 32usize];
};
pub const PJRT_TpuTopology_ReplaceHostBounds_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TpuTopology_ReplaceHostBounds = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ReplaceHostBounds_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub is_enhanced_barrier_enabled: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args, topology) - 8usize];
    [
        "Offset of field: PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args::is_enhanced_barrier_enabled",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args,
        is_enhanced_barrier_enabled
    ) - 16usize];
};
pub const PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args_STRUCT_SIZE: usize = 17;
pub type PJRT_TpuTopology_IsEnhancedBarrierEnabled = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_HasLimitedIciConnectivity_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub has_limited_ici_connectivity: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_HasLimitedIciConnectivity_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_HasLimitedIciConnectivity_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_HasLimitedIciConnectivity_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_HasLimitedIciConnectivity_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_HasLimitedIciConnectivity_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_HasLimitedIciConnectivity_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TpuTopology_HasLimitedIciConnectivity_Args::topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_HasLimitedIciConnectivity_Args,
        topology
    ) - 8usize];
    [
        "Offset of field: PJRT_TpuTopology_HasLimitedIciConnectivity_Args::has_limited_ici_connectivity",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_HasLimitedIciConnectivity_Args,
        has_limited_ici_connectivity
    ) - 16usize];
};
pub const PJRT_TpuTopology_HasLimitedIciConnectivity_Args_STRUCT_SIZE: usize = 17;
pub type PJRT_TpuTopology_HasLimitedIciConnectivity = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_HasLimitedIciConnectivity_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_IsReachableOverLimitedIci_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub source_chip_id: i32,
    pub dest_chip_id: i32,
    pub is_reachable_over_limited_ici: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_IsReachableOverLimitedIci_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_IsReachableOverLimitedIci_Args>() - 32usize];
    ["Alignment of PJRT_TpuTopology_IsReachableOverLimitedIci_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_IsReachableOverLimitedIci_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_IsReachableOverLimitedIci_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_IsReachableOverLimitedIci_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TpuTopology_IsReachableOverLimitedIci_Args::topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_IsReachableOverLimitedIci_Args,
        topology
    ) - 8usize];
    ["Offset of field: PJRT_TpuTopology_IsReachableOverLimitedIci_Args::source_chip_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_IsReachableOverLimitedIci_Args,
        source_chip_id
    )
        - 16usize];
    ["Offset of field: PJRT_TpuTopology_IsReachableOverLimitedIci_Args::dest_chip_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_IsReachableOverLimitedIci_Args,
        dest_chip_id
    ) - 20usize];
    [
        "Offset of field: PJRT_TpuTopology_IsReachableOverLimitedIci_Args::is_reachable_over_limited_ici",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_IsReachableOverLimitedIci_Args,
        is_reachable_over_limited_ici
    ) - 24usize];
};
pub const PJRT_TpuTopology_IsReachableOverLimitedIci_Args_STRUCT_SIZE: usize = 25;
pub type PJRT_TpuTopology_IsReachableOverLimitedIci = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_IsReachableOverLimitedIci_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ProcessCount_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub process_count: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ProcessCount_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ProcessCount_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_ProcessCount_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ProcessCount_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCount_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessCount_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCount_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessCount_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCount_Args::process_count"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessCount_Args, process_count) - 16usize];
};
pub const PJRT_TpuTopology_ProcessCount_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_ProcessCount = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ProcessCount_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ChipsPerProcess_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub chips_per_process: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ChipsPerProcess_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ChipsPerProcess_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_ChipsPerProcess_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ChipsPerProcess_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipsPerProcess_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipsPerProcess_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ChipsPerProcess_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipsPerProcess_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipsPerProcess_Args::chips_per_process"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipsPerProcess_Args,
        chips_per_process
    ) - 16usize];
};
pub const PJRT_TpuTopology_ChipsPerProcess_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_ChipsPerProcess = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ChipsPerProcess_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_CoreCountPerChip_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub core_count_of_default_type_per_chip: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_CoreCountPerChip_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_CoreCountPerChip_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_CoreCountPerChip_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_CoreCountPerChip_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_CoreCountPerChip_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_CoreCountPerChip_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_CoreCountPerChip_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_CoreCountPerChip_Args, topology) - 8usize];
    [
        "Offset of field: PJRT_TpuTopology_CoreCountPerChip_Args::core_count_of_default_type_per_chip",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_CoreCountPerChip_Args,
        core_count_of_default_type_per_chip
    ) - 16usize];
};
pub const PJRT_TpuTopology_CoreCountPerChip_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_CoreCountPerChip = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_CoreCountPerChip_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ChipCount_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub chip_count: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ChipCount_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ChipCount_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_ChipCount_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ChipCount_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipCount_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipCount_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ChipCount_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipCount_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipCount_Args::chip_count"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipCount_Args, chip_count) - 16usize];
};
pub const PJRT_TpuTopology_ChipCount_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_ChipCount = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ChipCount_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_CoreCount_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub core_count_of_default_type: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_CoreCount_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_CoreCount_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_CoreCount_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_CoreCount_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_CoreCount_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_CoreCount_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_CoreCount_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_CoreCount_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_CoreCount_Args::core_count_of_default_type"][::std::mem::offset_of!(
        PJRT_TpuTopology_CoreCount_Args,
        core_count_of_default_type
    ) - 16usize];
};
pub const PJRT_TpuTopology_CoreCount_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_CoreCount = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_CoreCount_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_LogiDeviceCount_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub logical_device_count_of_default_type: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_LogiDeviceCount_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_LogiDeviceCount_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_LogiDeviceCount_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_LogiDeviceCount_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceCount_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_LogiDeviceCount_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceCount_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_LogiDeviceCount_Args, topology) - 8usize];
    [
        "Offset of field: PJRT_TpuTopology_LogiDeviceCount_Args::logical_device_count_of_default_type",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceCount_Args,
        logical_device_count_of_default_type
    ) - 16usize];
};
pub const PJRT_TpuTopology_LogiDeviceCount_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_LogiDeviceCount = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_LogiDeviceCount_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_LogiDeviceCountPerProcess_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub logical_device_count_of_default_type_per_process: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_LogiDeviceCountPerProcess_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_LogiDeviceCountPerProcess_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_LogiDeviceCountPerProcess_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_LogiDeviceCountPerProcess_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceCountPerProcess_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceCountPerProcess_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceCountPerProcess_Args::topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceCountPerProcess_Args,
        topology
    ) - 8usize];
    [
        "Offset of field: PJRT_TpuTopology_LogiDeviceCountPerProcess_Args::logical_device_count_of_default_type_per_process",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceCountPerProcess_Args,
        logical_device_count_of_default_type_per_process
    ) - 16usize];
};
pub const PJRT_TpuTopology_LogiDeviceCountPerProcess_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_LogiDeviceCountPerProcess = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_LogiDeviceCountPerProcess_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_LogiDeviceCountPerChip_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub logical_device_count_of_default_type_per_chip: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_LogiDeviceCountPerChip_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_LogiDeviceCountPerChip_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_LogiDeviceCountPerChip_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_LogiDeviceCountPerChip_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceCountPerChip_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceCountPerChip_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceCountPerChip_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_LogiDeviceCountPerChip_Args, topology) - 8usize];
    [
        "Offset of field: PJRT_TpuTopology_LogiDeviceCountPerChip_Args::logical_device_count_of_default_type_per_chip",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceCountPerChip_Args,
        logical_device_count_of_default_type_per_chip
    ) - 16usize];
};
pub const PJRT_TpuTopology_LogiDeviceCountPerChip_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_LogiDeviceCountPerChip = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_LogiDeviceCountPerChip_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_CoreCountPerProcess_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub core_count_of_default_type_per_process: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_CoreCountPerProcess_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_CoreCountPerProcess_Args>() - 24usize];
    ["Alignment of PJRT_TpuTopology_CoreCountPerProcess_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_CoreCountPerProcess_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_CoreCountPerProcess_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_CoreCountPerProcess_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_CoreCountPerProcess_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_CoreCountPerProcess_Args, topology) - 8usize];
    [
        "Offset of field: PJRT_TpuTopology_CoreCountPerProcess_Args::core_count_of_default_type_per_process",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_CoreCountPerProcess_Args,
        core_count_of_default_type_per_process
    ) - 16usize];
};
pub const PJRT_TpuTopology_CoreCountPerProcess_Args_STRUCT_SIZE: usize = 20;
pub type PJRT_TpuTopology_CoreCountPerProcess = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_CoreCountPerProcess_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ProcessIds_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub max_process_ids: i32,
    pub process_ids: *mut i32,
    pub num_process_ids: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ProcessIds_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ProcessIds_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_ProcessIds_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ProcessIds_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcessIds_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessIds_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ProcessIds_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessIds_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcessIds_Args::max_process_ids"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessIds_Args, max_process_ids) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ProcessIds_Args::process_ids"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessIds_Args, process_ids) - 24usize];
    ["Offset of field: PJRT_TpuTopology_ProcessIds_Args::num_process_ids"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessIds_Args, num_process_ids) - 32usize];
};
pub const PJRT_TpuTopology_ProcessIds_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TpuTopology_ProcessIds = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ProcessIds_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub process_id: i32,
    pub max_logical_device_ids: i32,
    pub logical_device_of_default_type_ids: *mut i32,
    pub num_logical_device_ids: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args::process_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args,
        process_id
    ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args::max_logical_device_ids"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args,
        max_logical_device_ids
    )
        - 20usize];
    [
        "Offset of field: PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args::logical_device_of_default_type_ids",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args,
        logical_device_of_default_type_ids
    ) - 24usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args::num_logical_device_ids"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args,
        num_logical_device_ids
    )
        - 32usize];
};
pub const PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TpuTopology_LogiDeviceIdsOnProcess = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub chip_id: i32,
    pub process_id: i32,
    pub index_on_process: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args>() - 32usize];
    ["Alignment of PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args::topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args,
        topology
    ) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args::chip_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args,
        chip_id
    ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args::process_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args,
        process_id
    ) - 20usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args::index_on_process"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args,
        index_on_process
    )
        - 24usize];
};
pub const PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_TpuTopology_ProcIdAndIdxOnProcForChip = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub device_id: i32,
    pub process_id: i32,
    pub index_on_process: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args>() - 32usize];
    ["Alignment of PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args::topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args,
        topology
    )
        - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args::device_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args,
        device_id
    )
        - 16usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args::process_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args,
        process_id
    )
        - 20usize];
    ["Offset of field: PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args::index_on_process"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args,
        index_on_process
    )
        - 24usize];
};
pub const PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args_STRUCT_SIZE: usize = 28;
pub type PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ProcessCoordFromId_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub process_id: i32,
    pub coords_max_dims: usize,
    pub coords: *mut i32,
    pub coords_num_dims: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ProcessCoordFromId_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ProcessCoordFromId_Args>() - 48usize];
    ["Alignment of PJRT_TpuTopology_ProcessCoordFromId_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ProcessCoordFromId_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCoordFromId_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessCoordFromId_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCoordFromId_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessCoordFromId_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCoordFromId_Args::process_id"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessCoordFromId_Args, process_id) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCoordFromId_Args::coords_max_dims"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcessCoordFromId_Args,
        coords_max_dims
    ) - 24usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCoordFromId_Args::coords"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessCoordFromId_Args, coords) - 32usize];
    ["Offset of field: PJRT_TpuTopology_ProcessCoordFromId_Args::coords_num_dims"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcessCoordFromId_Args,
        coords_num_dims
    ) - 40usize];
};
pub const PJRT_TpuTopology_ProcessCoordFromId_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_TpuTopology_ProcessCoordFromId = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ProcessCoordFromId_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ChipIdFromCoord_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub coords: *const i32,
    pub coords_num_dims: usize,
    pub chip_id: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ChipIdFromCoord_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ChipIdFromCoord_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_ChipIdFromCoord_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ChipIdFromCoord_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipIdFromCoord_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipIdFromCoord_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ChipIdFromCoord_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipIdFromCoord_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipIdFromCoord_Args::coords"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipIdFromCoord_Args, coords) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ChipIdFromCoord_Args::coords_num_dims"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipIdFromCoord_Args, coords_num_dims) - 24usize];
    ["Offset of field: PJRT_TpuTopology_ChipIdFromCoord_Args::chip_id"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipIdFromCoord_Args, chip_id) - 32usize];
};
pub const PJRT_TpuTopology_ChipIdFromCoord_Args_STRUCT_SIZE: usize = 36;
pub type PJRT_TpuTopology_ChipIdFromCoord = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ChipIdFromCoord_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub chip_coords: *const i32,
    pub chip_coords_num_dims: usize,
    pub logical_device_index_on_chip: i32,
    pub logical_device_of_default_type_id: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args::topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args,
        topology
    )
        - 8usize];
    ["Offset of field: PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args::chip_coords"][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args,
        chip_coords
    )
        - 16usize];
    [
        "Offset of field: PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args::chip_coords_num_dims",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args,
        chip_coords_num_dims
    ) - 24usize];
    [
        "Offset of field: PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args::logical_device_index_on_chip",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args,
        logical_device_index_on_chip
    ) - 32usize];
    [
        "Offset of field: PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args::logical_device_of_default_type_id",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args,
        logical_device_of_default_type_id
    ) - 36usize];
};
pub const PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub device_id: i32,
    pub chip_coords_max_dims: usize,
    pub chip_coords: *mut i32,
    pub chip_coords_num_dims: usize,
    pub device_index_on_chip: i32,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args>() - 56usize];
    ["Alignment of PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args::topology"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
        topology
    ) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args::device_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
        device_id
    ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args::chip_coords_max_dims"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
        chip_coords_max_dims
    )
        - 24usize];
    ["Offset of field: PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args::chip_coords"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
        chip_coords
    )
        - 32usize];
    ["Offset of field: PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args::chip_coords_num_dims"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
        chip_coords_num_dims
    )
        - 40usize];
    ["Offset of field: PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args::device_index_on_chip"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
        device_index_on_chip
    )
        - 48usize];
};
pub const PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args_STRUCT_SIZE: usize = 52;
pub type PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ChipsPerProcessBounds_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub chip_per_process_bounds_max_dims: usize,
    pub chip_per_process_bounds: *mut i32,
    pub chip_per_process_bounds_num_dims: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ChipsPerProcessBounds_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ChipsPerProcessBounds_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_ChipsPerProcessBounds_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ChipsPerProcessBounds_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipsPerProcessBounds_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipsPerProcessBounds_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ChipsPerProcessBounds_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipsPerProcessBounds_Args, topology) - 8usize];
    [
        "Offset of field: PJRT_TpuTopology_ChipsPerProcessBounds_Args::chip_per_process_bounds_max_dims",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipsPerProcessBounds_Args,
        chip_per_process_bounds_max_dims
    ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ChipsPerProcessBounds_Args::chip_per_process_bounds"][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipsPerProcessBounds_Args,
        chip_per_process_bounds
    )
        - 24usize];
    [
        "Offset of field: PJRT_TpuTopology_ChipsPerProcessBounds_Args::chip_per_process_bounds_num_dims",
    ][::std::mem::offset_of!(
        PJRT_TpuTopology_ChipsPerProcessBounds_Args,
        chip_per_process_bounds_num_dims
    ) - 32usize];
};
pub const PJRT_TpuTopology_ChipsPerProcessBounds_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TpuTopology_ChipsPerProcessBounds = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ChipsPerProcessBounds_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ChipBounds_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub chip_bounds_max_dims: usize,
    pub chip_bounds: *mut i32,
    pub chip_bounds_num_dims: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ChipBounds_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ChipBounds_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_ChipBounds_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ChipBounds_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipBounds_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipBounds_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ChipBounds_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipBounds_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ChipBounds_Args::chip_bounds_max_dims"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipBounds_Args, chip_bounds_max_dims) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ChipBounds_Args::chip_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipBounds_Args, chip_bounds) - 24usize];
    ["Offset of field: PJRT_TpuTopology_ChipBounds_Args::chip_bounds_num_dims"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ChipBounds_Args, chip_bounds_num_dims) - 32usize];
};
pub const PJRT_TpuTopology_ChipBounds_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TpuTopology_ChipBounds = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ChipBounds_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_ProcessBounds_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub process_bounds_max_dims: usize,
    pub process_bounds: *mut i32,
    pub process_bounds_num_dims: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_ProcessBounds_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_ProcessBounds_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_ProcessBounds_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_ProcessBounds_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcessBounds_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessBounds_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_ProcessBounds_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessBounds_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_ProcessBounds_Args::process_bounds_max_dims"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcessBounds_Args,
        process_bounds_max_dims
    ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_ProcessBounds_Args::process_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_ProcessBounds_Args, process_bounds) - 24usize];
    ["Offset of field: PJRT_TpuTopology_ProcessBounds_Args::process_bounds_num_dims"][::std::mem::offset_of!(
        PJRT_TpuTopology_ProcessBounds_Args,
        process_bounds_num_dims
    ) - 32usize];
};
pub const PJRT_TpuTopology_ProcessBounds_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TpuTopology_ProcessBounds = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_ProcessBounds_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_GetRoutingStrategy_Args {
    pub struct_size: usize,
    pub topology: *const PJRT_TopologyDescription,
    pub routing_strategy: *mut ::std::os::raw::c_char,
    pub routing_strategy_len: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_GetRoutingStrategy_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_GetRoutingStrategy_Args>() - 32usize];
    ["Alignment of PJRT_TpuTopology_GetRoutingStrategy_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_GetRoutingStrategy_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_GetRoutingStrategy_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetRoutingStrategy_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_GetRoutingStrategy_Args::topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetRoutingStrategy_Args, topology) - 8usize];
    ["Offset of field: PJRT_TpuTopology_GetRoutingStrategy_Args::routing_strategy"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetRoutingStrategy_Args,
        routing_strategy
    ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_GetRoutingStrategy_Args::routing_strategy_len"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetRoutingStrategy_Args,
        routing_strategy_len
    )
        - 24usize];
};
pub const PJRT_TpuTopology_GetRoutingStrategy_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_TpuTopology_GetRoutingStrategy = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_GetRoutingStrategy_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_SliceConfig {
    pub dim_size: usize,
    pub dimensions: [i32; 4usize],
    pub wrap: [bool; 4usize],
    pub twist: bool,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_SliceConfig"]
        [::std::mem::size_of::<PJRT_TpuTopology_SliceConfig>() - 32usize];
    ["Alignment of PJRT_TpuTopology_SliceConfig"]
        [::std::mem::align_of::<PJRT_TpuTopology_SliceConfig>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_SliceConfig::dim_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_SliceConfig, dim_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_SliceConfig::dimensions"]
        [::std::mem::offset_of!(PJRT_TpuTopology_SliceConfig, dimensions) - 8usize];
    ["Offset of field: PJRT_TpuTopology_SliceConfig::wrap"]
        [::std::mem::offset_of!(PJRT_TpuTopology_SliceConfig, wrap) - 24usize];
    ["Offset of field: PJRT_TpuTopology_SliceConfig::twist"]
        [::std::mem::offset_of!(PJRT_TpuTopology_SliceConfig, twist) - 28usize];
};
pub const PJRT_TpuTopology_SliceConfig_STRUCT_SIZE: usize = 29;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_GetSliceConfig_Args {
    pub struct_size: usize,
    pub platform_type_name: *const ::std::os::raw::c_char,
    pub platform_type_name_len: usize,
    pub slice_name: *const ::std::os::raw::c_char,
    pub slice_name_len: usize,
    pub slice_config: *mut PJRT_TpuTopology_SliceConfig,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_GetSliceConfig_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_GetSliceConfig_Args>() - 48usize];
    ["Alignment of PJRT_TpuTopology_GetSliceConfig_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_GetSliceConfig_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfig_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetSliceConfig_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfig_Args::platform_type_name"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetSliceConfig_Args, platform_type_name) - 8usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfig_Args::platform_type_name_len"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetSliceConfig_Args,
        platform_type_name_len
    ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfig_Args::slice_name"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetSliceConfig_Args, slice_name) - 24usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfig_Args::slice_name_len"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetSliceConfig_Args, slice_name_len) - 32usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfig_Args::slice_config"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetSliceConfig_Args, slice_config) - 40usize];
};
pub const PJRT_TpuTopology_GetSliceConfig_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_TpuTopology_GetSliceConfig = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_GetSliceConfig_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_GetSliceConfigs_Args {
    pub struct_size: usize,
    pub platform_type_name: *const ::std::os::raw::c_char,
    pub platform_type_name_len: usize,
    pub slice_configs: *mut PJRT_TpuTopology_SliceConfig,
    pub max_slice_configs: usize,
    pub num_slice_configs: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_GetSliceConfigs_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_GetSliceConfigs_Args>() - 48usize];
    ["Alignment of PJRT_TpuTopology_GetSliceConfigs_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_GetSliceConfigs_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfigs_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetSliceConfigs_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfigs_Args::platform_type_name"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetSliceConfigs_Args,
        platform_type_name
    ) - 8usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfigs_Args::platform_type_name_len"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetSliceConfigs_Args,
        platform_type_name_len
    ) - 16usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfigs_Args::slice_configs"]
        [::std::mem::offset_of!(PJRT_TpuTopology_GetSliceConfigs_Args, slice_configs) - 24usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfigs_Args::max_slice_configs"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetSliceConfigs_Args,
        max_slice_configs
    ) - 32usize];
    ["Offset of field: PJRT_TpuTopology_GetSliceConfigs_Args::num_slice_configs"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetSliceConfigs_Args,
        num_slice_configs
    ) - 40usize];
};
pub const PJRT_TpuTopology_GetSliceConfigs_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_TpuTopology_GetSliceConfigs = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_TpuTopology_GetSliceConfigs_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_GetDefaultPlatformConfig_Args {
    pub struct_size: usize,
    pub platform_type_name: *const ::std::os::raw::c_char,
    pub platform_type_name_len: usize,
    pub num_chips_per_tray: i64,
    pub num_trays: i64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_GetDefaultPlatformConfig_Args"]
        [::std::mem::size_of::<PJRT_TpuTopology_GetDefaultPlatformConfig_Args>() - 40usize];
    ["Alignment of PJRT_TpuTopology_GetDefaultPlatformConfig_Args"]
        [::std::mem::align_of::<PJRT_TpuTopology_GetDefaultPlatformConfig_Args>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_GetDefaultPlatformConfig_Args::struct_size"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetDefaultPlatformConfig_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_TpuTopology_GetDefaultPlatformConfig_Args::platform_type_name"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetDefaultPlatformConfig_Args,
        platform_type_name
    )
        - 8usize];
    ["Offset of field: PJRT_TpuTopology_GetDefaultPlatformConfig_Args::platform_type_name_len"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetDefaultPlatformConfig_Args,
        platform_type_name_len
    )
        - 16usize];
    ["Offset of field: PJRT_TpuTopology_GetDefaultPlatformConfig_Args::num_chips_per_tray"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetDefaultPlatformConfig_Args,
        num_chips_per_tray
    )
        - 24usize];
    ["Offset of field: PJRT_TpuTopology_GetDefaultPlatformConfig_Args::num_trays"][::std::mem::offset_of!(
        PJRT_TpuTopology_GetDefaultPlatformConfig_Args,
        num_trays
    ) - 32usize];
};
pub const PJRT_TpuTopology_GetDefaultPlatformConfig_Args_STRUCT_SIZE: usize = 40;
pub type PJRT_TpuTopology_GetDefaultPlatformConfig = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_TpuTopology_GetDefaultPlatformConfig_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_TpuTopology_Extension {
    pub base: PJRT_Extension_Base,
    pub subslice: PJRT_TpuTopology_Subslice,
    pub is_subslice_topology: PJRT_TpuTopology_IsSubsliceTopology,
    pub subslice_device_id_from_full_device_id: PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId,
    pub replace_host_bounds: PJRT_TpuTopology_ReplaceHostBounds,
    pub is_enhanced_barrier_enabled: PJRT_TpuTopology_IsEnhancedBarrierEnabled,
    pub has_limited_ici_connectivity: PJRT_TpuTopology_HasLimitedIciConnectivity,
    pub is_reachable_over_limited_ici: PJRT_TpuTopology_IsReachableOverLimitedIci,
    pub process_count: PJRT_TpuTopology_ProcessCount,
    pub chips_per_process: PJRT_TpuTopology_ChipsPerProcess,
    pub core_count_per_chip: PJRT_TpuTopology_CoreCountPerChip,
    pub chip_count: PJRT_TpuTopology_ChipCount,
    pub core_count: PJRT_TpuTopology_CoreCount,
    pub logical_device_count_per_process: PJRT_TpuTopology_LogiDeviceCountPerProcess,
    pub logical_device_count: PJRT_TpuTopology_LogiDeviceCount,
    pub logical_device_count_per_chip: PJRT_TpuTopology_LogiDeviceCountPerChip,
    pub core_count_per_process: PJRT_TpuTopology_CoreCountPerProcess,
    pub process_ids: PJRT_TpuTopology_ProcessIds,
    pub logical_device_ids_on_process: PJRT_TpuTopology_LogiDeviceIdsOnProcess,
    pub proc_id_and_idx_on_proc_for_chip: PJRT_TpuTopology_ProcIdAndIdxOnProcForChip,
    pub proc_id_and_idx_on_proc_for_logi_device: PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice,
    pub process_coord_from_id: PJRT_TpuTopology_ProcessCoordFromId,
    pub chip_id_from_coord: PJRT_TpuTopology_ChipIdFromCoord,
    pub logical_device_id_from_chip_coord_and_idx: PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx,
    pub chip_coord_and_idx_for_logi_device: PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice,
    pub chips_per_process_bounds: PJRT_TpuTopology_ChipsPerProcessBounds,
    pub chip_bounds: PJRT_TpuTopology_ChipBounds,
    pub process_bounds: PJRT_TpuTopology_ProcessBounds,
    pub get_routing_strategy: PJRT_TpuTopology_GetRoutingStrategy,
    pub get_slice_config: PJRT_TpuTopology_GetSliceConfig,
    pub get_slice_configs: PJRT_TpuTopology_GetSliceConfigs,
    pub get_default_platform_config: PJRT_TpuTopology_GetDefaultPlatformConfig,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_TpuTopology_Extension"]
        [::std::mem::size_of::<PJRT_TpuTopology_Extension>() - 272usize];
    ["Alignment of PJRT_TpuTopology_Extension"]
        [::std::mem::align_of::<PJRT_TpuTopology_Extension>() - 8usize];
    ["Offset of field: PJRT_TpuTopology_Extension::base"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, base) - 0usize];
    ["Offset of field: PJRT_TpuTopology_Extension::subslice"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, subslice) - 24usize];
    ["Offset of field: PJRT_TpuTopology_Extension::is_subslice_topology"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, is_subslice_topology) - 32usize];
    ["Offset of field: PJRT_TpuTopology_Extension::subslice_device_id_from_full_device_id"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        subslice_device_id_from_full_device_id
    )
        - 40usize];
    ["Offset of field: PJRT_TpuTopology_Extension::replace_host_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, replace_host_bounds) - 48usize];
    ["Offset of field: PJRT_TpuTopology_Extension::is_enhanced_barrier_enabled"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, is_enhanced_barrier_enabled) - 56usize];
    ["Offset of field: PJRT_TpuTopology_Extension::has_limited_ici_connectivity"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        has_limited_ici_connectivity
    ) - 64usize];
    ["Offset of field: PJRT_TpuTopology_Extension::is_reachable_over_limited_ici"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        is_reachable_over_limited_ici
    ) - 72usize];
    ["Offset of field: PJRT_TpuTopology_Extension::process_count"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, process_count) - 80usize];
    ["Offset of field: PJRT_TpuTopology_Extension::chips_per_process"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, chips_per_process) - 88usize];
    ["Offset of field: PJRT_TpuTopology_Extension::core_count_per_chip"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, core_count_per_chip) - 96usize];
    ["Offset of field: PJRT_TpuTopology_Extension::chip_count"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, chip_count) - 104usize];
    ["Offset of field: PJRT_TpuTopology_Extension::core_count"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, core_count) - 112usize];
    ["Offset of field: PJRT_TpuTopology_Extension::logical_device_count_per_process"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        logical_device_count_per_process
    ) - 120usize];
    ["Offset of field: PJRT_TpuTopology_Extension::logical_device_count"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, logical_device_count) - 128usize];
    ["Offset of field: PJRT_TpuTopology_Extension::logical_device_count_per_chip"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        logical_device_count_per_chip
    ) - 136usize];
    ["Offset of field: PJRT_TpuTopology_Extension::core_count_per_process"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, core_count_per_process) - 144usize];
    ["Offset of field: PJRT_TpuTopology_Extension::process_ids"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, process_ids) - 152usize];
    ["Offset of field: PJRT_TpuTopology_Extension::logical_device_ids_on_process"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        logical_device_ids_on_process
    ) - 160usize];
    ["Offset of field: PJRT_TpuTopology_Extension::proc_id_and_idx_on_proc_for_chip"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        proc_id_and_idx_on_proc_for_chip
    ) - 168usize];
    ["Offset of field: PJRT_TpuTopology_Extension::proc_id_and_idx_on_proc_for_logi_device"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        proc_id_and_idx_on_proc_for_logi_device
    )
        - 176usize];
    ["Offset of field: PJRT_TpuTopology_Extension::process_coord_from_id"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, process_coord_from_id) - 184usize];
    ["Offset of field: PJRT_TpuTopology_Extension::chip_id_from_coord"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, chip_id_from_coord) - 192usize];
    ["Offset of field: PJRT_TpuTopology_Extension::logical_device_id_from_chip_coord_and_idx"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        logical_device_id_from_chip_coord_and_idx
    )
        - 200usize];
    ["Offset of field: PJRT_TpuTopology_Extension::chip_coord_and_idx_for_logi_device"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        chip_coord_and_idx_for_logi_device
    )
        - 208usize];
    ["Offset of field: PJRT_TpuTopology_Extension::chips_per_process_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, chips_per_process_bounds) - 216usize];
    ["Offset of field: PJRT_TpuTopology_Extension::chip_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, chip_bounds) - 224usize];
    ["Offset of field: PJRT_TpuTopology_Extension::process_bounds"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, process_bounds) - 232usize];
    ["Offset of field: PJRT_TpuTopology_Extension::get_routing_strategy"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, get_routing_strategy) - 240usize];
    ["Offset of field: PJRT_TpuTopology_Extension::get_slice_config"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, get_slice_config) - 248usize];
    ["Offset of field: PJRT_TpuTopology_Extension::get_slice_configs"]
        [::std::mem::offset_of!(PJRT_TpuTopology_Extension, get_slice_configs) - 256usize];
    ["Offset of field: PJRT_TpuTopology_Extension::get_default_platform_config"][::std::mem::offset_of!(
        PJRT_TpuTopology_Extension,
        get_default_platform_config
    ) - 264usize];
};
pub const PJRT_TpuTopology_Extension_STRUCT_SIZE: usize = 272;
pub type xla_PjRtGlobalDeviceId = i32;
pub type xla_CrossHostTransferKey = i64;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub num_buffers: usize,
    pub buffers: *mut *mut PJRT_Buffer,
    pub dst_global_device_ids: *const xla_PjRtGlobalDeviceId,
    pub transfer_keys: *const xla_CrossHostTransferKey,
    pub send_events: *mut *mut PJRT_Event,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args"]
        [::std::mem::size_of::<PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args>() - 64usize];
    ["Alignment of PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args"]
        [::std::mem::align_of::<PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args>() - 8usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args::client"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
        client
    ) - 16usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args::num_buffers"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
        num_buffers
    )
        - 24usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args::buffers"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
        buffers
    ) - 32usize];
    [
        "Offset of field: PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args::dst_global_device_ids",
    ][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
        dst_global_device_ids
    ) - 40usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args::transfer_keys"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
        transfer_keys
    )
        - 48usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args::send_events"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
        send_events
    )
        - 56usize];
};
pub const PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args_STRUCT_SIZE: usize = 64;
pub type PJRT_Transfers_PJRT_Client_CrossHostSendBuffers = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub num_shapes: usize,
    pub shape_num_dims: *mut usize,
    pub num_dims: *mut *const i64,
    pub element_types: *mut PJRT_Buffer_Type,
    pub layouts: *mut *mut PJRT_Buffer_MemoryLayout,
    pub device: *mut PJRT_Device,
    pub src_global_device_ids: *const xla_PjRtGlobalDeviceId,
    pub transfer_keys: *const xla_CrossHostTransferKey,
    pub buffers: *mut *mut PJRT_Buffer,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args"][::std::mem::size_of::<
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
    >() - 96usize];
    ["Alignment of PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args"][::std::mem::align_of::<
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
    >() - 8usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::client"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        client
    )
        - 16usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::num_shapes"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        num_shapes
    )
        - 24usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::shape_num_dims"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        shape_num_dims
    )
        - 32usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::num_dims"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        num_dims
    )
        - 40usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::element_types"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        element_types
    )
        - 48usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::layouts"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        layouts
    )
        - 56usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::device"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        device
    )
        - 64usize];
    [
        "Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::src_global_device_ids",
    ][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        src_global_device_ids
    ) - 72usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::transfer_keys"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        transfer_keys
    )
        - 80usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args::buffers"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
        buffers
    )
        - 88usize];
};
pub const PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args_STRUCT_SIZE: usize = 96;
pub type PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args,
    ) -> *mut PJRT_Error,
>;
pub type PJRT_Transfers_CrossHostOnCanceledCallback = ::std::option::Option<
    unsafe extern "C" fn(error: *mut PJRT_Error, user_arg: *mut ::std::os::raw::c_void),
>;
pub type PJRT_Transfers_CrossHostSendCancelNotifier = ::std::option::Option<
    unsafe extern "C" fn(
        serialized_descriptor: *const ::std::os::raw::c_char,
        serialized_descriptor_size: usize,
        reason: PJRT_Error_Code,
        error_message: *const ::std::os::raw::c_char,
        error_message_size: usize,
        on_canceled: PJRT_Transfers_CrossHostOnCanceledCallback,
        on_canceled_user_arg: *mut ::std::os::raw::c_void,
        user_arg: *mut ::std::os::raw::c_void,
    ),
>;
pub type PJRT_Transfers_CrossHostRecvNotifier = ::std::option::Option<
    unsafe extern "C" fn(
        error: *mut PJRT_Error,
        serialized_descriptors: *mut *const ::std::os::raw::c_char,
        descriptors_sizes: *mut usize,
        num_descriptors: usize,
        user_arg: *mut ::std::os::raw::c_void,
        cancel_notifier: PJRT_Transfers_CrossHostSendCancelNotifier,
        cancel_notifier_user_arg: *mut ::std::os::raw::c_void,
    ),
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Transfers_CrossHostRecvNotifierInfo {
    pub user_arg: *mut ::std::os::raw::c_void,
    pub notifier: PJRT_Transfers_CrossHostRecvNotifier,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Transfers_CrossHostRecvNotifierInfo"]
        [::std::mem::size_of::<PJRT_Transfers_CrossHostRecvNotifierInfo>() - 16usize];
    ["Alignment of PJRT_Transfers_CrossHostRecvNotifierInfo"]
        [::std::mem::align_of::<PJRT_Transfers_CrossHostRecvNotifierInfo>() - 8usize];
    ["Offset of field: PJRT_Transfers_CrossHostRecvNotifierInfo::user_arg"]
        [::std::mem::offset_of!(PJRT_Transfers_CrossHostRecvNotifierInfo, user_arg) - 0usize];
    ["Offset of field: PJRT_Transfers_CrossHostRecvNotifierInfo::notifier"]
        [::std::mem::offset_of!(PJRT_Transfers_CrossHostRecvNotifierInfo, notifier) - 8usize];
};
pub const PJRT_Transfers_CrossHostRecvNotifierInfo_STRUCT_SIZE: usize = 16;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub num_shapes: usize,
    pub shape_num_dims: *mut usize,
    pub num_dims: *mut *const i64,
    pub element_types: *mut PJRT_Buffer_Type,
    pub layouts: *mut *mut PJRT_Buffer_MemoryLayout,
    pub device: *mut PJRT_Device,
    pub notifier: PJRT_Transfers_CrossHostRecvNotifierInfo,
    pub buffers: *mut *mut PJRT_Buffer,
    pub num_buffers: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args"][::std::mem::size_of::<
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
    >() - 104usize];
    ["Alignment of PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args"]
        [::std::mem::align_of::<PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args>()
            - 8usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        struct_size
    )
        - 0usize];
    [
        "Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::extension_start",
    ][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::client"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        client
    )
        - 16usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::num_shapes"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        num_shapes
    )
        - 24usize];
    [
        "Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::shape_num_dims",
    ][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        shape_num_dims
    ) - 32usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::num_dims"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        num_dims
    )
        - 40usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::element_types"]
        [::std::mem::offset_of!(
            PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
            element_types
        ) - 48usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::layouts"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        layouts
    )
        - 56usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::device"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        device
    )
        - 64usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::notifier"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        notifier
    )
        - 72usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::buffers"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        buffers
    )
        - 88usize];
    ["Offset of field: PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args::num_buffers"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
        num_buffers
    )
        - 96usize];
};
pub const PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args_STRUCT_SIZE: usize = 104;
pub type PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args,
    ) -> *mut PJRT_Error,
>;
pub type PJRT_Transfers_CrossHostRemoteSendCallback = ::std::option::Option<
    unsafe extern "C" fn(
        error: *mut PJRT_Error,
        sends_were_enqueued: bool,
        user_arg: *mut ::std::os::raw::c_void,
    ),
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo {
    pub user_arg: *mut ::std::os::raw::c_void,
    pub on_done: PJRT_Transfers_CrossHostRemoteSendCallback,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Transfers_CrossHostRemoteSendCallbackInfo"]
        [::std::mem::size_of::<PJRT_Transfers_CrossHostRemoteSendCallbackInfo>() - 16usize];
    ["Alignment of PJRT_Transfers_CrossHostRemoteSendCallbackInfo"]
        [::std::mem::align_of::<PJRT_Transfers_CrossHostRemoteSendCallbackInfo>() - 8usize];
    ["Offset of field: PJRT_Transfers_CrossHostRemoteSendCallbackInfo::user_arg"]
        [::std::mem::offset_of!(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, user_arg) - 0usize];
    ["Offset of field: PJRT_Transfers_CrossHostRemoteSendCallbackInfo::on_done"]
        [::std::mem::offset_of!(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, on_done) - 8usize];
};
pub const PJRT_Transfers_CrossHostRemoteSendCallbackInfo_STRUCT_SIZE: usize = 16;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub buffer: *mut PJRT_Buffer,
    pub event: *mut PJRT_Event,
    pub serialized_descriptor: *mut *mut ::std::os::raw::c_char,
    pub serialized_descriptor_size: *mut usize,
    pub on_done: PJRT_Transfers_CrossHostRemoteSendCallbackInfo,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args"]
        [::std::mem::size_of::<PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args>() - 64usize];
    ["Alignment of PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args"]
        [::std::mem::align_of::<PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args>() - 8usize];
    ["Offset of field: PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args::struct_size"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
        struct_size
    )
        - 0usize];
    ["Offset of field: PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args::extension_start"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
        extension_start
    )
        - 8usize];
    ["Offset of field: PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args::buffer"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
        buffer
    ) - 16usize];
    ["Offset of field: PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args::event"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
        event
    ) - 24usize];
    ["Offset of field: PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args::serialized_descriptor"]
        [::std::mem::offset_of!(
            PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
            serialized_descriptor
        ) - 32usize];
    [
        "Offset of field: PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args::serialized_descriptor_size",
    ][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
        serialized_descriptor_size
    ) - 40usize];
    ["Offset of field: PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args::on_done"][::std::mem::offset_of!(
        PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args,
        on_done
    ) - 48usize];
};
pub const PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args_STRUCT_SIZE: usize = 64;
pub type PJRT_Buffer_CopyToRemoteDevice = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args),
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_CrossHostTransfers_Extension {
    pub base: PJRT_Extension_Base,
    pub PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers:
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers,
    pub PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice: PJRT_Buffer_CopyToRemoteDevice,
    pub PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers:
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers,
    pub PJRT_Transfers_PJRT_Client_CrossHostSendBuffers:
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_CrossHostTransfers_Extension"]
        [::std::mem::size_of::<PJRT_CrossHostTransfers_Extension>() - 56usize];
    ["Alignment of PJRT_CrossHostTransfers_Extension"]
        [::std::mem::align_of::<PJRT_CrossHostTransfers_Extension>() - 8usize];
    ["Offset of field: PJRT_CrossHostTransfers_Extension::base"]
        [::std::mem::offset_of!(PJRT_CrossHostTransfers_Extension, base) - 0usize];
    [
        "Offset of field: PJRT_CrossHostTransfers_Extension::PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers",
    ][::std::mem::offset_of!(
        PJRT_CrossHostTransfers_Extension,
        PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers
    ) - 24usize];
    [
        "Offset of field: PJRT_CrossHostTransfers_Extension::PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice",
    ][::std::mem::offset_of!(
        PJRT_CrossHostTransfers_Extension,
        PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice
    ) - 32usize];
    [
        "Offset of field: PJRT_CrossHostTransfers_Extension::PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers",
    ][::std::mem::offset_of!(
        PJRT_CrossHostTransfers_Extension,
        PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers
    ) - 40usize];
    [
        "Offset of field: PJRT_CrossHostTransfers_Extension::PJRT_Transfers_PJRT_Client_CrossHostSendBuffers",
    ][::std::mem::offset_of!(
        PJRT_CrossHostTransfers_Extension,
        PJRT_Transfers_PJRT_Client_CrossHostSendBuffers
    ) - 48usize];
};
pub const PJRT_CrossHostTransfers_Extension_STRUCT_SIZE: usize = 56;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ExecutableMetadata {
    pub serialized_metadata: *const ::std::os::raw::c_char,
    pub serialized_metadata_size: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_ExecutableMetadata"][::std::mem::size_of::<PJRT_ExecutableMetadata>() - 16usize];
    ["Alignment of PJRT_ExecutableMetadata"]
        [::std::mem::align_of::<PJRT_ExecutableMetadata>() - 8usize];
    ["Offset of field: PJRT_ExecutableMetadata::serialized_metadata"]
        [::std::mem::offset_of!(PJRT_ExecutableMetadata, serialized_metadata) - 0usize];
    ["Offset of field: PJRT_ExecutableMetadata::serialized_metadata_size"]
        [::std::mem::offset_of!(PJRT_ExecutableMetadata, serialized_metadata_size) - 8usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args {
    pub executable: *mut PJRT_Executable,
    pub metadata: *mut PJRT_ExecutableMetadata,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_ExecutableMetadata_GetExecutableMetadata_Args"]
        [::std::mem::size_of::<PJRT_ExecutableMetadata_GetExecutableMetadata_Args>() - 16usize];
    ["Alignment of PJRT_ExecutableMetadata_GetExecutableMetadata_Args"]
        [::std::mem::align_of::<PJRT_ExecutableMetadata_GetExecutableMetadata_Args>() - 8usize];
    ["Offset of field: PJRT_ExecutableMetadata_GetExecutableMetadata_Args::executable"][::std::mem::offset_of!(
        PJRT_ExecutableMetadata_GetExecutableMetadata_Args,
        executable
    ) - 0usize];
    ["Offset of field: PJRT_ExecutableMetadata_GetExecutableMetadata_Args::metadata"][::std::mem::offset_of!(
        PJRT_ExecutableMetadata_GetExecutableMetadata_Args,
        metadata
    ) - 8usize];
};
pub const PJRT_ExecutableMetadata_GetExecutableMetadata_Args_STRUCT_SIZE: usize = 16;
pub type PJRT_ExecutableMetadata_GetExecutableMetadata = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_ExecutableMetadata_GetExecutableMetadata_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args {
    pub metadata: *mut PJRT_ExecutableMetadata,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_ExecutableMetadata_DestroySerializedMetadata_Args"]
        [::std::mem::size_of::<PJRT_ExecutableMetadata_DestroySerializedMetadata_Args>() - 8usize];
    ["Alignment of PJRT_ExecutableMetadata_DestroySerializedMetadata_Args"]
        [::std::mem::align_of::<PJRT_ExecutableMetadata_DestroySerializedMetadata_Args>() - 8usize];
    ["Offset of field: PJRT_ExecutableMetadata_DestroySerializedMetadata_Args::metadata"][::std::mem::offset_of!(
        PJRT_ExecutableMetadata_DestroySerializedMetadata_Args,
        metadata
    )
        - 0usize];
};
pub const PJRT_ExecutableMetadata_DestroySerializedMetadata_Args_STRUCT_SIZE: usize = 8;
pub type PJRT_ExecutableMetadata_DestroySerializedMetadata = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_ExecutableMetadata_DestroySerializedMetadata_Args),
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_ExecutableMetadata_Extension {
    pub base: PJRT_Extension_Base,
    pub get_executable_metadata: PJRT_ExecutableMetadata_GetExecutableMetadata,
    pub destroy_serialized_metadata: PJRT_ExecutableMetadata_DestroySerializedMetadata,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_ExecutableMetadata_Extension"]
        [::std::mem::size_of::<PJRT_ExecutableMetadata_Extension>() - 40usize];
    ["Alignment of PJRT_ExecutableMetadata_Extension"]
        [::std::mem::align_of::<PJRT_ExecutableMetadata_Extension>() - 8usize];
    ["Offset of field: PJRT_ExecutableMetadata_Extension::base"]
        [::std::mem::offset_of!(PJRT_ExecutableMetadata_Extension, base) - 0usize];
    ["Offset of field: PJRT_ExecutableMetadata_Extension::get_executable_metadata"][::std::mem::offset_of!(
        PJRT_ExecutableMetadata_Extension,
        get_executable_metadata
    ) - 24usize];
    ["Offset of field: PJRT_ExecutableMetadata_Extension::destroy_serialized_metadata"][::std::mem::offset_of!(
        PJRT_ExecutableMetadata_Extension,
        destroy_serialized_metadata
    )
        - 32usize];
};
pub const PJRT_ExecutableMetadata_Extension_STRUCT_SIZE: usize = 40;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_HostAllocator_GetPreferredAlignment_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub preferred_alignment: usize,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_HostAllocator_GetPreferredAlignment_Args"]
        [::std::mem::size_of::<PJRT_HostAllocator_GetPreferredAlignment_Args>() - 32usize];
    ["Alignment of PJRT_HostAllocator_GetPreferredAlignment_Args"]
        [::std::mem::align_of::<PJRT_HostAllocator_GetPreferredAlignment_Args>() - 8usize];
    ["Offset of field: PJRT_HostAllocator_GetPreferredAlignment_Args::struct_size"][::std::mem::offset_of!(
        PJRT_HostAllocator_GetPreferredAlignment_Args,
        struct_size
    ) - 0usize];
    ["Offset of field: PJRT_HostAllocator_GetPreferredAlignment_Args::extension_start"][::std::mem::offset_of!(
        PJRT_HostAllocator_GetPreferredAlignment_Args,
        extension_start
    ) - 8usize];
    ["Offset of field: PJRT_HostAllocator_GetPreferredAlignment_Args::client"]
        [::std::mem::offset_of!(PJRT_HostAllocator_GetPreferredAlignment_Args, client) - 16usize];
    ["Offset of field: PJRT_HostAllocator_GetPreferredAlignment_Args::preferred_alignment"][::std::mem::offset_of!(
        PJRT_HostAllocator_GetPreferredAlignment_Args,
        preferred_alignment
    )
        - 24usize];
};
pub const PJRT_HostAllocator_GetPreferredAlignment_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_HostAllocator_GetPreferredAlignment = ::std::option::Option<
    unsafe extern "C" fn(
        args: *mut PJRT_HostAllocator_GetPreferredAlignment_Args,
    ) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_HostAllocator_Allocate_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub size: usize,
    pub alignment: usize,
    pub ptr: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_HostAllocator_Allocate_Args"]
        [::std::mem::size_of::<PJRT_HostAllocator_Allocate_Args>() - 48usize];
    ["Alignment of PJRT_HostAllocator_Allocate_Args"]
        [::std::mem::align_of::<PJRT_HostAllocator_Allocate_Args>() - 8usize];
    ["Offset of field: PJRT_HostAllocator_Allocate_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Allocate_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_HostAllocator_Allocate_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Allocate_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_HostAllocator_Allocate_Args::client"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Allocate_Args, client) - 16usize];
    ["Offset of field: PJRT_HostAllocator_Allocate_Args::size"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Allocate_Args, size) - 24usize];
    ["Offset of field: PJRT_HostAllocator_Allocate_Args::alignment"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Allocate_Args, alignment) - 32usize];
    ["Offset of field: PJRT_HostAllocator_Allocate_Args::ptr"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Allocate_Args, ptr) - 40usize];
};
pub const PJRT_HostAllocator_Allocate_Args_STRUCT_SIZE: usize = 48;
pub type PJRT_HostAllocator_Allocate = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_HostAllocator_Allocate_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_HostAllocator_Free_Args {
    pub struct_size: usize,
    pub extension_start: *mut PJRT_Extension_Base,
    pub client: *mut PJRT_Client,
    pub ptr: *mut ::std::os::raw::c_void,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_HostAllocator_Free_Args"]
        [::std::mem::size_of::<PJRT_HostAllocator_Free_Args>() - 32usize];
    ["Alignment of PJRT_HostAllocator_Free_Args"]
        [::std::mem::align_of::<PJRT_HostAllocator_Free_Args>() - 8usize];
    ["Offset of field: PJRT_HostAllocator_Free_Args::struct_size"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Free_Args, struct_size) - 0usize];
    ["Offset of field: PJRT_HostAllocator_Free_Args::extension_start"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Free_Args, extension_start) - 8usize];
    ["Offset of field: PJRT_HostAllocator_Free_Args::client"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Free_Args, client) - 16usize];
    ["Offset of field: PJRT_HostAllocator_Free_Args::ptr"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Free_Args, ptr) - 24usize];
};
pub const PJRT_HostAllocator_Free_Args_STRUCT_SIZE: usize = 32;
pub type PJRT_HostAllocator_Free = ::std::option::Option<
    unsafe extern "C" fn(args: *mut PJRT_HostAllocator_Free_Args) -> *mut PJRT_Error,
>;
#[repr(C)]
#[derive(Copy, Clone)]
pub struct PJRT_HostAllocator_Extension {
    pub base: PJRT_Extension_Base,
    pub get_preferred_alignment: PJRT_HostAllocator_GetPreferredAlignment,
    pub allocate: PJRT_HostAllocator_Allocate,
    pub free: PJRT_HostAllocator_Free,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of PJRT_HostAllocator_Extension"]
        [::std::mem::size_of::<PJRT_HostAllocator_Extension>() - 48usize];
    ["Alignment of PJRT_HostAllocator_Extension"]
        [::std::mem::align_of::<PJRT_HostAllocator_Extension>() - 8usize];
    ["Offset of field: PJRT_HostAllocator_Extension::base"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Extension, base) - 0usize];
    ["Offset of field: PJRT_HostAllocator_Extension::get_preferred_alignment"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Extension, get_preferred_alignment) - 24usize];
    ["Offset of field: PJRT_HostAllocator_Extension::allocate"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Extension, allocate) - 32usize];
    ["Offset of field: PJRT_HostAllocator_Extension::free"]
        [::std::mem::offset_of!(PJRT_HostAllocator_Extension, free) - 40usize];
};
pub const PJRT_HostAllocator_Extension_STRUCT_SIZE: usize = 48;
