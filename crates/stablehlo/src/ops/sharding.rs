//! Values split over the mesh, and code for each device.

use crate::{
    Partitioner,
    attribute::Number,
    lowering::{Applied, Lowering, result, results},
    partitioner::{MESH, gspmd, shardy, shardy_mesh},
};
use hloom_graph::{DType, Effect, Manual, MeshShape, Partitioning, Shape};
use melior::ir::{Value, attribute::StringAttribute};

/// The mesh, at the head of the module.
pub(crate) fn mesh<'a>(l: &Lowering<'a>, mesh: &MeshShape) {
    let axes = melior::ir::Attribute::parse(l.context, &shardy_mesh(mesh));
    let attributes = [
        ("mesh", axes.expect("the text is written in this crate")),
        ("sym_name", StringAttribute::new(l.context, MESH).into()),
    ];
    l.operation("sdy.mesh", &[], &[], &attributes, Vec::new());
}

pub(crate) fn constrain<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, partitioning: &Partitioning) -> Value<'a, 'a> {
    match l.partitioner {
        Partitioner::Shardy => {
            let sharding = l.parsed(format!("#sdy.sharding{}", shardy(partitioning, &l.mesh())));
            let r#type = l.types.tensor(&n.result());
            l.op(
                "sdy.sharding_constraint",
                &n.operands,
                r#type,
                &[("sharding", sharding)],
            )
        }
        Partitioner::Gspmd => {
            let open: Vec<String> = (0..partitioning.rank())
                .filter(|&axis| partitioning.is_open(axis))
                .map(|axis| axis.to_string())
                .collect();
            let unspecified = match open.is_empty() {
                true => String::new(),
                false => format!("unspecified_dims=[{}]", open.join(",")),
            };
            let sharding = gspmd(partitioning, &l.mesh());
            sharding_call(l, "Sharding", n.operands[0], &n.result(), &sharding, &unspecified)
        }
    }
}

pub(crate) fn manual<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, manual: &Manual) -> Vec<Value<'a, 'a>> {
    // There is no `manual` inside of `manual`.
    l.is_manual = true;
    let values = match l.partitioner {
        Partitioner::Shardy => manual_computation(l, n, manual),
        Partitioner::Gspmd => manual_in_place(l, n, manual),
    };
    l.is_manual = false;
    values
}

fn manual_computation<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, manual: &Manual) -> Vec<Value<'a, 'a>> {
    let mesh = l.mesh();
    let ordered = l.hands_on && l.effect(manual.body) == Effect::Ordered;
    // What ordered calls hand on means nothing: every device has its own.
    let order = ordered.then(|| Partitioning::replicated(0));
    let per_value = |all: &[Partitioning]| {
        let all = all.iter().chain(&order);
        let each: Vec<String> = all.map(|partitioning| shardy(partitioning, &mesh)).collect();
        format!("#sdy.sharding_per_value<[{}]>", each.join(", "))
    };
    let axes: Vec<String> = mesh.axes().map(|(name, _)| format!("\"{name}\"")).collect();
    let attributes = [
        ("in_shardings", l.parsed(per_value(&manual.inputs))),
        ("out_shardings", l.parsed(per_value(&manual.outputs))),
        (
            "manual_axes",
            l.parsed(format!("#sdy<manual_axes{{{}}}>", axes.join(", "))),
        ),
    ];
    let parts = manual.inputs.iter().enumerate();
    let mut parts: Vec<_> = parts
        .map(|(i, p)| l.types.tensor(&p.local(&n.operand(i), &mesh)))
        .collect();
    let mut whole: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let mut operands = n.operands.clone();
    if ordered {
        operands.push(l.last_order());
        parts.push(l.order_type());
        whole.push(l.order_type());
    }
    let regions = vec![l.empty_region(&parts)];
    let operation = l.operation("sdy.manual_computation", &operands, &whole, &attributes, regions);
    l.fill_until("sdy.return", operation, 0, |l| {
        // The body sees nothing of what is around it but its parameters.
        l.order = ordered.then(|| l.argument(n.operands.len()));
        let mut given = l.region(manual.body);
        given.extend(l.order.filter(|_| ordered));
        given
    });
    let mut values = results(operation);
    if ordered {
        l.order = values.pop();
    }
    values
}

/// GSPMD has no region for what is written for each device: conversions stand before and behind it.
fn manual_in_place<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, manual: &Manual) -> Vec<Value<'a, 'a>> {
    let mesh = l.mesh();
    let own = "{manual}";
    let parameters: Vec<_> = manual
        .inputs
        .iter()
        .enumerate()
        .map(|(i, partitioning)| {
            let (whole, part) = (n.operand(i), partitioning.local(&n.operand(i), &mesh));
            let split = sharding_call(l, "Sharding", n.operands[i], &whole, &gspmd(partitioning, &mesh), "");
            sharding_call(l, "SPMDFullToShardShape", split, &part, own, "")
        })
        .collect();
    let ordered = l.hands_on && l.effect(manual.body) == Effect::Ordered;
    let order = Shape::scalar(DType::U32);
    if ordered {
        let before = l.last_order();
        let split = sharding_call(l, "Sharding", before, &order, "{replicated}", "");
        l.order = Some(sharding_call(l, "SPMDFullToShardShape", split, &order, own, ""));
    }
    let outside = std::mem::replace(&mut l.in_manual, true);
    let given = l.region_of(manual.body, &parameters);
    l.in_manual = outside;
    if let Some(after) = l.order.filter(|_| ordered) {
        let after = sharding_call(l, "Sharding", after, &order, own, "");
        l.order = Some(sharding_call(
            l,
            "SPMDShardToFullShape",
            after,
            &order,
            "{replicated}",
            "",
        ));
    }
    let joined = given.into_iter().zip(&manual.outputs).zip(n.results());
    joined
        .map(|((value, partitioning), whole)| {
            let part = partitioning.local(&whole, &mesh);
            let value = sharding_call(l, "Sharding", value, &part, own, "");
            sharding_call(
                l,
                "SPMDShardToFullShape",
                value,
                &whole,
                &gspmd(partitioning, &mesh),
                "",
            )
        })
        .collect()
}

/// The elements of an argument without the padding behind them.
pub(crate) fn without_padding<'a>(
    l: &Lowering<'a>,
    value: Value<'a, 'a>,
    padded: &Shape,
    shape: &Shape,
) -> Value<'a, 'a> {
    if padded.sizes() == shape.sizes() {
        return value;
    }
    let attributes = [
        ("start_indices", l.i64s(&vec![0; shape.rank()])),
        ("limit_indices", l.i64s(shape.sizes())),
        ("strides", l.i64s(&vec![1; shape.rank()])),
    ];
    l.op("stablehlo.slice", &[value], l.types.tensor(shape), &attributes)
}

/// The elements of a result with zeros behind them.
pub(crate) fn with_padding<'a>(l: &Lowering<'a>, value: Value<'a, 'a>, shape: &Shape, padded: &Shape) -> Value<'a, 'a> {
    if padded.sizes() == shape.sizes() {
        return value;
    }
    let none = l.i64s(&vec![0; shape.rank()]);
    let behind: Vec<usize> = padded
        .sizes()
        .iter()
        .zip(shape.sizes())
        .map(|(all, own)| all - own)
        .collect();
    let attributes = [
        ("edge_padding_low", none),
        ("edge_padding_high", l.i64s(&behind)),
        ("interior_padding", none),
    ];
    let zero = l.scalar(shape.dtype(), Number::Int(0));
    l.op("stablehlo.pad", &[value, zero], l.types.tensor(padded), &attributes)
}

fn sharding_call<'a>(
    l: &Lowering<'a>,
    target: &str,
    value: Value<'a, 'a>,
    shape: &Shape,
    sharding: &str,
    config: &str,
) -> Value<'a, 'a> {
    let text = |text| StringAttribute::new(l.context, text).into();
    let attributes = [
        ("call_target_name", text(target)),
        ("mhlo.sharding", text(sharding)),
        ("backend_config", text(config)),
        ("api_version", l.i32(1)),
    ];
    let r#type = l.types.tensor(shape);
    result(
        l.operation("stablehlo.custom_call", &[value], &[r#type], &attributes, Vec::new()),
        0,
    )
}
