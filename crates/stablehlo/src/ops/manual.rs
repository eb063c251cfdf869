//! Manual computations.

use super::sharding::sharding_call;
use crate::{
    Partitioner,
    applied::Applied,
    attribute::Attribute,
    call_order::CallOrder,
    emit::Value,
    lower::Lower,
    lowering::{Lowering, PartitioningMode},
    partitioner::{gspmd, shardy},
    types::Type,
};
use hloom_graph::{DType, Manual, ResolvedSharding, Shape};

impl Lower for Manual {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        // The only device's parts are the whole values. Plugins do not split a program for one
        // device, and do not know the marks of a manual computation in it.
        if l.mesh().device_count() == 1 {
            return l.body(self.body, &n.operands);
        }
        match l.partitioner {
            Partitioner::Shardy => manual_computation(l, n, self),
            Partitioner::Gspmd => manual_in_place(l, n, self),
        }
    }
}

fn manual_computation(l: &mut Lowering<'_>, n: &Applied<'_>, manual: &Manual) -> Vec<Value> {
    let mesh = l.mesh();
    let ordered = l.order.passes_token(l.order.effect(manual.body));
    // The token of ordered calls has no meaning: every device has its own.
    let order = ordered.then(|| ResolvedSharding::replicated(0));
    let per_value = |all: &[ResolvedSharding]| {
        let all = all.iter().chain(&order);
        let each: Vec<String> = all.map(|sharding| shardy(sharding, &mesh)).collect();
        format!("#sdy.sharding_per_value<[{}]>", each.join(", "))
    };
    let axes: Vec<String> = mesh.axes().map(|(name, _)| format!("\"{name}\"")).collect();
    let attributes = [
        ("in_shardings", Attribute::text(per_value(&manual.inputs))),
        ("out_shardings", Attribute::text(per_value(&manual.outputs))),
        ("manual_axes", Attribute::text(format!("#sdy<manual_axes{{{}}}>", axes.join(", ")))),
    ];
    let parts = manual.inputs.iter().enumerate();
    let mut parts: Vec<_> = parts.map(|(i, p)| Type::from(p.local(&n.operand(i), &mesh))).collect();
    let mut whole: Vec<_> = n.results().map(Type::from).collect();
    let mut operands = n.operands.clone();
    if ordered {
        operands.push(l.token());
        parts.push(CallOrder::token_type());
        whole.push(CallOrder::token_type());
    }
    let body = l.region_until("sdy.return", &parts, |l, arguments| {
        // The body uses no outside values, only its parameters.
        let count = n.operands.len();
        l.order.token = ordered.then(|| arguments[count]);
        let mut given = l.body(manual.body, &arguments[..count]);
        given.extend(l.order.token.filter(|_| ordered));
        given
    });
    let results = l.operation("sdy.manual_computation", &operands, &whole, &attributes, vec![body]);
    let mut values = results.to_vec();
    if ordered {
        l.order.token = values.pop();
    }
    values
}

/// GSPMD has no region for manual bodies: custom calls convert the values before and after.
fn manual_in_place(l: &mut Lowering<'_>, n: &Applied<'_>, manual: &Manual) -> Vec<Value> {
    let mesh = l.mesh();
    let own = "{manual}";
    let parameters: Vec<_> = manual
        .inputs
        .iter()
        .enumerate()
        .map(|(i, sharding)| {
            let (whole, part) = (n.operand(i), sharding.local(&n.operand(i), &mesh));
            let split =
                sharding_call(l, "Sharding", n.operands[i], &whole, &gspmd(sharding, &mesh), "");
            sharding_call(l, "SPMDFullToShardShape", split, &part, own, "")
        })
        .collect();
    let ordered = l.order.passes_token(l.order.effect(manual.body));
    let order = Shape::scalar(DType::U32);
    if ordered {
        let before = l.token();
        let split = sharding_call(l, "Sharding", before, &order, "{replicated}", "");
        l.order.token = Some(sharding_call(l, "SPMDFullToShardShape", split, &order, own, ""));
    }
    let outside = std::mem::replace(&mut l.partitioning, PartitioningMode::Manual);
    let given = l.body(manual.body, &parameters);
    l.partitioning = outside;
    if let Some(after) = l.order.token.filter(|_| ordered) {
        let after = sharding_call(l, "Sharding", after, &order, own, "");
        l.order.token =
            Some(sharding_call(l, "SPMDShardToFullShape", after, &order, "{replicated}", ""));
    }
    let joined = given.into_iter().zip(&manual.outputs).zip(n.results());
    joined
        .map(|((value, sharding), whole)| {
            let part = sharding.local(&whole, &mesh);
            let value = sharding_call(l, "Sharding", value, &part, own, "");
            sharding_call(l, "SPMDShardToFullShape", value, &whole, &gspmd(sharding, &mesh), "")
        })
        .collect()
}
