//! Transfers between host and devices.

use std::ffi::c_void;
use std::sync::Arc;

use hloom_pjrt_sys as sys;

use super::call::slice;
use super::client::place;
use super::failure::{Failure, Outcome};
use super::happening::{Happening, after};
use super::object::{Buffer, id};
use super::program::Shape;
use super::state::PluginState;
use super::storage::{ALIGNMENT, Lent, Owner, Storage};

/// # Safety
/// There are as many dimensions as it says.
pub(crate) unsafe fn shape_of(dtype: u32, dims: *const i64, len: usize) -> Shape {
    // SAFETY: by the contract of this function.
    let dims = unsafe { slice(dims, len) }.to_vec();
    Shape { dtype, dims }
}

pub(crate) fn new_buffer(
    state: &mut PluginState,
    client: usize,
    (device, memory): (usize, usize),
    shape: Shape,
    storage: Arc<Storage>,
    ready: &Arc<Happening>,
) -> *mut sys::PJRT_Buffer {
    state.insert(Buffer {
        client,
        device,
        memory,
        minor_to_major: (0..shape.dims.len() as i64).rev().collect(),
        shape,
        storage: Some(storage),
        ready: Arc::clone(ready),
        references: 0,
    })
}

pub(crate) fn from_host(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_BufferFromHostBuffer_Args,
) -> Outcome {
    // SAFETY: dimensions and strides are as many as they say.
    let (shape, strides) = unsafe {
        (
            shape_of(args.type_, args.dims, args.num_dims),
            slice(args.byte_strides, args.num_byte_strides).to_vec(),
        )
    };
    let place = place(state, args.client, args.device, args.memory)?;
    let len = shape.bytes()?;
    let source = Lent(args.data.cast_mut().cast());
    let (done, ready) = (Happening::pending(), Happening::pending());
    let planned = state.planned();
    let semantics = args.host_buffer_semantics;
    let is_zero_copy = semantics == sys::PJRT_HostBufferSemantics_kImmutableZeroCopy
        || semantics == sys::PJRT_HostBufferSemantics_kMutableZeroCopy;
    let storage =
        if is_zero_copy && strides.is_empty() && source.start().addr().is_multiple_of(ALIGNMENT) {
            let writable = semantics == sys::PJRT_HostBufferSemantics_kMutableZeroCopy;
            let owner = Owner::Lender { done: Arc::clone(&done), writable };
            let now = Arc::clone(&ready);
            state.work.push(Box::new(move || {
                now.happen(planned);
            }));
            Storage::of(source.start(), len, owner)
        } else {
            let storage = Storage::new(len);
            let copy = {
                let (storage, dims, done, ready) =
                    (Arc::clone(&storage), shape.dims.clone(), done.clone(), ready.clone());
                let size = len / shape.dims.iter().product::<i64>().max(1) as usize;
                move || {
                    // SAFETY: the caller keeps the memory until the event, or for this call.
                    unsafe { gather(&storage, source.start(), &dims, &strides, size) };
                    ready.happen(planned.clone());
                    done.happen(planned);
                }
            };
            if semantics == sys::PJRT_HostBufferSemantics_kImmutableOnlyDuringCall {
                // No callback can have been registered yet.
                copy()
            } else {
                state.work.push(Box::new(copy))
            }
            storage
        };
    args.done_with_host_buffer = state.event(&done);
    args.buffer = new_buffer(state, id(args.client), place, shape, storage, &ready);
    Ok(())
}

/// Copies elements of `size` bytes, row by row.
///
/// # Safety
/// `source` is the first element of an array of these dimensions and strides (row-major without).
unsafe fn gather(storage: &Storage, source: *mut u8, dims: &[i64], strides: &[i64], size: usize) {
    let count = storage.len().checked_div(size).unwrap_or(0);
    for index in 0..count {
        let (mut rest, mut offset) = (index as i64, 0i64);
        for (axis, &dim) in dims.iter().enumerate().rev() {
            offset += (rest % dim) * strides.get(axis).copied().unwrap_or(0);
            rest /= dim;
        }
        let offset = if strides.is_empty() { index * size } else { offset as usize };
        // SAFETY: by the contract of this function; the storage has room for `count` elements.
        unsafe {
            std::ptr::copy(source.wrapping_add(offset), storage.start().add(index * size), size)
        };
    }
}

pub(crate) fn view(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_CreateViewOfDeviceBuffer_Args,
) -> Outcome {
    // SAFETY: dimensions are as many as they say.
    let shape = unsafe { shape_of(args.element_type, args.dims, args.num_dims) };
    let memory = if state.minor >= 66 { args.memory } else { std::ptr::null_mut() };
    let place = place(state, args.client, args.device, memory)?;
    let len = shape.bytes()?;
    let Some(free) = args.on_delete_callback else {
        return Err(state.misused("a view without a callback".to_owned()));
    };
    if !args.device_buffer_ptr.addr().is_multiple_of(ALIGNMENT) {
        return Err(Failure::invalid("the memory is not aligned"));
    }
    let owner = Owner::View { free, argument: args.on_delete_callback_arg };
    let storage = Storage::of(args.device_buffer_ptr.cast(), len, owner);
    let ready = Happening::pending();
    let (now, planned) = (Arc::clone(&ready), state.planned());
    state.now.push(Box::new(move || {
        now.happen(planned);
    }));
    args.buffer = new_buffer(state, id(args.client), place, shape, storage, &ready);
    Ok(())
}

pub(crate) fn to_host(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_ToHostBuffer_Args,
) -> Outcome {
    let buffer = state.get(args.src)?;
    let len = buffer.shape.bytes()?;
    if args.dst.is_null() {
        args.dst_size = len;
        return Ok(());
    }
    if args.dst_size < len {
        return Err(Failure::invalid(format!("room for {} bytes of {len}", args.dst_size)));
    }
    read(state, args.src, args.dst, 0, len).map(|event| args.event = event)
}

pub(crate) fn raw_to_host(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_CopyRawToHost_Args,
) -> Outcome {
    let len = state.get(args.buffer)?.shape.bytes()?;
    let (offset, size) = (args.offset as usize, args.transfer_size as usize);
    if offset + size > len {
        return Err(Failure::invalid("no such range"));
    }
    read(state, args.buffer, args.dst, offset, size).map(|event| args.event = event)
}

fn read(
    state: &mut PluginState,
    buffer: *mut sys::PJRT_Buffer,
    target: *mut c_void,
    offset: usize,
    len: usize,
) -> Result<*mut sys::PJRT_Event, Failure> {
    let buffer = state.get(buffer)?;
    let Some(storage) = buffer.storage.clone() else {
        return Err(Failure::invalid("the buffer was deleted or donated"));
    };
    let (needs, target) = (vec![Arc::clone(&buffer.ready)], Lent(target.cast()));
    let (done, planned) = (Happening::pending(), state.planned());
    let event = state.event(&done);
    state.work.push(Box::new(move || {
        after(needs, planned, move |outcome| {
            if outcome.is_ok() {
                // SAFETY: the caller keeps the room until the event; the range was checked.
                unsafe { std::ptr::copy(storage.start().add(offset), target.start(), len) };
            }
            drop(storage);
            done.happen(outcome);
        });
    }));
    Ok(event)
}
