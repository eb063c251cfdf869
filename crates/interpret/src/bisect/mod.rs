//! The smallest program on which a compiler and the interpreter differ.
//!
//! Ops and outputs are removed as long as the difference stays; outputs are never added, since they
//! change what a compiler fuses. An op is replaced by an input with its value or by one of its
//! operands, or it is removed together with the outputs that need it, where one of its operands is
//! returned instead. Composites and branches are replaced by their bodies, and loops by one of
//! their steps or by shorter loops.

mod closeness;
mod edit;
mod inline;
mod minimize;
mod program;

pub use closeness::Closeness;
pub use program::Difference;

use crate::{Array, InterpretError, Interpreter};
use edit::{Edit, bypasses, loops, op_count, root_ops};
use hloom_graph::{Graph, NodeId, TraceError};
use inline::inlines;
use minimize::minimize;
use program::BisectedProgram;
use std::collections::HashSet;

/// Evaluates a graph by a compiler: the results for these inputs.
pub type Compiled<'a> = dyn FnMut(&Graph, &[Array]) -> Result<Vec<Array>, String> + 'a;

/// The reason why a program was not bisected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BisectError {
    /// The interpreter did not evaluate the whole program.
    #[error(transparent)]
    Interpret(#[from] InterpretError),
    /// The compiler did not evaluate the whole program.
    #[error("the compiled program: {0}")]
    Compiled(String),
    /// The program could not be recorded again.
    #[error("the program cannot be recorded again: {0}")]
    Record(Box<TraceError>),
}

/// Searches for the smallest program on which a compiler and the interpreter differ.
pub struct Bisector<'a> {
    interpreter: Interpreter<'a>,
    closeness: Closeness,
    tries: usize,
}

/// The maximum number of programs that a search compiles by default.
const DEFAULT_TRIES: usize = 2000;

impl Default for Bisector<'_> {
    fn default() -> Self {
        Bisector {
            interpreter: Interpreter::new(),
            closeness: Closeness::default(),
            tries: DEFAULT_TRIES,
        }
    }
}

impl<'a> Bisector<'a> {
    /// A search with the interpreter's own evaluators and limit, and the default closeness.
    pub fn new() -> Bisector<'a> {
        Bisector::default()
    }

    /// Sets the interpreter, such as one with evaluators of calls.
    pub fn interpreter(self, interpreter: Interpreter<'a>) -> Bisector<'a> {
        Bisector { interpreter, ..self }
    }

    /// Sets the distance up to which results count as equal.
    pub fn closeness(self, closeness: Closeness) -> Bisector<'a> {
        Bisector { closeness, ..self }
    }

    /// Compiles at most this many programs, and returns the smallest of them that differs.
    pub fn tries(self, tries: usize) -> Bisector<'a> {
        Bisector { tries, ..self }
    }

    /// The smallest program found on which the results of `compiled` are not those of the
    /// interpreter; `None` if they are equal on the whole program.
    ///
    /// Smaller programs that one of the two rejects are skipped.
    ///
    /// # Errors
    /// The compiler or the interpreter rejects the whole program.
    pub fn run(
        mut self,
        graph: &Graph,
        inputs: &[Array],
        compiled: &mut Compiled<'_>,
    ) -> Result<Option<Difference>, BisectError> {
        let whole = BisectedProgram { graph: graph.clone(), inputs: inputs.to_vec() };
        let expected = self.interpreter.run(graph, inputs)?;
        let found = compiled(graph, inputs).map_err(BisectError::Compiled)?;
        if self.closeness.all(&expected, &found) {
            return Ok(None);
        }
        let mut search = Search { bisector: self, compiled, smallest: whole, compared: 1 };
        search.run()?;
        let Search { mut bisector, smallest: BisectedProgram { graph, inputs }, compared, .. } =
            search;
        let expected = bisector.interpreter.run(&graph, &inputs)?;
        let found = compiled(&graph, &inputs).map_err(BisectError::Compiled)?;
        Ok(Some(Difference { graph, inputs, expected, found, tries: compared }))
    }
}

/// A search and the smallest program so far.
struct Search<'s, 'a, 'c> {
    bisector: Bisector<'a>,
    compiled: &'s mut Compiled<'c>,
    smallest: BisectedProgram,
    /// The number of programs that were compiled.
    compared: usize,
}

impl Search<'_, '_, '_> {
    /// Removes parts until none can be removed any more.
    fn run(&mut self) -> Result<(), BisectError> {
        loop {
            let before = self.smallest.size();
            self.drop_results();
            self.retract_results();
            self.cut_ops()?;
            self.bypass_ops();
            self.inline_bodies()?;
            self.shorten_loops()?;
            if self.smallest.size() == before || self.compared >= self.bisector.tries {
                return Ok(());
            }
        }
    }

    /// Whether the results for an edited program differ; keeps the program if they do and it is
    /// smaller.
    fn differs(&mut self, base: &BisectedProgram, edit: &Edit) -> bool {
        if self.compared >= self.bisector.tries {
            return false;
        }
        let Ok(program) = base.edited(edit) else { return false };
        self.compared += 1;
        let Ok(expected) = self.bisector.interpreter.run(&program.graph, &program.inputs) else {
            return false;
        };
        let Ok(found) = (self.compiled)(&program.graph, &program.inputs) else { return false };
        let differs = !self.bisector.closeness.all(&expected, &found);
        if differs && program.size() < self.smallest.size() {
            self.smallest = program;
        }
        differs
    }

    /// Removes results, and with them the ops that only they need.
    fn drop_results(&mut self) {
        let base = self.smallest.clone();
        let all = Edit::none(&base).results;
        minimize(&all, 1, &mut |results| {
            self.differs(&base, &Edit { results: results.to_vec(), ..Edit::none(&base) })
        });
    }

    /// Returns operands instead of the results computed from them, and removes the ops after these
    /// operands.
    fn retract_results(&mut self) {
        loop {
            let base = self.smallest.clone();
            let before = base.size();
            let results = Edit::none(&base).results;
            for at in 0..results.len() {
                let node = base.graph.value(results[at].1).node;
                for &operand in base.graph.operands(node) {
                    let mut results = results.clone();
                    results[at].1 = operand;
                    self.differs(&base, &Edit { results, ..Edit::none(&base) });
                }
            }
            if self.smallest.size() >= before {
                return;
            }
        }
    }

    /// Replaces ops by inputs that hold their values.
    fn cut_ops(&mut self) -> Result<(), BisectError> {
        let base = self.smallest.clone();
        let values = self.bisector.interpreter.all_values(&base.graph, &base.inputs)?;
        let ops = root_ops(&base.graph);
        minimize(&ops, 0, &mut |kept| {
            let kept: HashSet<NodeId> = kept.iter().copied().collect();
            let cut = ops.iter().filter(|op| !kept.contains(op)).copied();
            self.differs(
                &base,
                &Edit { cut: cut.collect(), values: Some(&values), ..Edit::none(&base) },
            )
        });
        Ok(())
    }

    /// Replaces ops by operands of the same shape, also in bodies.
    fn bypass_ops(&mut self) {
        let base = self.smallest.clone();
        let all = bypasses(&base.graph);
        minimize(&all, 0, &mut |kept| {
            let bypassed = all.iter().filter(|pair| !kept.contains(pair)).copied();
            self.differs(&base, &Edit { bypass: bypassed.collect(), ..Edit::none(&base) })
        });
    }

    /// Replaces composites and branches by their bodies, and loops by one of their steps, so that
    /// the ops of the bodies can be removed.
    fn inline_bodies(&mut self) -> Result<(), BisectError> {
        loop {
            let base = self.smallest.clone();
            let before = base.size();
            let interpreter = &mut self.bisector.interpreter;
            let values = interpreter.all_values(&base.graph, &base.inputs)?;
            for inline in inlines(&base, interpreter, &values) {
                let (inline, values) = (Some(&inline), Some(&values));
                self.differs(&base, &Edit { inline, values, ..Edit::none(&base) });
                if self.smallest.size() < before {
                    break;
                }
            }
            if self.smallest.size() >= before {
                return Ok(());
            }
        }
    }

    /// Shortens the first loop with a known number of steps that can be shortened.
    fn shorten_loops(&mut self) -> Result<(), BisectError> {
        let base = self.smallest.clone();
        let values = self.bisector.interpreter.all_values(&base.graph, &base.inputs)?;
        for (op, steps) in loops(&base.graph) {
            for count in (1..steps).take(4) {
                let (count, values) = (Some((op, count)), Some(&values));
                self.differs(&base, &Edit { count, values, ..Edit::none(&base) });
                if self.smallest.size() < base.size() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// The number of live ops of a graph without its parameters, those of bodies included.
pub fn live_op_count(graph: &Graph) -> usize {
    op_count(graph)
}
