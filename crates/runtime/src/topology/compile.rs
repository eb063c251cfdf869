//! Compiling ahead of time for other devices.

use super::{CompiledProgram, Topology, compiled::Compiled};
use crate::{
    Args, Compiler, Error, ForeignError, Function, Result, ResultTree, Signature, StableHlo,
    cache::{self, Machine, Needs, ProgramFile, ProgramSource, Statistics},
    callback::register_callback_targets,
    compile::Lowered,
    foreign::{self, ProgramDescription},
    function::Traced,
};
use hloom_graph::{Graph, Op};
use hloom_pjrt::Executable;

impl Topology {
    /// Traces `function` on the given arguments and compiles it for one of these devices.
    ///
    /// # Errors
    /// The first error recorded while tracing the function, with its source line, or the plugin's
    /// error.
    #[track_caller]
    pub fn compile<A: Args, F: Function<A, Passing>, Passing>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<CompiledProgram>
    where
        F::Output: ResultTree,
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
    pub fn compile<A: Args, F: Function<A, Passing>, Passing>(
        self,
        function: F,
        arguments: A,
    ) -> Result<CompiledProgram>
    where
        F::Output: ResultTree,
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
        let lowered = self.settings.lower(graph, self.on.platform, version, None)?;
        let Lowered { graph, code, source, .. } = lowered;
        let callbacks = if graph.live_host_calls().contains(&true) {
            graph.host_calls().iter().map(|call| call.name.clone()).collect()
        } else {
            Vec::new()
        };
        if !callbacks.is_empty() {
            register_callback_targets(self.on.plugin, self.on.platform)?;
        }
        let needs = Needs {
            callbacks,
            kernels: Vec::new(),
            calls_handlers: graph.nodes().any(|(_, node)| matches!(node.op, Op::CustomCall(_))),
            mesh: self.settings.mesh_shape().map(|shape| shape.device_count()),
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
        foreign::prepare(&mut self.settings, program, self.on.kind())?;
        let source = foreign::source(&self.settings, program);
        self.settings.set_autotune_options(self.on.platform);
        // SAFETY: the caller vouches for the program.
        let executable = unsafe { self.executable(&name, program.code().to_vec()) }?;
        let described =
            ProgramDescription::of(&executable, program, self.on.kind(), &self.settings)?;
        let signature = described.signature(program, None).map_err(|error| error.of(&*name))?;
        let needs = Needs {
            callbacks: Vec::new(),
            kernels: Vec::new(),
            calls_handlers: described.calls_handlers,
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
        source: &ProgramSource,
        signature: Signature,
        needs: Needs,
    ) -> Result<CompiledProgram> {
        let code = cache::serialize(&name, &executable)?;
        let file = ProgramFile {
            name: &name,
            machine: self.machine(),
            source,
            signature: &signature,
            needs,
            code: &code,
            statistics: Statistics::of(&executable),
        };
        let bytes = file.into_bytes()?;
        Ok(CompiledProgram { name, signature, compiled: Compiled::Here(executable), bytes })
    }

    /// The devices that a program is for.
    pub(super) fn machine(&self) -> Machine {
        let topology = self.on;
        let used = self.settings.mesh_shape().map_or(1, |shape| shape.device_count());
        Machine {
            plugin: topology.plugin,
            platform: topology.platform.to_owned(),
            devices: topology.kinds.iter().take(used).cloned().collect(),
        }
    }
}
