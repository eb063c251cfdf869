//! The interpreter without a plugin: what it refuses, calls, and several devices. The root package
//! compares every op with JAX.

mod calls;
mod devices;
mod limits;
mod numbers;

use hloom_graph::{DType, Graph, Shape, Spec, Tensor, TraceScope};
use hloom_interpret::Array;

/// The graph of a function of one tensor.
fn graph(spec: &Spec, function: impl FnOnce(Tensor) -> Tensor) -> Graph {
    let trace = TraceScope::begin("test");
    let x = trace.parameter("x", spec, false);
    trace.finish(vec![("y".into(), function(x))]).expect("the ops fit")
}

/// A tensor of `f32` along one axis.
fn floats(values: &[f32]) -> Array {
    let shape = Shape::new(DType::F32, [values.len()]).expect("it is small");
    Array::new(shape, values).expect("the numbers are f32")
}
