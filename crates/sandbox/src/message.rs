//! Messages between a sandbox's parent and its child.
//!
//! A message is its length (four bytes, little endian), JSON of that length, and the bytes of the
//! arrays that it announces. The parent knows the number of bytes that follow an answer by itself,
//! and never takes it from the child.

use hloom_pjrt::{DType, Spec};
use serde::{Deserialize, Serialize};

/// The longest JSON of a message.
pub const MAX_MESSAGE: usize = 16 << 20;

/// A request of the parent; each has one answer.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Loads the plugin that the command line names, and gives up everything else.
    Start { devices: usize, memory: u64 },
    /// Compiles a program. The encoded options and the program follow.
    Compile { options: usize, code: usize },
    /// Copies an argument for a device of a program. Its bytes follow.
    Bind { program: usize, device: usize, array: Array },
    /// Frees an argument.
    Unbind { value: usize },
    /// Frees a program.
    Unload { program: usize },
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
    /// To `Start`.
    Started { platform: String, version: String },
    /// To `Compile`.
    Compiled { program: usize, interface: Box<Interface> },
    /// To `Bind`.
    Bound { value: usize },
    /// To `Unbind` and `Unload`.
    Freed,
    /// To `Call`. The bytes of the results follow, for the devices in order.
    Returned,
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
