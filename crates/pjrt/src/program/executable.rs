//! Compiled programs, loaded onto devices or not.

use crate::{
    Api, CompileOptions, CompiledMemoryStats, Error, Program, Result, Signature, Spec,
    client::core::ClientInner,
    named_value::{self, NamedValues},
    program::proto::{HloModuleProto, HloModuleProtoWithConfig},
    sys,
};
use prost::Message;
use std::{ptr::NonNull, sync::Arc};
use sys::{slice, string};

/// More dimensions than all results of a program have together.
const MAX_DIMENSIONS: usize = 1 << 24;

/// A compiled program: its parameters and results, its costs, and its bytes.
pub struct Executable {
    pub(crate) api: &'static Api,
    raw: NonNull<sys::PJRT_Executable>,
    // An object of a client must not outlive it.
    _client: Option<Arc<ClientInner>>,
}

// SAFETY: the C API's executables are thread-safe.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    /// Takes ownership of an executable that a call returned.
    ///
    /// # Errors
    /// The plugin returned null.
    ///
    /// # Safety
    /// `raw` is null or an executable of this plugin (and client) that nobody else destroys.
    pub(crate) unsafe fn from_call(
        api: &'static Api,
        client: Option<Arc<ClientInner>>,
        raw: *mut sys::PJRT_Executable,
        function: &'static str,
    ) -> Result<Self> {
        Ok(Self { api, raw: api.handle(raw, function)?, _client: client })
    }

    /// The name of the program's module.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn name(&self) -> Result<String> {
        let mut args: sys::PJRT_Executable_Name_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; the text belongs to it and is copied.
        unsafe {
            self.api.call(&mut args)?;
            Ok(string(args.executable_name, args.executable_name_size))
        }
    }

    /// The number of replicas: copies of the program with different data.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn num_replicas(&self) -> Result<usize> {
        let mut args: sys::PJRT_Executable_NumReplicas_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive.
        unsafe { self.api.call(&mut args) }?;
        Ok(args.num_replicas)
    }

    /// The number of partitions: devices that share one replica.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn num_partitions(&self) -> Result<usize> {
        let mut args: sys::PJRT_Executable_NumPartitions_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive.
        unsafe { self.api.call(&mut args) }?;
        Ok(args.num_partitions)
    }

    /// The number of results.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn num_outputs(&self) -> Result<usize> {
        let mut args: sys::PJRT_Executable_NumOutputs_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive.
        unsafe { self.api.call(&mut args) }?;
        Ok(args.num_outputs)
    }

    /// Bytes of the program's code.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn generated_code_size(&self) -> Result<i64> {
        let mut args: sys::PJRT_Executable_SizeOfGeneratedCodeInBytes_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive.
        unsafe { self.api.call(&mut args) }?;
        Ok(args.size_in_bytes)
    }

    /// Types and dimensions of the results, on one device.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn output_specs(&self) -> Result<Vec<Spec>> {
        let (types, dims) = self.raw_outputs()?;
        // SAFETY: the arrays belong to the executable, which is alive.
        unsafe {
            let types = slice(types.output_types, types.num_output_types);
            let ranks = slice(dims.dim_sizes, dims.num_outputs.min(types.len()));
            let total = ranks.iter().try_fold(0usize, |total, &rank| total.checked_add(rank));
            let wrong = || {
                Error::argument(
                    "the dimensions of the results are not as many as the plugin reports",
                )
            };
            let mut rest =
                slice(dims.dims, total.filter(|&total| total <= MAX_DIMENSIONS).ok_or_else(wrong)?);
            let spec = |(&dtype, &rank): (&u32, &usize)| {
                let (own, others) = rest.split_at_checked(rank).ok_or_else(wrong)?;
                rest = others;
                Ok(Spec::new(crate::DType::from_raw(dtype), own))
            };
            types.iter().zip(ranks).map(spec).collect()
        }
    }

    /// The same, interned by the client.
    pub(crate) fn shared_output_specs(&self, client: &ClientInner) -> Result<Vec<Arc<Spec>>> {
        let specs = self.output_specs()?;
        Ok(specs.iter().map(|s| client.spec(s.dtype(), s.dims())).collect())
    }

    fn raw_outputs(
        &self,
    ) -> Result<(
        sys::PJRT_Executable_OutputElementTypes_Args,
        sys::PJRT_Executable_OutputDimensions_Args,
    )> {
        let mut types: sys::PJRT_Executable_OutputElementTypes_Args = self.api.zeroed();
        types.executable = self.as_ptr();
        let mut dims: sys::PJRT_Executable_OutputDimensions_Args = self.api.zeroed();
        dims.executable = self.as_ptr();
        // SAFETY: the executable is alive.
        unsafe {
            self.api.call(&mut types)?;
            self.api.call(&mut dims)?;
        }
        if types.num_output_types != dims.num_outputs {
            let what = "outputs with dimensions";
            return Err(Error::size(what, types.num_output_types, dims.num_outputs));
        }
        Ok((types, dims))
    }

    /// The kind of memory of each result; `None` if the plugin does not report it.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn output_memory_kinds(&self) -> Result<Option<Vec<String>>> {
        let mut args: sys::PJRT_Executable_OutputMemoryKinds_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; texts and arrays belong to it and are copied.
        unsafe {
            match self.api.call(&mut args) {
                Ok(()) => {
                    Ok(Some(strings(args.memory_kinds, args.memory_kind_sizes, args.num_outputs)))
                }
                Err(error) if error.is_unimplemented() => Ok(None),
                Err(error) => Err(error),
            }
        }
    }

    /// The kind of memory of each parameter (API 0.102 and later); `None` if the plugin does not
    /// report it.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn parameter_memory_kinds(&self) -> Result<Option<Vec<String>>> {
        let mut args: sys::PJRT_Executable_ParameterMemoryKinds_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; texts and arrays belong to it and are copied.
        unsafe {
            match self.api.call(&mut args) {
                Ok(()) => Ok(Some(strings(
                    args.memory_kinds,
                    args.memory_kind_sizes,
                    args.num_parameters,
                ))),
                Err(error) if error.is_unimplemented() => Ok(None),
                Err(error) => Err(error),
            }
        }
    }

    /// The compiler's estimates of the program's costs, such as `flops` and `bytes accessed`.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn cost_analysis(&self) -> Result<NamedValues> {
        let mut args: sys::PJRT_Executable_GetCostAnalysis_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; the array belongs to it and is copied.
        unsafe {
            self.api.call(&mut args)?;
            Ok(named_value::from_raw(args.properties, args.num_properties))
        }
    }

    /// The memory that the program needs.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn memory_stats(&self) -> Result<CompiledMemoryStats> {
        let mut args: sys::PJRT_Executable_GetCompiledMemoryStats_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive.
        unsafe { self.api.call(&mut args) }?;
        // A field that the plugin's version does not have was not written.
        let since = |minor: u16, value: i64| (self.api.minor() >= minor).then_some(value);
        Ok(CompiledMemoryStats {
            generated_code: args.generated_code_size_in_bytes,
            arguments: args.argument_size_in_bytes,
            outputs: args.output_size_in_bytes,
            aliases: args.alias_size_in_bytes,
            temporaries: args.temp_size_in_bytes,
            host_generated_code: args.host_generated_code_size_in_bytes,
            host_arguments: args.host_argument_size_in_bytes,
            host_outputs: args.host_output_size_in_bytes,
            host_aliases: args.host_alias_size_in_bytes,
            host_temporaries: args.host_temp_size_in_bytes,
            peak: since(72, args.peak_memory_in_bytes),
            total: since(90, args.total_size_in_bytes),
            total_allocations: since(104, args.total_allocation_bytes),
            indefinite_allocations: since(104, args.indefinite_allocations),
            peak_unpadded: since(104, args.peak_unpadded_heap_bytes),
        })
    }

    /// Bytes that are equal for equal programs compiled the same way.
    ///
    /// # Errors
    /// The plugin's error; some plugins have no fingerprint.
    pub fn fingerprint(&self) -> Result<Vec<u8>> {
        let mut args: sys::PJRT_Executable_Fingerprint_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; the bytes belong to it and are copied.
        unsafe {
            self.api.call(&mut args)?;
            let bytes = args.executable_fingerprint.cast::<u8>();
            Ok(slice(bytes, args.executable_fingerprint_size).to_vec())
        }
    }

    /// The program after the compiler's passes, in the plugin's own format (`hlo_with_config`,
    /// `hlo` or `mlir`).
    ///
    /// # Errors
    /// The plugin's error.
    pub fn optimized_program(&self) -> Result<Program<'static>> {
        // SAFETY: a structure of integers and pointers, for which zeros are valid.
        let mut program: sys::PJRT_Program = self.api.zeroed();
        let mut args: sys::PJRT_Executable_OptimizedProgram_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        args.program = &raw mut program;
        // SAFETY: the executable is alive. The first call returns the size, the second writes into
        // as much room; the format's text belongs to the plugin.
        unsafe {
            self.api.call(&mut args)?;
            let mut code = Vec::new();
            let size = program.code_size;
            code.try_reserve_exact(size).map_err(|_| {
                Error::argument(format!("no memory for an optimized program of {size} bytes"))
            })?;
            code.resize(size, 0u8);
            program.code = code.as_mut_ptr().cast();
            // Writing to it invalidates earlier pointers to it.
            args.program = &raw mut program;
            self.api.call(&mut args)?;
            code.truncate(program.code_size);
            Ok(Program::with_format(string(program.format, program.format_size), code))
        }
    }

    /// The program's parameters, as far as its optimized form describes them.
    pub(crate) fn signature(&self, client: &ClientInner) -> Option<Signature> {
        Signature::from_module(client, &self.optimized_module()?)
    }

    pub(crate) fn optimized_module(&self) -> Option<HloModuleProto> {
        let program = self.optimized_program().ok()?;
        match program.format() {
            "hlo" => HloModuleProto::decode(program.code()).ok(),
            "hlo_with_config" => HloModuleProtoWithConfig::decode(program.code()).ok()?.hlo_module,
            _ => None,
        }
    }

    /// The options that the program was compiled with (API 0.87 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn compile_options(&self) -> Result<CompileOptions> {
        let mut args: sys::PJRT_Executable_GetCompileOptions_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; the bytes are read before their deleter is called, once.
        unsafe {
            self.api.call(&mut args)?;
            let bytes = slice(args.serialized_bytes.cast::<u8>(), args.serialized_bytes_size);
            let options = CompileOptions::decode(bytes);
            if let Some(deleter) = args.serialized_compile_options_deleter {
                deleter(args.serialized_compile_options);
            }
            options
        }
    }

    /// The program as bytes that [`Client::deserialize`](crate::Client::deserialize) of the same
    /// build of the plugin loads.
    ///
    /// # Errors
    /// The plugin's error.
    pub fn serialize(&self) -> Result<Vec<u8>> {
        let mut args: sys::PJRT_Executable_Serialize_Args = self.api.zeroed();
        args.executable = self.as_ptr();
        // SAFETY: the executable is alive; the bytes are copied before their deleter is called,
        // once.
        unsafe {
            self.api.call(&mut args)?;
            let bytes = slice(args.serialized_bytes.cast::<u8>(), args.serialized_bytes_size);
            let bytes = bytes.to_vec();
            if let Some(deleter) = args.serialized_executable_deleter {
                deleter(args.serialized_executable);
            }
            if bytes.is_empty() {
                Err(self.api.null_handle("PJRT_Executable_Serialize"))
            } else {
                Ok(bytes)
            }
        }
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the executable lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_Executable {
        self.raw.as_ptr()
    }
}

/// # Safety
/// `texts` and `sizes` have `count` entries that belong together.
unsafe fn strings(
    texts: *const *const std::ffi::c_char,
    sizes: *const usize,
    count: usize,
) -> Vec<String> {
    // SAFETY: by the contract of this function.
    unsafe {
        let sizes = slice(sizes, count).iter();
        slice(texts, count).iter().zip(sizes).map(|(&text, &size)| string(text, size)).collect()
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        let mut args: sys::PJRT_Executable_Destroy_Args = self.api.zeroed();
        args.executable = self.raw.as_ptr();
        // SAFETY: this handle owns the executable, which is not used again.
        unsafe { self.api.release(&mut args) };
    }
}

impl std::fmt::Debug for Executable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executable").field("name", &self.name().ok()).finish_non_exhaustive()
    }
}
