//! Memory over time: the buffers of a program and the steps at which they are live.
//!
//! The steps are the instructions of the entry computation that do work, with the instructions of
//! loops, branches and calls inserted in place. A value begins at the step that computes it and
//! ends at the last one that reads it. Values that share memory are one buffer: tuples and their
//! elements, bitcasts, the state of a loop, an update in place, a result over a donated parameter.

mod leaves;
mod place;
mod shared;
mod walk;

use crate::program::ModuleGraph;
pub(crate) use walk::Analysis;

/// The buffers of a program and how long each is live: an estimate from the order of instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Names of the instructions that do work, in the order of execution.
    pub steps: Vec<String>,
    /// Bytes of live temporaries and results at each step.
    pub live: Vec<u64>,
    /// The step with the most live bytes.
    pub peak: usize,
    /// Buffers that are not empty, the largest first.
    pub buffers: Vec<Buffer>,
}

/// Memory of one or more values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Buffer {
    /// The instruction that defines its first value.
    pub instruction: String,
    /// Type and dimensions of that value, as in `f32[8,4]`.
    pub shape: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The kind of its contents.
    pub kind: BufferKind,
    /// The first step at which it is live.
    pub start: usize,
    /// The last step at which it is live.
    pub end: usize,
    /// The index of the instruction in the page's data.
    pub(crate) node: usize,
}

/// The kind of a buffer's contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum BufferKind {
    /// A value that is dropped before the end.
    Temporary,
    /// A result of the program.
    Result,
    /// A constant, stored with the program's code.
    Constant,
    /// A parameter, and the results that are written over it.
    Argument,
}

impl BufferKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Temporary => "temporary",
            Self::Result => "result",
            Self::Constant => "constant",
            Self::Argument => "argument",
        }
    }
}

impl Memory {
    /// Bytes of all buffers of a kind together, whenever they are live.
    pub fn bytes(&self, kind: BufferKind) -> u64 {
        let of_kind = self.buffers.iter().filter(|buffer| buffer.kind == kind);
        of_kind.fold(0, |sum, buffer| sum.saturating_add(buffer.bytes))
    }

    /// The maximum number of bytes that temporaries and results have at the same time.
    pub fn peak_bytes(&self) -> u64 {
        self.live.get(self.peak).copied().unwrap_or(0)
    }
}

/// Analyses a program.
pub(crate) fn of(program: &ModuleGraph<'_>) -> Analysis {
    walk::analyse(program)
}

#[cfg(test)]
mod tests;
