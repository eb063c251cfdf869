//! Errors of tracing, compiling and calling.

mod bucket;
mod call;
mod callback;
mod error_context;
mod mesh;

pub use bucket::BucketError;
pub use call::{CallError, CallProblem};
pub use callback::{CallbackError, CallbackFailure};
pub use error_context::ErrorContext;
pub use mesh::MeshError;

use crate::{ForeignError, LoadError};
use hloom_graph::{Shape, ShapeError, ShardingError, TraceError};
use std::{fmt, panic::Location, path::PathBuf};

/// The result of the runtime's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of tracing, compiling or calling a function.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error in the traced function.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The graph could not be lowered; includes the compiler's diagnostics.
    #[error(transparent)]
    Lower(#[from] hloom_stablehlo::LowerError),
    /// The plugin returned an error.
    #[error("{context}: {source}")]
    Plugin {
        /// The operation that failed.
        context: String,
        /// The plugin's error.
        r#source: Box<hloom_pjrt::Error>,
    },
    /// No plugin could be used.
    #[error("{0}")]
    NoPlatform(NoPlatform),
    /// A saved program that is not loaded.
    #[error("the saved program `{program}` is not loaded: {source}")]
    SavedProgram {
        /// The program.
        program: String,
        /// The reason.
        r#source: Box<LoadError>,
    },
    /// A program of another system that is not used.
    #[error("the program `{program}` is not used: {source}")]
    Foreign {
        /// The program or its file.
        program: String,
        /// The reason.
        r#source: Box<ForeignError>,
    },
    /// An error of a program in a sandbox.
    #[cfg(feature = "sandbox")]
    #[error("`{program}`: {source}")]
    Sandbox {
        /// The program.
        program: String,
        /// The error of the sandbox.
        r#source: Box<hloom_sandbox::Error>,
    },
    /// A target that is not known by this name.
    #[error(
        "there is no target `{target}`; known are cpu, tpu:v5e:2x2x1 and other slices, {}",
        list(known)
    )]
    NoSuchTarget {
        /// The target.
        target: String,
        /// The targets that have names.
        known: Vec<String>,
    },
    /// A list of axes that is not a valid shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An invalid mesh, or a partition that does not match a tensor or a mesh.
    #[error(transparent)]
    Sharding(#[from] ShardingError),
    /// Devices that cannot form a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A tensor whose rank differs from the sharding's.
    #[error("a sharding of {expected} axes does not fit {shape}")]
    ShardingRank {
        /// The rank of the sharding.
        expected: usize,
        /// The tensor.
        shape: Box<Shape>,
    },
    /// A shard that a buffer does not have.
    #[error("there is no part {shard} in a buffer on {count} devices of a mesh")]
    NoSuchShard {
        /// The shard that was requested.
        shard: usize,
        /// The number of shards; 1 for a buffer that is not on a mesh and has none.
        count: usize,
    },
    /// Shards that do not form a tensor.
    #[error("part {shard} of {shape}: {expected} expected, {found} found")]
    Part {
        /// The tensor.
        shape: Box<Shape>,
        /// The index of the shard.
        shard: usize,
        /// The expected shard.
        expected: String,
        /// The shard that was passed.
        found: String,
    },
    /// A result whose sharding the plugin does not report.
    #[error("{name}: the plugin does not report the sharding of this {what}; constrain it")]
    UnknownSharding {
        /// The name of the input or output.
        name: String,
        /// `argument` or `result`.
        what: &'static str,
    },
    /// Arguments that do not match an executable.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Arguments whose lengths do not fit the buckets that a function is compiled for.
    #[error("`{executable}`: {source}")]
    Bucket {
        /// The executable.
        executable: String,
        /// The reason.
        r#source: Box<BucketError>,
    },
    /// A Rust function that the program calls failed.
    #[error("{0}")]
    Callback(Box<CallbackFailure>),
    /// A callback with state was called before it was bound.
    #[error(
        "callback `{callback}` of `{executable}` has no state: call `bind_callback` before\n  at \
         {location}"
    )]
    Unbound {
        /// The executable.
        executable: String,
        /// The name of the callback.
        callback: String,
        /// The source line that added it to the program.
        location: &'static Location<'static>,
    },
    /// An attempt to bind a callback that the program does not have.
    #[error("`{executable}` has no callback {wanted}; it has {}", list(known))]
    NoSuchCallback {
        /// The executable.
        executable: String,
        /// The callback to bind.
        wanted: String,
        /// The callbacks of the program.
        known: Vec<String>,
    },
    /// A program with callbacks for a platform whose plugin does not run custom call handlers.
    #[error(
        "platform `{platform}` cannot call back into Rust: {source}\n  callbacks: {}\n  \
         `Platform::compile_in_steps` compiles such a program to run in steps, with the \
         functions between them",
        list(callbacks)
    )]
    NoCallbacks {
        /// The platform.
        platform: String,
        /// The callbacks, with the source lines that added them to the program.
        callbacks: Vec<String>,
        /// The missing feature of the plugin.
        r#source: Box<hloom_pjrt::Error>,
    },
    /// A function of linear algebra that the platform lacks.
    #[error(
        "`{name}` runs on the CPU only, with the feature `linalg`: platform `{platform}` has \
         `cholesky`, `triangular_solve` and `fft`\n  at {location}"
    )]
    NoLinearAlgebra {
        /// The function.
        name: &'static str,
        /// The platform.
        platform: String,
        /// The source line that added it to the program.
        location: &'static Location<'static>,
    },
    /// A graph with a host function that is not a callback of this crate.
    #[error("callback `{name}` is not a callback of this runtime\n  at {location}")]
    ForeignCallback {
        /// The name of the callback.
        name: String,
        /// The source line that added it to the program.
        location: &'static Location<'static>,
    },
    /// Host data that does not match a shape.
    #[error(
        "{found} elements of type {element} do not fill {shape}, which has {} of type {}",
        shape.element_count(),
        shape.dtype()
    )]
    HostData {
        /// The buffer's shape.
        shape: Box<Shape>,
        /// The number of elements passed, or the capacity of the slice to read into.
        found: usize,
        /// The element type of the values.
        element: String,
    },
    /// A buffer whose elements are read as another type.
    #[error(
        "a buffer of {shape} has elements of type {}, and not {element}: read it as \
         {}, or convert it in the program by `convert`",
        shape.dtype(),
        rust_type(shape.dtype())
    )]
    ElementType {
        /// The buffer's shape.
        shape: Box<Shape>,
        /// The type that it was read as.
        element: String,
    },
    /// Bytes that a buffer does not have, or that have not been written.
    #[error("a buffer of {shape}: {message}")]
    ByteRange {
        /// The buffer's shape.
        shape: Box<Shape>,
        /// The range of the bytes and what is wrong with it.
        message: String,
    },
    /// A graph that could not be built from data.
    #[error(transparent)]
    Graph(#[from] hloom_graph::GraphError),
    /// A shared buffer to write that others use too.
    #[error(
        "the shared buffer of {shape} cannot be written: an executable has it bound, or another \
         handle shares its memory"
    )]
    SharedElsewhere {
        /// The buffer's shape.
        shape: Box<Shape>,
    },
    /// A graph that the interpreter does not evaluate.
    #[cfg(feature = "interpret")]
    #[error("interpreting `{program}`: {source}")]
    Interpret {
        /// The program.
        program: String,
        /// The reason.
        r#source: Box<hloom_interpret::InterpretError>,
    },
    /// An executable without the graph that an interpreter evaluates.
    #[cfg(feature = "interpret")]
    #[error(
        "the executable `{program}` has no graph to interpret: compile its function, or load it \
         with its function, by a compiler with `keep_graph(true)`"
    )]
    NoGraph {
        /// The program.
        program: String,
    },
    /// Axes that do not fit a buffer.
    #[error("{buffer} cannot be named as {found}: {expected} are expected")]
    Axes {
        /// The buffer's shape.
        buffer: Box<Shape>,
        /// The axes that are expected.
        expected: String,
        /// The shape with the requested axes.
        found: Box<Shape>,
    },
    /// A future whose results were taken.
    #[error("the future of a call was polled after its end: its results were taken")]
    PolledAfterEnd,
    /// An order of axes that does not name each axis of a buffer once.
    #[error("{buffer} cannot be read in the order {axes}: each of its axes is named once")]
    Order {
        /// The buffer's shape.
        buffer: Box<Shape>,
        /// The requested order.
        axes: String,
    },
    /// An unsupported element type.
    #[error("elements of type {0} are not supported")]
    ForeignElementType(String),
    /// Named tensors that do not match a tree.
    #[error(transparent)]
    Mismatch(#[from] hloom_graph::Mismatch),
    /// An error of another layer: of a checkpoint, a model, the installer of plugins.
    #[error(transparent)]
    Above(Box<dyn std::error::Error + Send + Sync>),
    /// A dump could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Dump {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        r#source: std::io::Error,
    },
}

/// Every plugin that was tried, and why each of them was skipped.
#[non_exhaustive]
pub struct NoPlatform {
    /// The requested plugin.
    pub wanted: String,
    /// Each plugin and why it was skipped.
    pub skipped: Vec<(String, String)>,
}

hloom_graph::debug_as_display!(Error, NoPlatform);

#[cfg(feature = "plugins")]
impl From<pjrt_plugins::Error> for Error {
    fn from(error: pjrt_plugins::Error) -> Error {
        Error::Above(Box::new(error))
    }
}

impl Error {
    pub(crate) fn host_data(shape: Shape, found: usize, element: hloom_graph::DType) -> Error {
        Error::HostData { shape: Box::new(shape), found, element: element.to_string() }
    }

    pub(crate) fn element_type(shape: Shape, element: hloom_graph::DType) -> Error {
        Error::ElementType { shape: Box::new(shape), element: element.to_string() }
    }

    /// Adds the failed operation as context to the plugin's error.
    pub(crate) fn plugin(context: impl Into<String>) -> impl FnOnce(hloom_pjrt::Error) -> Error {
        let context = context.into();
        move |source| Error::Plugin { context, source: Box::new(source) }
    }
}

/// The Rust type of elements, or how to read those that have none.
fn rust_type(dtype: hloom_graph::DType) -> String {
    use hloom_graph::DType;
    match dtype {
        DType::BF16 | DType::F16 => format!("`half::{dtype}`"),
        DType::C64 => "`Complex<f32>`".to_owned(),
        DType::C128 => "`Complex<f64>`".to_owned(),
        _ if dtype.bits() < 8 && dtype != DType::Bool => "bytes by `to_bytes`".to_owned(),
        _ => format!("`{dtype}`"),
    }
}

fn list(items: &[String]) -> String {
    if items.is_empty() { "none".into() } else { items.join(", ") }
}

impl fmt::Display for NoPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} can be used", self.wanted)?;
        for (name, why) in &self.skipped {
            write!(f, "\n  {name}: {why}")?;
        }
        f.write_str(
            "\n  install the CPU plugin with `cargo xtask plugins install cpu`, or set \
             PJRT_PLUGIN_LIBRARY_PATH",
        )
    }
}
