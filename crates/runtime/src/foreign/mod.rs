//! Programs in StableHLO that other systems wrote.
//!
//! - **Where names and shapes come from.** The text of a module, and a file of `jax.export`, list
//!   the names and shapes of inputs and outputs. Bytecode is opaque here: its names and shapes are
//!   read from the compiled program. Where both are available, the names of the file and the shapes
//!   of the compiled program are used.
//! - **Trust.** A program can make a plugin read and write memory that is not the program's. So a
//!   program of an unknown author runs in a sandbox, in a process of its own; a trusted program
//!   runs in this process. It may only call the handlers of an allow-list.

mod check;
mod description;
mod flat_buffer;
#[cfg(feature = "sandbox")]
mod foreign_exe;
mod jax_export;
mod prepare;
#[cfg(feature = "sandbox")]
mod sandboxed;
#[cfg(feature = "sandbox")]
mod sandboxed_exe;
mod text;
mod trusted;
mod value;

#[cfg(feature = "sandbox")]
pub(crate) use check::refused;
pub(crate) use description::ProgramDescription;
#[cfg(feature = "sandbox")]
pub use foreign_exe::ForeignExe;
pub(crate) use prepare::{prepare, source};
pub use value::StableHloValue;

use crate::{Error, Mesh, Platform, Result, regular_file};
use hloom_files::file_kind;
use hloom_graph::Name;
use std::{fmt, io, path::Path};

/// The name of the input that chooses one of several platforms.
pub(crate) const PLATFORM_INDEX: &str = "_platform_index";

/// A program in StableHLO: MLIR text or bytecode (a portable artifact, for instance), or a file
/// that `jax.export` wrote.
///
/// ```
/// # use hloom_runtime::StableHlo;
/// let program = StableHlo::from_text(
///     "func.func @main(%x: tensor<3xf32> loc(\"x\")) -> tensor<3xf32> {
///        %y = stablehlo.add %x, %x : tensor<3xf32>
///        return %y : tensor<3xf32>
///      }",
/// );
/// assert_eq!(program.inputs().unwrap()[0].to_string(), "x: f32[3]");
/// ```
#[derive(Clone)]
pub struct StableHlo {
    name: Option<String>,
    code: Vec<u8>,
    devices: usize,
    mesh: Option<Vec<(String, usize)>>,
    /// The platforms that it was exported for; empty if that is not known.
    platforms: Vec<String>,
    inputs: Option<Vec<StableHloValue>>,
    outputs: Option<Vec<StableHloValue>>,
    /// The arguments of the exported function that the program does not have.
    left_out: Vec<usize>,
}

/// The reason why a program in StableHLO is not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Io(io::Error),
    /// The file is neither MLIR nor a function of `jax.export`.
    #[error("it is neither MLIR nor a function of `jax.export`")]
    NotAProgram,
    /// A file of another kind.
    #[error("it is neither MLIR nor a function of `jax.export`, but {0}")]
    OtherKind(&'static str),
    /// A size that is not a number.
    #[error("it has the symbolic size `{0}`: export it with sizes that are numbers")]
    SymbolicSize(String),
    /// Ordered side effects.
    #[error("it has ordered side effects, such as prints, which are not supported")]
    Effects,
    /// A program for other platforms.
    #[error("it was exported for {}, not for {wanted}", .found.join(", "))]
    Platform {
        /// The platform that it is loaded on.
        wanted: String,
        /// The platforms that it was exported for.
        found: Vec<String>,
    },
    /// A program for more devices.
    #[error(
        "it runs on {needed} devices, and {platform} has {found}; `Platform::cpus({needed})` has \
         as many"
    )]
    Devices {
        /// The devices that it runs on.
        needed: usize,
        /// The platform, as text.
        platform: String,
        /// The devices of the platform.
        found: usize,
    },
    /// A program for several devices, for a target that has one.
    #[error("it runs on {0} devices: it is compiled ahead of time for one only")]
    AheadOfTime(usize),
    /// A mesh of another number of devices.
    #[error("it runs on {needed} devices, and the mesh has {found}")]
    Mesh {
        /// The devices that it runs on.
        needed: usize,
        /// The devices of the mesh.
        found: usize,
    },
    /// Calls of handlers that are not allowed.
    #[error(
        "it calls {}: `Compiler::allow_custom_calls` permits it to a program that runs in this \
         process",
        .0.iter().map(|target| format!("`{target}`")).collect::<Vec<_>>().join(", ")
    )]
    CustomCalls(Vec<String>),
    /// An op that waits for the host or another program.
    #[error("it has the op `{0}`, which waits for another program")]
    Feed(String),
    /// A function that calls itself.
    #[error("its function `{0}` calls itself")]
    Recursion(String),
    /// Something that takes more time or memory than programs need.
    #[error("its {what}: expected at most {limit}, found {found}")]
    TooLarge {
        /// Its name and unit.
        what: String,
        /// Its size.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// Text that is not MLIR's, or that is not checked.
    #[error("line {line}: {problem}")]
    Text {
        /// The line, from 1.
        line: usize,
        /// The problem.
        problem: &'static str,
    },
    /// Handlers of this process, for a program in a sandbox.
    #[error(
        "it may call {}, which a sandbox does not have: `load_stablehlo_trusted` runs it in this \
         process",
        .0.iter().map(|target| format!("`{target}`")).collect::<Vec<_>>().join(", ")
    )]
    NotInSandbox(Vec<String>),
    /// A platform that has no sandbox.
    #[error(
        "programs of other systems run in a sandbox, which is for the CPU: on {0} \
         `load_stablehlo_trusted` runs those of an author who may run code in this process"
    )]
    NotConfined(String),
    /// An error of the sandbox, or of compiling in it.
    #[cfg(feature = "sandbox")]
    #[error("{0}")]
    Sandbox(hloom_sandbox::Error),
    /// A fact of a program that was compiled in a sandbox.
    #[cfg(feature = "sandbox")]
    #[error("{0} is not known: it was compiled in a sandbox")]
    NotReported(&'static str),
    /// The plugin does not describe the inputs.
    #[error("the plugin does not report its inputs and outputs")]
    Undescribed,
    /// A value of a type that Hloom does not have.
    #[error("its {what} {position} is of type {found}, which is not supported")]
    Value {
        /// `input` or `output`.
        what: &'static str,
        /// Its position.
        position: usize,
        /// The type.
        found: String,
    },
}

impl ForeignError {
    pub(crate) fn of(self, program: impl Into<String>) -> Error {
        Error::Foreign { program: program.into(), source: Box::new(self) }
    }
}

impl StableHlo {
    /// Reads a program from a file.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else, or a function that `jax.export` wrote with
    /// symbolic sizes or ordered effects.
    pub fn read(path: impl AsRef<Path>) -> Result<StableHlo> {
        let path = path.as_ref();
        let file = || path.display().to_string();
        let bytes = regular_file::read(path).map_err(|error| ForeignError::Io(error).of(file()))?;
        let mut program = StableHlo::parse(&bytes).map_err(|error| error.of(file()))?;
        if program.name.is_none() {
            program.name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        }
        Ok(program)
    }

    /// The program of these bytes: MLIR text or bytecode, or a function that `jax.export` wrote.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn from_bytes(bytes: &[u8]) -> Result<StableHlo> {
        StableHlo::parse(bytes).map_err(|error| error.of("the program"))
    }

    /// The program of a module in MLIR's text form. The plugin finds errors in it.
    pub fn from_text(text: &str) -> StableHlo {
        let header = text::header(text);
        let named = header.is_some();
        let header = header.unwrap_or_default();
        StableHlo {
            name: header.name,
            code: text.as_bytes().to_vec(),
            devices: header.devices.max(1),
            mesh: header.mesh,
            platforms: Vec::new(),
            inputs: named.then_some(header.inputs),
            outputs: named.then_some(header.outputs),
            left_out: Vec::new(),
        }
    }

    fn parse(bytes: &[u8]) -> Result<StableHlo, ForeignError> {
        if bytes.starts_with(jax_export::BYTECODE) {
            return Ok(StableHlo {
                name: None,
                code: bytes.to_vec(),
                devices: 1,
                mesh: None,
                platforms: Vec::new(),
                inputs: None,
                outputs: None,
                left_out: Vec::new(),
            });
        }
        if let Some(function) = jax_export::read(bytes) {
            return function;
        }
        // HTML pages and pointer files (Git LFS) may have any text after their first bytes.
        match (file_kind(bytes), str::from_utf8(bytes)) {
            (Some(kind), _) => Err(ForeignError::OtherKind(kind)),
            (None, Ok(text)) if text.contains("func.func") => Ok(StableHlo::from_text(text)),
            _ => Err(ForeignError::NotAProgram),
        }
    }

    /// The name of the program, if it has one.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The same program under another name.
    pub fn with_name(mut self, name: impl Into<String>) -> StableHlo {
        self.name = Some(name.into());
        self
    }

    /// The same program with these names of its inputs, by position; `None` keeps the program's
    /// name. Names beyond the number of inputs are ignored.
    pub fn with_input_names(
        mut self,
        names: impl IntoIterator<Item = Option<String>>,
    ) -> StableHlo {
        rename(&mut self.inputs, names);
        self
    }

    /// As [`with_input_names`](Self::with_input_names), for its outputs.
    pub fn with_output_names(
        mut self,
        names: impl IntoIterator<Item = Option<String>>,
    ) -> StableHlo {
        rename(&mut self.outputs, names);
        self
    }

    /// The inputs, as far as the file lists them; `None` for bytecode.
    pub fn inputs(&self) -> Option<&[StableHloValue]> {
        self.inputs.as_deref()
    }

    /// The outputs, as far as the file lists them; `None` for bytecode.
    pub fn outputs(&self) -> Option<&[StableHloValue]> {
        self.outputs.as_deref()
    }

    /// The number of devices that it runs on; 1 if the file does not state it.
    pub fn device_count(&self) -> usize {
        self.devices
    }

    /// The MLIR module: text or bytecode.
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    pub(crate) fn title(&self) -> &str {
        self.name().unwrap_or("main")
    }

    /// The mesh of the program over the platform's first devices.
    fn mesh(&self, platform: &Platform) -> Result<Mesh> {
        let found = platform.device_count();
        if found < self.devices {
            let (needed, platform) = (self.devices, platform.to_string());
            return Err(ForeignError::Devices { needed, platform, found }.of(self.title()));
        }
        let is_whole = |axes: &&Vec<(String, usize)>| {
            axes.iter().try_fold(1usize, |product, axis| product.checked_mul(axis.1))
                == Some(self.devices)
        };
        let named = self.mesh.as_ref().filter(is_whole);
        let named = named.map(|axes| Mesh::new(platform, axes.iter().map(axis)));
        match named {
            Some(Ok(mesh)) => Ok(mesh),
            // Axes of prime sizes allow every way of splitting.
            _ => Mesh::new(platform, prime_factors(self.devices).iter().map(axis)),
        }
    }
}

fn axis((name, size): &(String, usize)) -> (Name, usize) {
    (Name::from(name.as_str()), *size)
}

/// Axes of prime sizes.
fn prime_factors(mut count: usize) -> Vec<(String, usize)> {
    let mut axes = Vec::new();
    let mut factor = 2;
    while count > 1 {
        if factor * factor > count {
            factor = count;
        }
        if count.is_multiple_of(factor) {
            axes.push((format!("axis{}", axes.len()), factor));
            count /= factor;
        } else {
            factor += 1;
        }
    }
    if axes.is_empty() {
        axes.push(("axis0".into(), 1));
    }
    axes
}

fn rename(
    values: &mut Option<Vec<StableHloValue>>,
    names: impl IntoIterator<Item = Option<String>>,
) {
    let values = values.get_or_insert_default();
    for (position, name) in names.into_iter().enumerate() {
        if position == values.len() {
            values.push(StableHloValue::default());
        }
        if name.is_some() {
            values[position].name = name;
        }
    }
}

impl fmt::Debug for StableHlo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StableHlo")
            .field("name", &self.name)
            .field("inputs", &self.inputs)
            .field("outputs", &self.outputs)
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_to_the_count() {
        for count in 1..200 {
            let axes = prime_factors(count);
            assert_eq!(axes.iter().map(|axis| axis.1).product::<usize>(), count);
        }
        assert_eq!(prime_factors(12).iter().map(|axis| axis.1).collect::<Vec<_>>(), [2, 2, 3]);
    }

    #[test]
    fn other_bytes_are_refused() {
        let wrong: [&[u8]; 5] = [b"", b"hello", b"\0\0\0\0", b"\x04\0\0\0\0\0\0\0", &[255; 64]];
        for bytes in wrong {
            assert!(StableHlo::from_bytes(bytes).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn files_of_other_kinds_are_named() {
        for (start, kind) in [
            (&b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n"[..], "Git LFS"),
            (b"<!DOCTYPE html><html><body>func.func</body></html>", "an HTML page"),
            (b"PK\x03\x04\x14\0\0\0\0\0func.func", "a zip archive"),
            (b"HloModule jit_f, entry_computation_layout={()->f32[]}\n", "HLO"),
            (b"\x93NUMPY\x01\0v\0", "a `.npy` file"),
        ] {
            let message = StableHlo::from_bytes(start).unwrap_err().to_string();
            let expected = "it is neither MLIR nor a function of `jax.export`, but ";
            assert!(message.contains(expected) && message.contains(kind), "{message}");
        }
    }
}
