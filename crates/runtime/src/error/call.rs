//! Errors in the arguments of a call.

use hloom_graph::Shape;
use std::fmt;

/// All errors in the arguments of one call.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct CallError {
    /// The executable.
    pub executable: String,
    /// The errors, each with the name of the input or output.
    pub problems: Vec<CallProblem>,
}

hloom_graph::debug_as_display!(CallError);

impl CallError {
    /// The errors in the arguments of one call of an executable.
    pub fn new(executable: impl Into<String>, problems: Vec<CallProblem>) -> CallError {
        CallError { executable: executable.into(), problems }
    }
}

/// One error in the arguments of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallProblem {
    /// More or fewer buffers than inputs.
    Count {
        /// The number of inputs of the executable.
        expected: usize,
        /// The number of buffers passed.
        found: usize,
    },
    /// Arguments of an exported function that its program does not have.
    LeftOut {
        /// The positions of the inputs among the arguments of the function.
        positions: Vec<usize>,
        /// The number of arguments of the function.
        count: usize,
    },
    /// A buffer of the wrong shape or element type.
    Shape {
        /// The input.
        name: String,
        /// The shape that the executable takes.
        expected: Shape,
        /// The shape of the buffer.
        found: Shape,
    },
    /// A buffer on the wrong devices.
    Device {
        /// The input.
        name: String,
        /// The devices of the executable.
        expected: String,
        /// The devices of the buffer.
        found: String,
    },
    /// A buffer with the wrong sharding.
    Sharding {
        /// The input.
        name: String,
        /// The sharding that the executable takes.
        expected: String,
        /// The sharding of the buffer.
        found: String,
    },
    /// An input that was not passed.
    Missing(String),
    /// A buffer in the tree of an argument, by its path, that is not an input.
    Surplus(String),
    /// An argument whose tree has another structure, or other values in its fields without
    /// tensors, than the one that the executable was compiled for.
    Structure {
        /// The path of the difference.
        name: String,
        /// The part of the structure at compile time, in words.
        expected: String,
        /// The part of the argument, in words.
        found: String,
    },
    /// A name that no input has.
    Unknown {
        /// The name.
        name: String,
        /// The names of the inputs.
        known: Vec<String>,
    },
    /// An input that was passed twice.
    Duplicate(String),
    /// A name that no output has.
    UnknownOutput {
        /// The name.
        name: String,
        /// The names of the outputs.
        known: Vec<String>,
    },
    /// A donated buffer that is bound to an executable.
    Bound(String),
    /// An input to bind that calls consume.
    Consumed(String),
    /// A buffer that was donated to a call or deleted.
    Deleted(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` cannot be called with these arguments:", self.executable)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for CallError {}

impl fmt::Display for CallProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| {
            names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
        };
        match self {
            CallProblem::Count { expected, found } => {
                write!(f, "{expected} buffers expected, {found} found")
            }
            CallProblem::LeftOut { positions, count } => {
                let list: Vec<String> = positions.iter().map(usize::to_string).collect();
                let (s, is) = if let [_] = positions[..] { ("", "is") } else { ("s", "are") };
                write!(
                    f,
                    "argument{s} {} of 0 to {} of the exported function {is} not in the program, \
                     since no output depends on it: leave out its buffer",
                    list.join(", "),
                    count.saturating_sub(1)
                )
            }
            CallProblem::Shape { name, expected, found } => {
                write!(f, "`{name}`: {expected} expected, {found} found")
            }
            CallProblem::Device { name, expected, found } => {
                write!(f, "`{name}`: {expected} expected, {found} found")
            }
            CallProblem::Sharding { name, expected, found } => {
                write!(f, "`{name}`: {expected} expected, {found} found; `Buffer::to` moves it")
            }
            CallProblem::Missing(name) => write!(f, "`{name}`: not given"),
            CallProblem::Surplus(name) => {
                write!(f, "`{name}`: not in the tree that the function was compiled for")
            }
            CallProblem::Structure { name, expected, found } => {
                write!(f, "`{name}`: compiled for {expected}, called with {found}")
            }
            CallProblem::Unknown { name, known } => {
                write!(f, "`{name}`: no such input; there are {}", list(known))
            }
            CallProblem::Duplicate(name) => write!(f, "`{name}`: given twice"),
            CallProblem::UnknownOutput { name, known } => {
                write!(f, "`{name}`: no such output; there are {}", list(known))
            }
            CallProblem::Bound(name) => {
                write!(f, "`{name}`: cannot be donated, since an executable has it bound")
            }
            CallProblem::Consumed(name) => {
                write!(f, "`{name}`: cannot be bound, since calls consume it; `keep` it before")
            }
            CallProblem::Deleted(name) => {
                write!(f, "`{name}`: the buffer was deleted or donated before")
            }
        }
    }
}
