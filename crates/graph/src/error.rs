//! Errors of tracing.

use crate::{Axis, BlockKind, MAX_RANK, Name, Shape};
use std::{fmt, panic::Location};

/// A list of axes that is not a valid shape, or an axis that a shape does not have.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// More axes than a tensor can have.
    #[error("{0} axes are more than the {MAX_RANK} that a tensor can have")]
    Rank(usize),
    /// An axis with an empty name.
    #[error("an axis has an empty name; use `_` for no name")]
    EmptyName,
    /// Two axes with the same name.
    #[error("duplicate axis `{0}`")]
    DuplicateName(Name),
    /// More elements than memory can address.
    #[error("a tensor of sizes {0:?} has more elements than memory can address")]
    TooLarge(Vec<usize>),
    /// Blocks that do not fill the rows, or a tensor of blocks without rows.
    #[error("{kind} has blocks of {} elements, which rows of {row} are not made of", kind.block_len())]
    Blocks {
        /// The format of the blocks.
        kind: BlockKind,
        /// The elements of a row; 1 where there is no axis.
        row: usize,
    },
    /// The shape has no such axis.
    #[error("there is no axis {axis} in {shape}")]
    NoSuchAxis {
        /// The requested axis.
        axis: Axis,
        /// The shape.
        shape: Box<Shape>,
    },
}

/// An operand of the op that failed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OperandInfo {
    /// `left`, `right`, `operand`...
    pub label: String,
    /// Its shape.
    pub shape: Shape,
    /// The path of the argument, if the operand is one.
    pub name: Option<String>,
}

/// The first error of a trace: the op, the message, every operand's shape, and the user's source
/// line.
#[derive(Clone)]
#[non_exhaustive]
pub struct TraceError {
    /// The op, as its `Tensor` method or function is called.
    pub op: &'static str,
    /// The functions between `op` and the op that failed, which is the last; empty if `op` failed.
    pub within: Vec<&'static str>,
    /// The message.
    pub message: String,
    /// The operands.
    pub operands: Vec<OperandInfo>,
    /// The line and column that called the op.
    pub location: &'static Location<'static>,
    /// The number of further errors that the same trace recorded.
    pub following: usize,
}

impl OperandInfo {
    /// An operand that is an argument: its label in the message, its path and its shape.
    pub fn argument(label: &str, path: &str, shape: Shape) -> OperandInfo {
        OperandInfo { label: label.into(), shape, name: Some(path.into()) }
    }
}

impl TraceError {
    /// An error of an op, or of another step of tracing, without operands.
    pub fn new(
        op: &'static str,
        message: impl Into<String>,
        location: &'static Location<'static>,
    ) -> TraceError {
        let (message, operands) = (message.into(), Vec::new());
        TraceError { op, within: Vec::new(), message, operands, location, following: 0 }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.op, self.message)?;
        if !self.within.is_empty() {
            write!(f, " (in {})", self.within.join(", "))?;
        }
        let width = self.operands.iter().map(|o| o.label.len() + 1).max().unwrap_or(0);
        for OperandInfo { label, shape, name } in &self.operands {
            write!(f, "\n  {:<width$} {shape}", format!("{label}:"))?;
            if let Some(name) = name {
                write!(f, "   ({name})")?;
            }
        }
        write!(f, "\n  at {}", self.location)?;
        match self.following {
            0 => Ok(()),
            1 => f.write_str("\n  note: 1 more error followed"),
            n => write!(f, "\n  note: {n} more errors followed"),
        }
    }
}

impl std::error::Error for TraceError {}

/// Implements `Debug` by `Display`, for errors: `main` and `unwrap` then print the message.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_as_display {
    ($($error:ty),+ $(,)?) => { $(
        impl ::std::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    )+ };
}
debug_as_display!(TraceError, ShapeError);
