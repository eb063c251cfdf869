//! The public interface: a graph, its inputs, and evaluators of the calls that it makes.

use crate::{
    Array, InterpretError,
    machine::{Machine, Shared},
};
use hloom_graph::{CustomCall, Graph, RegionId, ValueId};
use std::{collections::BTreeMap, fmt};

/// Evaluates a custom call: the results for these operands, or an error message.
pub(crate) type CallEvaluator<'a> =
    Box<dyn FnMut(&CustomCall, &[&Array]) -> Result<Vec<Array>, String> + 'a>;

/// Evaluates a host function.
pub(crate) type HostEvaluator<'a> = Box<dyn FnMut(&[&Array]) -> Result<Vec<Array>, String> + 'a>;

/// Evaluates graphs op by op on the host, in the arithmetic of the element types.
///
/// ```
/// use hloom_graph::{DType, Shape, Spec, TraceScope};
/// use hloom_interpret::{Array, Interpreter};
///
/// let trace = TraceScope::begin("triangle");
/// let x = trace.parameter("x", &Spec::f32([3]), false);
/// let graph = trace.finish(vec![("y".into(), x.cumsum(0))])?;
/// let x = Array::new(Shape::new(DType::F32, [3])?, &[1f32, 2.0, 3.0])?;
/// let results = Interpreter::new().run(&graph, &[x])?;
/// assert_eq!(results[0].to_vec::<f32>(), Some(vec![1.0, 3.0, 6.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Interpreter<'a> {
    calls: BTreeMap<String, CallEvaluator<'a>>,
    hosts: BTreeMap<String, HostEvaluator<'a>>,
    limit: u64,
}

/// The step limit of [`interpret`], which takes minutes to an hour on one processor: see
/// [`Interpreter::limit`].
pub const DEFAULT_LIMIT: u64 = 1 << 32;

impl Default for Interpreter<'_> {
    fn default() -> Self {
        Interpreter { calls: BTreeMap::new(), hosts: BTreeMap::new(), limit: DEFAULT_LIMIT }
    }
}

impl<'a> Interpreter<'a> {
    /// An interpreter without evaluators of calls, with [`DEFAULT_LIMIT`].
    pub fn new() -> Interpreter<'a> {
        Interpreter::default()
    }

    /// Evaluates the custom calls of a target by a function of the call and its operands.
    pub fn custom_call(
        mut self,
        target: impl Into<String>,
        evaluate: impl FnMut(&CustomCall, &[&Array]) -> Result<Vec<Array>, String> + 'a,
    ) -> Interpreter<'a> {
        self.calls.insert(target.into(), Box::new(evaluate));
        self
    }

    /// Evaluates the calls of the host functions of a name by a function of their operands.
    pub fn host_call(
        mut self,
        name: impl Into<String>,
        evaluate: impl FnMut(&[&Array]) -> Result<Vec<Array>, String> + 'a,
    ) -> Interpreter<'a> {
        self.hosts.insert(name.into(), Box::new(evaluate));
        self
    }

    /// Sets the maximum number of steps: elements computed, and elements combined by reductions and
    /// products. It ends infinite loops.
    pub fn limit(self, steps: u64) -> Interpreter<'a> {
        Interpreter { limit: steps, ..self }
    }

    /// The results of a graph for these inputs, one for each parameter; axis names are ignored.
    /// Over a mesh, inputs and results are whole tensors.
    ///
    /// # Errors
    /// Inputs that do not match the graph, a call without an evaluator, an evaluator that fails, a
    /// collective that not all devices reach, or a computation beyond the limits.
    pub fn run(&mut self, graph: &Graph, inputs: &[Array]) -> Result<Vec<Array>, InterpretError> {
        let machine = self.evaluated(graph, inputs)?;
        Ok(graph.root().results.iter().map(|&value| machine.whole(value)).collect())
    }

    /// As [`run`](Self::run), with the value of every live node outside of bodies.
    pub(crate) fn all_values(
        &mut self,
        graph: &Graph,
        inputs: &[Array],
    ) -> Result<BTreeMap<ValueId, Array>, InterpretError> {
        let machine = self.evaluated(graph, inputs)?;
        let live = graph.live();
        let nodes = graph.root().nodes.iter().filter(|node| live[node.index()]);
        let values = nodes.flat_map(|&node| graph.node_results(node));
        Ok(values.map(|value| (value, machine.whole(value))).collect())
    }

    /// The arguments of a body in its first two steps and its last one, on the first device.
    pub(crate) fn steps(
        &mut self,
        graph: &Graph,
        inputs: &[Array],
        body: RegionId,
    ) -> Result<Vec<Vec<Array>>, InterpretError> {
        let machine = self.watching(graph, inputs, Some(body))?;
        let step = |step: Vec<Shared>| step.iter().map(|x| Array::clone(x)).collect();
        Ok(machine.steps.into_iter().map(step).collect())
    }

    fn evaluated<'m>(
        &'m mut self,
        graph: &'m Graph,
        inputs: &[Array],
    ) -> Result<Machine<'m, 'a>, InterpretError> {
        self.watching(graph, inputs, None)
    }

    fn watching<'m>(
        &'m mut self,
        graph: &'m Graph,
        inputs: &[Array],
        body: Option<RegionId>,
    ) -> Result<Machine<'m, 'a>, InterpretError> {
        let parameters = &graph.root().parameters;
        let expected: Vec<_> = parameters.iter().map(|&value| graph.shape(value)).collect();
        let found: Vec<_> = inputs.iter().map(Array::shape).collect();
        let fits = expected.len() == found.len()
            && expected.iter().zip(&found).all(|(a, b)| a.same_layout(b));
        if !fits {
            return Err(InterpretError::Inputs { graph: graph.name().into(), expected, found });
        }
        let inputs = inputs.iter().zip(expected).map(|(input, shape)| input.reshaped(shape));
        let inputs = inputs.collect();
        let mut machine = Machine::new(graph, self.limit, &mut self.calls, &mut self.hosts);
        machine.watched = body;
        machine.run(inputs)?;
        Ok(machine)
    }
}

/// The results of a graph for these inputs, without evaluators of calls.
///
/// # Errors
/// As [`Interpreter::run`].
pub fn interpret(graph: &Graph, inputs: &[Array]) -> Result<Vec<Array>, InterpretError> {
    Interpreter::new().run(graph, inputs)
}

impl fmt::Debug for Interpreter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interpreter")
            .field("calls", &self.calls.keys())
            .field("hosts", &self.hosts.keys())
            .field("limit", &self.limit)
            .finish()
    }
}
