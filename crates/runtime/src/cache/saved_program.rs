//! Inspecting saved programs.

use super::{
    LoadError,
    entry::{Header, MARK, ProgramEntry},
};
use crate::{Result, Signature, regular_file};
use hloom_pjrt::{CompiledMemoryStats, NamedValues};
use std::{fmt, path::Path};

/// The contents of a file that [`AnyExe::save`](crate::AnyExe::save) wrote, read without a plugin:
/// its native code is never loaded, so a file of any origin may be read.
///
/// ```no_run
/// # use hloom_runtime::*;
/// let saved = SavedProgram::read("double.hloom")?;
/// println!("{} for {}", saved.name(), saved.platform());
/// if let Some(signature) = saved.signature() {
///     println!("{} inputs", signature.inputs.len());
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// The texts come from the file unchecked: escape control characters before you print them to a
/// terminal.
#[derive(Clone)]
pub struct SavedProgram {
    header: Header,
    signature: Option<Signature>,
    code_size: usize,
    optimized: Option<(String, Vec<u8>)>,
}

impl SavedProgram {
    /// Whether a file that begins with these bytes is a saved program.
    pub fn begins_with(start: &[u8]) -> bool {
        start.starts_with(MARK)
    }

    /// Reads a file and checks its hash.
    ///
    /// # Errors
    /// The file cannot be read, holds something else, or was changed: see [`LoadError`].
    pub fn read(path: impl AsRef<Path>) -> Result<SavedProgram> {
        let path = path.as_ref();
        let read = regular_file::read(path).map_err(LoadError::Io);
        let read = read.and_then(|bytes| SavedProgram::parse(&bytes));
        read.map_err(|error| error.of(path.display().to_string()))
    }

    /// As [`read`](Self::read), from the bytes of a file.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn from_bytes(bytes: &[u8]) -> Result<SavedProgram> {
        SavedProgram::parse(bytes).map_err(|error| error.of("the file"))
    }

    fn parse(bytes: &[u8]) -> Result<SavedProgram, LoadError> {
        let ProgramEntry { header, code, optimized } = ProgramEntry::read(bytes)?;
        let signature = header.signature.as_ref();
        let signature = signature.map(|saved| saved.signature().ok_or(LoadError::Damaged));
        Ok(SavedProgram {
            signature: signature.transpose()?,
            code_size: code.len(),
            optimized: header.statistics.optimized(optimized)?,
            header,
        })
    }

    /// The name of the program.
    pub fn name(&self) -> &str {
        &self.header.program
    }

    /// The inputs and outputs, without their shardings; `None` for an entry of a
    /// [`CompilationCache`](crate::CompilationCache), which is loaded with its function only.
    pub fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// The names of the Rust functions that it calls; with any, it is loaded with its function
    /// only.
    pub fn callbacks(&self) -> &[String] {
        self.header.signature.as_ref().map_or(&[], |signature| &signature.callbacks)
    }

    /// The platform kernels that it calls.
    pub fn kernels(&self) -> &[String] {
        self.header.signature.as_ref().map_or(&[], |signature| &signature.kernels)
    }

    /// The number of devices of the mesh that it runs on; `None` for one device.
    pub fn mesh(&self) -> Option<usize> {
        self.header.signature.as_ref()?.mesh
    }

    /// Whether a sandbox compiled it, from a program of an unknown author: do not trust its native
    /// code more than that program.
    pub fn is_foreign(&self) -> bool {
        self.header.signature.as_ref().is_some_and(|signature| signature.is_foreign)
    }

    /// The name and version of the platform that it was compiled for.
    pub fn platform(&self) -> &str {
        &self.header.target.platform
    }

    /// A hash of the file of the plugin that compiled it.
    pub fn plugin_hash(&self) -> &str {
        &self.header.target.plugin
    }

    /// The kind of each device of the platform that it was compiled on.
    pub fn devices(&self) -> &[String] {
        &self.header.target.devices
    }

    /// The processor that it was compiled on, and a hash of its features.
    pub fn processor(&self) -> &str {
        &self.header.target.processor
    }

    /// The options of the compilation.
    pub fn options(&self) -> &str {
        &self.header.target.options
    }

    /// The options that the plugin read from environment variables, one a line.
    pub fn environment(&self) -> &str {
        &self.header.target.environment
    }

    /// The version of Hloom that compiled it.
    pub fn hloom_version(&self) -> &str {
        &self.header.target.hloom
    }

    /// A hash of the computation, without names and source lines.
    pub fn structure_hash(&self) -> &str {
        &self.header.target.module
    }

    /// The bytes of the plugin's native code.
    pub fn code_size(&self) -> usize {
        self.code_size
    }

    /// The memory of a device that it needs; `None` where the plugin did not report it.
    pub fn memory(&self) -> Option<CompiledMemoryStats> {
        self.header.statistics.memory()
    }

    /// The compiler's cost estimates, such as `flops` and `bytes accessed`; where the plugin makes
    /// none, the sums of these two over the kernels of the optimized program, with the body of a
    /// loop counted once. Empty where the plugin did not return that either.
    pub fn cost(&self) -> NamedValues {
        self.header.statistics.cost()
    }

    /// The program after the compiler's passes: its format and its text or bytes. `None` where the
    /// plugin did not return it.
    pub fn optimized_program(&self) -> Option<(&str, &[u8])> {
        self.optimized.as_ref().map(|(format, program)| (&**format, &**program))
    }
}

impl fmt::Debug for SavedProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SavedProgram")
            .field("name", &self.name())
            .field("platform", &self.platform())
            .field("signature", &self.signature())
            .finish()
    }
}
