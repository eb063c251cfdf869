//! Graphs of functions.

use hloom_graph::{Graph, Spec, Tensor, TraceError, TraceScope};

/// The graph of a function of arguments `x0`, `x1`..., or its error.
pub fn traced<const N: usize>(
    trace: TraceScope,
    specs: [Spec; N],
    f: impl FnOnce([Tensor; N]) -> Tensor,
) -> Result<Graph, TraceError> {
    let mut i = 0;
    let arguments = specs.map(|spec| {
        i += 1;
        trace.parameter(format!("x{}", i - 1), &spec, false)
    });
    let result = f(arguments);
    trace.finish(vec![("".into(), result)])
}
