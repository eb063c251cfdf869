//! Collectives.

use super::{FloatKeys, reduce::combiner};
use crate::{
    attribute::{Attribute, Number},
    emit::Value,
    lowering::{Applied, Lowering},
    types::Type,
};
use hloom_graph::{Collective, DType, Reduction, Shape};

pub(crate) fn collective(l: &mut Lowering<'_>, n: &Applied<'_>, collective: &Collective) -> Value {
    let mesh = l.mesh();
    if let Collective::AxisIndex(over) = collective {
        return axis_index(l, over);
    }
    let shape = n.result();
    if shape.element_count() == 0 {
        // Plugins reject collectives without elements, which exchange nothing.
        return l.full(&shape, Number::Int(1));
    }
    let groups = mesh.groups(collective.over());
    l.channels += 1;
    let channel =
        Attribute::text(format!("#stablehlo.channel_handle<handle = {}, type = 1>", l.channels));
    let mut attributes = vec![("channel_handle", channel.clone())];
    let (name, reduction) = match collective {
        Collective::AllReduce { reduction, .. } => {
            attributes.push(("replica_groups", Attribute::table(&groups)));
            attributes.push(("use_global_device_ids", Attribute::Unit));
            ("stablehlo.all_reduce", Some(reduction))
        }
        Collective::AllGather { axis, .. } => {
            attributes.push(("all_gather_dim", Attribute::i64(*axis)));
            attributes.push(("replica_groups", Attribute::table(&groups)));
            attributes.push(("use_global_device_ids", Attribute::Unit));
            ("stablehlo.all_gather", None)
        }
        Collective::ReduceScatter { reduction, axis, .. } => {
            attributes.push(("scatter_dimension", Attribute::i64(*axis)));
            attributes.push(("replica_groups", Attribute::table(&groups)));
            attributes.push(("use_global_device_ids", Attribute::Unit));
            ("stablehlo.reduce_scatter", Some(reduction))
        }
        Collective::AllToAll { split, concat, .. } => {
            attributes.push(("split_dimension", Attribute::i64(*split)));
            attributes.push(("concat_dimension", Attribute::i64(*concat)));
            attributes.push(("split_count", Attribute::i64(groups[0].len())));
            attributes.push(("replica_groups", Attribute::table(&groups)));
            ("stablehlo.all_to_all", None)
        }
        Collective::Permute { pairs, .. } => {
            attributes.push(("source_target_pairs", Attribute::table(&sends(&groups, pairs))));
            ("stablehlo.collective_permute", None)
        }
        Collective::Broadcast { source, .. } if !l.has_broadcast => {
            return broadcast_of_all(l, n, *source, &groups, channel);
        }
        Collective::Broadcast { source, .. } => {
            // The values come from the first device of a group.
            let first = |mut group: Vec<usize>| {
                group.swap(0, *source);
                group
            };
            let groups: Vec<Vec<usize>> = groups.into_iter().map(first).collect();
            attributes.push(("replica_groups", Attribute::table(&groups)));
            ("stablehlo.collective_broadcast", None)
        }
        Collective::AxisIndex(_) => unreachable!("it exchanges nothing"),
    };
    exchange(l, n, name, reduction, &attributes)
}

/// For plugins without the op: all devices gather all values and take the source's.
fn broadcast_of_all(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    source: usize,
    groups: &[Vec<usize>],
    channel: Attribute<'_>,
) -> Value {
    let shape = n.result();
    let stacked = |count| [&[count], shape.sizes()].concat();
    let r#type = |count| Type::new(shape.dtype(), &stacked(count));
    let own = l.op("stablehlo.reshape", &n.operands, r#type(1), &[]);
    let attributes = [
        ("channel_handle", channel),
        ("all_gather_dim", Attribute::i64(0)),
        ("replica_groups", Attribute::table(groups)),
        ("use_global_device_ids", Attribute::Unit),
    ];
    let all = l.op("stablehlo.all_gather", &[own], r#type(groups[0].len()), &attributes);
    let (mut start, mut limit) = (vec![0; shape.rank() + 1], stacked(1));
    (start[0], limit[0]) = (source, source + 1);
    let attributes = [
        ("start_indices", Attribute::i64s(&start)),
        ("limit_indices", Attribute::i64s(&limit)),
        ("strides", Attribute::i64s(&vec![1; shape.rank() + 1])),
    ];
    let one = l.op("stablehlo.slice", &[all], r#type(1), &attributes);
    l.op("stablehlo.reshape", &[one], shape, &[])
}

fn exchange(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    name: &'static str,
    reduction: Option<&Reduction>,
    attributes: &[(&'static str, Attribute<'_>)],
) -> Value {
    let Some(&reduction) = reduction else {
        return l.op(name, &n.operands, n.result(), attributes);
    };
    let Some(keys) = FloatKeys::new(reduction, n.result().dtype()) else {
        return combined(l, name, n.operands[0], &n.result(), reduction, attributes);
    };
    let operand = keys.of(l, n.operands[0], &n.operand(0));
    let shape = n.result().with_dtype(keys.dtype());
    let keyed = combined(l, name, operand, &shape, reduction, attributes);
    keys.floats(l, keyed, &n.result())
}

fn combined(
    l: &mut Lowering<'_>,
    name: &'static str,
    operand: Value,
    shape: &Shape,
    reduction: Reduction,
    attributes: &[(&'static str, Attribute<'_>)],
) -> Value {
    let scalar = Type::scalar(shape.dtype());
    let combine = l.region(&[scalar, scalar], |l, operands| {
        vec![l.op(combiner(reduction), operands, scalar, &[])]
    });
    l.operation(name, &[operand], &[shape.into()], attributes, vec![combine]).at(0)
}

/// The pairs of source and target, as devices of the mesh.
fn sends(groups: &[Vec<usize>], pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let of_group = |group: &Vec<usize>| {
        let pairs = pairs.iter().map(|&(source, target)| vec![group[source], group[target]]);
        pairs.collect::<Vec<_>>()
    };
    groups.iter().flat_map(of_group).collect()
}

/// Digits of the partition id.
fn axis_index(l: &mut Lowering<'_>, over: &[usize]) -> Value {
    let mesh = l.mesh();
    let (unsigned, signed) = (Type::scalar(DType::U32), Type::scalar(DType::I32));
    let number =
        |l: &mut Lowering<'_>, value: usize| l.scalar(DType::U32, Number::Int(value as i64));
    let id = l.op("stablehlo.partition_id", &[], unsigned, &[]);
    let mut index = number(l, 0);
    for &axis in over {
        let inner = number(l, mesh.sizes()[axis + 1..].iter().product());
        let size = number(l, mesh.sizes()[axis]);
        let digit = l.op("stablehlo.divide", &[id, inner], unsigned, &[]);
        let digit = l.op("stablehlo.remainder", &[digit, size], unsigned, &[]);
        let slower = l.op("stablehlo.multiply", &[index, size], unsigned, &[]);
        index = l.op("stablehlo.add", &[slower, digit], unsigned, &[]);
    }
    l.op("stablehlo.convert", &[index], signed, &[])
}
