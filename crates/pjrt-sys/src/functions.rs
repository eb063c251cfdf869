//! The function table of the PJRT C API as data: each function's name, place in the table and first
//! minor version, and the size of its argument struct in each minor version.
//!
//! The order of the table has only ever grown at its end, with one exception, [`BROKEN_MINOR`].

use std::{
    ffi::c_void,
    mem::{offset_of, size_of},
    ptr::NonNull,
};

use crate::{
    bindings::*,
    later::*,
    versioned::{Versioned, sizes},
};

/// The newest minor version that this crate declares.
pub const API_MINOR: u16 = 116;

/// The oldest minor version whose function table and extensions this crate describes.
pub const MINIMUM_MINOR: u16 = 54;

/// The minor version with a function in the middle of its table: no entry after it can be trusted.
pub const BROKEN_MINOR: u16 = 56;

/// Byte offset of the first function in `PJRT_Api`.
pub const FUNCTIONS_OFFSET: usize = 40;

/// An entry of the function table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// The name in the header, for example `PJRT_Buffer_Delete`.
    pub name: &'static str,
    /// The place in the table, from 0.
    pub index: usize,
    /// The first minor version that has it.
    pub first_minor: u16,
}

impl Function {
    /// The offset of the entry in `PJRT_Api`, in bytes.
    pub const fn offset(self) -> usize {
        FUNCTIONS_OFFSET + self.index * size_of::<*const c_void>()
    }

    /// The function's address, or `None` where the table ends before it or holds null.
    ///
    /// # Safety
    /// `api` points to a table of as many bytes as its `struct_size` says, at least 24.
    pub unsafe fn address(self, api: NonNull<PJRT_Api>) -> Option<NonNull<c_void>> {
        // SAFETY: struct_size is the first field of every table.
        let size = unsafe { (&raw const (*api.as_ptr()).struct_size).read() };
        if size < self.offset() + size_of::<*const c_void>() {
            return None;
        }
        // SAFETY: the entry lies within the table, as has just been checked; entries are pointers.
        NonNull::new(unsafe { api.as_ptr().byte_add(self.offset()).cast::<*mut c_void>().read() })
    }
}

/// The argument struct of a function of the table that returns an error.
///
/// # Safety
/// `FUNCTION` is the function that takes a pointer to this struct and returns `*mut PJRT_Error`.
pub unsafe trait Arguments: Versioned {
    /// The function that takes this struct.
    const FUNCTION: Function;
}

/// Calls the function that takes `args`; `None` where the table lacks it, a null error for success.
///
/// # Safety
/// As for [`Function::address`]; and what the header asks of the fields of `args`.
pub unsafe fn call<A: Arguments>(api: NonNull<PJRT_Api>, args: &mut A) -> Option<*mut PJRT_Error> {
    // SAFETY: the caller promises a valid table.
    let address = unsafe { A::FUNCTION.address(api) }?;
    // SAFETY: the trait promises that the function has this type; the caller answers for the rest.
    unsafe {
        let function: unsafe extern "C" fn(*mut A) -> *mut PJRT_Error =
            std::mem::transmute(address.as_ptr());
        Some(function(args))
    }
}

/// Frees an error.
pub const ERROR_DESTROY: Function =
    Function { name: "PJRT_Error_Destroy", index: 0, first_minor: 0 };

/// Reads the message of an error.
pub const ERROR_MESSAGE: Function =
    Function { name: "PJRT_Error_Message", index: 1, first_minor: 0 };

macro_rules! functions {
    ($(#[$doc:meta])* $list:ident;
     $($function:ident($args:ident) = $index:literal, since $first:literal, $size:literal
        $(, $minor:literal => $later:literal)*;)*) => {
        sizes! { $($args, $size $(, $minor => $later)*;)* }
        $(
            // SAFETY: the header pairs function and struct by name.
            unsafe impl Arguments for $args {
                const FUNCTION: Function =
                    Function { name: stringify!($function), index: $index, first_minor: $first };
            }
        )*
        $(#[$doc])*
        pub const $list: &[Function] = &[$(<$args as Arguments>::FUNCTION,)*];
    };
}

functions! {
    /// The functions of the published header after the two that read and free errors.
    PUBLISHED_FUNCTIONS;
    PJRT_Error_GetCode(PJRT_Error_GetCode_Args) = 2, since 0, 28;
    PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args) = 3, since 13, 16;
    PJRT_Plugin_Attributes(PJRT_Plugin_Attributes_Args) = 4, since 9, 24, 71 => 32;
    PJRT_Event_Destroy(PJRT_Event_Destroy_Args) = 5, since 0, 24;
    PJRT_Event_IsReady(PJRT_Event_IsReady_Args) = 6, since 0, 25;
    PJRT_Event_Error(PJRT_Event_Error_Args) = 7, since 0, 24;
    PJRT_Event_Await(PJRT_Event_Await_Args) = 8, since 0, 24;
    PJRT_Event_OnReady(PJRT_Event_OnReady_Args) = 9, since 0, 40;
    PJRT_Client_Create(PJRT_Client_Create_Args) = 10, since 0, 72, 61 => 88;
    PJRT_Client_Destroy(PJRT_Client_Destroy_Args) = 11, since 0, 24;
    PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args) = 12, since 0, 40;
    PJRT_Client_ProcessIndex(PJRT_Client_ProcessIndex_Args) = 13, since 0, 28;
    PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args) = 14, since 0, 40;
    PJRT_Client_Devices(PJRT_Client_Devices_Args) = 15, since 0, 40;
    PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args) = 16, since 0, 40;
    PJRT_Client_LookupDevice(PJRT_Client_LookupDevice_Args) = 17, since 0, 40;
    PJRT_Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args) = 18, since 0, 40;
    PJRT_Client_AddressableMemories(PJRT_Client_AddressableMemories_Args) = 19, since 20, 40;
    PJRT_Client_Compile(PJRT_Client_Compile_Args) = 20, since 0, 56;
    PJRT_Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args) = 21, since 0, 48;
    PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args) = 22, since 0, 120;
    PJRT_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args) = 23, since 0, 28;
    PJRT_DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args) = 24, since 0, 28;
    PJRT_DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args) = 25, since 0, 40;
    PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args) = 26, since 0, 40;
    PJRT_DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args) = 27, since 0, 40;
    PJRT_DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args) = 28, since 0, 40;
    PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args) = 29, since 0, 32;
    PJRT_Device_IsAddressable(PJRT_Device_IsAddressable_Args) = 30, since 0, 25;
    PJRT_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args) = 31, since 0, 28;
    PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args) = 32, since 13, 40;
    PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args) = 33, since 17, 32;
    PJRT_Device_MemoryStats(PJRT_Device_MemoryStats_Args) = 34, since 0, 185, 113 => 201;
    PJRT_Memory_Id(PJRT_Memory_Id_Args) = 35, since 16, 28;
    PJRT_Memory_Kind(PJRT_Memory_Kind_Args) = 36, since 14, 40;
    PJRT_Memory_DebugString(PJRT_Memory_DebugString_Args) = 37, since 15, 40;
    PJRT_Memory_ToString(PJRT_Memory_ToString_Args) = 38, since 15, 40;
    PJRT_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args) = 39, since 20, 40;
    PJRT_Executable_Destroy(PJRT_Executable_Destroy_Args) = 40, since 0, 24;
    PJRT_Executable_Name(PJRT_Executable_Name_Args) = 41, since 0, 40;
    PJRT_Executable_NumReplicas(PJRT_Executable_NumReplicas_Args) = 42, since 0, 32;
    PJRT_Executable_NumPartitions(PJRT_Executable_NumPartitions_Args) = 43, since 0, 32;
    PJRT_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args) = 44, since 0, 32;
    PJRT_Executable_SizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args) = 45, since 0, 32;
    PJRT_Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args) = 46, since 0, 40;
    PJRT_Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args) = 47, since 18, 48;
    PJRT_Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args) = 48, since 0, 32;
    PJRT_Executable_Serialize(PJRT_Executable_Serialize_Args) = 49, since 0, 56;
    PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args) = 50, since 0, 24;
    PJRT_LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args) = 51, since 0, 32;
    PJRT_LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args) = 52, since 0, 40;
    PJRT_LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args) = 53, since 0, 24;
    PJRT_LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args) = 54, since 0, 25;
    PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args) = 55, since 0, 80;
    PJRT_Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args) = 56, since 0, 48, 71 => 64, 111 => 72;
    PJRT_LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args) = 57, since 28, 40;
    PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args) = 58, since 0, 24;
    PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args) = 59, since 5, 28;
    PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args) = 60, since 6, 40;
    PJRT_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args) = 61, since 7, 40;
    PJRT_Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args) = 62, since 11, 40;
    PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args) = 63, since 10, 104;
    PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args) = 64, since 0, 32;
    PJRT_Buffer_Device(PJRT_Buffer_Device_Args) = 65, since 0, 32;
    PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args) = 66, since 24, 32;
    PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args) = 67, since 0, 24;
    PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args) = 68, since 0, 25;
    PJRT_Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args) = 69, since 0, 40;
    PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args) = 70, since 0, 56;
    PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args) = 71, since 0, 25;
    PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args) = 72, since 0, 32;
    PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args) = 73, since 0, 32;
    PJRT_Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args) = 74, since 19, 24;
    PJRT_Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args) = 75, since 19, 24;
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args) = 76, since 19, 32;
    PJRT_CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args) = 77, since 11, 24;
    PJRT_CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args) = 78, since 0, 40;
    PJRT_CopyToDeviceStream_TotalBytes(PJRT_CopyToDeviceStream_TotalBytes_Args) = 79, since 0, 32;
    PJRT_CopyToDeviceStream_GranuleSize(PJRT_CopyToDeviceStream_GranuleSize_Args) = 80, since 0, 32;
    PJRT_CopyToDeviceStream_CurrentBytes(PJRT_CopyToDeviceStream_CurrentBytes_Args) = 81, since 0, 32;
    PJRT_TopologyDescription_Create(PJRT_TopologyDescription_Create_Args) = 82, since 0, 56;
    PJRT_TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args) = 83, since 0, 24;
    PJRT_TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args) = 84, since 0, 40;
    PJRT_TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args) = 85, since 0, 40;
    PJRT_TopologyDescription_GetDeviceDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args) = 86, since 0, 40;
    PJRT_TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args) = 87, since 22, 56;
    PJRT_TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args) = 88, since 27, 40;
    PJRT_Compile(PJRT_Compile_Args) = 89, since 0, 64;
    PJRT_Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args) = 90, since 29, 40;
    PJRT_Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args) = 91, since 29, 48;
    PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args) = 92, since 32, 40;
    PJRT_Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args) = 93, since 33, 104, 66 => 112;
    PJRT_Executable_Fingerprint(PJRT_Executable_Fingerprint_Args) = 94, since 35, 40;
    PJRT_Client_TopologyDescription(PJRT_Client_TopologyDescription_Args) = 95, since 36, 32;
    PJRT_Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args) = 96, since 40, 104, 72 => 112, 90 => 120, 104 => 144;
    PJRT_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args) = 97, since 48, 28;
    PJRT_ExecuteContext_Create(PJRT_ExecuteContext_Create_Args) = 98, since 52, 24;
    PJRT_ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args) = 99, since 52, 24;
    PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args) = 100, since 57, 56;
    PJRT_AsyncHostToDeviceTransferManager_Destroy(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args) = 101, since 60, 24;
    PJRT_AsyncHostToDeviceTransferManager_TransferData(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args) = 102, since 60, 72;
    PJRT_Client_CreateBuffersForAsyncHostToDevice(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args) = 103, since 60, 72;
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args) = 104, since 62, 40;
    PJRT_AsyncHostToDeviceTransferManager_Device(PJRT_AsyncHostToDeviceTransferManager_Device_Args) = 105, since 62, 32;
    PJRT_AsyncHostToDeviceTransferManager_BufferCount(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args) = 106, since 62, 32;
    PJRT_AsyncHostToDeviceTransferManager_BufferSize(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args) = 107, since 62, 40;
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args) = 108, since 62, 48;
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args) = 109, since 62, 40;
    PJRT_Client_DmaMap(PJRT_Client_DmaMap_Args) = 110, since 67, 40;
    PJRT_Client_DmaUnmap(PJRT_Client_DmaUnmap_Args) = 111, since 67, 32;
    PJRT_Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args) = 112, since 69, 80;
    PJRT_Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args) = 113, since 73, 40;
    PJRT_TopologyDescription_Deserialize(PJRT_TopologyDescription_Deserialize_Args) = 114, since 75, 40;
    PJRT_Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args) = 115, since 77, 80;
    PJRT_Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args) = 116, since 77, 64;
    PJRT_LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args) = 117, since 79, 56;
    PJRT_Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args) = 118, since 82, 96, 103 => 112;
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args) = 119, since 83, 80;
    PJRT_Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args) = 120, since 84, 64;
    PJRT_Device_PoisonExecution(PJRT_Device_PoisonExecution_Args) = 121, since 85, 49, 100 => 72;
    PJRT_Device_CreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args) = 122, since 86, 48;
    PJRT_AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args) = 123, since 86, 24;
    PJRT_Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args) = 124, since 87, 56;
    PJRT_Buffer_DonateWithControlDependency(PJRT_Buffer_DonateWithControlDependency_Args) = 125, since 88, 48;
    PJRT_Event_Create(PJRT_Event_Create_Args) = 126, since 89, 24;
    PJRT_Event_Set(PJRT_Event_Set_Args) = 127, since 89, 48;
}

functions! {
    /// The functions added since.
    LATER_FUNCTIONS;
    PJRT_Device_GetAttributes(PJRT_Device_GetAttributes_Args) = 128, since 92, 56;
    PJRT_Client_Load(PJRT_Client_Load_Args) = 129, since 95, 56;
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args) = 130, since 96, 40;
    PJRT_Buffer_Bitcast(PJRT_Buffer_Bitcast_Args) = 131, since 98, 64;
    PJRT_Error_ForEachPayload(PJRT_Error_ForEachPayload_Args) = 132, since 99, 40;
    PJRT_TopologyDescription_Fingerprint(PJRT_TopologyDescription_Fingerprint_Args) = 133, since 101, 32;
    PJRT_Executable_ParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args) = 134, since 102, 48;
    PJRT_Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args) = 135, since 106, 24;
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args) = 136, since 109, 88;
    PJRT_TopologyDescription_GetMemorySpaceKindIds(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args) = 137, since 110, 40;
}

/// Every function of the table, in its order.
pub fn functions() -> impl Iterator<Item = Function> {
    [ERROR_DESTROY, ERROR_MESSAGE]
        .into_iter()
        .chain(PUBLISHED_FUNCTIONS.iter().chain(LATER_FUNCTIONS).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_no_gap() {
        for (index, function) in functions().enumerate() {
            assert_eq!(function.index, index, "{}", function.name);
        }
        assert_eq!(functions().count(), 138);
        assert_eq!(functions().last().map(|last| last.offset() + 8), Some(1144));
    }

    #[test]
    fn the_table_is_the_headers() {
        assert_eq!(PUBLISHED_FUNCTIONS.len() + 2, (size_of::<PJRT_Api>() - FUNCTIONS_OFFSET) / 8);
        assert_eq!(offset_of!(PJRT_Api, PJRT_Error_Destroy), ERROR_DESTROY.offset());
        assert_eq!(offset_of!(PJRT_Api, PJRT_Error_Message), ERROR_MESSAGE.offset());
        let table = include_str!("bindings.rs");
        let table =
            &table[table.find("pub struct PJRT_Api {").expect("the bindings declare the table")..];
        let fields = table.lines().take_while(|line| *line != "}").filter_map(|line| {
            line.trim()
                .strip_prefix("pub PJRT_")
                .and_then(|field| field.split_once(':'))
                .map(|(name, _)| name)
        });
        let ours = functions().map(|function| function.name.trim_start_matches("PJRT_"));
        assert!(fields.clone().count() == 128 && fields.eq(ours.take(128)));
    }

    #[test]
    fn a_function_beyond_the_table_or_null_is_missing() {
        let destroy = PJRT_Buffer_Destroy_Args::FUNCTION;
        let address = |struct_size: usize, entry: usize| {
            let mut table = [0usize; 143];
            table[0] = struct_size;
            table[destroy.offset() / 8] = entry;
            // SAFETY: the array is as long as it says.
            unsafe { destroy.address(NonNull::from(&mut table).cast::<PJRT_Api>()) }
        };
        assert!(address(destroy.offset() + 8, 64).is_some());
        assert_eq!(address(destroy.offset() + 8, 0), None, "null");
        assert_eq!(address(destroy.offset() + 7, 64), None, "beyond the end");
    }
}
