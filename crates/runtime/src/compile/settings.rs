//! The options of a compilation, and the steps that need no device: tracing and lowering.

use super::{TargetMesh, check_nan};
use crate::{
    Args, Error, Function, KernelUse, Kernels, Mesh, MeshError, Platform, Result, ResultTree,
    cache::{ProgramSource, file_hash},
    dump::{self, Dump},
    function::{Traced, function_name, trace},
    legalize, linear_algebra,
};
use hloom_graph::{Graph, MeshShape, ResolvedSharding};
use hloom_pjrt::{CompileOptions, PlatformKind, XlaOption, check_thread};
use hloom_stablehlo::{Context, LowerOptions, ModuleForm, Partitioner, lower};
use std::{borrow::Cow, io, path::PathBuf};

/// The options of a compilation.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The mesh that programs are split over.
    pub mesh: Option<TargetMesh>,
    pub partitioner: Partitioner,
    pub form: ModuleForm,
    pub composites: bool,
    pub locations: bool,
    /// Whether the executable keeps its graph.
    pub keep_graph: bool,
    pub name: Option<String>,
    pub inputs: Vec<String>,
    pub options: CompileOptions,
    pub dump: Option<PathBuf>,
    /// Whether the program checks its values for NaN and infinity.
    pub check_nan: bool,
    pub kernels: Kernels,
    /// The file of the choices that the compiler makes by measurement.
    pub autotune: Option<PathBuf>,
    /// The handlers that programs of other systems may call in addition to those of Hloom and the
    /// plugin.
    pub custom_calls: Vec<String>,
    #[cfg(feature = "sandbox")]
    pub sandbox: hloom_sandbox::Sandbox,
}

/// A graph as the plugin compiles it.
pub(crate) struct Lowered<'g> {
    pub graph: Cow<'g, Graph>,
    pub code: Vec<u8>,
    pub source: ProgramSource,
    /// The platform kernels that it uses.
    pub kernels: Vec<KernelUse>,
    pub dump: Option<Dump>,
    /// The names of the XLA options that the environment sets.
    pub from_environment: Vec<String>,
}

/// The default options of the CPU compiler: `max` and `min` propagate NaN.
const CPU_OPTIONS: [(&str, &str); 1] = [("xla_cpu_enable_fast_min_max", "False")];

impl Settings {
    /// The default options for a platform of this name.
    pub fn of(platform: &str) -> Settings {
        let mut options = CompileOptions::default();
        if PlatformKind::of(platform) == PlatformKind::Cpu {
            for (name, value) in CPU_OPTIONS {
                options.set_option(name, value);
            }
        }
        Settings {
            mesh: None,
            partitioner: Partitioner::Shardy,
            form: ModuleForm::default(),
            composites: false,
            locations: true,
            keep_graph: false,
            name: None,
            inputs: Vec::new(),
            options,
            dump: dump::folder_from_env(),
            check_nan: check_nan::is_wanted(),
            kernels: Kernels::default(),
            autotune: None,
            custom_calls: Vec::new(),
            #[cfg(feature = "sandbox")]
            sandbox: hloom_sandbox::Sandbox::new(),
        }
    }

    #[track_caller]
    pub fn trace<A: Args, F: Function<A, Passing>, Passing>(
        &self,
        function: F,
        arguments: A,
    ) -> Result<Traced<<F::Output as ResultTree>::Structure>>
    where
        F::Output: ResultTree,
    {
        let name = self.name.clone().unwrap_or_else(|| function_name::<F>());
        trace(&name, &self.inputs, self.mesh_shape(), function, arguments)
    }

    /// The axes of the mesh.
    pub fn mesh_shape(&self) -> Option<MeshShape> {
        self.mesh.as_ref().map(TargetMesh::shape)
    }

    /// The mesh of a platform that programs are split over.
    pub fn platform_mesh(&self) -> Option<&Mesh> {
        self.mesh.as_ref()?.of_platform()
    }

    /// Lowers a graph for a platform whose plugin has this version of the C API. Without
    /// `kernels_of` it uses no platform kernels.
    pub fn lower<'g>(
        &mut self,
        graph: &'g Graph,
        platform: &str,
        version: i32,
        kernels_of: Option<&Platform>,
    ) -> Result<Lowered<'g>> {
        self.set_mesh_options(graph)?;
        linear_algebra::check(graph, platform)?;
        let from_environment = self.set_environment_options()?;
        let dump = self.dump.take().map(|folder| Dump::new(folder, graph.name()));
        let write = |file: &str, contents: &dyn Fn() -> String| match &dump {
            Some(dump) => dump.write(file, contents().as_bytes()),
            None => Ok(()),
        };
        write("graph.txt", &|| format!("{graph:#}"))?;
        // The source is hashed before kernels are applied, which may differ on the machine that
        // loads the program.
        let lowering = (self.partitioner, self.composites);
        let source = ProgramSource::new(graph, format!("{lowering:?} {:?}", self.options));
        let (graph, kernels) = match kernels_of {
            Some(platform) => self.kernels.apply(platform, graph)?,
            None => (Cow::Borrowed(graph), Vec::new()),
        };
        if !kernels.is_empty() {
            write("graph_with_kernels.txt", &|| format!("{graph:#}"))?;
        }
        let legal = match legalize(&graph, platform, Some(version))? {
            Cow::Owned(legal) => Some(legal),
            Cow::Borrowed(_) => None,
        };
        let graph = legal.map_or(graph, Cow::Owned);
        let code = {
            // MLIR keeps thread-local values too, as plugins do.
            check_thread("lowering").map_err(Error::plugin(format!("`{}`", graph.name())))?;
            let context = Context::new();
            let options = LowerOptions {
                partitioner: self.partitioner,
                form: self.form,
                composites: self.composites,
                locations: self.locations,
                ..LowerOptions::default()
            };
            let module = lower(&context, &graph, &options)?;
            write("stablehlo.mlir", &|| module.text_with_locations())?;
            module.code()
        };
        tracing::debug!(name = graph.name(), bytes = code.len(), "lowered");
        write("xla_options.txt", &|| self.describe_options(&from_environment))?;
        self.set_autotune_options(platform);
        Ok(Lowered { graph, code, source, kernels, dump, from_environment })
    }

    /// Sets the XLA options of the environment, and returns their names.
    pub fn set_environment_options(&mut self) -> Result<Vec<String>> {
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

    /// Sets the options by which the compiler uses the choices in a file, or writes them if the
    /// file does not exist. They do not identify the program: it computes the same with and without
    /// them.
    pub fn set_autotune_options(&mut self, platform: &str) {
        let measures = PlatformKind::of(platform).measures_choices();
        let Some(file) = self.autotune.as_ref().filter(|_| measures) else { return };
        let option = if file.exists() {
            "xla_gpu_load_autotune_results_from"
        } else {
            "xla_gpu_dump_autotune_results_to"
        };
        let file = file.to_string_lossy().into_owned();
        self.options.options.insert(option.to_owned(), XlaOption::String(file));
    }

    /// A hash of the choices that the compiler reads from a file: another file may give another
    /// program.
    ///
    /// # Errors
    /// The file cannot be read, or does not exist yet: only a compilation writes it.
    pub fn autotune_key(&self, platform: &str) -> io::Result<Option<String>> {
        let measures = PlatformKind::of(platform).measures_choices();
        let file = self.autotune.as_ref().filter(|_| measures);
        file.map(|file| file_hash(file)).transpose()
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
        let (expected, found) = (self.mesh_shape(), graph.mesh());
        if expected != found {
            let words = |mesh: Option<_>| {
                mesh.map_or("one device".into(), |mesh| format!("the mesh {mesh}"))
            };
            return Err(Error::Mesh(MeshError::Graph {
                expected: words(expected),
                found: words(found),
            }));
        }
        self.set_devices();
        if self.mesh.is_none() {
            return Ok(());
        }
        let options = &mut self.options;
        let chosen = |resolved: Option<ResolvedSharding>| resolved.is_none_or(|p| p.has_open());
        let parameters = graph.parameters().iter();
        options.allow_spmd_sharding_propagation_to_parameters =
            parameters.map(|parameter| chosen(parameter.sharding)).collect();
        options.allow_spmd_sharding_propagation_to_output =
            (0..graph.results().len()).map(|i| chosen(graph.result_sharding(i))).collect();
        Ok(())
    }

    /// Sets the compile options for the devices of the mesh.
    pub fn set_devices(&mut self) {
        let Some(mesh) = &self.mesh else { return };
        let devices = mesh.ids();
        let options = &mut self.options;
        options.num_partitions = devices.len();
        options.device_assignment = Some(devices);
        options.use_spmd_partitioning = true;
        options.use_shardy_partitioner = self.partitioner == Partitioner::Shardy;
    }
}
