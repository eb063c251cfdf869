//! Whether ops are differentiable, by taking the gradients of their programs.

use hloom_graph::{Graph, Node, Spec, Tensor, TraceError, TraceScope, ValueId, vjp};
use std::collections::HashSet;

/// The cell of an op: whether the gradient of its program depends on cotangents, is 0, or is
/// refused by an error that names the op and the line in `programs` that recorded it.
pub fn differentiable(name: &str, graph: &Graph) -> &'static str {
    let is_float = |value: &ValueId| {
        let dtype = graph.shape(*value).dtype();
        dtype.is_float() || dtype.is_complex()
    };
    let own: Vec<_> = graph.nodes().filter(|(_, node)| node.op.name() == name).collect();
    let (mut has_operands, mut is_of_floats) = (own.is_empty(), own.is_empty());
    for (id, Node { op, .. }) in &own {
        let operands = graph.operands(*id);
        has_operands |= !operands.is_empty() || op.regions().count() > 0;
        // A region may use values of outside.
        let takes = operands.iter().any(is_float) || op.regions().count() > 0;
        is_of_floats |= takes && graph.node_results(*id).any(|value| is_float(&value));
    }
    match (has_operands, is_of_floats) {
        (false, _) => "-",
        (true, false) => "zero",
        (true, true) => match depends(graph) {
            Ok(true) => "yes",
            Ok(false) => "zero",
            Err(error) => {
                assert!(error.message.starts_with(&format!("`{name}` ")), "{name}: {error}");
                assert!(error.location.file().contains("programs"), "{name}: {error}");
                "refused"
            }
        },
    }
}

/// Whether the cotangents of a program's inputs depend on those of its results.
fn depends(graph: &Graph) -> Result<bool, TraceError> {
    let trace = match graph.mesh() {
        Some(mesh) => TraceScope::begin_over("gradient", mesh),
        None => TraceScope::begin("gradient"),
    };
    let parameters = graph.parameters().iter();
    let inputs: Vec<Tensor> =
        parameters.map(|input| trace.parameter(&input.name, &input.spec, false)).collect();
    let count = inputs.len();
    let (results, pullback) = vjp(inputs, |inputs| graph.replay(&inputs));
    trace.check()?;
    let cotangents: Vec<Tensor> = (results.iter().enumerate())
        .map(|(i, result)| {
            trace.parameter(format!("cotangent {i}"), &Spec::of(result.shape()), false)
        })
        .collect();
    let found = pullback.apply(cotangents).into_iter().enumerate();
    let gradient = trace.finish(found.map(|(i, x)| (i.to_string(), x)).collect())?;
    let given: HashSet<ValueId> = gradient.root().parameters[count..].iter().copied().collect();
    let mut open = gradient.root().results.clone();
    let mut seen: HashSet<ValueId> = HashSet::new();
    while let Some(value) = open.pop() {
        if given.contains(&value) {
            return Ok(true);
        }
        if seen.insert(value) {
            let id = gradient.value(value).node;
            open.extend(gradient.operands(id));
            let mut regions: Vec<_> = gradient.node(id).op.regions().collect();
            while let Some(region) = regions.pop() {
                let region = gradient.region(region);
                open.extend(&region.results);
                for &node in &region.nodes {
                    open.extend(gradient.operands(node));
                    regions.extend(gradient.node(node).op.regions());
                }
            }
        }
    }
    Ok(false)
}
