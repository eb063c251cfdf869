//! Saving executables, and loading them without their function.

use super::{output_lists::OutputLists, program::Program};
use crate::{
    AnyExe, Args, Exe, KernelUse, LoadError, Platform, Result, ResultTree,
    cache::{self, Executable, Loaded, Needs},
    callback::Callbacks,
    regular_file,
};
use std::path::Path;

impl AnyExe {
    /// Writes the compiled program to a file, for this machine and others with the same plugin,
    /// devices and processor: [`Compiler::load`](crate::Compiler::load) reads it with its function,
    /// [`load`](Self::load) without. Bound arguments are not part of it. The file appears under its
    /// name when it is complete and stored.
    ///
    /// # Errors
    /// The plugin cannot serialize the program, or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let bytes = self.to_bytes()?;
        hloom_files::write(path, bytes).map_err(|error| LoadError::Write(error).of(self.name()))
    }

    /// The bytes of the file that [`save`](Self::save) writes.
    ///
    /// # Errors
    /// The plugin cannot serialize the program.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let program = self.program();
        let needs = Needs {
            callbacks: self.callbacks().map(Callbacks::names).unwrap_or_default(),
            kernels: program.kernels.iter().map(|kernel| kernel.name.clone()).collect(),
            calls_handlers: program.calls_handlers,
            mesh: self.mesh().map(|mesh| mesh.devices().len()),
            is_foreign: false,
        };
        cache::to_bytes(program, needs)
    }

    /// Loads a program that [`save`](Self::save) wrote, without its function: it is called by
    /// position or by name.
    ///
    /// ```no_run
    /// # use hloom_runtime::*; use hloom_graph::*;
    /// # fn main() -> Result<()> {
    /// let platform = Platform::cpu()?;
    /// platform.compile(|x: Tensor| x + x, (Spec::f32([3]),))?.save("double.hloom")?;
    /// // SAFETY: this program wrote the file, into a folder of its own.
    /// let double = unsafe { AnyExe::load(&platform, "double.hloom")? };
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The file cannot be read, was changed, or holds the program of another plugin, device or
    /// processor; or the program needs its function, since it calls Rust functions or runs on a
    /// mesh. See [`LoadError`].
    ///
    /// # Safety
    /// As for [`Compiler::load`](crate::Compiler::load): the file holds native code, which is run.
    #[expect(unsafe_code, reason = "the caller vouches for native code")]
    pub unsafe fn load(platform: &Platform, path: impl AsRef<Path>) -> Result<AnyExe> {
        let path = path.as_ref();
        let bytes = regular_file::read(path)
            .map_err(|error| LoadError::Io(error).of(path.display().to_string()))?;
        // SAFETY: the caller vouches for the file, of which these are the bytes.
        unsafe { AnyExe::from_bytes(platform, &bytes) }
    }

    /// As [`load`](Self::load), from the bytes of a file.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    ///
    /// # Safety
    /// As for [`load`](Self::load).
    #[expect(unsafe_code, reason = "the caller vouches for native code")]
    pub unsafe fn from_bytes(platform: &Platform, bytes: &[u8]) -> Result<AnyExe> {
        let Loaded { program: name, signature, kernels, calls_handlers, source, executable } =
            cache::load_any(platform, bytes)?;
        let Executable { loaded, code } = executable;
        let kernels = kernels.into_iter().map(|name| KernelUse { name, count: 1 }).collect();
        let program = Program {
            name,
            graph: None,
            platform: platform.clone(),
            mesh: None,
            loaded,
            code,
            source,
            calls_handlers,
            signature,
            kernels,
            largest: None,
            output_lists: OutputLists::default(),
        };
        AnyExe::new(program, None)
    }
}

impl<A: Args, R: ResultTree> Exe<A, R> {
    /// Writes the compiled program to a file: see [`AnyExe::save`].
    ///
    /// # Errors
    /// As for [`AnyExe::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.any().save(path)
    }

    /// The bytes of the file that [`save`](Self::save) writes, which
    /// [`Compiler::load_bytes`](crate::Compiler::load_bytes) reads.
    ///
    /// # Errors
    /// As for [`AnyExe::to_bytes`].
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.any().to_bytes()
    }
}
