//! Compiling functions to executables.

mod build;
mod check_nan;
pub(crate) mod repeated;
mod settings;
mod target_mesh;

pub(crate) use settings::{Lowered, Settings};
pub(crate) use target_mesh::TargetMesh;

use crate::{
    AnyExe, Args, Exe, Function, Kernels, LoadError, Mesh, Platform, Result, ResultTree,
    SteppedExe, function::Traced, regular_file,
};
use hloom_graph::Graph;
use hloom_stablehlo::{ModuleForm, Partitioner};
use std::path::{Path, PathBuf};

/// Compiles functions for a platform, with options.
///
/// ```no_run
/// # use hloom_runtime::*; use hloom_graph::*;
/// # fn main() -> Result<()> {
/// let platform = Platform::cpu()?;
/// let double = platform.compiler().name("double").compile(|x: Tensor| x + x, (Spec::f32([3]),))?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Compiler<'a, On = Platform> {
    pub(crate) on: &'a On,
    pub(crate) settings: Settings,
}

impl<On> Clone for Compiler<'_, On> {
    fn clone(&self) -> Self {
        Compiler { on: self.on, settings: self.settings.clone() }
    }
}

impl Platform {
    /// Traces `function` on the given arguments and compiles it for this platform.
    ///
    /// # Errors
    /// The first error recorded while tracing the function, with its source line, or the plugin's
    /// error.
    #[track_caller]
    pub fn compile<A: Args, F: Function<A, Passing>, Passing>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Output>>
    where
        F::Output: ResultTree,
    {
        self.compiler().compile(function, arguments)
    }

    /// Traces `function` on the given arguments and compiles it to run in steps, with its callbacks
    /// between the programs: the same computation as [`compile`](Self::compile) on platforms that
    /// can call back into Rust.
    ///
    /// # Errors
    /// As [`compile`](Self::compile); or a callback is inside a loop or a branch.
    #[track_caller]
    pub fn compile_in_steps<A: Args, F: Function<A, Passing>, Passing>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<SteppedExe<A, F::Output>>
    where
        F::Output: ResultTree,
    {
        self.compiler().compile_in_steps(function, arguments)
    }

    /// Compiles a graph, such as one that [`GraphBuilder`](hloom_graph::GraphBuilder) built from
    /// data. Inputs and outputs have names: see [`AnyExe::call_named`].
    ///
    /// # Errors
    /// The error of the lowering or the plugin.
    pub fn compile_graph(&self, graph: &Graph) -> Result<AnyExe> {
        self.compiler().compile_graph(graph)
    }

    /// Compiles with options.
    pub fn compiler(&self) -> Compiler<'_> {
        let mut settings = Settings::of(self.name());
        self.set_xla_options(&mut settings.options);
        Compiler { on: self, settings }
    }
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
    pub fn compile<A: Args, F: Function<A, Passing>, Passing>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Output>>
    where
        F::Output: ResultTree,
    {
        self.compiler().compile(function, arguments)
    }

    /// Compiles with options.
    pub fn compiler(&self) -> Compiler<'_> {
        let mut compiler = self.platform().compiler();
        compiler.settings.mesh = Some(TargetMesh::Platform(self.clone()));
        compiler
    }
}

impl<On> Compiler<'_, On> {
    /// The name of the program in logs, dumps, profiles and errors; the path of the function by
    /// default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = Some(name.into());
        self
    }

    /// Names the arguments in signatures, errors and calls by name: an input is then called
    /// `model.fc1.weight` or `ids`, rather than `fc1.weight` or `arg1`.
    pub fn inputs<const N: usize>(mut self, names: [&str; N]) -> Self {
        self.settings.inputs = names.map(str::to_owned).into();
        self
    }

    /// Sets an option of XLA by name, such as `xla_cpu_enable_fast_math`; the plugin rejects an
    /// unknown name. [`PlatformBuilder::xla_option`](crate::PlatformBuilder::xla_option) sets one
    /// for every program of a platform. The environment variable `HLOOM_XLA_OPTIONS` (`name=value
    /// name=value`) sets options for every program, also in place of these.
    pub fn xla_option(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.settings.options.set_option(name, hloom_pjrt::XlaOption::parse(&value.to_string()));
        self
    }

    /// Removes an option of XLA that the platform sets by default.
    pub fn without_xla_option(mut self, name: &str) -> Self {
        self.settings.options.options.remove(name);
        self
    }

    /// Rounds each product before it is added, as IEEE 754 requires: for x86-64 CPUs, where one
    /// instruction may compute a product and a sum (contraction). LLVM does not optimize the
    /// program, which takes several times as long. Dot products are contracted all the same.
    pub fn without_contraction(self) -> Self {
        // The emitters of fusions contract products of f64 before LLVM does.
        self.xla_option("xla_backend_optimization_level", 0)
            .xla_option("xla_cpu_use_fusion_emitters", false)
    }

    /// The effort that the compiler may spend on optimization, from -1 (least) to 1 (most); 0 by
    /// default.
    pub fn effort(mut self, effort: f32) -> Self {
        self.settings.options.exec_time_optimization_effort = effort;
        self
    }

    /// The partitioner that splits a program over a mesh; Shardy by default.
    pub fn partitioner(mut self, partitioner: Partitioner) -> Self {
        self.settings.partitioner = partitioner;
        self
    }

    /// The form of the module passed to the plugin: by default verified MLIR bytecode, unless the
    /// feature `mlir` is off.
    pub fn form(mut self, form: ModuleForm) -> Self {
        self.settings.form = form;
        self
    }

    /// Keeps composites that no platform kernel replaces as `stablehlo.composite`, for a plugin
    /// that knows them by name; otherwise, and over a mesh, the plugin receives their
    /// decompositions.
    pub fn composites(mut self, kept: bool) -> Self {
        self.settings.composites = kept;
        self
    }

    /// Whether the program carries the source lines of its ops, as by default: the plugin's errors
    /// and profiles show them. Without them, functions that differ only in their source lines are
    /// one program for a [`CompilationCache`](crate::CompilationCache).
    pub fn locations(mut self, kept: bool) -> Self {
        self.settings.locations = kept;
        self
    }

    /// Whether the executable keeps the graph that it was compiled from, which
    /// [`AnyExe::graph`] returns and `interpret` evaluates; off by default, since a graph holds the
    /// constants of the program, also large ones.
    pub fn keep_graph(mut self, kept: bool) -> Self {
        self.settings.keep_graph = kept;
        self
    }

    /// The platform kernels that the program may use; [`Kernels::default`] by default. Programs
    /// over several devices use them in [manual](hloom_graph::manual) computations only.
    pub fn kernels(mut self, kernels: Kernels) -> Self {
        self.settings.kernels = kernels;
        self
    }

    /// Keeps the choices that the compiler makes by measurement in a file: the first compilation
    /// writes it, later ones read it, so that they give the same program, sooner. For CUDA only:
    /// the other compilers make no choices by measurement.
    pub fn autotune_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.settings.autotune = Some(file.into());
        self
    }

    /// Whether a call fails at the first op that computes a NaN, or an infinity from finite
    /// operands, with an error that names the op and its source line; off by default. The program
    /// runs much slower. The environment variable `HLOOM_CHECK_NAN=1` checks every program. The
    /// platform has to support callbacks.
    #[doc(alias = "jax_debug_nans")]
    #[doc(alias = "detect_anomaly")]
    pub fn check_nan(mut self, checked: bool) -> Self {
        self.settings.check_nan = checked;
        self
    }

    /// Writes the graph, the StableHLO module, the XLA options and the plugin's optimized program
    /// into a folder. The environment variable `HLOOM_DUMP` does so for every program.
    pub fn dump(mut self, folder: impl Into<PathBuf>) -> Self {
        self.settings.dump = Some(folder.into());
        self
    }
}

impl Compiler<'_> {
    /// Traces `function` on the given arguments and compiles it.
    ///
    /// # Errors
    /// The first error recorded while tracing the function, with its source line, or the plugin's
    /// error.
    #[track_caller]
    pub fn compile<A: Args, F: Function<A, Passing>, Passing>(
        self,
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Output>>
    where
        F::Output: ResultTree,
    {
        let Traced { graph, structure, arguments: kept } =
            self.settings.trace(function, arguments)?;
        Ok(Exe::new(self.compile_graph(&graph)?, structure, kept))
    }

    /// Traces `function` on the given arguments and loads the program that [`Exe::save`] wrote for
    /// it, with the same options. The trace takes milliseconds; it gives the types, the names and
    /// the callbacks.
    ///
    /// # Errors
    /// The first error recorded while tracing the function; or the file cannot be read, was
    /// changed, or holds another function, or the program of another plugin, device or processor:
    /// see [`LoadError`](crate::LoadError).
    ///
    /// # Safety
    /// The file holds native code, which is run. The file is as `save` wrote it: nobody could
    /// change it who may not run code in this process. Its checksum finds accidents, not attacks.
    #[track_caller]
    #[expect(unsafe_code, reason = "the caller vouches for native code")]
    pub unsafe fn load<A: Args, F: Function<A, Passing>, Passing>(
        self,
        path: impl AsRef<Path>,
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Output>>
    where
        F::Output: ResultTree,
    {
        let Traced { graph, structure, arguments: kept } =
            self.settings.trace(function, arguments)?;
        let bytes = regular_file::read(path.as_ref());
        let bytes = bytes.map_err(|error| LoadError::Io(error).of(graph.name()))?;
        Ok(Exe::new(self.build(&graph, Some(&bytes))?, structure, kept))
    }

    /// As [`load`](Self::load), from the bytes of a file, such as those of [`Exe::to_bytes`].
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    ///
    /// # Safety
    /// As for [`load`](Self::load): the bytes are native code, which is run.
    #[track_caller]
    #[expect(unsafe_code, reason = "the caller vouches for native code")]
    pub unsafe fn load_bytes<A: Args, F: Function<A, Passing>, Passing>(
        self,
        bytes: &[u8],
        function: F,
        arguments: A,
    ) -> Result<Exe<A, F::Output>>
    where
        F::Output: ResultTree,
    {
        let Traced { graph, structure, arguments: kept } =
            self.settings.trace(function, arguments)?;
        Ok(Exe::new(self.build(&graph, Some(bytes))?, structure, kept))
    }

    /// Traces `function` on the given arguments and compiles it to run in steps, with its
    /// callbacks between the programs: see [`Platform::compile_in_steps`].
    ///
    /// # Errors
    /// As [`compile`](Self::compile); or a callback is inside a loop or a branch.
    #[track_caller]
    pub fn compile_in_steps<A: Args, F: Function<A, Passing>, Passing>(
        self,
        function: F,
        arguments: A,
    ) -> Result<SteppedExe<A, F::Output>>
    where
        F::Output: ResultTree,
    {
        let Traced { graph, structure, arguments: kept } =
            self.settings.trace(function, arguments)?;
        let (steps, rest) = graph.host_steps()?;
        let compile = |graph: &Graph| self.clone().compile_graph(graph);
        let steps = steps.into_iter().map(|step| {
            let exe = compile(&step.inputs)?;
            Ok((step, exe))
        });
        let steps = steps.collect::<Result<_>>()?;
        SteppedExe::new(&graph, steps, compile(&rest)?, structure, kept)
    }

    /// Compiles a traced graph.
    ///
    /// # Errors
    /// The error of the lowering or the plugin.
    pub fn compile_graph(self, graph: &Graph) -> Result<AnyExe> {
        self.build(graph, None)
    }
}
