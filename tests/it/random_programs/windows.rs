//! Convolutions, reductions of windows, and pools of random programs.

use super::{generator::Generator, ops::Random};
use hloom::{
    Tensor,
    ops::{ConvOptions, Padding, PerAxis, PoolOptions, Reduction, WindowDims, reduce_window_by},
};

fn padding(g: &Generator) -> Padding {
    match g.below(6) {
        0 => Padding::Same,
        1 => Padding::SameLower,
        2 => Padding::Causal,
        3 => [(g.below(3) as isize - 1, g.below(2) as isize)].into(),
        _ => Padding::Valid,
    }
}

fn options(g: &Generator) -> ConvOptions {
    ConvOptions {
        accumulate: g.once_in(5).then(|| g.dtype()),
        groups: if g.once_in(4) { g.below(4) } else { 1 },
        ..ConvOptions::new().strides(1 + g.below(3)).dilation(1 + g.below(2)).padding(padding(g))
    }
}

fn pool(g: &Generator) -> PoolOptions {
    let options = PoolOptions::new(1 + g.below(3)).strides(1 + g.below(3)).padding(padding(g));
    options.ceil(g.once_in(2)).count_padding(g.once_in(2))
}

/// A window of one number for all axes.
fn window(g: &Generator, x: Tensor) -> WindowDims {
    let each = |value: usize| PerAxis::collect(x.shape().sizes().iter().map(|_| value));
    let edge = |value: isize| PerAxis::collect(x.shape().sizes().iter().map(|_| value));
    WindowDims {
        strides: each(1 + g.below(2)),
        low: edge(g.below(4) as isize - 1),
        high: edge(g.below(2) as isize),
        base_dilations: each(1 + g.below(2)),
        ..WindowDims::new(each(1 + g.below(3)))
    }
}

pub const WINDOWS: &[Random] = &[
    |g, pool, _| {
        let (x, feature) = (g.pick(pool), g.below(3));
        vec![x.conv(g.partner(pool, x), feature, g.axis(x), options(g))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let sizes = x.shape().sizes().to_vec();
        if sizes.len() < 2 {
            return vec![x.conv1d(x, options(g))];
        }
        let kernel = Tensor::ones(x.dtype(), [2, sizes[sizes.len() - 2], 2]);
        let transposed = kernel.swap_axes(0, 1);
        vec![x.conv1d(kernel, options(g)), x.conv_transpose1d(transposed, options(g))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.max_pool(g.axes(x), self::pool(g)), x.min_pool(g.axis(x), 1 + g.below(2))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.sum_pool(g.axes(x), self::pool(g)), x.avg_pool(g.axes(x), self::pool(g))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let size = 1 + g.below(4);
        vec![x.adaptive_avg_pool(g.axis(x), size), x.adaptive_max_pool(g.axis(x), size)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let kinds = [Reduction::Sum, Reduction::Max, Reduction::Any, Reduction::Prod];
        vec![x.reduce_window(g.choose(&kinds), window(g, x))]
    },
    |g, pool, _| {
        let (x, y) = (g.pick(pool), g.pick(pool));
        let zero = |x: Tensor| x.zeros_like().sum(..).convert(x.dtype());
        let start = (zero(x), zero(y));
        let (a, b) = reduce_window_by((x, y), start, window(g, x), |a, b| (a.0 + b.0, b.1));
        vec![a, b]
    },
];
