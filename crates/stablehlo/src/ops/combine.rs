//! Reductions and sorts with user-defined bodies.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering, types::Type};
use hloom_graph::{PerAxis, RegionId};

pub(crate) fn reduce_by(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    body: RegionId,
    axes: &PerAxis<usize>,
) -> Vec<Value> {
    let types: Vec<_> = n.results().map(Type::from).collect();
    let scalars: Vec<_> = n.results().map(|shape| Type::scalar(shape.dtype())).collect();
    let combine =
        l.region(&[&*scalars, &*scalars].concat(), |l, arguments| l.body(body, arguments));
    let attributes = [("dimensions", Attribute::i64s(axes))];
    l.operation("stablehlo.reduce", &n.operands, &types, &attributes, vec![combine]).to_vec()
}

pub(crate) fn sort_by(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    body: RegionId,
    axis: usize,
) -> Vec<Value> {
    let types: Vec<_> = n.results().map(Type::from).collect();
    let pairs: Vec<_> = n.results().flat_map(|shape| [Type::scalar(shape.dtype()); 2]).collect();
    let is_before = l.region(&pairs, |l, arguments| {
        // Compilers take the two elements of each operand as adjacent arguments.
        let (left, right) = (arguments.iter().step_by(2), arguments.iter().skip(1).step_by(2));
        l.body(body, &left.chain(right).copied().collect::<Vec<_>>())
    });
    let attributes = [("dimension", Attribute::i64(axis)), ("is_stable", Attribute::Bool(true))];
    l.operation("stablehlo.sort", &n.operands, &types, &attributes, vec![is_before]).to_vec()
}
