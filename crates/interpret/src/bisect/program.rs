//! Programs with their inputs.

use super::{BisectError, Edit, op_count};
use crate::Array;
use hloom_graph::Graph;
use std::fmt;

/// A graph and its inputs.
#[derive(Clone)]
pub(super) struct BisectedProgram {
    pub graph: Graph,
    pub inputs: Vec<Array>,
}

impl BisectedProgram {
    /// The quantities that are minimized: the numbers of results, ops, steps of loops, and inputs.
    pub fn size(&self) -> (usize, usize, usize, usize) {
        (
            op_count(&self.graph),
            self.graph.results().len(),
            super::edit::step_count(&self.graph),
            self.inputs.len(),
        )
    }

    /// The program after an edit, without inputs that nothing uses.
    pub fn edited(&self, edit: &Edit<'_>) -> Result<BisectedProgram, BisectError> {
        edit.applied(self)?.without_unused_inputs()
    }
}

/// The smallest program found on which a compiler and the interpreter differ.
#[derive(Clone)]
#[non_exhaustive]
pub struct Difference {
    /// The program.
    pub graph: Graph,
    /// Its inputs.
    pub inputs: Vec<Array>,
    /// The interpreter's results.
    pub expected: Vec<Array>,
    /// The compiler's results.
    pub found: Vec<Array>,
    /// The number of programs that were compared.
    pub tries: usize,
}

impl fmt::Debug for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.graph)?;
        writeln!(f, "inputs {:?}", self.inputs)?;
        writeln!(f, "expected {:?}", self.expected)?;
        writeln!(f, "found {:?} ({} programs compared)", self.found, self.tries)
    }
}
