//! The expected reaction of a caller to failing calls.

/// Functions whose failure is not reported: those that free objects, and those that a client can do
/// without.
pub fn may_be_silent(function: &str) -> bool {
    const OPTIONAL: [&str; 8] = [
        // For a dropped promise.
        "PJRT_Client_FulfillAliasBuffer",
        // A device may lack either.
        "PJRT_Device_LocalHardwareId",
        "PJRT_Device_DefaultMemory",
        // Without it, a program has no signature.
        "PJRT_Executable_OptimizedProgram",
        // Queried first; otherwise the event is awaited or has a callback.
        "PJRT_Event_IsReady",
        "PJRT_Event_OnReady",
        "PJRT_Buffer_DecreaseExternalReferenceCount",
        "PJRT_Client_DmaUnmap",
    ];
    function.ends_with("_Destroy") || OPTIONAL.contains(&function)
}

/// Functions that return a handle, or bytes: success without one is an error.
pub(super) fn returns_something(function: &str) -> bool {
    const MAKERS: [&str; 21] = [
        "PJRT_Event_Create",
        "PJRT_Device_GetDescription",
        "PJRT_Client_Create",
        "PJRT_Client_TopologyDescription",
        "PJRT_Client_Compile",
        "PJRT_Compile",
        "PJRT_Client_Load",
        "PJRT_Executable_DeserializeAndLoad",
        "PJRT_Executable_Serialize",
        "PJRT_LoadedExecutable_GetExecutable",
        "PJRT_LoadedExecutable_Execute",
        "PJRT_ExecuteContext_Create",
        "PJRT_Client_BufferFromHostBuffer",
        "PJRT_Buffer_ToHostBuffer",
        "PJRT_Buffer_ReadyEvent",
        "PJRT_Buffer_CopyToDevice",
        "PJRT_Buffer_CopyToMemory",
        "PJRT_Buffer_CopyRawToHost",
        "PJRT_TopologyDescription_Create",
        "PJRT_TopologyDescription_Serialize",
        "PJRT_TopologyDescription_Deserialize",
    ];
    MAKERS.contains(&function)
        || function.starts_with("PJRT_Client_Create")
        || function.starts_with("PJRT_AsyncHostToDeviceTransferManager_Transfer")
        || function.starts_with("PJRT_AsyncHostToDeviceTransferManager_Retrieve")
}
