//! Reductions and orders by bodies of the user.

use crate::lowering::{Applied, Lowering, results};
use hloom_graph::{PerAxis, RegionId};
use melior::ir::Value;

pub(crate) fn reduce_by<'a>(
    l: &mut Lowering<'a>,
    n: &Applied<'a>,
    body: RegionId,
    axes: &PerAxis<usize>,
) -> Vec<Value<'a, 'a>> {
    let types: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let scalars: Vec<_> = n.results().map(|shape| l.types.scalar(shape.dtype())).collect();
    let operation = l.operation(
        "stablehlo.reduce",
        &n.operands,
        &types,
        &[("dimensions", l.i64s(axes))],
        vec![l.empty_region(&[&*scalars, &*scalars].concat())],
    );
    l.fill(operation, 0, |l| l.region(body));
    results(operation)
}

pub(crate) fn sort_by<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, body: RegionId, axis: usize) -> Vec<Value<'a, 'a>> {
    let types: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let pairs: Vec<_> = n
        .results()
        .flat_map(|shape| [l.types.scalar(shape.dtype()); 2])
        .collect();
    let operation = l.operation(
        "stablehlo.sort",
        &n.operands,
        &types,
        &[("dimension", l.i64(axis)), ("is_stable", l.bool(true))],
        vec![l.empty_region(&pairs)],
    );
    l.fill(operation, 0, |l| {
        // Compilers take the two elements of each operand side by side.
        let (left, right) = ((0..pairs.len()).step_by(2), (1..pairs.len()).step_by(2));
        let parameters: Vec<_> = left.chain(right).map(|position| l.argument(position)).collect();
        l.region_of(body, &parameters)
    });
    results(operation)
}
