//! Programs compiled ahead of time for other devices.

#[cfg(feature = "sandbox")]
use crate::ForeignError;
use crate::{Error, LoadError, Result, Signature};
use hloom_pjrt::{CompiledMemoryStats, Executable, NamedValues};
use std::path::Path;

/// A program that was compiled ahead of time for devices that this machine need not have; save it
/// to run it there.
pub struct CompiledProgram {
    pub(super) name: String,
    pub(super) signature: Signature,
    pub(super) compiled: Compiled,
    pub(super) bytes: Vec<u8>,
}

/// The place where a program was compiled.
pub(super) enum Compiled {
    /// This process.
    Here(Executable),
    /// A sandbox, with the memory that the program needs.
    #[cfg(feature = "sandbox")]
    InSandbox(Option<CompiledMemoryStats>),
}

impl CompiledProgram {
    /// The name of the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The inputs and outputs, without their shardings.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The memory that a call needs on each device.
    ///
    /// # Errors
    /// The plugin does not report it.
    pub fn memory(&self) -> Result<CompiledMemoryStats> {
        match &self.compiled {
            Compiled::Here(executable) => {
                let stats = executable.memory_stats();
                stats.map_err(Error::plugin(format!("memory of `{}`", self.name)))
            }
            #[cfg(feature = "sandbox")]
            Compiled::InSandbox(memory) => {
                memory.ok_or_else(|| ForeignError::NotReported("the memory").of(&*self.name))
            }
        }
    }

    /// Estimates of the program's costs, as [`AnyExe::cost`](crate::AnyExe::cost).
    ///
    /// # Errors
    /// The plugin neither makes estimates nor returns the optimized program as HLO, or the program
    /// was compiled in a sandbox.
    pub fn cost(&self) -> Result<NamedValues> {
        match &self.compiled {
            Compiled::Here(executable) => {
                let cost = crate::exe::cost(executable);
                cost.map_err(Error::plugin(format!("cost of `{}`", self.name)))
            }
            #[cfg(feature = "sandbox")]
            Compiled::InSandbox(_) => Err(ForeignError::NotReported("the cost").of(&*self.name)),
        }
    }

    /// The PJRT executable underneath; `None` if the program was compiled in a sandbox.
    pub fn as_pjrt(&self) -> Option<&Executable> {
        match &self.compiled {
            Compiled::Here(executable) => Some(executable),
            #[cfg(feature = "sandbox")]
            Compiled::InSandbox(_) => None,
        }
    }

    /// The bytes of the file that [`save`](Self::save) writes.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the program to a file, which [`Compiler::load`](crate::Compiler::load) reads on a
    /// machine with the devices.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        hloom_files::write(path, &self.bytes)
            .map_err(|error| LoadError::Write(error).of(&*self.name))
    }
}

impl std::fmt::Debug for CompiledProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledProgram")
            .field("name", &self.name)
            .field("signature", &self.signature)
            .finish_non_exhaustive()
    }
}
