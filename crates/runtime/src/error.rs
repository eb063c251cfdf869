//! What can go wrong between a function and its results.

use crate::{CallbackFailure, MeshError};
use hloom_graph::{Shape, ShapeError, ShardingError, TraceError};
use std::{fmt, panic::Location, path::PathBuf};

/// The result of the runtime's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong between a function and its results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A mistake in the traced function.
    #[error("{0}")]
    Trace(#[from] TraceError),
    /// The graph could not be lowered; the compiler's own diagnostics are in it.
    #[error("{0}")]
    Lower(#[from] hloom_stablehlo::LowerError),
    /// The plugin refused or failed.
    #[error("{context}: {source}")]
    Plugin {
        /// What was being done.
        context: String,
        /// What the plugin said.
        source: Box<hloom_pjrt::Error>,
    },
    /// No plugin could be used.
    #[error("{0}")]
    NoPlatform(NoPlatform),
    /// A list of axes that makes no shape.
    #[error("{0}")]
    Shape(#[from] ShapeError),
    /// A mesh that is none, or a partition that does not fit a tensor or a mesh.
    #[error("{0}")]
    Sharding(#[from] ShardingError),
    /// Devices that make no mesh.
    #[error("{0}")]
    Mesh(#[from] MeshError),
    /// A tensor whose number of axes is not what a sharding is for.
    #[error("a sharding of {expected} axes does not fit {shape}")]
    ShardingRank {
        /// How many axes the sharding is for.
        expected: usize,
        /// The tensor.
        shape: Box<Shape>,
    },
    /// A part that a buffer does not have.
    #[error("there is no part {shard} in a buffer on {count} devices of a mesh")]
    NoSuchShard {
        /// Which one was asked for.
        shard: usize,
        /// How many there are; 1 for a buffer on no mesh, which is no part.
        count: usize,
    },
    /// Parts that do not make a tensor.
    #[error("part {shard} of {shape}: {expected} expected, {found} found")]
    Part {
        /// The tensor.
        shape: Box<Shape>,
        /// Which part.
        shard: usize,
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A result whose split the plugin does not tell.
    #[error("{name}: the plugin does not tell how this {what} is split; constrain it")]
    UnknownSharding {
        /// The name of the input or output.
        name: String,
        /// `argument` or `result`.
        what: &'static str,
    },
    /// Arguments that do not fit an executable.
    #[error("{0}")]
    Call(#[from] CallError),
    /// A Rust function that the program calls failed.
    #[error("{0}")]
    Callback(Box<CallbackFailure>),
    /// A callback with state was called before it was bound.
    #[error("callback `{callback}` of `{executable}` has no state: call `bind_callback` before\n  at {location}")]
    Unbound {
        /// The executable.
        executable: String,
        /// What the callback is called.
        callback: String,
        /// The line of the user's source that put it into the program.
        location: &'static Location<'static>,
    },
    /// A callback that is to be bound and that the program does not have.
    #[error("`{executable}` has no callback {wanted}; it has {}", list(known))]
    NoSuchCallback {
        /// The executable.
        executable: String,
        /// What was to be bound.
        wanted: String,
        /// The callbacks that there are.
        known: Vec<String>,
    },
    /// A program with callbacks for a platform whose plugin runs no code of others.
    #[error(
        "platform `{platform}` cannot call back into Rust: {source}\n  callbacks: {}\n  `hloom::split` runs such a program in parts, with the function between them",
        list(callbacks)
    )]
    NoCallbacks {
        /// The platform.
        platform: String,
        /// The callbacks, with the lines of the user's source that put them into the program.
        callbacks: Vec<String>,
        /// What the plugin lacks.
        source: Box<hloom_pjrt::Error>,
    },
    /// A graph with a function of the host that is none of this crate's.
    #[error("callback `{name}` is none of this runtime's\n  at {location}")]
    ForeignCallback {
        /// What it is called.
        name: String,
        /// The line of the user's source that put it into the program.
        location: &'static Location<'static>,
    },
    /// Host data that does not fit a shape.
    #[error("{found} elements of type {element} do not fill {shape}, which has {} of type {}", shape.element_count(), shape.dtype())]
    HostData {
        /// The buffer's shape.
        shape: Box<Shape>,
        /// How many elements were given or have room.
        found: usize,
        /// Their type.
        element: String,
    },
    /// An element type that tensors cannot have here.
    #[error("elements of type {0} are not supported")]
    ForeignElementType(String),
    /// Named tensors that do not fit a tree.
    #[error("{0}")]
    Mismatch(#[from] hloom_graph::Mismatch),
    /// What a layer above this one reports, such as a checkpoint that cannot be read.
    #[error(transparent)]
    Above(Box<dyn std::error::Error + Send + Sync>),
    /// A dump could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Dump {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Every plugin that was looked at, and why none of them is used.
#[derive(Debug)]
pub struct NoPlatform {
    /// What was wanted.
    pub wanted: String,
    /// Each plugin and why it was passed over.
    pub skipped: Vec<(String, String)>,
}

/// All that is wrong with the arguments of one call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallError {
    /// The executable.
    pub executable: String,
    /// What is wrong, each with the name of the input or output.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with the arguments of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// More or fewer buffers than inputs.
    Count {
        /// How many the executable takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A buffer of another shape or element type.
    Shape {
        /// The input.
        name: String,
        /// What the executable takes.
        expected: Shape,
        /// What was given.
        found: Shape,
    },
    /// A buffer on other devices.
    Device {
        /// The input.
        name: String,
        /// Where the executable runs.
        expected: String,
        /// Where the buffer lies.
        found: String,
    },
    /// A buffer that lies in another way.
    Sharding {
        /// The input.
        name: String,
        /// How the executable takes it.
        expected: String,
        /// How it lies.
        found: String,
    },
    /// An input that was not given.
    Missing(String),
    /// A name that is no input's.
    Unknown {
        /// The name.
        name: String,
        /// The inputs that there are.
        known: Vec<String>,
    },
    /// An input that was given twice.
    Duplicate(String),
    /// A name that is no output's.
    UnknownOutput {
        /// The name.
        name: String,
        /// The outputs that there are.
        known: Vec<String>,
    },
    /// A donated buffer that an executable has bound.
    Bound(String),
    /// A buffer whose memory a call has taken over or that was deleted.
    Deleted(String),
}

impl Error {
    pub(crate) fn host_data(shape: Shape, found: usize, element: hloom_graph::DType) -> Error {
        Error::HostData {
            shape: Box::new(shape),
            found,
            element: element.to_string(),
        }
    }

    /// Puts what was being done in front of what the plugin said.
    pub(crate) fn plugin(context: impl Into<String>) -> impl FnOnce(hloom_pjrt::Error) -> Error {
        let context = context.into();
        move |source| Error::Plugin {
            context,
            source: Box::new(source),
        }
    }
}

fn list(items: &[String]) -> String {
    match items.is_empty() {
        true => "none".into(),
        false => items.join(", "),
    }
}

impl fmt::Display for NoPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} can be used", self.wanted)?;
        for (name, why) in &self.skipped {
            write!(f, "\n  {name}: {why}")?;
        }
        f.write_str(
            "\n  install the CPU plugin with `cargo xtask plugins install cpu`, or set PJRT_PLUGIN_LIBRARY_PATH",
        )
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be called so:", self.executable)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CallError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        match self {
            Problem::Count { expected, found } => write!(f, "{expected} buffers expected, {found} found"),
            Problem::Shape { name, expected, found } => write!(f, "`{name}`: {expected} expected, {found} found"),
            Problem::Device { name, expected, found } => write!(f, "`{name}`: {expected} expected, {found} found"),
            Problem::Sharding { name, expected, found } => {
                write!(f, "`{name}`: {expected} expected, {found} found; `Buffer::to` moves it")
            }
            Problem::Missing(name) => write!(f, "`{name}`: not given"),
            Problem::Unknown { name, known } => write!(f, "`{name}`: no such input; there are {}", list(known)),
            Problem::Duplicate(name) => write!(f, "`{name}`: given twice"),
            Problem::UnknownOutput { name, known } => write!(f, "`{name}`: no such output; there are {}", list(known)),
            Problem::Bound(name) => {
                write!(f, "`{name}`: cannot be donated, since an executable has it bound")
            }
            Problem::Deleted(name) => write!(f, "`{name}`: the buffer was deleted or donated before"),
        }
    }
}
