//! Sharding constraints and manual computations.

use crate::{
    Partitioner,
    applied::Applied,
    attribute::{Attribute, Number},
    call_order::CallOrder,
    emit::Value,
    lowering::{Lowering, PartitioningMode},
    partitioner::{MESH, gspmd, shardy, shardy_mesh},
    types::Type,
};
use hloom_graph::{DType, Manual, MeshShape, ResolvedSharding, Shape};

/// The mesh, at the start of the module.
pub(crate) fn mesh(l: &mut Lowering<'_>, mesh: &MeshShape) {
    let attributes =
        [("mesh", Attribute::text(shardy_mesh(mesh))), ("sym_name", Attribute::string(MESH))];
    l.operation("sdy.mesh", &[], &[], &attributes, Vec::new());
}

pub(crate) fn constrain(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    sharding: &ResolvedSharding,
) -> Value {
    match l.partitioner {
        Partitioner::Shardy => {
            let sharding = Attribute::text(format!("#sdy.sharding{}", shardy(sharding, &l.mesh())));
            l.op("sdy.sharding_constraint", &n.operands, n.result(), &[("sharding", sharding)])
        }
        Partitioner::Gspmd => {
            let open: Vec<String> = (0..sharding.rank())
                .filter(|&axis| sharding.is_open(axis))
                .map(|axis| axis.to_string())
                .collect();
            let unspecified = match open.is_empty() {
                true => String::new(),
                false => format!("unspecified_dims=[{}]", open.join(",")),
            };
            let text = gspmd(sharding, &l.mesh());
            sharding_call(l, "Sharding", n.operands[0], &n.result(), &text, &unspecified)
        }
    }
}

pub(crate) fn manual(l: &mut Lowering<'_>, n: &Applied<'_>, manual: &Manual) -> Vec<Value> {
    match l.partitioner {
        Partitioner::Shardy => manual_computation(l, n, manual),
        Partitioner::Gspmd => manual_in_place(l, n, manual),
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
        // The body uses no outside values but its parameters.
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

/// The elements of an argument without its trailing padding.
pub(crate) fn without_padding(
    l: &mut Lowering<'_>,
    value: Value,
    padded: &Shape,
    shape: &Shape,
) -> Value {
    if padded.sizes() == shape.sizes() {
        return value;
    }
    let attributes = [
        ("start_indices", Attribute::i64s(&vec![0; shape.rank()])),
        ("limit_indices", Attribute::i64s(shape.sizes())),
        ("strides", Attribute::i64s(&vec![1; shape.rank()])),
    ];
    l.op("stablehlo.slice", &[value], shape, &attributes)
}

/// The elements of a result with trailing zeros.
pub(crate) fn with_padding(
    l: &mut Lowering<'_>,
    value: Value,
    shape: &Shape,
    padded: &Shape,
) -> Value {
    if padded.sizes() == shape.sizes() {
        return value;
    }
    let none = Attribute::i64s(&vec![0; shape.rank()]);
    let behind: Vec<usize> =
        padded.sizes().iter().zip(shape.sizes()).map(|(all, own)| all - own).collect();
    let attributes = [
        ("edge_padding_low", none.clone()),
        ("edge_padding_high", Attribute::i64s(&behind)),
        ("interior_padding", none),
    ];
    let zero = l.scalar(shape.dtype(), Number::Int(0));
    l.op("stablehlo.pad", &[value, zero], padded, &attributes)
}

fn sharding_call(
    l: &mut Lowering<'_>,
    target: &str,
    value: Value,
    shape: &Shape,
    sharding: &str,
    config: &str,
) -> Value {
    let attributes = [
        ("call_target_name", Attribute::string(target)),
        ("mhlo.sharding", Attribute::string(sharding)),
        ("backend_config", Attribute::string(config)),
        ("api_version", Attribute::i32(1)),
    ];
    l.op("stablehlo.custom_call", &[value], shape, &attributes)
}
