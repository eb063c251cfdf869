//! The function table.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hloom_pjrt_sys as sys;

use super::call::call;
use super::failure::{error_code, error_destroy, error_message};
use super::{buffer, client, event, executable, execute, host, manager, promise, topology};

/// Tables by minor version. Each lives as long as the process.
static TABLES: Mutex<BTreeMap<u16, usize>> = Mutex::new(BTreeMap::new());

/// The table of a version; functions that this plugin omits are null.
pub(crate) fn table(minor: u16) -> *const sys::PJRT_Api {
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    let address = *tables.entry(minor).or_insert_with(|| make(minor).expose_provenance());
    std::ptr::with_exposed_provenance(address)
}

fn make(minor: u16) -> *const sys::PJRT_Api {
    let first = sys::functions::FUNCTIONS_OFFSET / 8;
    let known = sys::functions().filter(|function| function.first_minor <= minor).count();
    let mut words = vec![std::ptr::null::<()>(); first + known];
    words[0] = std::ptr::without_provenance((first + known) * 8);
    words[1] = crate::ffi::extension(Some(crate::FfiForm::V3)).cast();
    words[2] = std::ptr::without_provenance(sys::PJRT_Api_Version_STRUCT_SIZE);
    words[4] = std::ptr::without_provenance(usize::from(minor) << 32);
    words[first] = error_destroy as *const ();
    words[first + 1] = error_message as *const ();
    for (function, address) in entries() {
        if function.index < known {
            words[first + function.index] = address;
        }
    }
    Box::leak(words.into_boxed_slice()).as_ptr().cast()
}

macro_rules! entries {
    ($($args:ident => $answer:expr;)*) => {
        /// Each function of the table and its address.
        fn entries() -> Vec<(sys::Function, *const ())> {
            vec![
                (
                    <sys::PJRT_Error_GetCode_Args as sys::Arguments>::FUNCTION,
                    error_code as *const (),
                ),
                $({
                    unsafe extern "C" fn entry(args: *mut sys::$args) -> *mut sys::PJRT_Error {
                        // SAFETY: the table holds this function at the place of its struct.
                        unsafe { call(args, $answer) }
                    }
                    (<sys::$args as sys::Arguments>::FUNCTION, entry as *const ())
                },)*
            ]
        }
    };
}

entries! {
    PJRT_Plugin_Initialize_Args => |_, _| Ok(());
    PJRT_Plugin_Attributes_Args => |_, _| Ok(());
    PJRT_Event_Create_Args => event::create;
    PJRT_Event_Set_Args => event::set;
    PJRT_Event_Destroy_Args => event::destroy;
    PJRT_Event_IsReady_Args => event::is_ready;
    PJRT_Event_Error_Args => event::error;
    PJRT_Event_Await_Args => event::wait;
    PJRT_Event_OnReady_Args => event::on_ready;
    PJRT_Client_Create_Args => client::create;
    PJRT_Client_Destroy_Args => client::destroy;
    PJRT_Client_PlatformName_Args => client::platform_name;
    PJRT_Client_PlatformVersion_Args => client::platform_version;
    PJRT_Client_ProcessIndex_Args => client::process_index;
    PJRT_Client_Devices_Args => client::devices;
    PJRT_Client_AddressableDevices_Args => client::addressable_devices;
    PJRT_Client_AddressableMemories_Args => client::memories;
    PJRT_Client_DefaultDeviceAssignment_Args => client::assignment;
    PJRT_Client_DmaMap_Args => client::dma_map;
    PJRT_Client_DmaUnmap_Args => client::dma_unmap;
    PJRT_Device_GetDescription_Args => client::description;
    PJRT_Device_IsAddressable_Args => client::is_addressable;
    PJRT_Device_LocalHardwareId_Args => client::hardware_id;
    PJRT_Device_MemoryStats_Args => client::memory_stats;
    PJRT_Device_AddressableMemories_Args => client::device_memories;
    PJRT_Device_DefaultMemory_Args => client::default_memory;
    PJRT_Device_CreateAsyncTrackingEvent_Args => client::track;
    PJRT_AsyncTrackingEvent_Destroy_Args => |state, args| state.destroy(args.event);
    PJRT_Memory_Id_Args => client::memory_id;
    PJRT_Memory_Kind_Args => client::memory_kind;
    PJRT_Memory_Kind_Id_Args => client::memory_kind_id;
    PJRT_Memory_DebugString_Args => client::memory_debug;
    PJRT_Memory_ToString_Args => client::memory_text;
    PJRT_Memory_AddressableByDevices_Args => client::memory_devices;
    PJRT_DeviceDescription_Id_Args => topology::id;
    PJRT_DeviceDescription_ProcessIndex_Args => topology::process;
    PJRT_DeviceDescription_Kind_Args => topology::kind;
    PJRT_DeviceDescription_DebugString_Args => topology::debug;
    PJRT_DeviceDescription_ToString_Args => topology::display;
    PJRT_DeviceDescription_Attributes_Args => topology::device_attributes;
    PJRT_TopologyDescription_Create_Args => topology::create;
    PJRT_TopologyDescription_Destroy_Args => topology::destroy;
    PJRT_Client_TopologyDescription_Args => topology::of_client;
    PJRT_TopologyDescription_PlatformName_Args => topology::platform_name;
    PJRT_TopologyDescription_PlatformVersion_Args => topology::platform_version;
    PJRT_TopologyDescription_GetDeviceDescriptions_Args => topology::devices;
    PJRT_TopologyDescription_Attributes_Args => topology::attributes;
    PJRT_TopologyDescription_Serialize_Args => topology::serialize;
    PJRT_TopologyDescription_Deserialize_Args => topology::deserialize;
    PJRT_Client_Compile_Args => executable::compile;
    PJRT_Compile_Args => executable::compile_ahead;
    PJRT_Client_Load_Args => executable::load_compiled;
    PJRT_Executable_DeserializeAndLoad_Args => executable::deserialize;
    PJRT_Executable_Serialize_Args => executable::serialize;
    PJRT_Executable_Destroy_Args => executable::destroy;
    PJRT_Executable_Name_Args => executable::name;
    PJRT_Executable_NumReplicas_Args => executable::replicas;
    PJRT_Executable_NumPartitions_Args => executable::partitions;
    PJRT_Executable_NumOutputs_Args => executable::outputs;
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args => executable::code_size;
    PJRT_Executable_OutputElementTypes_Args => executable::types;
    PJRT_Executable_OutputDimensions_Args => executable::dimensions;
    PJRT_Executable_OptimizedProgram_Args => executable::optimized;
    PJRT_Executable_GetCompiledMemoryStats_Args => executable::memory_stats;
    PJRT_Executable_GetCostAnalysis_Args => executable::costs;
    PJRT_Executable_Fingerprint_Args => executable::fingerprint;
    PJRT_LoadedExecutable_Destroy_Args => executable::loaded_destroy;
    PJRT_LoadedExecutable_GetExecutable_Args => executable::executable;
    PJRT_LoadedExecutable_AddressableDevices_Args => executable::devices;
    PJRT_LoadedExecutable_Delete_Args => executable::delete;
    PJRT_LoadedExecutable_IsDeleted_Args => executable::is_deleted;
    PJRT_LoadedExecutable_Execute_Args => execute::execute;
    PJRT_ExecuteContext_Create_Args => execute::context_create;
    PJRT_ExecuteContext_Destroy_Args => execute::context_destroy;
    PJRT_Client_BufferFromHostBuffer_Args => host::from_host;
    PJRT_Client_CreateViewOfDeviceBuffer_Args => host::view;
    PJRT_Buffer_ToHostBuffer_Args => host::to_host;
    PJRT_Buffer_CopyRawToHost_Args => host::raw_to_host;
    PJRT_Buffer_Destroy_Args => buffer::destroy;
    PJRT_Buffer_ElementType_Args => buffer::element_type;
    PJRT_Buffer_Dimensions_Args => buffer::dimensions;
    PJRT_Buffer_UnpaddedDimensions_Args => buffer::unpadded;
    PJRT_Buffer_DynamicDimensionIndices_Args => buffer::dynamic;
    PJRT_Buffer_GetMemoryLayout_Args => buffer::layout;
    PJRT_Buffer_OnDeviceSizeInBytes_Args => buffer::size;
    PJRT_Buffer_Device_Args => buffer::device;
    PJRT_Buffer_Memory_Args => buffer::memory;
    PJRT_Buffer_Delete_Args => buffer::delete;
    PJRT_Buffer_IsDeleted_Args => buffer::is_deleted;
    PJRT_Buffer_IsOnCpu_Args => buffer::is_on_cpu;
    PJRT_Buffer_ReadyEvent_Args => buffer::ready;
    PJRT_Buffer_UnsafePointer_Args => buffer::address;
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args => buffer::opaque;
    PJRT_Buffer_IncreaseExternalReferenceCount_Args => buffer::increase;
    PJRT_Buffer_DecreaseExternalReferenceCount_Args => buffer::decrease;
    PJRT_Buffer_CopyToDevice_Args => buffer::to_device;
    PJRT_Buffer_CopyToMemory_Args => buffer::to_memory;
    PJRT_Buffer_Bitcast_Args => buffer::bitcast;
    PJRT_Client_CreateUninitializedBuffer_Args => buffer::uninitialized;
    PJRT_Client_CreateErrorBuffer_Args => buffer::error;
    PJRT_Client_CreateAliasBuffer_Args => promise::alias_create;
    PJRT_Client_FulfillAliasBuffer_Args => promise::alias_fulfill;
    PJRT_Buffer_DonateWithControlDependency_Args => promise::donate;
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args => manager::create;
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args => manager::destroy;
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args => manager::retrieve;
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args => manager::transfer;
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args => manager::transfer_whole;
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args => manager::set_error;
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args => manager::metadata;
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args => manager::count;
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args => manager::size;
    PJRT_AsyncHostToDeviceTransferManager_Device_Args => manager::device;
}
