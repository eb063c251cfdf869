//! Loops and branches. Bodies use the values around them as they are.

use crate::lowering::{Applied, Lowering, results};
use hloom_graph::RegionId;
use melior::ir::Value;

pub(crate) fn while_loop<'a>(
    l: &mut Lowering<'a>,
    n: &Applied<'a>,
    cond: RegionId,
    body: RegionId,
) -> Vec<Value<'a, 'a>> {
    let carried: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let regions = vec![l.empty_region(&carried), l.empty_region(&carried)];
    let operation = l.operation("stablehlo.while", &n.operands, &carried, &[], regions);
    l.fill(operation, 0, |l| l.region(cond));
    l.fill(operation, 1, |l| l.region(body));
    results(operation)
}

pub(crate) fn case<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, branches: &[RegionId]) -> Vec<Value<'a, 'a>> {
    let types: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let regions = branches.iter().map(|_| l.empty_region(&[])).collect();
    let operation = l.operation("stablehlo.case", &n.operands, &types, &[], regions);
    for (position, &branch) in branches.iter().enumerate() {
        l.fill(operation, position, |l| l.region(branch));
    }
    results(operation)
}

pub(crate) fn optimization_barrier<'a>(l: &Lowering<'a>, n: &Applied<'a>) -> Vec<Value<'a, 'a>> {
    let types: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    results(l.operation("stablehlo.optimization_barrier", &n.operands, &types, &[], Vec::new()))
}
