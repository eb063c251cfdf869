//! Convolutions, reductions of windows, and pools.

use super::{
    super::{generator::Generator, values::Data},
    Template,
};
use hloom::{
    DType, Tensor,
    ops::{ConvDims, ConvOptions, Padding, PerAxis, PoolOptions, Reduction, WindowDims},
};

/// One number for each axis of a window.
fn each(g: &Generator<'_>, rank: usize, among: &[usize]) -> PerAxis<usize> {
    PerAxis::collect((0..rank).map(|_| g.choose(among)))
}

/// The edges of axes, few of which are cut.
fn edges(g: &Generator<'_>, rank: usize) -> PerAxis<isize> {
    PerAxis::collect((0..rank).map(|_| g.choose(&[0, 0, 1, 2, -1])))
}

fn convolved(g: &Generator<'_>, dtype: DType, accumulate: Option<DType>) -> Tensor {
    let spatial = g.choose(&[0, 1, 1, 2, 2, 3]);
    let groups = g.choose(&[1, 1, 1, 2, 3]);
    let [feature_groups, batch_groups] = if g.once_in(3) { [1, groups] } else { [groups, 1] };
    let count = |of: usize| of * g.choose(&[0, 1, 1, 1, 2, 2, 3, 3]);
    let (batch, taken, made) = (count(batch_groups), count(1), count(groups));
    let mut input = vec![batch, taken * feature_groups];
    let mut kernel = vec![made, taken];
    input.extend((0..spatial).map(|_| g.choose(&[1, 2, 3, 4, 5])));
    kernel.extend((0..spatial).map(|_| g.choose(&[1, 1, 2, 3])));
    let dims = ConvDims {
        strides: each(g, spatial, &[1, 1, 2, 3]),
        low: edges(g, spatial),
        high: PerAxis::collect((0..spatial).map(|_| g.choose(&[0, 0, 1]))),
        lhs_dilation: each(g, spatial, &[1, 1, 1, 2]),
        rhs_dilation: each(g, spatial, &[1, 1, 1, 2]),
        reversal: PerAxis::collect((0..spatial).map(|_| g.once_in(5))),
        feature_groups,
        batch_groups,
        accumulate,
        ..ConvDims::new(spatial)
    };
    let x = g.argument(dtype, &input, if g.once_in(4) { Data::Any } else { Data::Small });
    x.conv_general(g.argument(dtype, &kernel, Data::Small), dims)
}

fn window(g: &Generator<'_>, x: Tensor) -> WindowDims {
    let rank = x.rank();
    let low = edges(g, rank);
    // An axis is not cut to less than nothing.
    let high = low.iter().map(|&edge| if edge < 0 { 1 } else { g.choose(&[0, 0, 1]) });
    WindowDims {
        strides: each(g, rank, &[1, 1, 2, 3]),
        high: PerAxis::collect(high),
        low,
        base_dilations: each(g, rank, &[1, 1, 1, 2]),
        window_dilations: each(g, rank, &[1, 1, 1, 2]),
        ..WindowDims::new(each(g, rank, &[1, 1, 2, 3]))
    }
}

pub fn all() -> Vec<Template> {
    let mut all = vec![
        Template::new("conv_general", |g, dtype| vec![convolved(g, dtype, None)]),
        Template::new("conv_general into another type", |g, dtype| {
            let wider = match dtype {
                DType::I8 | DType::I4 => DType::I32,
                DType::BF16 | DType::F16 => DType::F32,
                _ => DType::F64,
            };
            vec![convolved(g, dtype, Some(wider))]
        }),
        Template::new("conv2d", |g, dtype| {
            let x = g.argument(dtype, &[g.choose(&[1, 2]), 2, 4, 5], Data::Small);
            let kernel = g.argument(dtype, &[3, 2, 3, 2], Data::Small);
            let padding = g.choose(&[0, 1]);
            vec![x.conv2d(kernel, ConvOptions::new().strides([1, 2]).padding(padding))]
        }),
        Template::new("conv_transpose1d", |g, dtype| {
            let x = g.argument(dtype, &[2, 4, 3], Data::Small);
            let kernel = g.argument(dtype, &[4, 1, 3], Data::Small);
            let options = ConvOptions::new().strides(2).groups(g.choose(&[1, 2]));
            vec![x.conv_transpose1d(kernel, options.padding(Padding::Same))]
        }),
        Template::new("avg_pool", |g, dtype| {
            let x = g.filled(dtype);
            let options = PoolOptions::new(2).strides(g.choose(&[1, 2])).padding([(1, 0)]);
            vec![x.avg_pool(g.axis(x), options.count_padding(g.once_in(2)))]
        }),
    ];
    let reductions = [
        ("reduce_window sum", Reduction::Sum),
        ("reduce_window prod", Reduction::Prod),
        ("reduce_window max", Reduction::Max),
        ("reduce_window min", Reduction::Min),
        ("reduce_window any", Reduction::Any),
        ("reduce_window all", Reduction::All),
    ];
    for (name, reduction) in reductions {
        all.push(Template::new(name, move |g, dtype| {
            let x = g.any(dtype);
            vec![x.reduce_window(reduction, window(g, x))]
        }));
    }
    all
}
