//! Records a graph, or a part of it, again in another trace.

use crate::{
    Graph, MeshShape, NodeId, Op, RegionId, Shape, Tensor, TraceError, TraceScope, ValueId,
    graph::record_at,
    ops::{handles, rename},
    trace::{self, emit, in_region_of},
};
use std::panic::Location;

/// A graph that is recorded again, node by node, in the current trace.
///
/// The replacement of a value is known after its node was replayed, or after [`set`](Self::set).
pub struct Replay<'a> {
    from: &'a Graph,
    live: Vec<bool>,
    values: Vec<Option<Tensor>>,
    /// Whether the trace has the host functions in the same slots.
    has_host_calls: bool,
}

/// Replaces nodes: returns the tensors to use as a node's results, or `None` to record the node as
/// it is.
pub type Replace<'r> = dyn FnMut(&mut Replay<'_>, NodeId) -> Option<Vec<Tensor>> + 'r;

impl Graph {
    /// Records the whole function in the current trace, applied to these tensors, and returns its
    /// results.
    ///
    /// Locations stay those of the graph. Arguments of other shapes, or another mesh than the
    /// trace's, are errors of the trace.
    ///
    /// ```
    /// use hloom_graph::{Spec, TraceScope};
    ///
    /// let trace = TraceScope::begin("square");
    /// let x = trace.parameter("x", &Spec::f32([3]), false);
    /// let square = trace.finish(vec![("y".into(), x * x)])?;
    ///
    /// let trace = TraceScope::begin("fourth_power");
    /// let x = trace.parameter("x", &Spec::f32([3]), false);
    /// let y = square.replay(&square.replay(&[x]));
    /// let graph = trace.finish(vec![("y".into(), y[0])])?;
    /// assert_eq!(graph.node_count(), 3);
    /// # Ok::<(), hloom_graph::TraceError>(())
    /// ```
    #[track_caller]
    pub fn replay(&self, arguments: &[Tensor]) -> Vec<Tensor> {
        let mut replay = Replay::new(self);
        let results = replay.region(Graph::ROOT, arguments, &mut |_, _| None);
        for alias in &self.aliases {
            let value = replay.get(alias.value).zip(arguments.get(alias.parameter).copied());
            if let Some((value, argument)) = value {
                trace::alias_argument(value, argument);
            }
        }
        results
    }

    /// The same function with some nodes replaced: `replace` is called for each live node, operands
    /// before their users, and returns the new results; `None` keeps the node.
    ///
    /// Unlike [`rewrite`](Self::rewrite) it works on tensors, so a replacement can be any function
    /// that records ops, including control flow.
    ///
    /// # Errors
    /// The first error recorded by a replacement, and replacements whose number, element type or
    /// size differs from the results.
    pub fn transform(&self, replace: &mut Replace<'_>) -> Result<Graph, TraceError> {
        let trace = match self.mesh {
            Some(mesh) => TraceScope::begin_over(&self.name, mesh),
            None => TraceScope::begin(&self.name),
        };
        let arguments = self.parameters.iter().zip(&self.root().parameters);
        let arguments: Vec<Tensor> = arguments
            .map(|(parameter, &value)| {
                let location = self.node(self.value(value).node).location;
                trace.parameter_of(location, parameter.clone(), self.shape(value))
            })
            .collect();
        trace.carry_host_calls(&self.host_calls);
        let mut replay = Replay::new(self);
        replay.has_host_calls = true;
        let results = replay.region(Graph::ROOT, &arguments, replace);
        for alias in &self.aliases {
            if let Some(value) = replay.get(alias.value) {
                trace::alias_argument(value, arguments[alias.parameter]);
            }
        }
        let names = self.results.iter().map(|result| result.name.clone());
        trace.finish(names.zip(results).collect())
    }
}

impl<'a> Replay<'a> {
    /// An empty replay of a graph.
    pub fn new(from: &'a Graph) -> Replay<'a> {
        Replay {
            from,
            live: from.live(),
            values: vec![None; from.value_count()],
            has_host_calls: false,
        }
    }

    /// The graph that is replayed.
    pub fn from(&self) -> &'a Graph {
        self.from
    }

    /// The replacement of a value of the graph, if it is known.
    pub fn get(&self, value: ValueId) -> Option<Tensor> {
        self.values.get(value.index()).copied().flatten()
    }

    /// Sets the replacement of a value of the graph.
    pub fn set(&mut self, value: ValueId, tensor: Tensor) {
        if let Some(place) = self.values.get_mut(value.index()) {
            *place = Some(tensor);
        }
    }

    /// Records the nodes of a region, applied to these tensors, and returns the region's results.
    /// Outside values that the region uses must have been replayed or set.
    #[track_caller]
    pub fn region(
        &mut self,
        region: RegionId,
        arguments: &[Tensor],
        replace: &mut Replace<'_>,
    ) -> Vec<Tensor> {
        let from = self.from;
        let location = Location::caller();
        let parameters = &from.region(region).parameters;
        let given = emit("replay", arguments, location, |builder, shapes, values| {
            if builder.mesh_shape() != from.mesh {
                let over = |mesh: Option<MeshShape>| {
                    mesh.map_or_else(|| "one device".into(), |mesh| mesh.to_string())
                };
                let (graph, trace) = (over(from.mesh), over(builder.mesh_shape()));
                return Err(
                    format!("a graph over {graph} is replayed in a trace over {trace}").into()
                );
            }
            let expected = from.shapes(parameters);
            let differs = shapes.iter().zip(&expected).find(|(found, e)| !found.fits(e));
            if shapes.len() != expected.len() || differs.is_some() {
                let hint = differs.map(|(found, e)| found.order_hint(e).to_string());
                let hint = hint.unwrap_or_default();
                let name = &from.name;
                return Err(format!("`{name}` takes {expected:?}, not {shapes:?}{hint}").into());
            }
            // Ops of the region may refer to axes by name.
            let renamed = values.iter().zip(&expected);
            renamed.map(|(&value, shape)| rename(builder, value, shape.axes())).collect()
        });
        let given = handles(given, parameters.len());
        for (&parameter, tensor) in parameters.iter().zip(given) {
            self.set(parameter, tensor);
        }
        for &node in &from.region(region).nodes {
            if self.live[node.index()] && !matches!(from.node(node).op, Op::Parameter(_)) {
                let results = replace(self, node);
                self.bind(node, results, replace);
            }
        }
        let results = &from.region(region).results;
        results.iter().map(|&value| self.get(value).unwrap_or_else(Tensor::poisoned)).collect()
    }

    /// Sets the replacements of a node's results; without any, records the node as it is.
    fn bind(&mut self, id: NodeId, results: Option<Vec<Tensor>>, replace: &mut Replace<'_>) {
        let tensors = match results {
            Some(tensors) => self.checked(id, tensors),
            None => self.record(id, replace),
        };
        for (value, tensor) in self.from.node_results(id).zip(tensors) {
            self.set(value, tensor);
        }
    }

    /// Checks that replacements match the number and the types of the results.
    fn checked(&self, id: NodeId, tensors: Vec<Tensor>) -> Vec<Tensor> {
        let node = self.from.node(id);
        let expected: Vec<Shape> =
            self.from.node_results(id).map(|value| self.from.shape(value)).collect();
        let checked = emit(node.op.name(), &tensors, node.location, |builder, shapes, values| {
            if shapes.len() != expected.len() {
                return Err(format!(
                    "{} results were replaced by {} values",
                    expected.len(),
                    shapes.len()
                )
                .into());
            }
            if let Some((expected, found)) =
                expected.iter().zip(shapes).find(|(expected, found)| !found.fits(expected))
            {
                let hint = found.order_hint(expected);
                return Err(format!("a result, {expected}, was replaced by {found}{hint}").into());
            }
            let renamed = values.iter().zip(&expected);
            renamed.map(|(&value, shape)| rename(builder, value, shape.axes())).collect()
        });
        handles(checked, expected.len())
    }

    /// Records a node unchanged, with replacements in its regions, and returns its results. A
    /// replacement that keeps the node and adds others begins with it.
    pub fn record(&mut self, id: NodeId, replace: &mut Replace<'_>) -> Vec<Tensor> {
        let from = self.from;
        let node = from.node(id);
        let operands = from.operands(id).iter();
        let operands: Vec<Tensor> =
            operands.map(|&value| self.get(value).unwrap_or_else(Tensor::poisoned)).collect();
        let mut op = node.op.clone();
        let mut is_sound = true;
        op.map_regions(&mut |region| {
            let shapes = from.shapes(&from.region(region).parameters);
            let kind = from.region(region).kind;
            let (copy, ()) =
                in_region_of(node.op.name(), kind, &shapes, &[], node.location, |parameters| {
                    (self.region(region, parameters, replace), ())
                });
            is_sound &= copy.is_some();
            copy.unwrap_or(region)
        });
        let slot = node.op.host_slot().filter(|_| !self.has_host_calls);
        let host = slot.and_then(|slot| from.host_calls.get(slot).cloned());
        if is_sound {
            record_at(node.location, op, &operands, host)
        } else {
            vec![Tensor::poisoned(); from.node_results(id).len()]
        }
    }
}

impl std::fmt::Debug for Replay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = self.values.iter().flatten().count();
        write!(f, "Replay({}, {known} of {} values)", self.from.name, self.values.len())
    }
}
