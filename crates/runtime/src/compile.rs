//! Compiling functions to executables.

use crate::{
    AnyExe, Args, Error, Exe, Function, Kernels, Mesh, MeshError, Platform, Result, Ret, Signature,
    SteppedExe,
    callback::Callbacks,
    dump,
    exe::set_compiled_shardings,
    function::{function_name, trace},
    heap, legalize,
};
use hloom_graph::{Graph, Op, ResolvedSharding};
use hloom_pjrt::{CompileOptions, Program};
use hloom_stablehlo::{Context, LowerOptions, ModuleForm, Partitioner, lower};
use std::{path::PathBuf, time::Instant};
use tracing::{debug_span, info_span};

/// Compiles functions for a platform, with options.
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// # fn main() -> Result<()> {
/// let platform = Platform::cpu()?;
/// let double = platform.compiler().name("double").compile(|x: Tensor| x + x, (Spec::f32([3]),))?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Compiler<'a> {
    platform: &'a Platform,
    mesh: Option<&'a Mesh>,
    partitioner: Partitioner,
    form: ModuleForm,
    composites: bool,
    name: Option<String>,
    inputs: Vec<String>,
    options: CompileOptions,
    dump: Option<PathBuf>,
    kernels: Kernels,
}

/// The default options of the CPU compiler: `max` and `min` propagate NaN.
const CPU_OPTIONS: [(&str, &str); 1] = [("xla_cpu_enable_fast_min_max", "False")];

impl Platform {
    /// Traces `function` on the given arguments and compiles it for this platform.
    ///
    /// # Errors
    /// The first error recorded while tracing the function, with its source line, or the plugin's
    /// error.
    #[track_caller]
    pub fn compile<A: Args, F: Function<A, By>, By>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Ret>>
    where
        F::Ret: Ret,
    {
        self.compiler().compile(function, arguments)
    }

    /// Compiles with options.
    pub fn compiler(&self) -> Compiler<'_> {
        let mut options = CompileOptions::default();
        if self.name() == "cpu" {
            for (name, value) in CPU_OPTIONS {
                options.set_option(name, value);
            }
        }
        Compiler {
            platform: self,
            mesh: None,
            partitioner: Partitioner::Shardy,
            form: ModuleForm::default(),
            composites: false,
            name: None,
            inputs: Vec::new(),
            options,
            dump: dump::folder_from_env(),
            kernels: Kernels::default(),
        }
    }
}

/// Traces `function` on the given arguments and compiles it to run in steps, with its callbacks
/// between the programs: the same computation as [`Platform::compile`] on platforms that can call
/// back into Rust.
///
/// # Errors
/// As [`Platform::compile`]; or a callback is inside a loop or a branch.
#[track_caller]
pub fn compile_in_steps<A: Args, F: Function<A, By>, By>(
    platform: &Platform,
    function: F,
    arguments: A,
) -> Result<SteppedExe<A, F::Ret>>
where
    F::Ret: Ret,
{
    platform.compiler().compile_in_steps(function, arguments)
}

impl Mesh {
    /// Traces `function` on the given arguments and compiles it for the devices of this mesh: each
    /// argument is sharded according to its spec; results follow their constraints, or else the
    /// compiler's choice.
    ///
    /// # Errors
    /// The first error recorded while tracing the function, with its source line, or the plugin's
    /// error.
    #[track_caller]
    pub fn compile<A: Args, F: Function<A, By>, By>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Ret>>
    where
        F::Ret: Ret,
    {
        self.compiler().compile(function, arguments)
    }

    /// Compiles with options.
    pub fn compiler(&self) -> Compiler<'_> {
        let mut compiler = self.platform().compiler();
        compiler.mesh = Some(self);
        compiler
    }
}

impl Compiler<'_> {
    /// The name of the program in logs, dumps, profiles and errors; the path of the function by
    /// default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Names the arguments in signatures, errors and calls by name: an input is then called
    /// `model.fc1.weight` or `ids`, rather than `fc1.weight` or `arg1`.
    pub fn inputs<const N: usize>(mut self, names: [&str; N]) -> Self {
        self.inputs = names.map(str::to_owned).into();
        self
    }

    /// Sets an option of XLA by name, such as `xla_cpu_enable_fast_math`; the plugin rejects an
    /// unknown name.
    pub fn xla_option(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        let name = name.into();
        // XLA spells them as Python does.
        let value = match value.to_string() {
            value if value == "true" => "True".into(),
            value if value == "false" => "False".into(),
            value => value,
        };
        self.options.set_option(name, value);
        self
    }

    /// Removes an option of XLA that the platform sets by default.
    pub fn without_xla_option(mut self, name: &str) -> Self {
        self.options.options.remove(name);
        self
    }

    /// How much time the compiler may spend on optimization, from -1 (least) to 1 (most); 0 by
    /// default.
    pub fn effort(mut self, effort: f32) -> Self {
        self.options.exec_time_optimization_effort = effort;
        self
    }

    /// The partitioner that splits a program over a mesh; Shardy by default.
    pub fn partitioner(mut self, partitioner: Partitioner) -> Self {
        self.partitioner = partitioner;
        self
    }

    /// The form of the module passed to the plugin: by default verified MLIR bytecode, unless the
    /// feature `mlir` is off.
    pub fn form(mut self, form: ModuleForm) -> Self {
        self.form = form;
        self
    }

    /// Keeps composites that no platform kernel replaces as `stablehlo.composite`, for a plugin
    /// that knows them by name; otherwise, and over a mesh, the plugin receives their
    /// decompositions.
    pub fn composites(mut self, kept: bool) -> Self {
        self.composites = kept;
        self
    }

    /// The platform kernels that the program may use; [`Kernels::default`] by default. Programs
    /// over a mesh use none.
    pub fn kernels(mut self, kernels: Kernels) -> Self {
        self.kernels = kernels;
        self
    }

    /// Writes the graph, the StableHLO module and the plugin's optimized program into a folder. The
    /// environment variable `HLOOM_DUMP` does so for every program.
    pub fn dump(mut self, folder: impl Into<PathBuf>) -> Self {
        self.dump = Some(folder.into());
        self
    }

    /// Traces `function` on the given arguments and compiles it.
    ///
    /// # Errors
    /// The first error recorded while tracing the function, with its source line, or the plugin's
    /// error.
    #[track_caller]
    pub fn compile<A: Args, F: Function<A, By>, By>(
        self,
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Ret>>
    where
        F::Ret: Ret,
    {
        let name = self.name.clone().unwrap_or_else(|| function_name::<F>());
        let (graph, structure) = trace(&name, &self.inputs, self.mesh, function, arguments)?;
        Ok(Exe::new(self.compile_graph(&graph)?, structure))
    }

    /// Traces `function` on the given arguments and compiles it to run in steps, with its
    /// callbacks between the programs: see [`compile_in_steps`].
    ///
    /// # Errors
    /// As [`compile`](Self::compile); or a callback is inside a loop or a branch.
    #[track_caller]
    pub fn compile_in_steps<A: Args, F: Function<A, By>, By>(
        self,
        function: F,
        arguments: A,
    ) -> Result<SteppedExe<A, F::Ret>>
    where
        F::Ret: Ret,
    {
        let name = self.name.clone().unwrap_or_else(|| function_name::<F>());
        let (graph, structure) = trace(&name, &self.inputs, None, function, arguments)?;
        let (steps, rest) = graph.host_steps()?;
        let compile = |graph: &Graph| self.clone().compile_graph(graph);
        let steps = steps.into_iter().map(|step| {
            let exe = compile(&step.inputs)?;
            Ok((step, exe))
        });
        let steps = steps.collect::<Result<_>>()?;
        SteppedExe::new(&graph, steps, compile(&rest)?, structure)
    }

    /// Compiles a traced graph.
    ///
    /// # Errors
    /// The error of the lowering or the plugin.
    pub fn compile_graph(mut self, graph: &Graph) -> Result<AnyExe> {
        self.set_mesh_options(graph)?;
        let name = graph.name().to_owned();
        let dump = self.dump.map(|folder| dump::Dump::new(folder, &name));
        if let Some(dump) = &dump {
            dump.write("graph.txt", format!("{graph:#}").as_bytes())?;
        }
        let (graph, kernels) = self.kernels.apply(self.platform, graph)?;
        if let (Some(dump), false) = (&dump, kernels.is_empty()) {
            dump.write("graph_with_kernels.txt", format!("{graph:#}").as_bytes())?;
        }
        let (_, version) = self.platform.client().plugin().version();
        let graph = legalize(&graph, self.platform.name(), Some(version))?;
        let graph = &*graph;
        let code = {
            let bytes = tracing::field::Empty;
            let span = debug_span!("lower", %name, nodes = graph.node_count(), bytes);
            let _entered = span.enter();
            let context = Context::new();
            let options = LowerOptions {
                partitioner: self.partitioner,
                form: self.form,
                composites: self.composites,
                ..LowerOptions::default()
            };
            let module = lower(&context, graph, &options)?;
            if let Some(dump) = &dump {
                dump.write("stablehlo.mlir", module.text_with_locations().as_bytes())?;
            }
            let code = module.code();
            span.record("bytes", code.len());
            code
        };
        let callbacks = Callbacks::of(graph, &name, self.platform)?;
        let mut signature = Signature::of(graph);
        let loaded = {
            let _entered = info_span!(
                "compile",
                %name,
                platform = self.platform.name(),
                inputs = signature.inputs.len(),
                outputs = signature.outputs.len(),
                input_bytes = signature.input_bytes(),
                output_bytes = signature.output_bytes(),
            )
            .entered();
            tracing::info!("compiling");
            let begin = Instant::now();
            let compiled = self.platform.client().compile(&Program::mlir(code), &self.options);
            heap::trim_after(begin.elapsed());
            compiled.map_err(Error::plugin(format!("`{name}` does not compile")))?
        };
        if let Some(mesh) = self.mesh {
            set_compiled_shardings(&mut signature, graph, mesh, &loaded)?;
        }
        let exe = AnyExe::new(
            self.platform.clone(),
            self.mesh.cloned(),
            name,
            loaded,
            signature,
            callbacks,
            graph.nodes().any(|(_, node)| matches!(node.op, Op::CustomCall(_))),
        )?
        .using(kernels);
        if let Some(dump) = &dump {
            dump.optimized(&exe)?;
        }
        for (input, bytes) in exe.unused_donations().unwrap_or_default() {
            tracing::warn!(
                program = exe.name(),
                %input,
                bytes,
                "no result could take over the memory of a donated input"
            );
        }
        Ok(exe)
    }
}

impl Compiler<'_> {
    /// Checks the mesh of the graph and sets the compile options for it.
    fn set_mesh_options(&mut self, graph: &Graph) -> Result<()> {
        let (expected, found) = (self.mesh.map(Mesh::shape), graph.mesh());
        if expected != found {
            let words = |mesh: Option<_>| {
                mesh.map_or("one device".into(), |mesh| format!("the mesh {mesh}"))
            };
            return Err(Error::Mesh(MeshError::Graph {
                expected: words(expected),
                found: words(found),
            }));
        }
        let Some(mesh) = self.mesh else {
            return Ok(());
        };
        let options = &mut self.options;
        options.num_partitions = mesh.devices().len();
        options.device_assignment = Some(mesh.devices().iter().map(|device| device.id()).collect());
        options.use_spmd_partitioning = true;
        options.use_shardy_partitioner = self.partitioner == Partitioner::Shardy;
        let chosen = |resolved: Option<ResolvedSharding>| resolved.is_none_or(|p| p.has_open());
        let parameters = graph.parameters().iter();
        options.allow_spmd_sharding_propagation_to_parameters =
            parameters.map(|parameter| chosen(parameter.sharding)).collect();
        options.allow_spmd_sharding_propagation_to_output =
            (0..graph.results().len()).map(|i| chosen(graph.result_sharding(i))).collect();
        Ok(())
    }
}
