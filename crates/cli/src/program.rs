//! Programs of files, on a platform.

use crate::{
    failure::{Failure, Outcome},
    file_kind::FileKind,
    spinner,
    text::safe,
};
use clap::Args;
use hloom_io::StableHloFolder;
use hloom_runtime::{AnyExe, Error, ForeignError, ForeignExe, Platform, PlatformKind, StableHlo};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// A program, and the platform that it runs on.
#[derive(Args)]
pub struct ProgramFile {
    /// StableHLO as text, bytecode, of `jax.export`, or a folder of `torch_xla`; or a saved program
    pub file: PathBuf,
    /// The platform, such as cpu, cuda or tpu. Without it the CPU for StableHLO in a sandbox, else
    /// the best of this machine
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// Use the CPU as this many devices; as many as the program runs on without it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    devices: Option<u16>,
    /// Run the program in this process, where it can do whatever you can: StableHLO without a
    /// sandbox, the native code of a saved program
    #[arg(long)]
    trust: bool,
    /// Let a trusted program in StableHLO call these handlers, which trust what they are called
    /// with
    #[arg(long, value_name = "TARGETS", value_delimiter = ',', requires = "trust")]
    allow_custom_calls: Vec<String>,
}

/// A program before it is compiled.
enum ProgramSource {
    StableHlo(StableHlo),
    Folder(StableHloFolder),
    Saved,
}

impl ProgramFile {
    /// Reads the program and compiles it, or loads a saved one.
    ///
    /// # Errors
    /// The file is not a program or may not run, or there is no such platform.
    pub fn load(&self) -> Outcome<ForeignExe> {
        let source = self.read()?;
        let platform = self.platform(&source)?;
        self.compile_visibly(&source, &platform)
    }

    /// As [`load`](Self::load), without the cache of compiled programs; returns the time of the
    /// compilation too.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn load_afresh(&self) -> Outcome<(ForeignExe, Duration)> {
        let source = self.read()?;
        let platform = self.platform(&source)?;
        platform.set_cache(None);
        let start = Instant::now();
        let program = self.compile_visibly(&source, &platform)?;
        Ok((program, start.elapsed()))
    }

    fn compile_visibly(&self, source: &ProgramSource, platform: &Platform) -> Outcome<ForeignExe> {
        let file = self.file.file_name().unwrap_or(self.file.as_os_str()).to_string_lossy();
        let message = format!("compiling {}", safe(&file));
        spinner::while_running(&message, || self.compile(source, platform))
    }

    /// Reads the program.
    ///
    /// # Errors
    /// The file is not a program, or is a saved program that may not run.
    fn read(&self) -> Outcome<ProgramSource> {
        let path = &*self.file;
        match FileKind::of(path)? {
            FileKind::SavedProgram if !self.trust => Err(Failure::new(format!(
                "{}: a saved program is native code, which could do anything; `--trust` runs it \
                 if you know who wrote it",
                path.display()
            ))),
            FileKind::SavedProgram => Ok(ProgramSource::Saved),
            FileKind::StableHloFolder => Ok(ProgramSource::Folder(StableHloFolder::read(path)?)),
            FileKind::StableHlo => Ok(ProgramSource::StableHlo(stablehlo(path)?)),
            _ => Err(Failure::new(format!("{}: not a program file", path.display()))),
        }
    }

    fn platform(&self, source: &ProgramSource) -> Outcome<Platform> {
        let needed = match source {
            ProgramSource::StableHlo(program) => program.device_count(),
            ProgramSource::Folder(folder) => folder.program().device_count(),
            ProgramSource::Saved => 1,
        };
        let devices = self.devices.map(usize::from);
        let platform = match (self.platform.as_deref(), devices) {
            (Some("cpu"), devices) => Platform::cpus(devices.unwrap_or(needed))?,
            (None, Some(devices)) => Platform::cpus(devices)?,
            (Some(name), None) => Platform::named(name)?,
            (Some(name), Some(_)) => {
                return Err(Failure::new(format!(
                    "`--devices` is for the CPU; `{name}` has the devices of this machine"
                )));
            }
            // A sandbox supports no other platform.
            (None, None) if !self.trust => Platform::cpus(needed)?,
            (None, None) => {
                let platform = Platform::auto()?;
                if platform.kind() == PlatformKind::Cpu && needed > 1 {
                    Platform::cpus(needed)?
                } else {
                    platform
                }
            }
        };
        Ok(platform)
    }

    /// Compiles a program, or loads it, and binds the weights that came with it.
    #[expect(unsafe_code, reason = "the user vouches for the program")]
    fn compile(&self, source: &ProgramSource, platform: &Platform) -> Outcome<ForeignExe> {
        let (program, folder) = match source {
            ProgramSource::StableHlo(program) => (program, None),
            ProgramSource::Folder(folder) => (folder.program(), Some(folder)),
            ProgramSource::Saved => {
                // SAFETY: the user vouches for the file, by `--trust`.
                return Ok(unsafe { AnyExe::load(platform, &self.file)? }.into());
            }
        };
        let compiler = platform.compiler();
        let exe = if self.trust {
            let targets = self.allow_custom_calls.iter().cloned();
            // SAFETY: the user vouches for the program, by `--trust`, and for what it passes to the
            // handlers, by naming them.
            unsafe { compiler.allow_custom_calls(targets).load_stablehlo_trusted(program)? }.into()
        } else {
            compiler.load_stablehlo(program)?
        };
        Ok(match folder {
            Some(folder) => folder.bind(exe)?,
            None => exe,
        })
    }
}

/// Reads a program in StableHLO.
///
/// # Errors
/// The file is not a StableHLO program, or not a regular file.
pub fn read_stablehlo(path: &Path) -> Outcome<StableHlo> {
    match FileKind::of(path)? {
        FileKind::StableHlo => stablehlo(path),
        FileKind::StableHloFolder => Ok(StableHloFolder::read(path)?.program().clone()),
        _ => Err(Failure::new(format!("{}: not a StableHLO program", path.display()))),
    }
}

/// Reads a program in StableHLO from a file that was identified as one.
///
/// # Errors
/// The file is not a valid StableHLO program.
pub fn stablehlo(path: &Path) -> Outcome<StableHlo> {
    StableHlo::read(path).map_err(|error| match error {
        Error::Foreign { source, .. } => {
            let reason = match *source {
                ForeignError::NotAProgram => {
                    "it is neither a saved program, StableHLO nor a file of tensors".to_owned()
                }
                ForeignError::OtherKind(kind) => format!(
                    "it is neither a saved program, StableHLO nor a file of tensors, but {kind}"
                ),
                source => source.to_string(),
            };
            Failure::new(format!("{}: {reason}", path.display()))
        }
        error => error.into(),
    })
}
