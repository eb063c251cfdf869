//! Executions.

use std::sync::Arc;

use hloom_pjrt_sys as sys;

use super::call::slice;
use super::failure::{Failure, Outcome};
use super::fault::Lie;
use super::happening::{Happening, after};
use super::host::new_buffer;
use super::object::id;
use super::program::Program;
use super::state::PluginState;
use super::storage::Storage;

pub(crate) fn context_create(
    state: &mut PluginState,
    args: &mut sys::PJRT_ExecuteContext_Create_Args,
) -> Outcome {
    args.context = state.insert(());
    Ok(())
}

pub(crate) fn context_destroy(
    state: &mut PluginState,
    args: &mut sys::PJRT_ExecuteContext_Destroy_Args,
) -> Outcome {
    state.destroy(args.context)
}

pub(crate) fn execute(
    state: &mut PluginState,
    args: &mut sys::PJRT_LoadedExecutable_Execute_Args,
) -> Outcome {
    let loaded = state.get(args.executable)?;
    let (program, client) = (Arc::clone(&loaded.program), loaded.client);
    let devices: Vec<_> = loaded.devices.0.iter().copied().map(|device| id(device)).collect();
    if loaded.is_deleted {
        return Err(Failure::invalid("the executable was deleted"));
    }
    if args.num_devices != devices.len() || args.num_args != program.parameters.len() {
        return Err(Failure::invalid("another number of devices or arguments"));
    }
    // SAFETY: options, lists and their entries are as many as they say.
    let (options, lists, outputs) = unsafe {
        (
            &*args.options,
            slice(args.argument_lists, args.num_devices),
            slice(args.output_lists, args.num_devices),
        )
    };
    let expected = <sys::PJRT_ExecuteOptions as sys::Versioned>::size_at(state.minor);
    if options.struct_size != expected {
        state.misused(format!("options of {} bytes, expected {expected}", options.struct_size));
    }
    if !options.context.is_null() {
        state.get(options.context)?;
    }
    // SAFETY: as above.
    let kept = unsafe {
        slice(options.non_donatable_input_indices, options.num_non_donatable_input_indices)
    };
    // Check everything before consuming any argument.
    for list in lists {
        // SAFETY: as above.
        let arguments = unsafe { slice(*list, args.num_args) };
        for (&argument, shape) in arguments.iter().zip(&program.parameters) {
            let buffer = state.get(argument)?;
            if buffer.storage.is_none() {
                return Err(Failure::invalid("an argument was deleted or donated"));
            }
            if buffer.client != client || buffer.shape.bytes()? != shape.bytes()? {
                return Err(Failure::invalid("an argument of another client or size"));
            }
        }
    }
    for (ordinal, (&list, &results)) in lists.iter().zip(outputs).enumerate() {
        // SAFETY: as above.
        let arguments = unsafe { slice(list, args.num_args) };
        let done = launch(state, &program, client, devices[ordinal], arguments, kept, results)?;
        if !args.device_complete_events.is_null() && !state.lies(Lie::CompletionNull) {
            let event = state.event(&done);
            // SAFETY: there is an entry for each device.
            unsafe { args.device_complete_events.add(ordinal).write(event) };
        }
    }
    Ok(())
}

/// Starts the program on a device and writes its results. Returns the event of its end.
fn launch(
    state: &mut PluginState,
    program: &Arc<Program>,
    client: usize,
    device: usize,
    arguments: &[*mut sys::PJRT_Buffer],
    kept: &[i64],
    results: *mut *mut sys::PJRT_Buffer,
) -> Result<Arc<Happening>, Failure> {
    let memory = state.get(super::object::handle::<sys::PJRT_Device>(device))?.memories.0[0];
    let (mut inputs, mut needs, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    for (index, &argument) in arguments.iter().enumerate() {
        let is_donated = program.aliases.contains(&index) && !kept.contains(&(index as i64));
        let buffer = state.get(argument)?;
        let Some(storage) = buffer.storage.clone() else {
            return Err(Failure::invalid("an argument is given twice and taken over"));
        };
        needs.push(Arc::clone(&buffer.ready));
        let mut taken = None;
        if is_donated {
            let references = buffer.references;
            // The last one is in `inputs`, so this frees nothing.
            buffer.storage = None;
            taken = Some(Arc::clone(&storage)).filter(|storage| storage.is_writable());
            if references > 0 {
                state.misused("donated with external references".to_owned());
            }
        }
        inputs.push(storage);
        outputs.push(taken);
    }
    let (done, planned) = (Happening::pending(), state.planned());
    let mut written = Vec::new();
    for (index, shape) in program.results.iter().enumerate() {
        let storage = match outputs.get_mut(index).and_then(Option::take) {
            Some(taken) if taken.len() == shape.bytes()? => taken,
            _ => Storage::new(shape.bytes()?),
        };
        written.push(Arc::clone(&storage));
        if !state.lies(Lie::ResultsNull) {
            let buffer =
                new_buffer(state, client, (device, id(memory)), shape.clone(), storage, &done);
            // SAFETY: there is an entry for each result.
            unsafe { results.add(index).write(buffer) };
        }
    }
    let (program, end) = (Arc::clone(program), Arc::clone(&done));
    state.work.push(Box::new(move || {
        after(needs, planned, move |outcome| {
            let outcome = outcome.and_then(|()| run(&program, &inputs, &written));
            drop((inputs, written));
            end.happen(outcome);
        });
    }));
    Ok(done)
}

fn run(program: &Program, inputs: &[Arc<Storage>], outputs: &[Arc<Storage>]) -> Outcome {
    match program.op.as_str() {
        "fail" => return Err(Failure::new(13, "the program fails while it runs")),
        "add" => {
            for index in 0..outputs[0].len() / 4 {
                outputs[0].write(index, inputs[0].read(index) + inputs[1].read(index));
            }
        }
        _ => outputs.iter().zip(inputs).for_each(|(output, input)| output.copy_from(input)),
    }
    Ok(())
}
