//! Graphs that are built from data, with values by name.

use super::TraceScope;
use crate::{Graph, Op, Spec, Tensor, TraceError, nearest_name, record};
use std::{collections::BTreeMap, panic::Location};

/// A graph built at run time: names, shapes and ops come from data, such as a file.
///
/// It is a trace with names: while it exists, the methods of [`Tensor`] record in it, on its
/// thread. Unlike in a traced function, every error comes back at once, with the name of the value
/// it belongs to, since a source line is of little use for a graph that comes from data. After an
/// op has failed, the graph cannot be finished.
///
/// ```
/// use hloom_graph::{Binary, GraphBuilder, Spec, Unary};
///
/// let mut graph = GraphBuilder::new("gate");
/// graph.input("x", Spec::f32([("row", 2), ("column", 3)]))?;
/// for (name, op) in [("a", Unary::Tanh), ("b", Unary::Logistic)] {
///     graph.record(name, op, &["x"])?;
/// }
/// graph.record("gated", Binary::Mul, &["a", "b"])?;
/// let sum = graph.value("gated")?.sum("column"); // any method of `Tensor`
/// graph.define("sum", sum)?;
/// graph.output("sum")?;
/// let graph = graph.finish()?;
/// assert_eq!(graph.results()[0].name, "sum");
/// # Ok::<(), hloom_graph::GraphError>(())
/// ```
pub struct GraphBuilder {
    scope: TraceScope,
    values: BTreeMap<String, Tensor>,
    outputs: Vec<String>,
}

/// An error of building a graph from data.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// An op that does not accept its operands.
    #[error("the value `{value}`: {source}")]
    Value {
        /// The value that the op was to define.
        value: String,
        /// The op's error.
        r#source: Box<TraceError>,
    },
    /// A name that no value has.
    #[error("there is no value `{name}`{}", similar(suggestion))]
    Unknown {
        /// The name.
        name: String,
        /// The most similar name of a value.
        suggestion: Option<String>,
    },
    /// A name that is given twice.
    #[error("there are two {what} of the name `{name}`")]
    Duplicate {
        /// `values` or `outputs`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// An op with several results where one is expected.
    #[error("`{op}` has {count} results, which cannot all be the value `{name}`")]
    Results {
        /// The name for the result.
        name: String,
        /// The op.
        op: &'static str,
        /// The number of its results.
        count: usize,
    },
    /// A graph that returns nothing.
    #[error("the graph `{graph}` has no outputs")]
    NoOutputs {
        /// The name of the graph.
        graph: String,
    },
}

crate::debug_as_display!(GraphError);

fn similar(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or_else(String::new, |name| format!("; is `{name}` meant?"))
}

impl GraphBuilder {
    /// An empty graph. While it exists, this thread's tensors are recorded in it.
    pub fn new(name: &str) -> GraphBuilder {
        GraphBuilder {
            scope: TraceScope::begin(name),
            values: BTreeMap::new(),
            outputs: Vec::new(),
        }
    }

    /// Adds an input of the program; calls pass its buffer by this name.
    ///
    /// # Errors
    /// The spec is invalid, or the name is another value's.
    #[track_caller]
    pub fn input(&mut self, name: &str, spec: impl Into<Spec>) -> Result<Tensor, GraphError> {
        self.check_new(name)?;
        let tensor = self.scope.parameter_at(Location::caller(), name, &spec.into(), false);
        self.define(name, tensor)
    }

    /// The value of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn value(&self, name: &str) -> Result<Tensor, GraphError> {
        self.values.get(name).copied().ok_or_else(|| self.unknown(name))
    }

    /// The names of all values, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// Gives a name to a value.
    ///
    /// # Errors
    /// An op that was recorded since the last value does not accept its operands, or the name is
    /// another value's.
    pub fn define(&mut self, name: &str, tensor: Tensor) -> Result<Tensor, GraphError> {
        self.check_new(name)?;
        self.check(name)?;
        self.values.insert(name.into(), tensor);
        Ok(tensor)
    }

    /// Records an op with one result on values by name, and names its result.
    ///
    /// # Errors
    /// The op does not accept these operands, there is no such operand, or the name is another
    /// value's.
    #[track_caller]
    pub fn record(
        &mut self,
        name: &str,
        op: impl Into<Op>,
        operands: &[&str],
    ) -> Result<Tensor, GraphError> {
        self.check_new(name)?;
        let operands: Result<Vec<Tensor>, _> = operands.iter().map(|at| self.value(at)).collect();
        let op = op.into();
        let kind = op.name();
        match record(op, &operands?)[..] {
            [result] => self.define(name, result),
            ref results => {
                let count = results.len();
                Err(GraphError::Results { name: name.into(), op: kind, count })
            }
        }
    }

    /// Makes a value an output of the program, by its name.
    ///
    /// # Errors
    /// There is no such value, or it is an output already.
    pub fn output(&mut self, name: &str) -> Result<(), GraphError> {
        self.value(name)?;
        if self.outputs.iter().any(|output| output == name) {
            return Err(GraphError::Duplicate { what: "outputs", name: name.into() });
        }
        self.outputs.push(name.into());
        Ok(())
    }

    /// The graph.
    ///
    /// # Errors
    /// It has no outputs, or an op that was recorded since the last value does not accept its
    /// operands.
    #[track_caller]
    pub fn finish(self) -> Result<Graph, GraphError> {
        let Some(last) = self.outputs.last().cloned() else {
            return Err(GraphError::NoOutputs { graph: self.scope.name() });
        };
        let results = self.outputs.into_iter().map(|name| (name.clone(), self.values[&name]));
        let results = results.collect();
        let failed = |source| GraphError::Value { value: last, source: Box::new(source) };
        self.scope.finish(results).map_err(failed)
    }

    fn check_new(&self, name: &str) -> Result<(), GraphError> {
        if self.values.contains_key(name) {
            Err(GraphError::Duplicate { what: "values", name: name.into() })
        } else {
            Ok(())
        }
    }

    /// Returns the trace's error, which is that of the value now defined.
    fn check(&self, value: &str) -> Result<(), GraphError> {
        self.scope
            .check()
            .map_err(|source| GraphError::Value { value: value.into(), source: Box::new(source) })
    }

    fn unknown(&self, name: &str) -> GraphError {
        let suggestion = nearest_name(name, self.names()).map(str::to_owned);
        GraphError::Unknown { name: name.into(), suggestion }
    }
}

impl std::fmt::Debug for GraphBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, values) = (self.scope.name(), self.values.len());
        write!(f, "GraphBuilder({name}, {values} values, outputs {:?})", self.outputs)
    }
}
