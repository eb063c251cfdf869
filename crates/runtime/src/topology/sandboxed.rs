//! Compiling programs of other systems ahead of time for other devices, in a sandbox.

use super::{CompiledProgram, Topology, compiled::Compiled};
use crate::{
    Compiler, ForeignError, Result, StableHlo,
    cache::{Needs, ProgramFile, Statistics},
    foreign::{self, ProgramDescription, refused},
};
use hloom_pjrt::PlatformKind;
use hloom_sandbox::{Error as SandboxError, Target};
use std::{collections::BTreeMap, path::Path};

/// Variables with which the TPU plugin does not query a server for its devices, and writes neither
/// a lock file nor a log.
const TPU: [(&str, &str); 3] =
    [("TPU_SKIP_MDS_QUERY", "1"), ("ALLOW_MULTIPLE_LIBTPU_LOAD", "1"), ("TPU_LOG_DIR", "disabled")];

impl Topology {
    /// Compiles a program of any author that another system wrote for one of these devices, in a
    /// sandbox: see [`hloom_sandbox`]. The compiled program is saved as a program of another
    /// author, which runs code of its own where it is loaded.
    ///
    /// # Errors
    /// As for [`Platform::load_stablehlo`](crate::Platform::load_stablehlo), or it runs on several
    /// devices.
    pub fn compile_stablehlo(&self, program: &StableHlo) -> Result<CompiledProgram> {
        self.compiler().compile_stablehlo(program)
    }

    /// The devices as a sandbox's target.
    fn target(&self, plugin: &Path) -> Target {
        let (name, options) = &self.description;
        let text = |(name, value): (&String, &hloom_pjrt::NamedValue)| {
            Some((name.clone(), value.as_str()?.to_owned()))
        };
        let is_tpu = self.kind() == PlatformKind::Tpu;
        let environment =
            TPU.iter().filter(|_| is_tpu).map(|&(name, value)| (name.into(), value.into()));
        Target {
            name: name.clone(),
            options: options.iter().filter_map(text).collect(),
            devices: self.ids.len(),
            environment: environment.collect::<BTreeMap<_, _>>(),
            // Packages of NVIDIA's are installed next to those of plugins.
            companions: plugin
                .ancestors()
                .nth(3)
                .map(|all| all.join("nvidia"))
                .into_iter()
                .collect(),
        }
    }
}

impl Compiler<'_, Topology> {
    /// Compiles a program that another system wrote in a sandbox: see
    /// [`Topology::compile_stablehlo`].
    ///
    /// # Errors
    /// As for [`Topology::compile_stablehlo`].
    pub fn compile_stablehlo(mut self, program: &StableHlo) -> Result<CompiledProgram> {
        let name = self.settings.name.take().unwrap_or_else(|| program.title().to_owned());
        if program.device_count() > 1 {
            return Err(ForeignError::AheadOfTime(program.device_count()).of(name));
        }
        let absent = std::mem::take(&mut self.settings.custom_calls);
        if !absent.is_empty() {
            return Err(ForeignError::NotInSandbox(absent).of(name));
        }
        let topology = self.on;
        let Some(plugin) = topology.plugin.path() else {
            return Err(ForeignError::NotConfined(topology.to_string()).of(name));
        };
        foreign::prepare(&mut self.settings, program, topology.kind())?;
        let source = foreign::source(&self.settings, program);
        let failed = |error: SandboxError| ForeignError::Sandbox(error).of(&*name);
        let _span =
            tracing::info_span!("compile", %name, platform = "sandbox", ahead = true).entered();
        let session = self.settings.sandbox.start_ahead(plugin, &topology.target(plugin));
        let session = session.map_err(failed)?;
        let compiled = session.compile(program.code(), &self.settings.options).map_err(failed)?;
        let description = compiled.description();
        let refused = refused(topology.kind(), &description.custom_calls, &[]);
        if !refused.is_empty() {
            return Err(ForeignError::CustomCalls(refused).of(name));
        }
        let described = ProgramDescription::of_sandboxed(description);
        let signature = described.signature(program, None).map_err(|error| error.of(&*name))?;
        let needs = Needs {
            callbacks: Vec::new(),
            kernels: Vec::new(),
            calls_handlers: described.calls_handlers,
            mesh: None,
            is_foreign: true,
        };
        let code = compiled.serialize().map_err(failed)?;
        let memory = description.memory;
        let file = ProgramFile {
            name: &name,
            machine: self.machine(),
            source: &source,
            signature: &signature,
            needs,
            code: &code,
            statistics: Statistics::of_foreign(memory, compiled.optimized_program().ok()),
        };
        let bytes = file.into_bytes()?;
        Ok(CompiledProgram { name, signature, compiled: Compiled::InSandbox(memory), bytes })
    }
}
