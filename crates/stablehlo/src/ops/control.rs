//! Loops and branches. Bodies use the values around them as they are.

use crate::{
    attribute::Number,
    lowering::{Applied, Lowering, results},
};
use hloom_graph::{DType, RegionId};
use melior::ir::Value;

pub(crate) fn while_loop<'a>(
    l: &mut Lowering<'a>,
    n: &Applied<'a>,
    cond: RegionId,
    body: RegionId,
) -> Vec<Value<'a, 'a>> {
    let ordered = l.has_order(cond) || l.has_order(body);
    let mut operands = n.operands.clone();
    let mut carried: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    if ordered {
        operands.push(l.last_order());
        carried.push(l.order_type());
    }
    let regions = vec![l.empty_region(&carried), l.empty_region(&carried)];
    let operation = l.operation("stablehlo.while", &operands, &carried, &[], regions);
    let order = n.operands.len();
    l.fill(operation, 0, |l| {
        l.order = ordered.then(|| l.argument(order));
        // What the condition hands on is lost, but the body begins when the condition has ended.
        l.region(cond)
    });
    l.fill(operation, 1, |l| {
        l.order = ordered.then(|| l.argument(order));
        let mut results = l.region(body);
        if l.has_order(cond) {
            // Handed on unchanged, it would be taken for what it was before the loop.
            let one = l.scalar(DType::U32, Number::Int(1));
            let before = l.last_order();
            l.order = Some(l.op("stablehlo.add", &[before, one], l.order_type(), &[]));
        }
        results.extend(l.order);
        results
    });
    ended(l, results(operation), ordered)
}

pub(crate) fn case<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, branches: &[RegionId]) -> Vec<Value<'a, 'a>> {
    let ordered = branches.iter().any(|&branch| l.has_order(branch));
    let mut types: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let before = ordered.then(|| l.last_order());
    types.extend(before.map(|_| l.order_type()));
    let regions = branches.iter().map(|_| l.empty_region(&[])).collect();
    let operation = l.operation("stablehlo.case", &n.operands, &types, &[], regions);
    for (position, &branch) in branches.iter().enumerate() {
        l.fill(operation, position, |l| {
            l.order = before.or(l.order);
            let mut results = l.region(branch);
            results.extend(l.order.filter(|_| ordered));
            results
        });
    }
    ended(l, results(operation), ordered)
}

/// Takes what ordered calls hand on off the results of an op with regions.
fn ended<'a>(l: &mut Lowering<'a>, mut results: Vec<Value<'a, 'a>>, ordered: bool) -> Vec<Value<'a, 'a>> {
    if ordered {
        l.order = results.pop();
    }
    results
}

pub(crate) fn optimization_barrier<'a>(l: &Lowering<'a>, n: &Applied<'a>) -> Vec<Value<'a, 'a>> {
    let types: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    results(l.operation("stablehlo.optimization_barrier", &n.operands, &types, &[], Vec::new()))
}
