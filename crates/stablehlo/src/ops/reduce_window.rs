//! Reductions of windows that slide along axes.

use super::reduce::{combiner, identity};
use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
    types::Type,
};
use hloom_graph::{
    WindowDims,
    op::{ReduceWindow, ReduceWindowBy},
};

impl Lower for ReduceWindow {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let scalar = Type::scalar(n.result().dtype());
        let start = l.scalar(scalar.dtype(), identity(self.reduction, scalar.dtype()));
        let operands = [n.operands[0], start];
        let combine = combiner(self.reduction);
        reduced(l, n, &operands, &self.window, |l, arguments| {
            vec![l.op(combine, arguments, scalar, &[])]
        })[0]
    }
}

impl Lower for ReduceWindowBy {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let operands = n.operands.clone();
        reduced(l, n, &operands, &self.window, |l, arguments| l.body(self.body, arguments))
    }
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
