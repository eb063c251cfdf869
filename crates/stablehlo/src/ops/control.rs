//! Loops and branches. Bodies use the values around them as they are.

use crate::lowering::{Applied, Lowering, results};
use hloom_graph::{DType, Effect, RegionId};
use melior::ir::Value;

pub(crate) fn while_loop<'a>(
    l: &mut Lowering<'a>,
    n: &Applied<'a>,
    cond: RegionId,
    body: RegionId,
) -> Vec<Value<'a, 'a>> {
    let ordered = l.effect(cond).max(l.effect(body)) == Effect::Ordered;
    // Compilers drop what a condition does beside its answer. One with an effect is asked before the loop and at the end of the
    // body instead, and its answer carried.
    let asked = l.effect(cond) != Effect::Pure;
    let mut operands = n.operands.clone();
    let mut carried: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    if asked {
        operands.extend(l.region_of(cond, &n.operands));
        carried.push(l.types.scalar(DType::Bool));
    }
    let (values, order) = (n.operands.len(), operands.len());
    if ordered {
        operands.push(l.last_order());
        carried.push(l.order_type());
    }
    let regions = vec![l.empty_region(&carried), l.empty_region(&carried)];
    let operation = l.operation("stablehlo.while", &operands, &carried, &[], regions);
    l.fill(operation, 0, |l| match asked {
        true => vec![l.argument(values)],
        false => l.region(cond),
    });
    l.fill(operation, 1, |l| {
        l.order = ordered.then(|| l.argument(order));
        let mut results = l.region(body);
        if asked {
            let answer = l.region_of(cond, &results);
            results.extend(answer);
        }
        results.extend(l.order);
        results
    });
    let mut results = ended(l, results(operation), ordered);
    results.truncate(values);
    results
}

pub(crate) fn case<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, branches: &[RegionId]) -> Vec<Value<'a, 'a>> {
    let ordered = branches.iter().any(|&branch| l.effect(branch) == Effect::Ordered);
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
