//! The scope of a trace, from its beginning to its end.

use super::{NEXT_ID, Trace, emit, over_mesh, remember, with_traces_mut};
use crate::{
    Graph, HostCall, MeshShape, Parameter, ResolvedSharding, ResultInfo, Shape, Spec, Tensor,
    TraceError,
};
use std::{marker::PhantomData, panic::Location, sync::atomic::Ordering};

/// An open trace on this thread: ops are recorded in it until it is finished or dropped. Traces
/// nest.
pub struct TraceScope {
    id: u32,
    not_send: PhantomData<*const ()>,
}

impl TraceScope {
    /// Opens a trace of a function called `name`.
    pub fn begin(name: &str) -> TraceScope {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let graph = Graph::new(name.into());
        let trace = Trace {
            id,
            graph,
            regions: vec![Graph::ROOT],
            bound: Vec::new(),
            loop_indices: Vec::new(),
            error: None,
        };
        with_traces_mut(|traces| traces.open.push(trace));
        TraceScope { id, not_send: PhantomData }
    }

    /// Opens a trace of a function called `name`, which is partitioned over a mesh.
    pub fn begin_over(name: &str, mesh: MeshShape) -> TraceScope {
        let scope = TraceScope::begin(name);
        scope.with(|trace| trace.graph.mesh = Some(mesh));
        scope
    }

    /// Adds an argument of the function.
    #[track_caller]
    pub fn parameter(&self, name: impl Into<String>, spec: &Spec, donated: bool) -> Tensor {
        self.parameter_at(Location::caller(), name, spec, donated)
    }

    /// Adds an argument of the function, which the user declared at `location`.
    pub fn parameter_at(
        &self,
        location: &'static Location<'static>,
        name: impl Into<String>,
        spec: &Spec,
        donated: bool,
    ) -> Tensor {
        self.with(|trace| {
            if let Some(error) = spec.error() {
                trace.record(error);
            }
            let name = name.into();
            let sharding =
                trace.graph.mesh.map(|mesh| spec.partition_spec().resolve(&spec.shape(), &mesh));
            let sharding = match sharding.transpose() {
                Ok(sharding) => sharding,
                Err(error) => {
                    trace.record(spec.sharding_error(&name, &error));
                    None
                }
            };
            let value = trace.graph.parameter(Graph::ROOT, spec.shape(), location);
            trace.graph.parameters.push(Parameter { name, spec: spec.clone(), sharding, donated });
            let argument = Tensor::new(self.id, value);
            if let Some(message) = over_mesh::refused(trace.graph.mesh, spec.shape().dtype()) {
                trace.record_error("argument", &[argument], location, message, &[]);
            }
            argument
        })
    }

    /// Makes the graph carry host functions in the same slots.
    pub(crate) fn carry_host_calls(&self, calls: &[HostCall]) {
        self.with(|trace| trace.graph.host_calls = calls.to_vec());
    }

    /// Adds an argument of the function with all its properties.
    pub(crate) fn parameter_of(
        &self,
        location: &'static Location<'static>,
        parameter: Parameter,
        shape: Shape,
    ) -> Tensor {
        self.with(|trace| {
            let value = trace.graph.parameter(Graph::ROOT, shape, location);
            trace.graph.parameters.push(parameter);
            Tensor::new(self.id, value)
        })
    }

    /// Adds an argument of the function with this sharding over the trace's mesh.
    #[track_caller]
    pub fn parameter_split(
        &self,
        name: impl Into<String>,
        spec: &Spec,
        sharding: ResolvedSharding,
    ) -> Tensor {
        let tensor = self.parameter(name, spec, false);
        self.with(|trace| {
            if let Some(parameter) = trace.graph.parameters.last_mut() {
                parameter.sharding = Some(sharding);
            }
        });
        tensor
    }

    /// The name of the function.
    pub fn name(&self) -> String {
        self.with(|trace| trace.graph.name.clone())
    }

    /// Checks whether an error was recorded.
    ///
    /// # Errors
    /// The first error recorded so far.
    pub fn check(&self) -> Result<(), TraceError> {
        self.with(|trace| trace.error.clone()).map_or(Ok(()), Err)
    }

    /// Records an error that is not an op's.
    pub fn fail(&self, error: TraceError) {
        self.with(|trace| trace.record(error));
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The first recorded error.
    #[track_caller]
    pub fn finish(self, results: Vec<(String, Tensor)>) -> Result<Graph, TraceError> {
        let location = Location::caller();
        for (name, tensor) in &results {
            // Checks that the tensor belongs to this trace and its root region; records an error if
            // not.
            if emit("result", &[*tensor], location, |_, _, values| Ok(values[0])).is_none() {
                self.with(|trace| {
                    if trace.error.is_none() {
                        let message = format!(
                            "result `{name}` is a tensor that was made outside every trace"
                        );
                        trace.record(TraceError::new("result", message, location));
                    }
                });
            }
        }
        let trace = self.with(|trace| {
            let graph = std::mem::replace(&mut trace.graph, Graph::new(String::new()));
            // The name is kept for the list of ended traces.
            trace.graph.name.clone_from(&graph.name);
            (graph, trace.error.take())
        });
        let (mut graph, error) = trace;
        if let Some(error) = error {
            return Err(error);
        }
        for (name, tensor) in results {
            let value = tensor.value();
            let reuses = graph
                .aliases
                .iter()
                .find(|alias| alias.value == value)
                .map(|alias| alias.parameter);
            graph.results.push(ResultInfo { name, reuses });
            graph.regions[0].results.push(value);
        }
        Ok(graph)
    }

    fn with<R>(&self, f: impl FnOnce(&mut Trace) -> R) -> R {
        with_traces_mut(|traces| {
            let trace = traces.open.iter_mut().find(|t| t.id == self.id);
            f(trace.expect("a trace stays open until its scope is dropped"))
        })
    }
}

impl Drop for TraceScope {
    fn drop(&mut self) {
        let ended = with_traces_mut(|traces| {
            let at = traces.open.iter().position(|t| t.id == self.id)?;
            let trace = traces.open.remove(at);
            traces.release();
            Some(trace)
        });
        if let Some(trace) = ended {
            remember(trace.id, trace.graph.name);
        }
    }
}
