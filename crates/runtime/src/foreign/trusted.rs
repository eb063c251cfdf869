//! Compiling programs of other systems, whose authors are trusted, in this process.

use super::{
    ForeignError, ProgramDescription, StableHlo,
    prepare::{bind_platform_index, platform_index, source},
};
use crate::{
    AnyExe, Compiler, Error, Mesh, Platform, Result, cache,
    exe::{OutputLists, Program},
};

impl Platform {
    /// Compiles a program that another system wrote, such as JAX or PyTorch, in this process. Its
    /// inputs and outputs have the names of the program, or else `arg0`, `arg1`... and `result0`,
    /// `result1`...
    ///
    /// A program for several devices runs on the first ones of the platform.
    ///
    /// ```no_run
    /// # use hloom_runtime::*;
    /// let platform = Platform::cpu()?;
    /// let program = StableHlo::read("model.mlir")?;
    /// // SAFETY: the file is this project's own export.
    /// let model = unsafe { platform.load_stablehlo_trusted(&program)? };
    /// let image = model.zeros_for("image")?;
    /// let results = model.call_named([("image", Argument::Borrowed(&image))], &["classes"])?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// It does not compile, was exported for another platform or more devices, or calls handlers
    /// that are not allowed: see [`ForeignError`].
    ///
    /// # Safety
    /// The author of the program may run code in this process. The plugin checks little: a program
    /// can read and write memory that is not its own, already while it is compiled.
    #[expect(unsafe_code, reason = "the caller vouches for the program")]
    pub unsafe fn load_stablehlo_trusted(&self, program: &StableHlo) -> Result<AnyExe> {
        // SAFETY: the caller vouches for the program.
        unsafe { self.compiler().load_stablehlo_trusted(program) }
    }
}

impl Compiler<'_> {
    /// Compiles a program that another system wrote: see [`Platform::load_stablehlo_trusted`]. Of
    /// the options, those of XLA, the partitioner and the name apply.
    ///
    /// # Errors
    /// As for [`Platform::load_stablehlo_trusted`]; or the mesh has another number of devices.
    ///
    /// # Safety
    /// As for [`Platform::load_stablehlo_trusted`].
    #[expect(unsafe_code, reason = "the caller vouches for the program")]
    pub unsafe fn load_stablehlo_trusted(mut self, program: &StableHlo) -> Result<AnyExe> {
        if let Some(name) = self.settings.name.take() {
            let program = program.clone().with_name(name);
            // SAFETY: the caller vouches for the program.
            return unsafe { self.load_stablehlo_trusted(&program) };
        }
        self.prepare(program)?;
        // SAFETY: as above.
        unsafe { self.compile_trusted(program) }
    }

    /// # Safety
    /// As for [`Platform::load_stablehlo_trusted`].
    #[expect(unsafe_code, reason = "the caller vouches for the program")]
    unsafe fn compile_trusted(mut self, program: &StableHlo) -> Result<AnyExe> {
        let name = program.title();
        let platform = self.on;
        let index = platform_index(program, platform).map_err(|error| error.of(name))?;
        let source = source(&self.settings, program);
        self.settings.set_autotune_options(platform.name());
        let compiled = {
            let _span = tracing::info_span!("compile", %name, platform = platform.name()).entered();
            // SAFETY: the caller vouches for the program.
            let compiled = unsafe { self.compile_code(name, program.code.clone(), &source, true) };
            compiled.map_err(Error::plugin(format!("`{name}` does not compile")))?
        };
        let cache::Executable { loaded, code } = compiled;
        let described =
            ProgramDescription::of(loaded.executable(), program, platform.kind(), &self.settings)?;
        if loaded.signature().is_none() {
            return Err(ForeignError::Undescribed.of(name));
        }
        let mesh = self.settings.platform_mesh();
        let tilings = |mesh: &Mesh| loaded.executable().tilings(mesh.devices().len());
        let placed = mesh.map(|mesh| (mesh, tilings(mesh)));
        let signature = described.signature(program, placed).map_err(|error| error.of(name))?;
        let exe = AnyExe::new(
            Program {
                name: name.to_owned(),
                graph: None,
                platform: platform.clone(),
                mesh: mesh.cloned(),
                loaded,
                code,
                source,
                calls_handlers: described.calls_handlers,
                signature,
                kernels: Vec::new(),
                largest: None,
                output_lists: OutputLists::default(),
            },
            None,
        )?;
        bind_platform_index(exe, index)
    }

    /// Permits programs of other systems to call these handlers, besides those of linear algebra
    /// and of the plugin itself.
    ///
    /// # Safety
    /// The handlers, which run in this process, check their arguments, or the programs pass only
    /// arguments that the handlers accept.
    #[expect(unsafe_code, reason = "the caller vouches for the handlers")]
    pub unsafe fn allow_custom_calls<T: Into<String>>(
        mut self,
        targets: impl IntoIterator<Item = T>,
    ) -> Self {
        self.settings.custom_calls.extend(targets.into_iter().map(Into::into));
        self
    }
}
