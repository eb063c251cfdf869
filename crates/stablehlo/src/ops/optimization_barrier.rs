//! Optimization barriers.

use crate::{applied::Applied, emit::Value, lower::Lower, lowering::Lowering, types::Type};
use hloom_graph::op::OptimizationBarrier;

impl Lower for OptimizationBarrier {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let types: Vec<_> = n.results().map(Type::from).collect();
        l.operation("stablehlo.optimization_barrier", &n.operands, &types, &[], Vec::new()).to_vec()
    }
}
