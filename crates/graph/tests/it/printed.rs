//! The text of a function's graph, and the first line of its error.

use crate::traced::traced;
use hloom_graph::{Spec, Tensor, TraceScope};

pub fn text<const N: usize>(specs: [Spec; N], f: impl FnOnce([Tensor; N]) -> Tensor) -> String {
    traced(TraceScope::begin("test"), specs, f).expect("the function is sound").to_string()
}

pub fn error<const N: usize>(specs: [Spec; N], f: impl FnOnce([Tensor; N]) -> Tensor) -> String {
    let error = traced(TraceScope::begin("test"), specs, f).expect_err("a mistake").to_string();
    error.lines().next().unwrap_or_default().to_owned()
}
