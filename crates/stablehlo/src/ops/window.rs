//! Reductions of windows that slide along axes.

use super::{combiner, identity};
use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering, types::Type};
use hloom_graph::{
    WindowDims,
    op::{ReduceWindow, ReduceWindowBy},
};

pub(crate) fn reduce_window(l: &mut Lowering<'_>, n: &Applied<'_>, reduce: &ReduceWindow) -> Value {
    let scalar = Type::scalar(n.result().dtype());
    let start = l.scalar(scalar.dtype(), identity(reduce.reduction, scalar.dtype()));
    let operands = [n.operands[0], start];
    let combine = combiner(reduce.reduction);
    reduced(l, n, &operands, &reduce.window, |l, arguments| {
        vec![l.op(combine, arguments, scalar, &[])]
    })[0]
}

pub(crate) fn reduce_window_by(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    reduce: &ReduceWindowBy,
) -> Vec<Value> {
    let operands = n.operands.clone();
    reduced(l, n, &operands, &reduce.window, |l, arguments| l.body(reduce.body, arguments))
}

fn reduced(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    operands: &[Value],
    window: &WindowDims,
    body: impl FnOnce(&mut Lowering<'_>, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let types: Vec<_> = n.results().map(Type::from).collect();
    let scalars: Vec<_> = n.results().map(|shape| Type::scalar(shape.dtype())).collect();
    let combine = l.region(&[&*scalars, &*scalars].concat(), body);
    let edges: Vec<_> = window.low.iter().copied().zip(window.high.iter().copied()).collect();
    let attributes = [
        ("window_dimensions", Attribute::i64s(&window.sizes)),
        ("window_strides", Attribute::i64s(&window.strides)),
        ("base_dilations", Attribute::i64s(&window.base_dilations)),
        ("window_dilations", Attribute::i64s(&window.window_dilations)),
        ("padding", Attribute::signed_pairs(&edges)),
    ];
    l.operation("stablehlo.reduce_window", operands, &types, &attributes, vec![combine]).to_vec()
}
