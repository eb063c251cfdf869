//! Collectives.

use super::{super::generator::Generator, Template};
use hloom::{
    DType, PartitionSpec, Tensor,
    mesh::{axis_index, manual},
    ops::Reduction,
};

/// An op on each device's own values, over some mesh axes with this many devices.
type OnDevice = fn(&Generator<'_>, Tensor, &[&'static str], usize) -> Tensor;

const REDUCTIONS: [(&str, Reduction); 6] = [
    ("sum", Reduction::Sum),
    ("prod", Reduction::Prod),
    ("max", Reduction::Max),
    ("min", Reduction::Min),
    ("any", Reduction::Any),
    ("all", Reduction::All),
];

/// Runs a collective on the shards of a tensor whose first axis is split over all devices.
fn on_devices(
    g: &Generator<'_>,
    dtype: DType,
    op: impl Fn(&Generator<'_>, Tensor, &[&'static str], usize) -> Tensor,
) -> Vec<Tensor> {
    let Some(mesh) = g.mesh else {
        return vec![axis_index("there is no mesh")];
    };
    let axes: Vec<(&'static str, usize)> =
        mesh.shape().axes().map(|(name, size)| (name.as_str(), size)).collect();
    let all: Vec<&'static str> = axes.iter().map(|axis| axis.0).collect();
    let mut over = axes.clone();
    if g.once_in(2) {
        over.reverse();
    }
    over.truncate(1 + g.below(over.len()));
    let count: usize = over.iter().map(|axis| axis.1).product();
    let names: Vec<&'static str> = over.iter().map(|axis| axis.0).collect();
    let devices: usize = axes.iter().map(|axis| axis.1).product();
    let x = g.tensor(dtype, &[devices, count * g.choose(&[1, 2]), g.choose(&[0, 1, 3])]);
    let split = || PartitionSpec::shard(0, all.as_slice());
    let whole = |x: Tensor| x.reshape([&[1], x.shape().sizes()].concat());
    vec![manual(x, split(), split(), |x: Tensor| whole(op(g, x.squeeze(0), &names, count)))]
}

fn moving(name: &str, op: OnDevice) -> Template {
    Template { over_mesh: true, ..Template::new(name, move |g, dtype| on_devices(g, dtype, op)) }
}

fn reducing(
    name: String,
    op: impl Fn(Tensor, &[&'static str]) -> Tensor + Copy + Send + Sync + 'static,
) -> Template {
    Template {
        over_mesh: true,
        ..Template::new(name, move |g, dtype| on_devices(g, dtype, |_, x, over, _| op(x, over)))
    }
}

pub fn collectives() -> Vec<Template> {
    let mut all = vec![
        moving("all_gather", |g, x, over, _| x.all_gather(g.below(2), over)),
        moving("all_to_all", |g, x, over, _| x.all_to_all(0, g.below(2), over)),
        moving("collective_permute", |g, x, over, count| {
            let by = g.below(count);
            let pairs: Vec<(usize, usize)> =
                (0..count).map(|source| (source, (source + by) % count)).collect();
            x.collective_permute(over, pairs)
        }),
        moving("collective_broadcast", |g, x, over, count| {
            x.collective_broadcast(g.below(count), over)
        }),
        moving("axis_index", |_, x, over, _| {
            let index = axis_index(over);
            x.eq(x).select(index.broadcast_to(x.shape().sizes().to_vec()), -1)
        }),
        moving("manual", |_, x, _, _| x.transpose([1, 0])),
    ];
    for (name, reduction) in REDUCTIONS {
        all.push(reducing(format!("all_reduce {name}"), move |x, over| {
            x.all_reduce(reduction, over)
        }));
        all.push(reducing(format!("reduce_scatter {name}"), move |x, over| {
            x.reduce_scatter(reduction, 0, over)
        }));
    }
    all
}
