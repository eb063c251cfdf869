//! Compiled programs in files of the user's own.

use super::{
    entry::ProgramEntry,
    statistics::Statistics,
    target::{Devices, Machine, ProgramSource, Target},
};
use crate::{
    Error, Input, Kernels, NamedSharding, Output, Platform, Result, Signature, exe::Program,
};
use hloom_graph::{DType, Shape};
use hloom_pjrt::LoadedExecutable;
use serde::{Deserialize, Serialize};
use std::{io, sync::Arc};
use tracing::info_span;

/// The reason why a saved program is not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Io(io::Error),
    /// The file cannot be written.
    #[error("it cannot be written: {0}")]
    Write(io::Error),
    /// The file is not a saved program.
    #[error("it is not a saved program")]
    NotAProgram,
    /// The file is of another kind.
    #[error("it is not a saved program, but {0}")]
    OtherKind(&'static str),
    /// The file has the format of another version.
    #[error("it has format {found}; this version reads format {expected}")]
    Format {
        /// The format of the file.
        found: u32,
        /// The format that is read.
        expected: u32,
    },
    /// The file is truncated.
    #[error("the file is truncated")]
    Truncated,
    /// The checksum does not match: the file is corrupt.
    #[error("checksum mismatch: the file is corrupt")]
    Damaged,
    /// The plugin's file cannot be read.
    #[error("the plugin cannot be identified: {0}")]
    Plugin(io::Error),
    /// The file is of another program, plugin or processor...
    #[error("it was compiled for another target: {}", .0.join("; "))]
    Target(Vec<String>),
    /// The program was compiled for another number of devices.
    #[error("it runs on {found} devices, {expected} expected")]
    Devices {
        /// The devices that it is loaded on.
        expected: usize,
        /// The devices that it was compiled for.
        found: usize,
    },
    /// An input or output differs from that of the function.
    #[error("{what} `{name}`: {expected} expected, {found} found")]
    Leaf {
        /// `input` or `output`.
        what: &'static str,
        /// The path in the arguments or the result.
        name: String,
        /// The input or output of the function, as text.
        expected: String,
        /// The input or output in the file, as text.
        found: String,
    },
    /// The CPU features that the code depends on cannot be detected.
    #[error("the features of this CPU cannot be detected")]
    Processor,
    /// The program calls Rust functions of other names.
    #[error("it calls the Rust functions [{found}], [{expected}] expected")]
    Callbacks {
        /// The names in the function.
        expected: String,
        /// The names in the file.
        found: String,
    },
    /// The program can be loaded with its function only.
    #[error("it {0}: load it with its function")]
    NeedsFunction(&'static str),
    /// The program calls a kernel that this version does not have.
    #[error("there is no kernel `{0}`")]
    Kernel(String),
}

impl LoadError {
    /// As an error of a program.
    pub(crate) fn of(self, program: impl Into<String>) -> Error {
        Error::SavedProgram { program: program.into(), source: Box::new(self) }
    }
}

/// The inputs and outputs of a saved program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct SavedSignature {
    inputs: Vec<SavedLeaf>,
    outputs: Vec<SavedLeaf>,
    /// The names of the Rust functions that it calls, in order.
    pub callbacks: Vec<String>,
    /// The targets of its platform kernels.
    pub kernels: Vec<String>,
    /// Whether it calls handlers of any kind.
    calls_handlers: bool,
    /// The number of devices of a mesh.
    pub mesh: Option<usize>,
    /// Whether a sandbox compiled it.
    #[serde(default)]
    pub is_foreign: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SavedLeaf {
    name: String,
    dtype: String,
    /// Each axis by name, or none, and size.
    axes: Vec<(Option<String>, usize)>,
    /// Its sharding as a text; `None` for a program on one device.
    sharding: Option<String>,
    /// Whether an input is donated.
    donated: bool,
    /// The input whose memory an output has.
    reuses: Option<usize>,
}

impl SavedLeaf {
    fn of(name: &str, shape: &Shape, sharding: Option<&NamedSharding>) -> SavedLeaf {
        let axes = shape.names().iter().zip(shape.sizes());
        let axes = axes.map(|(name, &size)| (name.map(|name| name.as_str().to_owned()), size));
        SavedLeaf {
            name: name.to_owned(),
            dtype: shape.dtype().name().to_owned(),
            axes: axes.collect(),
            sharding: sharding.map(|sharding| split(sharding, shape)),
            donated: false,
            reuses: None,
        }
    }

    fn input(input: &Input) -> SavedLeaf {
        let of = SavedLeaf::of(&input.name, &input.shape, input.sharding.as_ref());
        SavedLeaf { donated: input.donated, ..of }
    }

    fn output(output: &Output) -> SavedLeaf {
        let of = SavedLeaf::of(&output.name, &output.shape, output.sharding.as_ref());
        SavedLeaf { reuses: output.reuses, ..of }
    }

    /// Whether a compiled leaf matches this leaf of a function, which may leave its sharding to the
    /// compiler.
    fn is_met_by(&self, found: &SavedLeaf) -> bool {
        let sharding = self.sharding.as_ref().or(found.sharding.as_ref());
        SavedLeaf { sharding: sharding.cloned(), ..self.clone() } == *found
    }

    fn shape(&self) -> Option<Shape> {
        let dims: Vec<(&str, usize)> =
            self.axes.iter().map(|(name, size)| (name.as_deref().unwrap_or("_"), *size)).collect();
        Shape::new(DType::from_name(&self.dtype)?, dims).ok()
    }

    /// In words.
    fn describe(&self) -> String {
        let shape = || self.shape().map_or_else(|| self.dtype.clone(), |shape| shape.to_string());
        let shape = self.sharding.clone().unwrap_or_else(shape);
        let donated = if self.donated { ", donated" } else { "" };
        let reuses = self.reuses.map_or(String::new(), |i| format!(", in the memory of input {i}"));
        format!("{shape}{donated}{reuses}")
    }
}

/// The shape with the mesh axes of its axes, and the mesh.
fn split(sharding: &NamedSharding, shape: &Shape) -> String {
    let mesh = sharding.mesh().shape();
    let axes: Vec<String> = mesh.axes().map(|(name, size)| format!("{name}={size}")).collect();
    format!("{} over {}", sharding.describe(shape), axes.join(", "))
}

/// A program on its devices.
pub(crate) struct Executable {
    pub loaded: LoadedExecutable,
    /// The plugin's bytes that it was loaded from, for programs that were not compiled in this
    /// process: the CPU plugin omits their code when it serializes them again.
    pub code: Option<Arc<[u8]>>,
}

impl From<LoadedExecutable> for Executable {
    /// A program that was compiled.
    fn from(loaded: LoadedExecutable) -> Executable {
        Executable { loaded, code: None }
    }
}

/// The requirements of a program besides its inputs and outputs.
pub(crate) struct Needs {
    /// The names of the Rust functions that it calls.
    pub callbacks: Vec<String>,
    pub kernels: Vec<String>,
    pub calls_handlers: bool,
    pub mesh: Option<usize>,
    /// Whether a sandbox compiled it, from a program of an unknown author.
    pub is_foreign: bool,
}

impl SavedSignature {
    fn of(signature: &Signature, needs: Needs) -> SavedSignature {
        SavedSignature {
            inputs: signature.inputs.iter().map(SavedLeaf::input).collect(),
            outputs: signature.outputs.iter().map(SavedLeaf::output).collect(),
            callbacks: needs.callbacks,
            kernels: needs.kernels,
            calls_handlers: needs.calls_handlers,
            mesh: needs.mesh,
            is_foreign: needs.is_foreign,
        }
    }

    /// Checks that leaves and callbacks are those of a function.
    fn check(&self, function: &Signature, callbacks: &[String]) -> Result<(), LoadError> {
        let inputs = function.inputs.iter().map(SavedLeaf::input).collect();
        let outputs = function.outputs.iter().map(SavedLeaf::output).collect();
        check_leaves("input", inputs, &self.inputs)?;
        check_leaves("output", outputs, &self.outputs)?;
        if callbacks == self.callbacks {
            Ok(())
        } else {
            Err(LoadError::Callbacks {
                expected: callbacks.join(", "),
                found: self.callbacks.join(", "),
            })
        }
    }

    /// The signature of a program on one device.
    pub fn signature(&self) -> Option<Signature> {
        let inputs = self.inputs.iter().map(|leaf| {
            let (name, shape) = (leaf.name.clone(), leaf.shape()?);
            Some(Input { name, shape, sharding: None, donated: leaf.donated })
        });
        let outputs = self.outputs.iter().map(|leaf| {
            let (name, shape) = (leaf.name.clone(), leaf.shape()?);
            Some(Output { name, shape, sharding: None, reuses: leaf.reuses })
        });
        let inputs = inputs.collect::<Option<_>>()?;
        let outputs = outputs.collect::<Option<_>>()?;
        Some(Signature { inputs, outputs, left_out: Vec::new() })
    }
}

/// The first leaf that differs.
fn check_leaves(
    what: &'static str,
    expected: Vec<SavedLeaf>,
    found: &[SavedLeaf],
) -> Result<(), LoadError> {
    for i in 0..expected.len().max(found.len()) {
        let (expected, found) = (expected.get(i), found.get(i));
        if expected.zip(found).is_some_and(|(expected, found)| expected.is_met_by(found)) {
            continue;
        }
        let name = expected.or(found).map_or(String::new(), |leaf| leaf.name.clone());
        let renamed = expected.zip(found).is_some_and(|(a, b)| a.name != b.name);
        let words = |leaf: Option<&SavedLeaf>| match leaf {
            Some(leaf) if renamed => format!("`{}`, {}", leaf.name, leaf.describe()),
            Some(leaf) => leaf.describe(),
            None => "none".into(),
        };
        let (expected, found) = (words(expected), words(found));
        return Err(LoadError::Leaf { what, name, expected, found });
    }
    Ok(())
}

/// The bytes of a saved program.
pub(crate) fn to_bytes(program: &Program, needs: Needs) -> Result<Vec<u8>> {
    let executable = program.loaded.executable();
    let serialized;
    let code = match &program.code {
        Some(code) => code,
        None => {
            serialized = serialize(&program.name, executable)?;
            &*serialized
        }
    };
    let file = ProgramFile {
        name: &program.name,
        machine: program.devices().machine(),
        source: &program.source,
        signature: &program.signature,
        needs,
        code,
        statistics: Statistics::of(executable),
    };
    file.into_bytes()
}

/// The plugin's bytes of a program.
pub(crate) fn serialize(name: &str, executable: &hloom_pjrt::Executable) -> Result<Vec<u8>> {
    executable.serialize().map_err(Error::plugin(format!("`{name}` cannot be saved")))
}

/// The contents of the file of a saved program, which this machine need not be able to run.
pub(crate) struct ProgramFile<'a> {
    pub name: &'a str,
    /// The devices that it was compiled for.
    pub machine: Machine,
    pub source: &'a ProgramSource,
    pub signature: &'a Signature,
    pub needs: Needs,
    /// The plugin's bytes.
    pub code: &'a [u8],
    pub statistics: Statistics,
}

impl ProgramFile<'_> {
    /// The bytes of the file.
    pub fn into_bytes(self) -> Result<Vec<u8>> {
        let ProgramFile { name, machine, source, signature, needs, code, statistics } = self;
        let _span = info_span!("save", %name).entered();
        let target = Target::of_source(&machine, source).map_err(|error| error.of(name))?;
        let signature = SavedSignature::of(signature, needs);
        Ok(ProgramEntry::write(name, target, Some(signature), statistics, code))
    }
}

/// Loads a saved program of a function, after comparing everything that can be compared.
pub(crate) fn load(
    devices: Devices<'_>,
    program: &str,
    source: &ProgramSource,
    function: &Signature,
    callbacks: &[String],
    bytes: &[u8],
) -> Result<Executable> {
    let checked = ProgramEntry::read(bytes).and_then(|entry| {
        let signature = entry.header.signature.as_ref().ok_or(LoadError::Damaged)?;
        let (expected, found) = (devices.count(), signature.mesh.unwrap_or(1));
        if expected != found {
            return Err(LoadError::Devices { expected, found });
        }
        signature.check(function, callbacks)?;
        let target = Target::of_source(&devices.machine(), source)?;
        match target.differences(&entry.header.target) {
            none if none.is_empty() => Ok(entry.code),
            differences => Err(LoadError::Target(differences)),
        }
    });
    let code = checked.map_err(|error| error.of(program))?;
    deserialize(devices.platform, program, code.into())
        .map_err(Error::plugin(format!("`{program}` does not load")))
}

/// A program that is loaded without its function.
pub(crate) struct Loaded {
    pub program: String,
    pub signature: Signature,
    pub kernels: Vec<String>,
    pub calls_handlers: bool,
    pub source: ProgramSource,
    pub executable: Executable,
}

/// Loads a saved program without its function.
pub(crate) fn load_any(platform: &Platform, bytes: &[u8]) -> Result<Loaded> {
    let entry = ProgramEntry::read(bytes).map_err(|error| error.of("the file"))?;
    let program = entry.header.program;
    let saved = &entry.header.target;
    let source = ProgramSource { structure: saved.module.clone(), options: saved.options.clone() };
    let devices = Devices { platform, mesh: None };
    let checked = || -> Result<(Signature, SavedSignature), LoadError> {
        let signature = entry.header.signature.ok_or(LoadError::Damaged)?;
        if !signature.callbacks.is_empty() {
            return Err(LoadError::NeedsFunction("calls Rust functions"));
        }
        if signature.mesh.is_some() {
            return Err(LoadError::NeedsFunction("runs on a mesh"));
        }
        let target = Target::of_source(&devices.machine(), &source)?;
        match target.differences(saved) {
            none if none.is_empty() => {}
            differences => return Err(LoadError::Target(differences)),
        }
        // Plugins look for the handlers of a program as they load it.
        Kernels::default().register(platform, &signature.kernels)?;
        Ok((signature.signature().ok_or(LoadError::Damaged)?, signature))
    };
    let (signature, saved) = checked().map_err(|error| error.of(&*program))?;
    let executable = deserialize(platform, &program, entry.code.into())
        .map_err(Error::plugin(format!("`{program}` does not load")))?;
    let (kernels, calls_handlers) = (saved.kernels, saved.calls_handlers);
    Ok(Loaded { program, signature, kernels, calls_handlers, source, executable })
}

/// Has the plugin load its own bytes.
#[expect(unsafe_code, reason = "the bytes are native code, whose origin is known here")]
pub(super) fn deserialize(
    platform: &Platform,
    name: &str,
    code: Arc<[u8]>,
) -> hloom_pjrt::Result<Executable> {
    let _span = info_span!("load", %name, bytes = code.len()).entered();
    // SAFETY: the bytes are those that this plugin's file wrote, by a hash of both; they come from
    // a folder that only this user can write to, or from a caller who vouches for them.
    let loaded = unsafe { platform.client().deserialize(&code, None) }?;
    Ok(Executable { loaded, code: Some(code) })
}
