//! Tracing functions to graphs.

use crate::{Args, Function, Mesh, Result, Ret};
use hloom_graph::{Graph, Path, Spec, TraceScope, called_from, record_error};
use std::panic::Location;
use tracing::debug_span;

/// Traces a function to its graph and the structure of its result. `names` are those of the
/// arguments, or none.
#[track_caller]
pub(crate) fn trace<A: Args, F: Function<A, By>, By>(
    name: &str,
    names: &[String],
    mesh: Option<&Mesh>,
    function: F,
    arguments: A,
) -> Result<(Graph, <F::Ret as Ret>::Structure)>
where
    F::Ret: Ret,
{
    let _entered = debug_span!("trace", name).entered();
    let location = Location::caller();
    let scope = match mesh {
        Some(mesh) => TraceScope::begin_over(name, mesh.shape()),
        None => TraceScope::begin(name),
    };
    let traced = arguments.trace(&mut |position, donated, path, spec| {
        let name = match names.get(position) {
            Some(name) if path.is_root() => name.clone(),
            Some(name) => format!("{name}.{path}"),
            None => argument_name(position, path),
        };
        scope.parameter_at(location, name, &spec, donated)
    });
    if !names.is_empty() && names.len() != A::COUNT {
        let message = format!("{} names for {} arguments", names.len(), A::COUNT);
        called_from(location, || record_error("inputs", &[], message));
    }
    let twice = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
    if let Some((_, name)) = twice {
        let message = format!("two arguments are called `{name}`");
        called_from(location, || record_error("inputs", &[], message));
    }
    let mut results = Vec::new();
    let structure = function.run(traced).structure(&mut |path, tensor| {
        let name = if path.is_empty() { "result".into() } else { path };
        results.push((name, tensor));
        Spec::of(tensor.shape())
    });
    Ok((scope.finish(results)?, structure))
}

/// The name of an input: the path within the first argument; for the others, the path prefixed with
/// their position.
fn argument_name(position: usize, path: &Path<'_>) -> String {
    match (position, path.is_root()) {
        (_, true) => format!("arg{position}"),
        (0, false) => path.to_string(),
        (_, false) => format!("arg{position}.{path}"),
    }
}

/// The path of a function without its crate, such as `Mlp::forward`; for a closure, that of the
/// enclosing function.
pub(crate) fn function_name<F>() -> String {
    let path = std::any::type_name::<F>();
    let without_generics: String = {
        let mut depth = 0usize;
        path.chars()
            .filter(|c| {
                match c {
                    '<' => depth += 1,
                    '>' => {
                        depth = depth.saturating_sub(1);
                        return false;
                    }
                    _ => {}
                }
                depth == 0
            })
            .collect()
    };
    let parts: Vec<&str> = without_generics
        .split("::")
        .filter(|part| !part.is_empty() && *part != "{{closure}}")
        .collect();
    parts[parts.len().saturating_sub(2)..].join("::")
}

/// Traces a function without compiling it: returns the graph that
/// [`Compiler::compile`](crate::Compiler::compile) would lower.
///
/// # Errors
/// The first error recorded while tracing the function.
#[track_caller]
pub fn trace_function<A: Args, F: Function<A, By>, By>(function: F, arguments: A) -> Result<Graph>
where
    F::Ret: Ret,
{
    let name = function_name::<F>();
    Ok(trace(&name, &[], None, function, arguments)?.0)
}
