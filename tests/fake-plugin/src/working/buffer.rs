//! Buffers on their devices.

use std::sync::Arc;

use hloom_pjrt_sys as sys;

use super::call::text;
use super::client::place;
use super::failure::{Failure, Outcome};
use super::happening::{Happening, after};
use super::host::{new_buffer, shape_of};
use super::object::{handle, id};
use super::state::PluginState;
use super::storage::Storage;

/// When it fails, references remain.
const DECREASE: &str = "PJRT_Buffer_DecreaseExternalReferenceCount";

pub(crate) fn destroy(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_Destroy_Args,
) -> Outcome {
    if state.get(args.buffer)?.references > 0 && !state.faulted.contains(&DECREASE) {
        state.misused("destroyed with external references".to_owned());
    }
    state.destroy(args.buffer)
}

pub(crate) fn element_type(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_ElementType_Args,
) -> Outcome {
    args.type_ = state.get(args.buffer)?.shape.dtype;
    Ok(())
}

pub(crate) fn dimensions(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_Dimensions_Args,
) -> Outcome {
    let dims = &state.get(args.buffer)?.shape.dims;
    (args.dims, args.num_dims) = (dims.as_ptr(), dims.len());
    Ok(())
}

pub(crate) fn unpadded(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_UnpaddedDimensions_Args,
) -> Outcome {
    let dims = &state.get(args.buffer)?.shape.dims;
    (args.unpadded_dims, args.num_dims) = (dims.as_ptr(), dims.len());
    Ok(())
}

pub(crate) fn dynamic(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_DynamicDimensionIndices_Args,
) -> Outcome {
    state.get(args.buffer).map(|_| args.num_dynamic_dims = 0)
}

pub(crate) fn layout(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_GetMemoryLayout_Args,
) -> Outcome {
    let order = &state.get(args.buffer)?.minor_to_major;
    args.layout.type_ = sys::PJRT_Buffer_MemoryLayout_Type_Tiled;
    args.layout.__bindgen_anon_1.tiled = sys::PJRT_Buffer_MemoryLayout_Tiled {
        struct_size: size_of::<sys::PJRT_Buffer_MemoryLayout_Tiled>(),
        extension_start: std::ptr::null_mut(),
        minor_to_major: order.as_ptr(),
        minor_to_major_size: order.len(),
        tile_dims: std::ptr::null(),
        tile_dim_sizes: std::ptr::null(),
        num_tiles: 0,
    };
    Ok(())
}

pub(crate) fn size(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_OnDeviceSizeInBytes_Args,
) -> Outcome {
    args.on_device_size_in_bytes = state.get(args.buffer)?.shape.bytes()?;
    Ok(())
}

pub(crate) fn device(state: &mut PluginState, args: &mut sys::PJRT_Buffer_Device_Args) -> Outcome {
    args.device = handle(state.get(args.buffer)?.device);
    Ok(())
}

pub(crate) fn memory(state: &mut PluginState, args: &mut sys::PJRT_Buffer_Memory_Args) -> Outcome {
    args.memory = handle(state.get(args.buffer)?.memory);
    Ok(())
}

pub(crate) fn delete(state: &mut PluginState, args: &mut sys::PJRT_Buffer_Delete_Args) -> Outcome {
    let buffer = state.get(args.buffer)?;
    let storage = buffer.storage.take();
    if buffer.references > 0 && !state.faulted.contains(&DECREASE) {
        state.misused("deleted with external references".to_owned());
    }
    state.garbage.push(Box::new(storage));
    Ok(())
}

pub(crate) fn is_deleted(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_IsDeleted_Args,
) -> Outcome {
    args.is_deleted = state.get(args.buffer)?.storage.is_none();
    Ok(())
}

pub(crate) fn is_on_cpu(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_IsOnCpu_Args,
) -> Outcome {
    state.get(args.buffer).map(|_| args.is_on_cpu = true)
}

pub(crate) fn ready(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_ReadyEvent_Args,
) -> Outcome {
    let mut ready = Arc::clone(&state.get(args.buffer)?.ready);
    if state.events_fail.is_some() {
        let (before, planned) = (ready, state.planned());
        ready = Happening::pending();
        let failed = Arc::clone(&ready);
        state.now.push(Box::new(move || {
            after(vec![before], planned, move |outcome| {
                failed.happen(outcome);
            });
        }));
    }
    args.event = state.event(&ready);
    Ok(())
}

pub(crate) fn address(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_UnsafePointer_Args,
) -> Outcome {
    match &state.get(args.buffer)?.storage {
        Some(storage) => args.buffer_pointer = storage.start().expose_provenance(),
        None => return Err(Failure::invalid("the buffer was deleted or donated")),
    }
    Ok(())
}

pub(crate) fn opaque(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args,
) -> Outcome {
    match &state.get(args.buffer)?.storage {
        Some(storage) => args.device_memory_ptr = storage.start().cast(),
        None => return Err(Failure::invalid("the buffer was deleted or donated")),
    }
    Ok(())
}

pub(crate) fn increase(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_IncreaseExternalReferenceCount_Args,
) -> Outcome {
    state.get(args.buffer).map(|buffer| buffer.references += 1)
}

pub(crate) fn decrease(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_DecreaseExternalReferenceCount_Args,
) -> Outcome {
    let buffer = state.get(args.buffer)?;
    match buffer.references.checked_sub(1) {
        Some(left) => buffer.references = left,
        None => return Err(state.misused("no external reference".to_owned())),
    }
    Ok(())
}

pub(crate) fn to_device(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_CopyToDevice_Args,
) -> Outcome {
    let own = state.get(args.dst_device)?.memories.0[0];
    let place = (id(args.dst_device), id(own));
    copy(state, args.buffer, place).map(|buffer| args.dst_buffer = buffer)
}

pub(crate) fn to_memory(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_CopyToMemory_Args,
) -> Outcome {
    let first = state.get(args.dst_memory)?.devices.0[0];
    let place = (id(first), id(args.dst_memory));
    copy(state, args.buffer, place).map(|buffer| args.dst_buffer = buffer)
}

fn copy(
    state: &mut PluginState,
    buffer: *mut sys::PJRT_Buffer,
    place: (usize, usize),
) -> Result<*mut sys::PJRT_Buffer, Failure> {
    let source = state.get(buffer)?;
    let Some(from) = source.storage.clone() else {
        return Err(Failure::invalid("the buffer was deleted or donated"));
    };
    let (client, shape, needs) =
        (source.client, source.shape.clone(), vec![Arc::clone(&source.ready)]);
    let storage = Storage::new(from.len());
    let (ready, planned) = (Happening::pending(), state.planned());
    let buffer = new_buffer(state, client, place, shape, Arc::clone(&storage), &ready);
    state.work.push(Box::new(move || {
        after(needs, planned, move |outcome| {
            storage.copy_from(&from);
            drop(from);
            ready.happen(outcome);
        });
    }));
    Ok(buffer)
}

pub(crate) fn bitcast(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_Bitcast_Args,
) -> Outcome {
    // SAFETY: the dimensions are as many as they say.
    let shape = unsafe { shape_of(args.element_type, args.dims, args.num_dims) };
    let source = state.get(args.buffer)?;
    let Some(storage) = source.storage.clone() else {
        return Err(Failure::invalid("the buffer was deleted or donated"));
    };
    let (client, place, ready) =
        (source.client, (source.device, source.memory), Arc::clone(&source.ready));
    if shape.bytes()? != storage.len() {
        return Err(Failure::invalid("another size"));
    }
    args.out_buffer = new_buffer(state, client, place, shape, storage, &ready);
    Ok(())
}

pub(crate) fn uninitialized(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_CreateUninitializedBuffer_Args,
) -> Outcome {
    // SAFETY: the dimensions are as many as they say.
    let shape = unsafe { shape_of(args.shape_element_type, args.shape_dims, args.shape_num_dims) };
    let place = place(state, args.client, args.device, args.memory)?;
    let storage = Storage::new(shape.bytes()?);
    let ready = Happening::pending();
    args.buffer = new_buffer(state, id(args.client), place, shape, storage, &ready);
    let planned = state.planned();
    state.now.push(Box::new(move || {
        ready.happen(planned);
    }));
    Ok(())
}

pub(crate) fn error(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_CreateErrorBuffer_Args,
) -> Outcome {
    // SAFETY: dimensions and message are as long as they say.
    let (shape, message) = unsafe {
        (
            shape_of(args.shape_element_type, args.shape_dims, args.shape_num_dims),
            text(args.error_message, args.error_message_size),
        )
    };
    let place = place(state, args.client, std::ptr::null_mut(), args.memory)?;
    let storage = Storage::new(shape.bytes()?);
    let ready = Happening::pending();
    args.buffer = new_buffer(state, id(args.client), place, shape, storage, &ready);
    let failure = Failure::new(args.error_code as i32, message);
    state.now.push(Box::new(move || {
        ready.happen(Err(failure));
    }));
    Ok(())
}
