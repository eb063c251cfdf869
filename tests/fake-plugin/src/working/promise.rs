//! Buffers that wait for a fulfilment: aliases and control dependencies.

use std::sync::Arc;

use hloom_pjrt_sys as sys;

use super::client::place;
use super::event::outcome;
use super::failure::{Failure, Outcome};
use super::happening::{Happening, after};
use super::host::{new_buffer, shape_of};
use super::object::{AliasPromise, Dependency, data, id};
use super::state::{PluginState, state};
use super::storage::Storage;

pub(crate) fn alias_create(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_CreateAliasBuffer_Args,
) -> Outcome {
    // SAFETY: the dimensions are as many as they say.
    let shape = unsafe { shape_of(args.shape_element_type, args.shape_dims, args.shape_num_dims) };
    let (device, memory) = place(state, args.client, std::ptr::null_mut(), args.memory)?;
    let storage = Storage::new(shape.bytes()?);
    let ready = Happening::pending();
    args.fulfill_alias_buffer_cb =
        state.insert(AliasPromise { storage: Arc::clone(&storage), ready: Arc::clone(&ready) });
    args.alias_buffer =
        new_buffer(state, id(args.client), (device, memory), shape, storage, &ready);
    Ok(())
}

pub(crate) fn alias_fulfill(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_FulfillAliasBuffer_Args,
) -> Outcome {
    let AliasPromise { storage, ready } = state.take(args.fulfill_alias_buffer_cb)?;
    if args.buffer.is_null() {
        // SAFETY: the message is as long as it says.
        let outcome =
            unsafe { outcome(args.status_code, args.error_message, args.error_message_size) };
        state.now.push(Box::new(move || {
            ready.happen(outcome);
        }));
        return Ok(());
    }
    let buffer = state.get(args.buffer)?;
    let Some(source) = buffer.storage.clone() else {
        let failed = Err(Failure::invalid("the buffer was deleted or donated"));
        state.now.push(Box::new(move || {
            ready.happen(failed);
        }));
        return Err(Failure::invalid("the buffer was deleted or donated"));
    };
    let needs = vec![Arc::clone(&buffer.ready)];
    let planned = state.planned();
    state.work.push(Box::new(move || {
        after(needs, planned, move |outcome| {
            storage.copy_from(&source);
            ready.happen(outcome);
        });
    }));
    Ok(())
}

pub(crate) fn donate(
    state: &mut PluginState,
    args: &mut sys::PJRT_Buffer_DonateWithControlDependency_Args,
) -> Outcome {
    let buffer = state.get(args.buffer)?;
    let place = (buffer.device, buffer.memory);
    let (client, shape, before) = (buffer.client, buffer.shape.clone(), Arc::clone(&buffer.ready));
    let Some(storage) = buffer.storage.take() else {
        return Err(Failure::invalid("the buffer was deleted or donated"));
    };
    let (ready, dependency) = (Happening::pending(), Happening::pending());
    args.out_buffer = new_buffer(state, client, place, shape, storage, &ready);
    args.callback_data = data(id(state.insert::<Dependency>(Arc::clone(&dependency))));
    args.dependency_ready_callback = Some(dependency_ready);
    state.now.push(Box::new(move || {
        after(vec![dependency, before], Ok(()), move |outcome| {
            ready.happen(outcome);
        });
    }));
    Ok(())
}

unsafe extern "C" fn dependency_ready(
    args: *mut sys::PJRT_Buffer_DonateWithControlDependency_Callback_Args,
) {
    // SAFETY: the caller passes the struct of this function, with a message as long as it says.
    let (args, outcome) = unsafe {
        let args = &mut *args;
        let outcome = outcome(args.error_code, args.error_message, args.error_message_size);
        (args, outcome)
    };
    let dependency = state().take(args.callback_data.cast::<Dependency>());
    if let Ok(dependency) = dependency {
        dependency.happen(outcome);
    }
}
