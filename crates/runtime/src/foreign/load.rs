//! Compiling programs that other systems wrote.

use super::{ForeignError, PLATFORM_INDEX, StableHlo, StableHloValue, value::plain_path};
use crate::{
    AnyExe, Buffer, Compiler, Error, Input, Mesh, NamedSharding, Output, Placement, Platform,
    Result, Signature,
    cache::{self, Source},
    compile::Settings,
    exe::{OutputLists, Program, resolved_of},
    pjrt_types::{dims_i64, from_pjrt},
};
use hloom_graph::{DType, ResolvedSharding, Shape};
use hloom_pjrt::{Executable, ProgramInterface, Spec, Tiling, Tilings};
use hloom_stablehlo::Partitioner;
use std::collections::{HashMap, HashSet};

impl Platform {
    /// Compiles a program that another system wrote, such as JAX or PyTorch. Its inputs and outputs
    /// have the names of the program, or else `arg0`, `arg1`... and `result0`, `result1`...
    ///
    /// A program for several devices runs on the first ones of the platform.
    ///
    /// ```no_run
    /// # use hloom_runtime::*;
    /// let platform = Platform::cpu()?;
    /// let model = platform.load_stablehlo(&StableHlo::read("model.mlir")?)?;
    /// let image = model.zeros_for("image")?;
    /// let results = model.call_named([("image", Given::Borrowed(&image))], &["classes"])?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// It does not compile, was exported for another platform or more devices, or calls handlers
    /// that are not allowed: see [`ForeignError`].
    pub fn load_stablehlo(&self, program: &StableHlo) -> Result<AnyExe> {
        self.compiler().load_stablehlo(program)
    }
}

impl Compiler<'_> {
    /// Compiles a program that another system wrote: see [`Platform::load_stablehlo`]. Of the
    /// options, those of XLA, the partitioner and the name apply.
    ///
    /// # Errors
    /// As for [`Platform::load_stablehlo`]; or the mesh has another number of devices.
    pub fn load_stablehlo(mut self, program: &StableHlo) -> Result<AnyExe> {
        if let Some(name) = self.settings.name.take() {
            return self.load_stablehlo(&program.clone().with_name(name));
        }
        let (needed, mesh) = (program.devices, self.mesh.cloned());
        let mesh = match mesh {
            Some(mesh) if needed > 1 && mesh.devices().len() != needed => {
                let found = mesh.devices().len();
                return Err(ForeignError::Mesh { needed, found }.of(program.title()));
            }
            None if needed > 1 => Some(program.mesh(self.on)?),
            mesh => mesh,
        };
        if let Some(mesh) = &mesh {
            self.set_mesh(mesh);
        }
        prepare(&mut self.settings, program)?;
        self.compile_foreign(program, mesh)
    }

    fn compile_foreign(mut self, program: &StableHlo, mesh: Option<Mesh>) -> Result<AnyExe> {
        let name = program.title();
        let platform = self.on;
        let index = platform_index(program, platform).map_err(|error| error.of(name))?;
        let source = source(&self.settings, program);
        self.settings.set_autotune_options(platform.name());
        let compiled = {
            let _span = tracing::info_span!("compile", %name, platform = platform.name()).entered();
            let compiled = self.compile_code(name, program.code.clone(), &source, true);
            compiled.map_err(Error::plugin(format!("`{name}` does not compile")))?
        };
        let cache::Executable { loaded, code } = compiled;
        let told = Told::of(loaded.executable(), program, platform.name(), &self.settings)?;
        if loaded.signature().is_none() {
            return Err(ForeignError::Undescribed.of(name));
        }
        let tilings = |mesh: &Mesh| loaded.executable().tilings(mesh.devices().len());
        let placed = mesh.as_ref().map(|mesh| (mesh, tilings(mesh)));
        let signature = told.signature(program, placed).map_err(|error| error.of(name))?;
        let exe = AnyExe::new(
            Program {
                name: name.to_owned(),
                platform: platform.clone(),
                mesh,
                loaded,
                code,
                source,
                calls_handlers: !told.interface.custom_calls.is_empty(),
                signature,
                kernels: Vec::new(),
                largest: None,
                output_lists: OutputLists::default(),
            },
            None,
        )?;
        match index {
            Some(index) => {
                let input = exe.signature().inputs.first();
                let wide = input.is_some_and(|input| input.shape.dtype() == DType::I64);
                let to = match input.and_then(|input| input.sharding.as_ref()) {
                    Some(sharding) => Placement::from(sharding),
                    None => Placement::from(platform),
                };
                let index = if wide {
                    Buffer::scalar(to, i64::from(index))?
                } else {
                    Buffer::scalar(to, index)?
                };
                exe.bind_named([(PLATFORM_INDEX, &index)])
            }
            None => Ok(exe),
        }
    }

    /// Permits programs of other systems to call these handlers, besides those of linear algebra
    /// and of the plugin itself.
    ///
    /// # Safety
    /// The handlers, which run in this process, check their arguments, or the programs pass only
    /// what they take.
    #[must_use]
    #[expect(unsafe_code, reason = "the caller vouches for the handlers")]
    pub unsafe fn allow_custom_calls<T: Into<String>>(
        mut self,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.settings.custom_calls.extend(targets.into_iter().map(Into::into));
        self
    }
}

/// The number of a platform in a program for several ones; `None` for a program for one.
fn platform_index(program: &StableHlo, platform: &Platform) -> Result<Option<i32>, ForeignError> {
    let name = platform.name();
    let is_it = |exported: &String| exported == name || exported == "gpu" && name == "cuda";
    match (&program.platforms[..], program.platforms.iter().position(is_it)) {
        ([] | [_], Some(_)) | ([], None) => Ok(None),
        (_, Some(index)) => Ok(i32::try_from(index).ok()),
        (found, None) => {
            Err(ForeignError::Platform { wanted: name.to_owned(), found: found.to_vec() })
        }
    }
}

/// The custom calls that are not allowed.
fn refused(platform: &str, called: &[String], allowed: &[String]) -> Vec<String> {
    // What the plugins' compilers emit themselves: names, and the starts of names.
    const OF_PLUGINS: [&str; 4] = ["TopK", "PadToStatic", "SliceToDynamic", "Sharding"];
    const FAMILIES: [&str; 9] = [
        "__onednn$",
        "__cublas$",
        "__cudnn$",
        "__cusolver$",
        "__cusparse$",
        "__cub$",
        "__gpu$",
        "__op$",
        "__triton_",
    ];
    // Programs for TPUs call nothing on the host by a name.
    if platform == "tpu" {
        return Vec::new();
    }
    let of_plugin = |target: &str| {
        FAMILIES.iter().any(|family| target.starts_with(family)) || OF_PLUGINS.contains(&target)
    };
    let is_allowed = |target: &&String| {
        of_plugin(target)
            || allowed.contains(target)
            || crate::linear_algebra::is_handler(platform, target)
    };
    called.iter().filter(|target| !is_allowed(target)).cloned().collect()
}

/// Sets the options that a program needs.
pub(crate) fn prepare(settings: &mut Settings, program: &StableHlo) -> Result<()> {
    let is_shardy = program.code.windows(4).any(|bytes| bytes == b"sdy.");
    if !is_shardy {
        settings.partitioner = Partitioner::Gspmd;
    }
    settings.set_devices();
    settings.set_environment_options()?;
    Ok(())
}

/// What identifies a program of another system.
pub(crate) fn source(settings: &Settings, program: &StableHlo) -> Source {
    Source::of_code(&program.code, format!("{:?}", settings.options))
}

/// What a compiled program tells of its inputs and outputs.
pub(crate) struct Told {
    pub interface: ProgramInterface,
    results: Vec<Spec>,
}

impl Told {
    /// Reads a compiled program, which calls nothing that is not allowed.
    pub fn of(
        executable: &Executable,
        program: &StableHlo,
        platform: &str,
        settings: &Settings,
    ) -> Result<Told> {
        let name = program.title();
        let undescribed = || format!("`{name}` is not described");
        let interface = executable.interface().map_err(Error::plugin(undescribed()))?;
        let results = executable.output_specs().map_err(Error::plugin(undescribed()))?;
        let refused = refused(platform, &interface.custom_calls, &settings.custom_calls);
        match refused.is_empty() {
            true => Ok(Told { interface, results }),
            false => Err(ForeignError::CustomCalls(refused).of(name)),
        }
    }

    /// The signature, on a mesh if it runs on one.
    pub fn signature(
        &self,
        program: &StableHlo,
        placed: Option<(&Mesh, Option<Tilings>)>,
    ) -> Result<Signature, ForeignError> {
        let (mesh, tilings) = placed.map_or((None, None), |(mesh, tilings)| (Some(mesh), tilings));
        let tiling = |of: fn(&Tilings) -> &[Option<Tiling>], i: usize| {
            tilings.as_ref().and_then(|tilings| of(tilings).get(i)?.as_ref())
        };
        let known = |values: &Option<Vec<StableHloValue>>, i: usize| {
            values.as_ref().and_then(|values| values.get(i).cloned()).unwrap_or_default()
        };
        let mut names = Names::default();
        let mut inputs = Vec::with_capacity(self.interface.parameters.len());
        for (i, parameter) in self.interface.parameters.iter().enumerate() {
            let spec = parameter.spec.as_ref().ok_or(ForeignError::Undescribed)?;
            let known = known(&program.inputs, i);
            let tiling = tiling(|tilings| &tilings.parameters, i);
            let (shape, sharding) = value("input", i, spec, known.shape, mesh, tiling)?;
            let compiled = || parameter.name.as_deref().map(plain_path);
            let name = known.name.or_else(compiled).unwrap_or_else(|| format!("arg{i}"));
            let name = unique(&mut names, name);
            let donated = self.interface.donatable.contains(&i);
            inputs.push(Input { name, shape, sharding, donated });
        }
        let mut names = Names::default();
        let mut outputs = Vec::with_capacity(self.results.len());
        for (i, spec) in self.results.iter().enumerate() {
            let known = known(&program.outputs, i);
            let tiling = tiling(|tilings| &tilings.results, i);
            let (shape, sharding) = value("output", i, spec, known.shape, mesh, tiling)?;
            let one = self.results.len() == 1;
            let numbered = || if one { "result".into() } else { format!("result{i}") };
            let name = unique(&mut names, known.name.unwrap_or_else(numbered));
            outputs.push(Output { name, shape, sharding, reuses: None });
        }
        Ok(Signature { inputs, outputs })
    }
}

/// The names of values so far.
#[derive(Default)]
struct Names {
    used: HashSet<String>,
    /// The last number that was appended to a name; all smaller ones are used.
    numbers: HashMap<String, usize>,
}

/// A name that no earlier value has.
fn unique(names: &mut Names, name: String) -> String {
    if names.used.insert(name.clone()) {
        return name;
    }
    let number = names.numbers.entry(name.clone()).or_insert(1);
    loop {
        *number += 1;
        let found = format!("{name}_{number}");
        if names.used.insert(found.clone()) {
            return found;
        }
    }
}

/// The shape of an input or output, and how it is split: `spec` is what one device has.
fn value(
    what: &'static str,
    position: usize,
    spec: &Spec,
    told: Option<Shape>,
    mesh: Option<&Mesh>,
    tiling: Option<&Tiling>,
) -> Result<(Shape, Option<NamedSharding>), ForeignError> {
    let unsupported = || ForeignError::Value { what, position, found: spec.to_string() };
    let dtype = from_pjrt(spec.dtype()).ok_or_else(unsupported)?;
    let sizes = spec.dims().iter().map(|&size| usize::try_from(size).ok());
    let sizes: Vec<usize> = sizes.collect::<Option<_>>().ok_or_else(unsupported)?;
    let local = Shape::new(dtype, sizes.clone()).map_err(|_| unsupported())?;
    let Some(mesh) = mesh else { return Ok((local, None)) };
    let counts = tiling.map_or(&[][..], |tiling| &tiling.counts);
    let whole = sizes.iter().enumerate().map(|(axis, size)| {
        size.checked_mul(counts.get(axis).copied().unwrap_or(1)).ok_or_else(unsupported)
    });
    let whole: Vec<usize> = whole.collect::<Result<_, _>>()?;
    let whole = Shape::new(dtype, whole).map_err(|_| unsupported())?;
    let resolved = match tiling {
        Some(tiling) => resolved_of(mesh, &whole, tiling).ok_or_else(unsupported)?,
        None => ResolvedSharding::replicated(whole.rank()),
    };
    // The last part of an uneven split is filled up: only the program tells the size of the whole.
    let part = |whole: &Shape| dims_i64(resolved.local(whole, &mesh.shape()));
    let shape = told.filter(|told| told.dtype() == dtype && part(told) == spec.dims());
    Ok((shape.unwrap_or(whole), Some(NamedSharding::of(mesh.clone(), resolved))))
}
