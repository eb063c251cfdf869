//! Loops and branches. Bodies capture outside values directly.

use crate::{
    applied::Applied, call_order::CallOrder, emit::Value, lower::Lower, lowering::Lowering,
    types::Type,
};
use hloom_graph::{
    DType, Effect, RegionId,
    op::{Case, While},
};

impl Lower for While {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let While { cond, body } = *self;
        let ordered = l.order.passes_token(l.order.effect(cond).max(l.order.effect(body)));
        // A token cannot leave a condition, and compilers drop a condition's effects. A condition
        // with an effect is evaluated before the loop and at the end of the body instead, and its
        // result is carried.
        let asked = l.order.effect(cond) != Effect::Pure;
        let mut operands = n.operands.clone();
        let mut carried: Vec<_> = n.results().map(Type::from).collect();
        if asked {
            operands.extend(l.body(cond, &n.operands));
            carried.push(Type::scalar(DType::Bool));
        }
        let (values, order) = (n.operands.len(), operands.len());
        if ordered {
            operands.push(l.token());
            carried.push(CallOrder::token_type());
        }
        let cond_region = l.region(&carried, |l, arguments| {
            if asked { vec![arguments[values]] } else { l.body(cond, &arguments[..values]) }
        });
        let body_region = l.region(&carried, |l, arguments| {
            l.order.token = ordered.then(|| arguments[order]);
            let mut results = l.body(body, &arguments[..values]);
            if asked {
                let answer = l.body(cond, &results);
                results.extend(answer);
            }
            results.extend(l.order.token);
            results
        });
        let regions = vec![cond_region, body_region];
        let results = l.operation("stablehlo.while", &operands, &carried, &[], regions);
        let mut results = ended(l, results.to_vec(), ordered);
        results.truncate(values);
        results
    }
}

impl Lower for Case {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let ordered =
            self.branches.iter().any(|&branch| l.order.passes_token(l.order.effect(branch)));
        let mut types: Vec<_> = n.results().map(Type::from).collect();
        let before = ordered.then(|| l.token());
        types.extend(before.map(|_| CallOrder::token_type()));
        let mut region = |&branch: &RegionId| {
            l.region(&[], |l, _| {
                l.order.token = before.or(l.order.token);
                let mut results = l.body(branch, &[]);
                results.extend(l.order.token.filter(|_| ordered));
                results
            })
        };
        let regions = self.branches.iter().map(&mut region).collect();
        let results = l.operation("stablehlo.case", &n.operands, &types, &[], regions);
        ended(l, results.to_vec(), ordered)
    }
}

/// Removes the token of ordered calls from the results of an op with regions.
fn ended(l: &mut Lowering<'_>, mut results: Vec<Value>, ordered: bool) -> Vec<Value> {
    if ordered {
        l.order.token = results.pop();
    }
    results
}
