//! Transfer managers.

use std::sync::Arc;

use hloom_pjrt_sys as sys;

use super::call::{slice, text};
use super::client::place;
use super::failure::{Failure, Outcome};
use super::happening::Happening;
use super::host::{new_buffer, shape_of};
use super::object::{Filled, Manager, handle, id};
use super::state::PluginState;
use super::storage::{Lent, Storage};

type Raw = *mut sys::PJRT_AsyncHostToDeviceTransferManager;

pub(crate) fn create(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_CreateBuffersForAsyncHostToDevice_Args,
) -> Outcome {
    // SAFETY: there are as many specs as it says.
    let specs = unsafe { slice(args.shape_specs.cast_const(), args.num_shape_specs) };
    let (device, memory) = place(state, args.client, std::ptr::null_mut(), args.memory)?;
    let filled = |spec: &sys::PJRT_ShapeSpec| {
        // SAFETY: the dimensions are as many as they say.
        let shape = unsafe { shape_of(spec.element_type, spec.dims, spec.num_dims) };
        Ok(Filled {
            storage: Storage::new(shape.bytes()?),
            shape,
            ready: Happening::pending(),
            is_taken: false,
            is_over: false,
        })
    };
    let buffers = specs.iter().map(filled).collect::<Result<_, Failure>>()?;
    args.transfer_manager =
        state.insert(Manager { client: id(args.client), device, memory, buffers });
    Ok(())
}

pub(crate) fn destroy(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
) -> Outcome {
    let manager = state.take(args.transfer_manager)?;
    for filled in manager.buffers.into_iter().filter(|filled| !filled.is_over) {
        state.now.push(Box::new(move || {
            filled.ready.happen(Err(Failure::new(1, "the transfer manager was destroyed")));
        }));
    }
    Ok(())
}

/// The buffer at an index, whose last transfer must not have begun.
fn unfinished(state: &mut PluginState, manager: Raw, index: i32) -> Result<&mut Filled, Failure> {
    let count = state.get(manager)?.buffers.len();
    let is_over = |filled: &Filled| filled.is_over;
    if index as usize >= count || is_over(&state.get(manager)?.buffers[index as usize]) {
        return Err(state.misused("a transfer after the last one".to_owned()));
    }
    Ok(&mut state.get(manager)?.buffers[index as usize])
}

pub(crate) fn retrieve(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args,
) -> Outcome {
    let manager = state.get(args.transfer_manager)?;
    let (client, place) = (manager.client, (manager.device, manager.memory));
    let filled = manager.buffers.get_mut(args.buffer_index as usize);
    let Some(filled) = filled.filter(|filled| !filled.is_taken) else {
        return Err(state.misused("a buffer that was retrieved before".to_owned()));
    };
    filled.is_taken = true;
    let (shape, storage, ready) =
        (filled.shape.clone(), filled.storage.clone(), filled.ready.clone());
    args.buffer_out = new_buffer(state, client, place, shape, storage, &ready);
    Ok(())
}

pub(crate) fn transfer(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_TransferData_Args,
) -> Outcome {
    let filled = unfinished(state, args.transfer_manager, args.buffer_index)?;
    let (offset, len) = (args.offset as usize, args.transfer_size as usize);
    if offset + len > filled.storage.len() {
        return Err(Failure::invalid("no such range"));
    }
    filled.is_over = args.is_last_transfer;
    args.done_with_h2d_transfer = copy(
        state,
        args.transfer_manager,
        args.buffer_index,
        offset,
        Lent(args.data.cast_mut().cast()),
        len,
    )?;
    Ok(())
}

pub(crate) fn transfer_whole(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args,
) -> Outcome {
    let filled = unfinished(state, args.transfer_manager, args.buffer_index)?;
    filled.is_over = true;
    let (source, len) = (Lent(args.data.cast_mut().cast()), filled.storage.len());
    args.done_with_h2d_transfer =
        copy(state, args.transfer_manager, args.buffer_index, 0, source, len)?;
    Ok(())
}

fn copy(
    state: &mut PluginState,
    manager: Raw,
    index: i32,
    offset: usize,
    source: Lent,
    len: usize,
) -> Result<*mut sys::PJRT_Event, Failure> {
    let filled = &state.get(manager)?.buffers[index as usize];
    let (storage, is_over) = (Arc::clone(&filled.storage), filled.is_over);
    let ready = Arc::clone(&filled.ready);
    let (done, planned) = (Happening::pending(), state.planned());
    let event = state.event(&done);
    state.work.push(Box::new(move || {
        // SAFETY: the caller keeps the memory until the event; the range was checked.
        unsafe { std::ptr::copy(source.start(), storage.start().add(offset), len) };
        if is_over {
            ready.happen(planned.clone());
        }
        done.happen(planned);
    }));
    Ok(event)
}

pub(crate) fn set_error(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args,
) -> Outcome {
    let filled = unfinished(state, args.transfer_manager, args.buffer_index)?;
    filled.is_over = true;
    let ready = Arc::clone(&filled.ready);
    // SAFETY: the message is as long as it says.
    let message = unsafe { text(args.error_message, args.error_message_size) };
    let failure = Failure::new(args.error_code as i32, message);
    state.now.push(Box::new(move || {
        ready.happen(Err(failure));
    }));
    Ok(())
}

pub(crate) fn metadata(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args,
) -> Outcome {
    state.get(args.transfer_manager).map(drop)
}

pub(crate) fn count(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args,
) -> Outcome {
    args.buffer_count = state.get(args.transfer_manager)?.buffers.len();
    Ok(())
}

pub(crate) fn size(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args,
) -> Outcome {
    let filled = state.get(args.transfer_manager)?.buffers.get(args.buffer_index as usize);
    args.buffer_size = filled.ok_or_else(|| Failure::invalid("no such buffer"))?.storage.len();
    Ok(())
}

pub(crate) fn device(
    state: &mut PluginState,
    args: &mut sys::PJRT_AsyncHostToDeviceTransferManager_Device_Args,
) -> Outcome {
    args.device_out = handle(state.get(args.transfer_manager)?.device);
    Ok(())
}
