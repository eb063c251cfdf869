//! Compiling functions to executables.

use crate::{
    AnyExe, Args, Error, Exe, Function, Kernels, LoadError, Mesh, MeshError, Platform, Result, Ret,
    Signature, SteppedExe,
    cache::{self, Source},
    callback::Callbacks,
    dump,
    exe::{OutputLists, Program, set_compiled_shardings},
    function::{Traced, brief, function_name, trace},
    heap, legalize, linear_algebra,
    origin::{LargestValue, named_calls},
};
use hloom_graph::{Graph, Op, ResolvedSharding};
use hloom_pjrt::{CompileOptions, XlaOption};
use hloom_stablehlo::{Context, LowerOptions, ModuleForm, Partitioner, lower};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};
use tracing::info_span;

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
    locations: bool,
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
            locations: true,
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
    /// unknown name. The environment variable `HLOOM_XLA_OPTIONS` (`name=value name=value`) sets
    /// options for every program, also in place of these.
    pub fn xla_option(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.options.set_option(name, XlaOption::parse(&value.to_string()));
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

    /// Whether the program carries the source lines of its ops, as by default: the plugin's errors
    /// and profiles show them. Without them, functions that only differ in their place in the
    /// source are one program for a [`CompilationCache`](crate::CompilationCache).
    pub fn locations(mut self, kept: bool) -> Self {
        self.locations = kept;
        self
    }

    /// The platform kernels that the program may use; [`Kernels::default`] by default. Programs
    /// over a mesh use none.
    pub fn kernels(mut self, kernels: Kernels) -> Self {
        self.kernels = kernels;
        self
    }

    /// Writes the graph, the StableHLO module, the XLA options and the plugin's optimized program
    /// into a folder. The environment variable `HLOOM_DUMP` does so for every program.
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
        let Traced { graph, structure, widths } =
            trace(&name, &self.inputs, self.mesh, function, arguments)?;
        Ok(Exe::new(self.compile_graph(&graph)?, structure, widths))
    }

    /// Traces `function` on the given arguments and loads what [`Exe::save`] wrote of it, with the
    /// same options. The trace takes milliseconds; it gives the types, the names and the callbacks.
    ///
    /// # Errors
    /// The first error recorded while tracing the function; or the file cannot be read, was
    /// changed, or holds another function, or the program of another plugin, device or processor:
    /// see [`LoadError`](crate::LoadError).
    ///
    /// # Safety
    /// The file holds native code, which is run. It is what `save` wrote: nobody who may not run
    /// code here could write to it. Its checksum finds accidents, not attacks.
    #[track_caller]
    #[expect(unsafe_code, reason = "the caller vouches for native code")]
    pub unsafe fn load<A: Args, F: Function<A, By>, By>(
        self,
        path: impl AsRef<Path>,
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Ret>>
    where
        F::Ret: Ret,
    {
        let name = self.name.clone().unwrap_or_else(|| function_name::<F>());
        let Traced { graph, structure, widths } =
            trace(&name, &self.inputs, self.mesh, function, arguments)?;
        let bytes = fs::read(path).map_err(|error| LoadError::Io(error).of(&*name))?;
        Ok(Exe::new(self.build(&graph, Some(&bytes))?, structure, widths))
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
        let Traced { graph, structure, .. } =
            trace(&name, &self.inputs, None, function, arguments)?;
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
    pub fn compile_graph(self, graph: &Graph) -> Result<AnyExe> {
        self.build(graph, None)
    }

    /// Compiles a traced graph, or loads what was saved of it.
    fn build(mut self, graph: &Graph, saved: Option<&[u8]>) -> Result<AnyExe> {
        self.set_mesh_options(graph)?;
        linear_algebra::check(graph, self.platform.name())?;
        let name = graph.name().to_owned();
        let from_environment = self.set_environment_options()?;
        let dump = self.dump.take().map(|folder| dump::Dump::new(folder, &name));
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
            let context = Context::new();
            let options = LowerOptions {
                partitioner: self.partitioner,
                form: self.form,
                composites: self.composites,
                locations: self.locations,
                ..LowerOptions::default()
            };
            let module = lower(&context, graph, &options)?;
            if let Some(dump) = &dump {
                dump.write("stablehlo.mlir", module.text_with_locations().as_bytes())?;
            }
            module.code()
        };
        tracing::debug!(%name, bytes = code.len(), "lowered");
        if let Some(dump) = &dump {
            dump.write("xla_options.txt", self.describe_options(&from_environment).as_bytes())?;
        }
        let callbacks = Callbacks::of(graph, &name, self.platform)?;
        let mut signature = Signature::of(graph);
        let lowering = (self.partitioner, self.composites);
        let source = Source::new(graph, format!("{lowering:?} {:?}", self.options));
        let loaded = if let Some(saved) = saved {
            cache::load(self.platform, &name, &source, &signature, saved)?
        } else {
            let span = info_span!(
                "compile",
                %name,
                platform = self.platform.name(),
                inputs = tracing::field::Empty,
                outputs = tracing::field::Empty,
                input_bytes = signature.input_bytes(),
                output_bytes = signature.output_bytes(),
            );
            if !span.is_disabled() {
                let (inputs, outputs) = brief(graph);
                span.record("inputs", inputs).record("outputs", outputs);
            }
            let _entered = span.entered();
            tracing::info!("compiling");
            let begin = Instant::now();
            let client = self.platform.client();
            let compile = |code| client.compile(&hloom_pjrt::Program::mlir(code), &self.options);
            // A dump shows what was compiled, which plugins do not keep of a loaded program.
            let compiled = match self.platform.cache().filter(|_| dump.is_none()) {
                Some(cache) => cache.compiled(self.platform, &name, (code, &source), compile),
                None => compile(code),
            };
            heap::trim_after(begin.elapsed());
            let with = match &from_environment[..] {
                [] => String::new(),
                names => format!(" with {} of HLOOM_XLA_OPTIONS", names.join(", ")),
            };
            compiled.map_err(|error| {
                let calls = named_calls(graph, &error.to_string());
                Error::plugin(format!("`{name}` does not compile{with}{calls}"))(error)
            })?
        };
        if let Some(mesh) = self.mesh {
            set_compiled_shardings(&mut signature, graph, mesh, &loaded)?;
        }
        let calls_handlers = graph.nodes().any(|(_, node)| matches!(node.op, Op::CustomCall(_)));
        let program = Program {
            name,
            platform: self.platform.clone(),
            mesh: self.mesh.cloned(),
            loaded,
            source,
            calls_handlers,
            signature,
            kernels,
            largest: LargestValue::of(graph),
            output_lists: OutputLists::default(),
        };
        let exe = AnyExe::new(program, callbacks)?;
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
    /// Sets the XLA options of the environment, and returns their names.
    fn set_environment_options(&mut self) -> Result<Vec<String>> {
        let options = CompileOptions::options_from_environment();
        let options = options.map_err(Error::plugin("the options of the environment"))?;
        let mut names: Vec<String> = options.iter().map(|(name, _)| name.clone()).collect();
        self.options.options.extend(options);
        names.sort();
        names.dedup();
        if !names.is_empty() {
            tracing::info!(options = names.join(" "), "HLOOM_XLA_OPTIONS");
        }
        Ok(names)
    }

    /// The XLA options, one per line.
    fn describe_options(&self, from_environment: &[String]) -> String {
        let line = |(name, value): (&String, &XlaOption)| {
            let is_of_environment = from_environment.contains(name);
            let from = if is_of_environment { " (HLOOM_XLA_OPTIONS)" } else { "" };
            format!("{name}={value}{from}\n")
        };
        self.options.options.iter().map(line).collect()
    }

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
