//! Executables of programs of other systems.

use super::sandboxed_exe::SandboxedExe;
use crate::{
    AnyExe, Argument, Buffer, Input, LoadError, Mesh, Platform, Result, Signature, exe::Interface,
};
use hloom_graph::Element;
use hloom_pjrt::CompiledMemoryStats;
use std::{fmt, path::Path};

/// A compiled program of another system, of any author, that is called by position or by name.
///
/// [`Platform::load_stablehlo`] compiles it, and it runs in a sandbox. Buffers are those of the
/// caller's platform, and are copied; a call has finished when it returns. Clones share the program
/// and the bound buffers.
///
/// An [`AnyExe`], which runs in this process, becomes one by [`From`], for code that takes both.
#[derive(Clone)]
pub struct ForeignExe(Runs);

#[derive(Clone)]
enum Runs {
    Here(AnyExe),
    Sandboxed(SandboxedExe),
}

impl From<AnyExe> for ForeignExe {
    fn from(exe: AnyExe) -> ForeignExe {
        ForeignExe(Runs::Here(exe))
    }
}

impl From<SandboxedExe> for ForeignExe {
    fn from(exe: SandboxedExe) -> ForeignExe {
        ForeignExe(Runs::Sandboxed(exe))
    }
}

impl ForeignExe {
    fn interface(&self) -> Interface<'_> {
        match &self.0 {
            Runs::Here(exe) => exe.interface(),
            Runs::Sandboxed(exe) => exe.program().interface(),
        }
    }

    /// The name of the program.
    pub fn name(&self) -> &str {
        self.interface().name
    }

    /// The platform of its buffers.
    pub fn platform(&self) -> &Platform {
        self.interface().platform
    }

    /// The mesh of its buffers; `None` for one device.
    pub fn mesh(&self) -> Option<&Mesh> {
        match &self.0 {
            Runs::Here(exe) => exe.mesh(),
            Runs::Sandboxed(exe) => exe.program().mesh.as_ref(),
        }
    }

    /// Whether it runs in a sandbox.
    pub fn is_sandboxed(&self) -> bool {
        matches!(self.0, Runs::Sandboxed(_))
    }

    /// The inputs and outputs, including the bound ones.
    pub fn signature(&self) -> &Signature {
        self.interface().signature
    }

    /// The inputs that are not bound, in order: those of a call.
    pub fn free_inputs(&self) -> impl Iterator<Item = &Input> {
        let inputs = &self.signature().inputs;
        let free = match &self.0 {
            Runs::Here(exe) => exe.free_positions(),
            Runs::Sandboxed(exe) => exe.free(),
        };
        free.iter().map(|&position| &inputs[position])
    }

    /// Runs the program on the inputs that are not bound, in order. A buffer that is passed by
    /// value is dropped.
    ///
    /// # Errors
    /// Every input that does not match, the plugin's error, or the sandbox reached a limit, after
    /// which it is dead.
    pub fn call(&self, inputs: Vec<Argument<'_>>) -> Result<Vec<Buffer>> {
        match &self.0 {
            Runs::Here(exe) => exe.call(inputs),
            Runs::Sandboxed(exe) => exe.call(inputs),
        }
    }

    /// Runs the program on inputs by name, and returns the requested outputs in the order of their
    /// names.
    ///
    /// # Errors
    /// All names that are missing, unknown or passed twice; or as for [`call`](Self::call).
    pub fn call_named<'a>(
        &self,
        inputs: impl IntoIterator<Item = (&'a str, Argument<'a>)>,
        wanted: &[&str],
    ) -> Result<Vec<Buffer>> {
        match &self.0 {
            Runs::Here(exe) => exe.call_named(inputs, wanted),
            Runs::Sandboxed(exe) => exe.call_named(inputs, wanted),
        }
    }

    /// The same program with inputs bound to these buffers, by position in the
    /// [signature](Self::signature); calls pass the others. In a sandbox they are copied once.
    ///
    /// # Errors
    /// Every position that no input has, and every buffer that does not match; or the sandbox
    /// reached a limit.
    pub fn bind<'b>(
        &self,
        inputs: impl IntoIterator<Item = (usize, &'b Buffer)>,
    ) -> Result<ForeignExe> {
        match &self.0 {
            Runs::Here(exe) => exe.bind(inputs).map(ForeignExe::from),
            Runs::Sandboxed(exe) => {
                exe.bind(self.interface().by_position(inputs)).map(ForeignExe::from)
            }
        }
    }

    /// As [`bind`](Self::bind), by the names of the inputs.
    ///
    /// # Errors
    /// As [`bind`](Self::bind), and every name that no input has.
    pub fn bind_named<'b>(
        &self,
        inputs: impl IntoIterator<Item = (&'b str, &'b Buffer)>,
    ) -> Result<ForeignExe> {
        match &self.0 {
            Runs::Here(exe) => exe.bind_named(inputs).map(ForeignExe::from),
            Runs::Sandboxed(exe) => {
                exe.bind(self.interface().by_name(inputs)).map(ForeignExe::from)
            }
        }
    }

    /// Zeros of the shape and sharding of an input.
    ///
    /// # Errors
    /// There is no such input, or the plugin is out of memory.
    pub fn zeros_for(&self, name: &str) -> Result<Buffer> {
        self.interface().zeros_for(name)
    }

    /// A buffer with these values, in row-major order, for an input by name: see
    /// [`AnyExe::buffer_for`].
    ///
    /// # Errors
    /// As for [`AnyExe::buffer_for`].
    pub fn buffer_for<T: Element>(&self, input: &str, values: &[T]) -> Result<Buffer> {
        self.interface().buffer_for(input, values)
    }

    /// The memory that the program needs, as planned by the compiler.
    ///
    /// # Errors
    /// The plugin does not report it.
    pub fn memory(&self) -> Result<CompiledMemoryStats> {
        match &self.0 {
            Runs::Here(exe) => exe.memory(),
            Runs::Sandboxed(exe) => {
                let memory = exe.program().program.description().memory;
                memory.ok_or_else(|| super::ForeignError::Undescribed.of(self.name()))
            }
        }
    }

    /// The optimized program: its format and its text or bytes. `None` when the plugin does not
    /// return it. A sandboxed program may return anything here.
    pub fn optimized_program(&self) -> Option<(String, Vec<u8>)> {
        match &self.0 {
            Runs::Here(exe) => exe.optimized_program(),
            Runs::Sandboxed(exe) => exe.program().program.optimized_program().ok(),
        }
    }

    /// Writes the compiled program to a file: see [`AnyExe::save`]. A program that a sandbox
    /// compiled is marked: [`SavedProgram::is_foreign`](crate::SavedProgram::is_foreign).
    ///
    /// # Errors
    /// The plugin cannot serialize the program, or the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let bytes = match &self.0 {
            Runs::Here(exe) => exe.to_bytes()?,
            Runs::Sandboxed(exe) => exe.program().to_bytes()?,
        };
        hloom_files::write(path, bytes).map_err(|error| LoadError::Write(error).of(self.name()))
    }
}

impl fmt::Debug for ForeignExe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignExe")
            .field("name", &self.name())
            .field("signature", self.signature())
            .field("is_sandboxed", &self.is_sandboxed())
            .finish()
    }
}
