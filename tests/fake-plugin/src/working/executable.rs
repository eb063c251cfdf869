//! Compiled programs.

use std::sync::Arc;

use hloom_pjrt_sys as sys;

use super::call::slice;
use super::client::text;
use super::failure::{Failure, Outcome};
use super::fault::Lie;
use super::object::{Handles, Loaded, id};
use super::program::Program;
use super::state::{PluginState, state};

fn load(
    state: &mut PluginState,
    client: *mut sys::PJRT_Client,
    program: Arc<Program>,
) -> Result<*mut sys::PJRT_LoadedExecutable, Failure> {
    let devices = &state.get(client)?.devices.0;
    let devices = devices.get(..program.devices).map(Into::into);
    let devices = devices.ok_or_else(|| Failure::invalid("too few devices"))?;
    Ok(state.insert(Loaded {
        client: id(client),
        program,
        devices: Handles(devices),
        is_deleted: false,
    }))
}

/// # Safety
/// `program` is a program of the C API.
unsafe fn parse(
    state: &PluginState,
    program: *const sys::PJRT_Program,
) -> Result<Arc<Program>, Failure> {
    // SAFETY: by the contract of this function.
    let code = unsafe { slice((*program).code.cast::<u8>().cast_const(), (*program).code_size) };
    let own = Program::parse(&String::from_utf8_lossy(code));
    match (own, &state.program) {
        (Err(_), Some(program)) => Program::parse(program).map(Arc::new),
        (own, _) => own.map(Arc::new),
    }
}

pub(crate) fn compile(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_Compile_Args,
) -> Outcome {
    // SAFETY: the caller passes a program.
    let program = unsafe { parse(state, args.program) }?;
    args.executable = load(state, args.client, program)?;
    Ok(())
}

pub(crate) fn compile_ahead(state: &mut PluginState, args: &mut sys::PJRT_Compile_Args) -> Outcome {
    state.get(args.topology)?;
    // SAFETY: the caller passes a program.
    let program = unsafe { parse(state, args.program) }?;
    args.executable = state.insert(program);
    Ok(())
}

pub(crate) fn load_compiled(
    state: &mut PluginState,
    args: &mut sys::PJRT_Client_Load_Args,
) -> Outcome {
    let program = Arc::clone(state.get(args.executable)?);
    args.loaded_executable = load(state, args.client, program)?;
    Ok(())
}

pub(crate) fn deserialize(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_DeserializeAndLoad_Args,
) -> Outcome {
    // SAFETY: there are as many bytes as it says.
    let bytes =
        unsafe { slice(args.serialized_executable.cast::<u8>(), args.serialized_executable_size) };
    let program = Program::parse(&String::from_utf8_lossy(bytes))?;
    args.loaded_executable = load(state, args.client, Arc::new(program))?;
    Ok(())
}

pub(crate) fn serialize(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_Serialize_Args,
) -> Outcome {
    let bytes = state.get(args.executable)?.text.clone().into_bytes();
    if state.lies(Lie::SerializedNull) {
        return Ok(());
    }
    let raw = state.insert::<sys::PJRT_SerializedExecutable>(bytes);
    let bytes = state.get(raw)?;
    (args.serialized_bytes, args.serialized_bytes_size) = (bytes.as_ptr().cast(), bytes.len());
    args.serialized_executable = raw;
    args.serialized_executable_deleter = Some(free_serialized);
    Ok(())
}

unsafe extern "C" fn free_serialized(raw: *mut sys::PJRT_SerializedExecutable) {
    let _ = state().destroy(raw);
}

pub(crate) fn destroy(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_Destroy_Args,
) -> Outcome {
    state.destroy(args.executable)
}

pub(crate) fn loaded_destroy(
    state: &mut PluginState,
    args: &mut sys::PJRT_LoadedExecutable_Destroy_Args,
) -> Outcome {
    state.destroy(args.executable)
}

pub(crate) fn executable(
    state: &mut PluginState,
    args: &mut sys::PJRT_LoadedExecutable_GetExecutable_Args,
) -> Outcome {
    let program = Arc::clone(&state.get(args.loaded_executable)?.program);
    args.executable = state.insert(program);
    Ok(())
}

pub(crate) fn devices(
    state: &mut PluginState,
    args: &mut sys::PJRT_LoadedExecutable_AddressableDevices_Args,
) -> Outcome {
    let devices = &state.get(args.executable)?.devices.0;
    (args.addressable_devices, args.num_addressable_devices) = (devices.as_ptr(), devices.len());
    Ok(())
}

pub(crate) fn delete(
    state: &mut PluginState,
    args: &mut sys::PJRT_LoadedExecutable_Delete_Args,
) -> Outcome {
    state.get(args.executable)?.is_deleted = true;
    Ok(())
}

pub(crate) fn is_deleted(
    state: &mut PluginState,
    args: &mut sys::PJRT_LoadedExecutable_IsDeleted_Args,
) -> Outcome {
    args.is_deleted = state.get(args.executable)?.is_deleted;
    Ok(())
}

pub(crate) fn name(state: &mut PluginState, args: &mut sys::PJRT_Executable_Name_Args) -> Outcome {
    (args.executable_name, args.executable_name_size) = text(&state.get(args.executable)?.op);
    Ok(())
}

pub(crate) fn replicas(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_NumReplicas_Args,
) -> Outcome {
    state.get(args.executable).map(|_| args.num_replicas = 1)
}

pub(crate) fn partitions(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_NumPartitions_Args,
) -> Outcome {
    args.num_partitions = state.get(args.executable)?.devices;
    Ok(())
}

pub(crate) fn outputs(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_NumOutputs_Args,
) -> Outcome {
    args.num_outputs = state.get(args.executable)?.results.len();
    Ok(())
}

pub(crate) fn code_size(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_SizeOfGeneratedCodeInBytes_Args,
) -> Outcome {
    args.size_in_bytes = state.get(args.executable)?.text.len() as i64;
    Ok(())
}

pub(crate) fn types(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_OutputElementTypes_Args,
) -> Outcome {
    let missing = usize::from(state.lies(Lie::OutputTypesTooFew));
    let types = &state.get(args.executable)?.result_types;
    args.output_types = types.as_ptr().cast_mut();
    args.num_output_types = types.len() - missing;
    Ok(())
}

pub(crate) fn dimensions(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_OutputDimensions_Args,
) -> Outcome {
    static ENDLESS: [usize; 2] = [usize::MAX, 3];
    let missing = usize::from(state.lies(Lie::OutputTypesTooFew));
    let (no_dimensions, overflow) =
        (state.lies(Lie::OutputDimensionsNull), state.lies(Lie::OutputRanksOverflow));
    let program = state.get(args.executable)?;
    args.num_outputs = program.results.len() - missing;
    args.dims = if no_dimensions { std::ptr::null() } else { program.result_dims.as_ptr() };
    args.dim_sizes = if overflow { ENDLESS.as_ptr() } else { program.result_ranks.as_ptr() };
    Ok(())
}

pub(crate) fn optimized(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_OptimizedProgram_Args,
) -> Outcome {
    let code = state.get(args.executable)?.proto();
    state.optimized += 1;
    let grown = if state.lies(Lie::ProgramGrows) { state.optimized } else { 0 };
    let size = if state.lies(Lie::ProgramTooLarge) { usize::MAX } else { code.len() + grown };
    // SAFETY: the caller passes a struct to be filled; code that is not null has as much room as
    // the last call said.
    unsafe {
        let program = &mut *args.program;
        (program.format, program.format_size) = text("hlo_with_config");
        if !program.code.is_null() {
            let room = program.code_size.min(code.len());
            std::ptr::copy_nonoverlapping(code.as_ptr(), program.code.cast(), room);
        }
        program.code_size = size;
    }
    Ok(())
}

pub(crate) fn memory_stats(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_GetCompiledMemoryStats_Args,
) -> Outcome {
    state.get(args.executable).map(|_| args.output_size_in_bytes = 8)
}

/// A list of named values that nothing changes.
struct Costs([sys::PJRT_NamedValue; 2]);

// SAFETY: its pointers are to texts that live as long as the process.
unsafe impl Sync for Costs {}

static COSTS: Costs = Costs([cost("flops", 2.0), cost("bytes accessed", 24.0)]);

const fn cost(name: &'static str, value: f32) -> sys::PJRT_NamedValue {
    sys::PJRT_NamedValue {
        struct_size: size_of::<sys::PJRT_NamedValue>(),
        extension_start: std::ptr::null_mut(),
        name: name.as_ptr().cast(),
        name_size: name.len(),
        type_: sys::PJRT_NamedValue_kFloat,
        __bindgen_anon_1: sys::PJRT_NamedValue__bindgen_ty_1 { float_value: value },
        value_size: 1,
    }
}

pub(crate) fn costs(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_GetCostAnalysis_Args,
) -> Outcome {
    state.get(args.executable)?;
    (args.properties, args.num_properties) = (COSTS.0.as_ptr(), COSTS.0.len());
    Ok(())
}

pub(crate) fn fingerprint(
    state: &mut PluginState,
    args: &mut sys::PJRT_Executable_Fingerprint_Args,
) -> Outcome {
    (args.executable_fingerprint, args.executable_fingerprint_size) =
        text(&state.get(args.executable)?.text);
    Ok(())
}
