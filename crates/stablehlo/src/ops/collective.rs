//! Collectives.

use super::reduce::combiner;
use crate::{
    applied::Applied,
    attribute::{Attribute, Number},
    emit::Value,
    lower::Lower,
    lowering::Lowering,
    types::Type,
};
use hloom_graph::{Collective, DType};

impl Lower for Collective {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let mesh = l.mesh();
        if let Collective::AxisIndex(over) = self {
            return axis_index(l, over);
        }
        let groups = mesh.groups(self.over());
        l.channels += 1;
        let channel = Attribute::text(format!(
            "#stablehlo.channel_handle<handle = {}, type = 1>",
            l.channels
        ));
        let mut attributes = vec![("channel_handle", channel)];
        let (name, reduction) = match self {
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
                attributes.push(("source_target_pairs", Attribute::pairs(&sends(&groups, pairs))));
                ("stablehlo.collective_permute", None)
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
        let result = Type::from(n.result());
        let scalar = Type::scalar(result.dtype());
        let combine = reduction.map(|&reduction| {
            l.region(&[scalar, scalar], |l, operands| {
                vec![l.op(combiner(reduction), operands, scalar, &[])]
            })
        });
        l.operation(name, &n.operands, &[result], &attributes, combine.into_iter().collect()).at(0)
    }
}

/// The pairs of source and target, as devices of the mesh.
fn sends(groups: &[Vec<usize>], pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let of_group = |group: &Vec<usize>| {
        let pairs = pairs.iter().map(|&(source, target)| (group[source], group[target]));
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
