//! Compiling programs of other systems in a sandbox.

use super::{
    ForeignError, ForeignExe, ProgramDescription, StableHlo,
    check::refused,
    prepare::{bind_platform_index, platform_index, source},
    sandboxed_exe::{SandboxedExe, SandboxedProgram},
};
use crate::{Compiler, Mesh, Platform, Result};
use hloom_pjrt::PlatformKind;
use hloom_sandbox::Sandbox;

impl Platform {
    /// Compiles a program of any author that another system wrote, such as JAX or PyTorch, in a
    /// sandbox. Its inputs and outputs have the names of the program, or else `arg0`, `arg1`... and
    /// `result0`, `result1`...
    ///
    /// The program is compiled and runs in a child process with limits, which can do nothing but
    /// compute: see [`hloom_sandbox`]. Arguments and results are buffers of this platform, which
    /// are copied. A program for several devices runs on as many as it needs. It is compiled again
    /// in each process: nothing of it is kept in a cache.
    ///
    /// The child is the current program if its `main` first calls [`hloom_sandbox::enter`], else
    /// the program `hloom-sandbox`: see [`Compiler::sandbox`].
    ///
    /// ```no_run
    /// # use hloom_runtime::*;
    /// # fn main() -> Result<()> {
    /// // The first line of `main`.
    /// sandbox::enter();
    /// let platform = Platform::cpu()?;
    /// let model = platform.load_stablehlo(&StableHlo::read("model.mlir")?)?;
    /// let image = model.zeros_for("image")?;
    /// let results = model.call_named([("image", Argument::Borrowed(&image))], &["classes"])?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// It does not compile, was exported for another platform, needs more devices than there are,
    /// calls handlers, or reached a limit; the platform is not the CPU, or the system has no
    /// sandbox: see [`ForeignError`].
    pub fn load_stablehlo(&self, program: &StableHlo) -> Result<ForeignExe> {
        self.compiler().load_stablehlo(program)
    }
}

impl Compiler<'_> {
    /// Compiles a program that another system wrote in a sandbox: see
    /// [`Platform::load_stablehlo`]. Of the options, those of XLA, the partitioner, the name and
    /// the sandbox apply.
    ///
    /// # Errors
    /// As for [`Platform::load_stablehlo`]; or the mesh has another number of devices.
    pub fn load_stablehlo(mut self, program: &StableHlo) -> Result<ForeignExe> {
        if let Some(name) = self.settings.name.take() {
            return self.load_stablehlo(&program.clone().with_name(name));
        }
        let (name, platform) = (program.title(), self.on);
        let plugin = match (platform.kind(), platform.client().plugin().path()) {
            (PlatformKind::Cpu, Some(plugin)) => plugin,
            _ => return Err(ForeignError::NotConfined(platform.to_string()).of(name)),
        };
        let absent = std::mem::take(&mut self.settings.custom_calls);
        if !absent.is_empty() {
            return Err(ForeignError::NotInSandbox(absent).of(name));
        }
        let index = platform_index(program, platform).map_err(|error| error.of(name))?;
        self.prepare(program)?;
        let mesh = self.settings.platform_mesh().cloned();
        let source = source(&self.settings, program);
        let devices = mesh.as_ref().map_or(1, |mesh| mesh.devices().len());
        let options = &mut self.settings.options;
        if let Some(assignment) = &mut options.device_assignment {
            // The devices of the sandbox are only those of the program.
            *assignment = (0..).take(devices).collect();
        }
        let program_of = |error| ForeignError::Sandbox(error).of(name);
        let compiled = {
            let _span = tracing::info_span!("compile", %name, platform = "sandbox").entered();
            let session = self.settings.sandbox.start(plugin, devices).map_err(program_of)?;
            session.compile(&program.code, options).map_err(program_of)?
        };
        let description = compiled.description();
        let refused = refused(platform.kind(), &description.custom_calls, &[]);
        if !refused.is_empty() {
            return Err(ForeignError::CustomCalls(refused).of(name));
        }
        let described = ProgramDescription::of_sandboxed(description);
        let placed = mesh.as_ref().map(|mesh: &Mesh| (mesh, description.tilings.clone()));
        let signature = described.signature(program, placed).map_err(|error| error.of(name))?;
        let exe = ForeignExe::from(SandboxedExe::new(SandboxedProgram {
            name: name.to_owned(),
            platform: platform.clone(),
            mesh,
            signature,
            source,
            calls_handlers: described.calls_handlers,
            program: compiled,
        }));
        bind_platform_index(exe, index)
    }
}

impl<On> Compiler<'_, On> {
    /// The sandbox of programs of other systems: its limits, and the program that is its child.
    pub fn sandbox(mut self, sandbox: Sandbox) -> Self {
        self.settings.sandbox = sandbox;
        self
    }
}
