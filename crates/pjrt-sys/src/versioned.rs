//! Structs whose size is their version, and the size to send to each plugin.

use std::mem::{offset_of, size_of};

use crate::{bindings::*, extensions::*, later::*};

/// A struct of the C API that begins with its own size and has grown over time.
///
/// # Safety
/// The type is `repr(C)`, its first field is `struct_size: usize`, all zeros are a valid value,
/// and no size in `SIZES` is above its own.
pub unsafe trait Versioned: Copy {
    /// The name in the header.
    const NAME: &'static str;

    /// `(minor, bytes)`: from this minor version on, the struct has this size. In rising order;
    /// the first entry is for minor 0, which covers everything up to the next.
    const SIZES: &'static [(u16, usize)];

    /// The size to send to a plugin of this minor version.
    fn size_at(minor: u16) -> usize {
        let mut size = Self::SIZES[0].1;
        for &(from, bytes) in Self::SIZES {
            if from <= minor {
                size = bytes;
            }
        }
        size
    }

    /// All zeros but for `struct_size`, which is the size at this minor version.
    fn zeroed(minor: u16) -> Self {
        let mut value = std::mem::MaybeUninit::<Self>::zeroed();
        // SAFETY: the trait promises that the first field is a usize and that zeros are valid.
        unsafe {
            value.as_mut_ptr().cast::<usize>().write(Self::size_at(minor));
            value.assume_init()
        }
    }
}

macro_rules! sizes {
    ($($name:ident, $size:literal $(, $minor:literal => $later:literal)*;)*) => {$(
        // SAFETY: the bindings declare it so; the assertion below holds the sizes.
        unsafe impl Versioned for $name {
            const NAME: &'static str = stringify!($name);
            const SIZES: &'static [(u16, usize)] = &[(0, $size) $(, ($minor, $later))*];
        }
        const _: () = {
            assert!(offset_of!($name, struct_size) == 0);
            let sizes = <$name as Versioned>::SIZES;
            // Sizes sent end with the last field: less than the alignment may be missing.
            assert!(sizes[sizes.len() - 1].1.next_multiple_of(8) == size_of::<$name>());
        };
    )*};
}

pub(crate) use sizes;

sizes! {
    PJRT_Error_Destroy_Args, 24;
    PJRT_Error_Message_Args, 40;
    PJRT_Buffer_CopyRawToHostFuture_Callback_Args, 48;
    PJRT_Buffer_DonateWithControlDependency_Callback_Args, 40;
    PJRT_Buffer_MemoryLayout, 76;
    PJRT_Buffer_MemoryLayout_Strides, 32;
    PJRT_Buffer_MemoryLayout_Tiled, 56;
    PJRT_ExecuteOptions, 72, 64 => 80, 76 => 88, 78 => 112, 97 => 120, 108 => 121, 112 => 144;
    PJRT_KeyValueGetCallback_Args, 80;
    PJRT_KeyValuePutCallback_Args, 64;
    PJRT_KeyValueTryGetCallback_Args, 72;
    PJRT_LoadOptions, 32;
    PJRT_NamedValue, 56;
    PJRT_ProcessInfo, 48;
    PJRT_Program, 48;
    PJRT_ShapeSpec, 36;
}

sizes! {
    PJRT_DeviceDescription_MemoryDescriptions_Args, 48;
    PJRT_MemoryDescription_Kind_Args, 44;
    PJRT_FFI_Type_Register_Args, 48;
    PJRT_FFI_UserData_Add_Args_V2, 48;
    PJRT_FFI_Register_Handler_Args, 52;
    PJRT_FFI_Register_Handler_Args_V2, 60;
    PJRT_Get_Stream_For_External_Ready_Events_Args, 24;
    PJRT_Wait_Until_Buffer_Ready_On_Stream_Args, 24;
    PJRT_Gpu_Register_Custom_Call_Args, 64;
    PJRT_Layouts_MemoryLayout_Destroy_Args, 24;
    PJRT_Layouts_MemoryLayout_Serialize_Args, 56;
    PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, 32;
    PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, 56;
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, 56;
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, 40;
    PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, 40;
    PJRT_PhaseCompile_Get_Compiler_Args, 24;
    PJRT_PhaseCompile_Destroy_Compiler_Args, 24;
    PJRT_PhaseCompile_Run_Phase_Args, 120;
    PJRT_PhaseCompile_Get_PhaseNames_Args, 48;
    PJRT_PhaseCompile_C_Buffers_Destroy_Args, 40;
    PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, 32;
    PJRT_RawBuffer_Copy_Args, 56;
    PJRT_Register_Batch_Partitionable_Args, 24;
    PJRT_Shardings_Args, 48;
    PLUGIN_Profiler_Error_Destroy_Args, 24;
    PLUGIN_Profiler_Error_Message_Args, 40;
    PLUGIN_Profiler_Error_GetCode_Args, 28;
    PLUGIN_Profiler_Create_Args, 32;
    PLUGIN_Profiler_Destroy_Args, 16;
    PLUGIN_Profiler_Start_Args, 16;
    PLUGIN_Profiler_Stop_Args, 16;
    PLUGIN_Profiler_CollectData_Args, 32;
}

macro_rules! generic_sizes {
    ($($name:ident<$($parameter:ident),*>;)*) => {$(
        // SAFETY: `repr(C)`, begins with its size, and is only used with pointers and integers.
        unsafe impl<$($parameter: Copy),*> Versioned for $name<$($parameter),*> {
            const NAME: &'static str = stringify!($name);
            const SIZES: &'static [(u16, usize)] = &[(0, size_of::<Self>())];
        }
    )*};
}

generic_sizes! {
    PJRT_AbiVersion_Pair_Args<O, V>;
    PJRT_AbiVersion_Destroy_Args<V>;
    PJRT_AbiVersion_ToProto_Args<V>;
    PJRT_AbiVersion_FromProto_Args<V>;
    PJRT_RawBuffer_Get_Args<V>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_minor_version() {
        type Stats = PJRT_Executable_GetCompiledMemoryStats_Args;
        let sizes = [54, 71, 72, 89, 90, 103, 104, 116, 200].map(Stats::size_at);
        assert_eq!(sizes, [104, 104, 112, 112, 120, 120, 144, 144, 144]);
        let sizes = [54, 63, 64, 76, 78, 96, 97, 108, 112].map(PJRT_ExecuteOptions::size_at);
        assert_eq!(sizes, [72, 72, 80, 88, 112, 112, 120, 121, 144]);
        assert_eq!(PJRT_Client_Create_Args::zeroed(54).struct_size, 72);
        assert_eq!(
            PJRT_Client_Create_Args::zeroed(116).struct_size,
            PJRT_Client_Create_Args_STRUCT_SIZE
        );
        assert!(PJRT_Client_Create_Args::zeroed(116).client.is_null());
    }
}
