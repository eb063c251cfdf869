//! Settings of the compilation of a program of another system.

use super::{ForeignError, PLATFORM_INDEX, StableHlo, check::check};
use crate::{
    BindNamed, Buffer, Compiler, Placement, Platform, Result,
    cache::ProgramSource,
    compile::{Settings, TargetMesh},
};
use hloom_graph::DType;
use hloom_pjrt::PlatformKind;
use hloom_stablehlo::Partitioner;

impl Compiler<'_> {
    /// Sets the options that a program needs, and the mesh that it runs on: the compiler's, or one
    /// over the first devices.
    ///
    /// # Errors
    /// There are fewer devices, or the mesh has another number of them.
    pub(super) fn prepare(&mut self, program: &StableHlo) -> Result<()> {
        let needed = program.devices;
        match self.settings.platform_mesh() {
            Some(mesh) if needed > 1 && mesh.devices().len() != needed => {
                let found = mesh.devices().len();
                return Err(ForeignError::Mesh { needed, found }.of(program.title()));
            }
            None if needed > 1 => {
                self.settings.mesh = Some(TargetMesh::Platform(program.mesh(self.on)?));
            }
            _ => {}
        }
        prepare(&mut self.settings, program, self.on.kind())
    }
}

/// The number of a platform in a program for several ones; `None` for a program for one.
pub(super) fn platform_index(
    program: &StableHlo,
    platform: &Platform,
) -> Result<Option<i32>, ForeignError> {
    let (name, is_cuda) = (platform.name(), platform.kind() == PlatformKind::Cuda);
    let is_it = |exported: &String| exported == name || exported == "gpu" && is_cuda;
    match (&program.platforms[..], program.platforms.iter().position(is_it)) {
        ([] | [_], Some(_)) | ([], None) => Ok(None),
        (_, Some(index)) => Ok(i32::try_from(index).ok()),
        (found, None) => {
            Err(ForeignError::Platform { wanted: name.to_owned(), found: found.to_vec() })
        }
    }
}

/// The program with the number of its platform bound, if it is one for several platforms.
///
/// # Errors
/// The program has no such input, or the plugin is out of memory.
pub(super) fn bind_platform_index<P: BindNamed>(exe: P, index: Option<i32>) -> Result<P> {
    let Some(index) = index else { return Ok(exe) };
    let input = exe.signature().inputs.first();
    let to = match input.and_then(|input| input.sharding.as_ref()) {
        Some(sharding) => Placement::from(sharding),
        None => Placement::from(exe.platform()),
    };
    let index = if input.is_some_and(|input| input.shape.dtype() == DType::I64) {
        Buffer::scalar(to, i64::from(index))?
    } else {
        Buffer::scalar(to, index)?
    };
    exe.bind_named(&[(PLATFORM_INDEX, &index)])
}

/// Checks the text of a program for a platform, and sets the options that it needs.
///
/// # Errors
/// That of the check; or the options of the environment are not valid.
pub(crate) fn prepare(
    settings: &mut Settings,
    program: &StableHlo,
    platform: PlatformKind,
) -> Result<()> {
    check(&program.code, platform, &settings.custom_calls)
        .map_err(|error| error.of(program.title()))?;
    let is_shardy = program.code.windows(4).any(|bytes| bytes == b"sdy.");
    if !is_shardy {
        settings.partitioner = Partitioner::Gspmd;
    }
    settings.set_devices();
    settings.set_environment_options()?;
    Ok(())
}

/// The identity of a program of another system.
pub(crate) fn source(settings: &Settings, program: &StableHlo) -> ProgramSource {
    ProgramSource::of_code(&program.code, format!("{:?}", settings.options))
}
