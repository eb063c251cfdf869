//! Tracing functions to graphs.

use super::{kept_arguments::KeptArguments, name::function_name, trace_args::TraceArgs};
use crate::{Args, Function, Result, ResultTree};
use hloom_graph::{
    BriefShapes, Graph, MeshShape, Path, Spec, Tensor, TraceScope, called_from, record_error,
};
use std::panic::Location;
use tracing::{debug_span, span::EnteredSpan};

/// A traced function.
pub(crate) struct Traced<S> {
    pub graph: Graph,
    /// The structure of the result.
    pub structure: S,
    pub arguments: KeptArguments,
}

/// Traces a function. `names` are the names of the arguments; empty for default names.
#[track_caller]
pub(crate) fn trace<A: Args, F: Function<A, Passing>, Passing>(
    name: &str,
    names: &[String],
    mesh: Option<MeshShape>,
    function: F,
    arguments: A,
) -> Result<Traced<<F::Output as ResultTree>::Structure>>
where
    F::Output: ResultTree,
{
    let run = |traced| function.run(traced);
    trace_at(Location::caller(), name, names, mesh, arguments, |_, donated| donated, run)
}

/// As [`trace`], for the function `run`. `is_donated` takes the position of an argument, and
/// whether it is a donated one by its type.
pub(crate) fn trace_at<A: TraceArgs, R: ResultTree>(
    location: &'static Location<'static>,
    name: &str,
    names: &[String],
    mesh: Option<MeshShape>,
    arguments: A,
    is_donated: impl Fn(usize, bool) -> bool,
    run: impl FnOnce(A::Traced) -> R,
) -> Result<Traced<R::Structure>> {
    let mut tracer = Tracer::begin(location, name, names, mesh, A::COUNT);
    let structures = arguments.structures();
    let traced = arguments.trace(&mut |position, donated, path, spec| {
        tracer.parameter(position, is_donated(position, donated), path, &spec)
    });
    tracer.check_names();
    let structure = run(traced).structure(&mut |path, tensor| tracer.result(path, tensor));
    let (graph, widths) = tracer.finish()?;
    Ok(Traced { graph, structure, arguments: KeptArguments::new(structures, names, widths) })
}

/// A function while it is traced, without the types of its arguments and results: tracing is
/// compiled once for all of them.
struct Tracer<'a> {
    scope: TraceScope,
    location: &'static Location<'static>,
    /// The names of the arguments; empty for default names.
    names: &'a [String],
    /// The number of inputs of each argument.
    widths: Box<[usize]>,
    results: Vec<(String, Tensor)>,
    span: EnteredSpan,
}

impl<'a> Tracer<'a> {
    fn begin(
        location: &'static Location<'static>,
        name: &str,
        names: &'a [String],
        mesh: Option<MeshShape>,
        arguments: usize,
    ) -> Tracer<'a> {
        let empty = tracing::field::Empty;
        let span = debug_span!("trace", name, inputs = empty, outputs = empty).entered();
        let scope = match mesh {
            Some(mesh) => TraceScope::begin_over(name, mesh),
            None => TraceScope::begin(name),
        };
        let widths = vec![0; arguments].into();
        Tracer { scope, location, names, widths, results: Vec::new(), span }
    }

    /// Adds a leaf of the argument at a position.
    fn parameter(
        &mut self,
        position: usize,
        donated: bool,
        path: &Path<'_>,
        spec: &Spec,
    ) -> Tensor {
        self.widths[position] += 1;
        let name = argument_name(self.names, position, path);
        self.scope.parameter_at(self.location, name, spec, donated)
    }

    /// Records an error if there are not as many names as arguments, or two are the same.
    fn check_names(&self) {
        let (names, arguments) = (self.names, self.widths.len());
        let fail = |message: String| {
            called_from(self.location, || record_error("inputs", &[], message));
        };
        if !names.is_empty() && names.len() != arguments {
            fail(format!("{} names for {arguments} arguments", names.len()));
        }
        let twice = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
        if let Some((_, name)) = twice {
            fail(format!("two arguments are called `{name}`"));
        }
    }

    fn result(&mut self, path: String, tensor: Tensor) -> Spec {
        let name = if path.is_empty() { "result".into() } else { path };
        self.results.push((name, tensor));
        Spec::of(tensor.shape())
    }

    /// The graph, and the number of inputs of each argument.
    fn finish(self) -> Result<(Graph, Box<[usize]>)> {
        let Tracer { scope, widths, results, span, .. } = self;
        let graph = scope.finish(results)?;
        if !span.is_disabled() {
            let (inputs, outputs) = brief(&graph);
            span.record("inputs", inputs).record("outputs", outputs);
            tracing::debug!(nodes = graph.node_count(), "traced");
        }
        Ok((graph, widths))
    }
}

/// The shapes of a graph's inputs and of its outputs, for logs.
pub(crate) fn brief(graph: &Graph) -> (String, String) {
    let inputs = graph.parameters().iter().map(|parameter| parameter.spec.shape());
    let outputs = graph.root().results.iter().map(|&value| graph.shape(value));
    (BriefShapes(inputs).to_string(), BriefShapes(outputs).to_string())
}

/// The name of an input: the path prefixed with the name of the argument. Without `names`, the path
/// within the first argument; for the others, the path prefixed with their position.
pub(super) fn argument_name(names: &[String], position: usize, path: &Path<'_>) -> String {
    match (names.get(position), position, path.is_root()) {
        (Some(name), _, true) => name.clone(),
        (Some(name), _, false) => format!("{name}.{path}"),
        (None, _, true) => format!("arg{position}"),
        (None, 0, false) => path.to_string(),
        (None, _, false) => format!("arg{position}.{path}"),
    }
}

/// Traces a function without compiling it: returns the graph that
/// [`Compiler::compile`](crate::Compiler::compile) would lower.
///
/// # Errors
/// The first error recorded while tracing the function.
#[track_caller]
pub fn trace_function<A: Args, F: Function<A, Passing>, Passing>(
    function: F,
    arguments: A,
) -> Result<Graph>
where
    F::Output: ResultTree,
{
    let name = function_name::<F>();
    Ok(trace(&name, &[], None, function, arguments)?.graph)
}
