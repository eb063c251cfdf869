//! Compiling for devices that are not here.

use super::Topology;
use crate::{
    Args, Compiler, Error, ForeignError, Function, LoadError, Result, Ret, Signature, StableHlo,
    cache::{self, Machine, Needs, Source, Statistics},
    callback::register_callback_targets,
    compile::Lowered,
    foreign::{self, Told},
    function::Traced,
};
use hloom_graph::{Graph, Op};
use hloom_pjrt::{CompiledMemoryStats, Executable, NamedValues};
use std::path::Path;

/// A program that was compiled for devices that are not here: it is saved.
pub struct CompiledProgram {
    name: String,
    signature: Signature,
    executable: Executable,
    bytes: Vec<u8>,
}

impl Topology {
    /// Traces `function` on the given arguments and compiles it for one of these devices.
    ///
    /// # Errors
    /// The first error recorded while tracing the function, with its source line, or the plugin's
    /// error.
    #[track_caller]
    pub fn compile<A: Args, F: Function<A, By>, By>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<CompiledProgram>
    where
        F::Ret: Ret,
    {
        self.compiler().compile(function, arguments)
    }

    /// Compiles a program that another system wrote, in this process, for one of these devices.
    ///
    /// # Errors
    /// As for [`Platform::load_stablehlo_trusted`](crate::Platform::load_stablehlo_trusted), or it
    /// runs on several devices.
    ///
    /// # Safety
    /// As for [`Platform::load_stablehlo_trusted`](crate::Platform::load_stablehlo_trusted).
    #[expect(unsafe_code, reason = "the caller vouches for the program")]
    pub unsafe fn compile_stablehlo_trusted(&self, program: &StableHlo) -> Result<CompiledProgram> {
        // SAFETY: the caller vouches for the program.
        unsafe { self.compiler().compile_stablehlo_trusted(program) }
    }
}

impl Compiler<'_, Topology> {
    /// Traces `function` on the given arguments and compiles it.
    ///
    /// # Errors
    /// As for [`Topology::compile`].
    #[track_caller]
    pub fn compile<A: Args, F: Function<A, By>, By>(
        self,
        function: F,
        arguments: A,
    ) -> Result<CompiledProgram>
    where
        F::Ret: Ret,
    {
        let Traced { graph, .. } = self.settings.trace(function, arguments)?;
        self.compile_graph(&graph)
    }

    /// Compiles a traced graph.
    ///
    /// # Errors
    /// The error of the lowering or the plugin.
    pub fn compile_graph(mut self, graph: &Graph) -> Result<CompiledProgram> {
        let name = graph.name().to_owned();
        let (_, version) = self.on.plugin.version();
        let lowered = self.settings.lower(graph, (self.on.platform, version), None)?;
        let Lowered { graph, code, source, .. } = lowered;
        let callbacks = match graph.live_host_calls().contains(&true) {
            true => graph.host_calls().iter().map(|call| call.name.clone()).collect(),
            false => Vec::new(),
        };
        if !callbacks.is_empty() {
            register_callback_targets(self.on.plugin, self.on.platform)?;
        }
        let needs = Needs {
            callbacks,
            kernels: Vec::new(),
            calls_handlers: graph.nodes().any(|(_, node)| matches!(node.op, Op::CustomCall(_))),
            mesh: self.settings.mesh.as_ref().map(|(shape, _)| shape.device_count()),
            is_foreign: false,
        };
        #[expect(unsafe_code, reason = "the program was lowered here")]
        // SAFETY: the graph was checked by the rules of its ops when it was traced, and the
        // lowering adds nothing to it.
        let executable = unsafe { self.executable(&name, code) }?;
        self.finish(name, executable, &source, Signature::of(&graph), needs)
    }

    /// Compiles a program that another system wrote, in this process, for one device.
    ///
    /// # Errors
    /// As for [`Topology::compile_stablehlo_trusted`].
    ///
    /// # Safety
    /// As for [`Topology::compile_stablehlo_trusted`].
    #[expect(unsafe_code, reason = "the caller vouches for the program")]
    pub unsafe fn compile_stablehlo_trusted(
        mut self,
        program: &StableHlo,
    ) -> Result<CompiledProgram> {
        let name = self.settings.name.take().unwrap_or_else(|| program.title().to_owned());
        if program.device_count() > 1 {
            return Err(ForeignError::AheadOfTime(program.device_count()).of(name));
        }
        foreign::prepare(&mut self.settings, program, self.on.platform)?;
        let source = foreign::source(&self.settings, program);
        self.settings.set_autotune_options(self.on.platform);
        // SAFETY: the caller vouches for the program.
        let executable = unsafe { self.executable(&name, program.code().to_vec()) }?;
        let told = Told::of(&executable, program, self.on.platform, &self.settings)?;
        let signature = told.signature(program, None).map_err(|error| error.of(&*name))?;
        let needs = Needs {
            callbacks: Vec::new(),
            kernels: Vec::new(),
            calls_handlers: told.calls_handlers,
            mesh: None,
            is_foreign: false,
        };
        self.finish(name, executable, &source, signature, needs)
    }

    /// # Safety
    /// As for [`hloom_pjrt::Topology::compile`].
    #[expect(unsafe_code, reason = "the caller vouches for the program")]
    unsafe fn executable(&self, name: &str, code: Vec<u8>) -> Result<Executable> {
        let topology = self.on;
        let span =
            tracing::info_span!("compile", %name, platform = topology.platform, ahead = true);
        let _entered = span.entered();
        let program = hloom_pjrt::Program::mlir(code);
        // SAFETY: the caller vouches for the program.
        let executable = unsafe { topology.inner.compile(&program, &self.settings.options, None) };
        executable.map_err(Error::plugin(format!("`{name}` does not compile for {topology}")))
    }

    fn finish(
        &self,
        name: String,
        executable: Executable,
        source: &Source,
        signature: Signature,
        needs: Needs,
    ) -> Result<CompiledProgram> {
        let topology = self.on;
        let used = self.settings.mesh.as_ref().map_or(1, |(_, ids)| ids.len());
        let machine = Machine {
            plugin: topology.plugin,
            platform: topology.platform.to_owned(),
            devices: topology.kinds.iter().take(used).cloned().collect(),
        };
        let code = cache::serialize(&name, &executable)?;
        let compiled = (&*code, Statistics::of(&executable));
        let bytes = cache::written(&name, &machine, source, &signature, needs, compiled)?;
        Ok(CompiledProgram { name, signature, executable, bytes })
    }
}

impl CompiledProgram {
    /// The name of the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The inputs and outputs, without their shardings.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The memory that a call needs on each device.
    ///
    /// # Errors
    /// The plugin does not report it.
    pub fn memory(&self) -> Result<CompiledMemoryStats> {
        let stats = self.executable.memory_stats();
        stats.map_err(Error::plugin(format!("memory of `{}`", self.name)))
    }

    /// Estimates of the program's costs, as [`AnyExe::cost`](crate::AnyExe::cost).
    ///
    /// # Errors
    /// The plugin neither makes estimates nor returns the optimized program as HLO.
    pub fn cost(&self) -> Result<NamedValues> {
        let cost = crate::exe::cost(&self.executable);
        cost.map_err(Error::plugin(format!("cost of `{}`", self.name)))
    }

    /// The PJRT executable underneath.
    pub fn as_pjrt(&self) -> &Executable {
        &self.executable
    }

    /// The bytes of the file that [`save`](Self::save) writes.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the program to a file, which [`Compiler::load`] reads where the devices are.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        hloom_files::write(path, &self.bytes)
            .map_err(|error| LoadError::Write(error).of(&*self.name))
    }
}

impl std::fmt::Debug for CompiledProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledProgram")
            .field("name", &self.name)
            .field("signature", &self.signature)
            .finish_non_exhaustive()
    }
}
