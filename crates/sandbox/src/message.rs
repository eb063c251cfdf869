//! Messages between a sandbox's parent and its child.
//!
//! A message is its length (four bytes, little endian), JSON of that length, and the bytes of the
//! arrays that it announces. The parent knows the number of bytes that follow an answer by itself,
//! but for the code of a program, which is not larger than the limit of memory.

use crate::Target;
use hloom_pjrt::{CompiledMemoryStats, DType, Spec};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The longest JSON of a message.
pub const MAX_MESSAGE: usize = 16 << 20;

/// A request of the parent; each has one answer.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Loads the plugin that the command line names, and gives up everything else.
    Start { devices: usize, memory: u64 },
    /// The same for devices that need not be here. `seconds` of the processor are a limit of each
    /// process; temporary files are in `scratch`.
    StartAhead { target: Target, scratch: PathBuf, memory: u64, seconds: u64 },
    /// Compiles a program. The encoded options and the program follow.
    Compile { options: usize, code: usize },
    /// Copies an argument for a device of a program. Its bytes follow.
    Bind { program: usize, device: usize, array: Array },
    /// Frees an argument.
    Unbind { value: usize },
    /// Frees a program.
    Unload { program: usize },
    /// Returns the optimized program, in a form that the plugin names.
    Optimized { program: usize },
    /// Returns the compiled program, as the plugin serializes it.
    Serialize { program: usize },
    /// Calls a program. The bytes of the arguments that are not bound follow.
    Call { program: usize, arguments: Vec<Argument> },
}

/// An argument of a call, for the devices in order.
#[derive(Debug, Serialize, Deserialize)]
pub enum Argument {
    /// Bound before.
    Bound(usize),
    /// An array whose bytes follow.
    Bytes(Array),
}

/// An answer of the child.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// To `Start` and `StartAhead`.
    Started { platform: String, version: String },
    /// To `Compile`.
    Compiled { program: usize, interface: Box<Interface> },
    /// To `Bind`.
    Bound { value: usize },
    /// To `Unbind` and `Unload`.
    Freed,
    /// To `Call`. The bytes of the results follow, for the devices in order.
    Returned,
    /// To `Optimized` and `Serialize`. The bytes follow.
    Code { format: String, bytes: usize },
    /// The system lacks something that the sandbox needs.
    Unsupported { missing: String },
    /// The plugin's error.
    Failed { message: String },
}

/// The parameters and results of a program, as each device has them.
#[derive(Debug, Serialize, Deserialize)]
pub struct Interface {
    pub name: String,
    pub devices: usize,
    pub parameters: Vec<Parameter>,
    pub donatable: Vec<usize>,
    pub results: Vec<Array>,
    pub custom_calls: Vec<String>,
    pub tilings: Option<Tilings>,
    pub memory: Option<MemoryStats>,
}

/// The memory that a program needs on each device, in bytes: see
/// [`CompiledMemoryStats`](hloom_pjrt::CompiledMemoryStats).
#[derive(Debug, Serialize, Deserialize)]
pub struct MemoryStats {
    pub generated_code: i64,
    pub arguments: i64,
    pub outputs: i64,
    pub aliases: i64,
    pub temporaries: i64,
    pub host_generated_code: i64,
    pub host_arguments: i64,
    pub host_outputs: i64,
    pub host_aliases: i64,
    pub host_temporaries: i64,
    pub peak: Option<i64>,
    pub total: Option<i64>,
    pub total_allocations: Option<i64>,
    pub indefinite_allocations: Option<i64>,
    pub peak_unpadded: Option<i64>,
}

/// A parameter of a program.
#[derive(Debug, Serialize, Deserialize)]
pub struct Parameter {
    pub name: Option<String>,
    pub array: Array,
}

/// The splitting of parameters and results over the devices.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tilings {
    pub parameters: Vec<Option<Tiling>>,
    pub results: Vec<Option<Tiling>>,
}

/// The splitting of an array.
#[derive(Debug, Serialize, Deserialize)]
pub struct Tiling {
    pub counts: Vec<usize>,
    pub tiles: Vec<Vec<usize>>,
}

/// The element type of an array, by its number in the C API, and its dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    pub dtype: u32,
    pub dims: Vec<i64>,
}

impl From<&Spec> for Array {
    fn from(spec: &Spec) -> Self {
        Self { dtype: spec.dtype().to_raw(), dims: spec.dims().to_vec() }
    }
}

impl Array {
    pub fn spec(self) -> Spec {
        Spec::new(DType::from_raw(self.dtype), self.dims)
    }
}

macro_rules! memory_stats {
    ($($field:ident),* $(,)?) => {
        impl From<CompiledMemoryStats> for MemoryStats {
            fn from(stats: CompiledMemoryStats) -> Self {
                Self { $($field: stats.$field),* }
            }
        }

        impl From<MemoryStats> for CompiledMemoryStats {
            fn from(stats: MemoryStats) -> Self {
                let mut found = Self::default();
                $(found.$field = stats.$field;)*
                found
            }
        }
    };
}

memory_stats!(
    generated_code,
    arguments,
    outputs,
    aliases,
    temporaries,
    host_generated_code,
    host_arguments,
    host_outputs,
    host_aliases,
    host_temporaries,
    peak,
    total,
    total_allocations,
    indefinite_allocations,
    peak_unpadded,
);
