//! The ops of random programs.

use super::{control::CONTROL, generator::Generator, windows::WINDOWS};
use hloom::{
    DType, Key, Tensor,
    ops::{
        DotOptions, PerAxis, Precision, ScatterDims, ScatterUpdate, concatenate,
        optimization_barrier, scatter_by, sort_together, stack,
    },
};

/// Creates tensors from those in a pool.
pub type Random = fn(&Generator, &[Tensor], depth: usize) -> Vec<Tensor>;

/// Adds some ops' results to a pool of tensors. Control flow is nested at most `depth` deep.
pub fn extend(g: &Generator, pool: &mut Vec<Tensor>, depth: usize) {
    for _ in 0..1 + g.below(6) {
        if pool.is_empty() {
            return;
        }
        let families = if depth > 0 { FAMILIES } else { &FAMILIES[..FAMILIES.len() - 1] };
        let family = g.choose(families);
        let results = g.choose(family)(g, pool, depth);
        pool.extend(results);
    }
}

/// The last ones are control flow.
const FAMILIES: &[&[Random]] = &[
    UNARY, BINARY, UNARY, BINARY, SHAPES, SHAPES, PARTS, CONSTANTS, REDUCTIONS, PRODUCTS, INDEXING,
    WINDOWS, CONTROL,
];

/// Closures with an operand that is picked from the pool.
macro_rules! each {
    ($($x:ident => $result:expr),* $(,)?) => {
        &[$(|g, pool, _| { let $x = g.pick(pool); vec![$result] }),*]
    };
}

/// Closures with an operand and a compatible one.
macro_rules! pairs {
    ($($x:ident $y:ident => $result:expr),* $(,)?) => {
        &[$(|g, pool, _| { let $x = g.pick(pool); let $y = g.partner(pool, $x); vec![$result] }),*]
    };
}

const UNARY: &[Random] = each![
    x => x.abs(), x => -x, x => x.sign(), x => x.exp(), x => x.exp_m1(), x => x.log(),
    x => x.log1p(), x => x.sqrt(), x => x.rsqrt(), x => x.cbrt(), x => x.sin(), x => x.cos(),
    x => x.tan(), x => x.tanh(), x => x.sigmoid(), x => x.erf(), x => x.floor(), x => x.ceil(),
    x => x.round(), x => x.round_even(), x => x.is_finite(), x => !x, x => x.count_leading_zeros(),
    x => x.population_count(), x => x.real(), x => x.imag(), x => x.is_nan(), x => x.relu(),
    x => x.leaky_relu(0.01), x => x.silu(), x => x.gelu(), x => x.gelu_tanh(),
    x => optimization_barrier(x),
];

const BINARY: &[Random] = pairs![
    x y => x + y, x y => x - y, x y => x * y, x y => x / y, x y => x % y, x y => x & y,
    x y => x | y, x y => x ^ y, x y => x.pow(y), x y => x.maximum(y), x y => x.minimum(y),
    x y => x.atan2(y), x y => x.next_after(y), x y => x.shift_left(y),
    x y => x.shift_right_arithmetic(y), x y => x.shift_right_logical(y), x y => x.complex(y),
    x y => x.eq(y), x y => x.ne(y), x y => x.lt(y), x y => x.le(y), x y => x.gt(y), x y => x.ge(y),
    x y => x.ge(y).select(x, y), x y => y.clamp(x, y), x y => (x + 2) - y,
    x y => x.maximum(0.5) * y, x y => x.clamp(-1, 1) + y, x y => x & true | y,
    x y => x + 100_000 - y, x y => x.eq(x).select(y, f32::NAN),
];

const SHAPES: &[Random] = &[
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.reshape(g.refill(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.unflatten(g.axis(x), g.dims())]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        vec![x.unflatten(axis, [x.shape().size(axis).unwrap_or(1), 1])]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.merge(g.axes(x), g.choose(&["m", "_", "a"]))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.merge(.., "_")]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.insert_axis(g.offset(), g.choose(&["e", "_", "a"]))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        vec![x.sum_keep(axis).squeeze(axis)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.squeeze(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.transpose(g.order(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.swap_axes(g.axis(x), g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.reverse(g.axes(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.broadcast_to(g.dims())]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let mut dims = vec![3];
        dims.extend(x.shape().sizes());
        vec![x.broadcast_to(dims)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.rename(g.axis(x), g.choose(&["a", "b", "_", "z"]))]
    },
    |g, pool, _| vec![g.pick(pool).named(["a", "b"])],
    |g, pool, _| vec![g.pick(pool).convert(g.dtype())],
    |g, pool, _| vec![g.pick(pool).convert(g.choose(&DType::ALL))],
    |g, pool, _| {
        let x = g.pick(pool);
        let fitting: Vec<DType> =
            DType::ALL.into_iter().filter(|d| d.bits() == x.dtype().bits()).collect();
        vec![x.bitcast(g.choose(&fitting))]
    },
    |g, pool, _| vec![g.pick(pool).bitcast(g.choose(&DType::ALL))],
    |g, pool, _| vec![g.pick(pool).reduce_precision(g.below(9) as u32, g.below(12) as u32)],
    |g, pool, _| vec![g.pick(pool).mulhi(g.pick(pool))],
    |g, pool, _| vec![g.pick(pool).erfc().lgamma(), g.pick(pool).digamma()],
    |g, pool, _| vec![g.pick(pool).zeta(2.5), g.pick(pool).polygamma(2)],
    |g, pool, _| vec![g.pick(pool).bessel_i0e().bessel_i1e(), g.pick(pool).erf_inv()],
];

const PARTS: &[Random] = &[
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        let (from, to) = g.range(x, axis);
        vec![x.slice(axis, from..to)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        let (from, to) = g.range(x, axis);
        vec![x.slice(axis, from..=to)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        vec![x.slice_step(axis, g.range(x, axis).0.., g.count().saturating_add(1))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.slice_step(g.axis(x), g.offset().., g.count())]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        vec![x.index(axis, g.range(x, axis).0)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        x.split(axis, if g.once_in(2) { g.count() } else { x.shape().size(axis).unwrap_or(1) })
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.pad(g.axis(x), g.offset(), g.offset(), 0)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.pad_interior(g.axis(x), g.offset(), g.offset(), g.count(), 1)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let y = g.partner(pool, x);
        vec![concatenate(&[x, y], g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let y = g.partner(pool, x);
        vec![stack(&[x, y, x], g.choose(&["s", "_", "a"]))]
    },
    |g, pool, _| vec![concatenate(&pool[..g.below(pool.len() + 1)], 0)],
];

const CONSTANTS: &[Random] = &[
    |g, _, _| vec![Tensor::full(1, g.dtype(), g.dims())],
    |g, _, _| vec![Tensor::full(-0.5, g.dtype(), g.dims())],
    |g, _, _| vec![Tensor::zeros(g.dtype(), g.dims())],
    |g, _, _| vec![Tensor::ones(g.dtype(), g.dims())],
    |g, _, _| vec![Tensor::iota(g.dtype(), g.dims(), g.below(3))],
    |g, _, _| {
        vec![Tensor::constant(
            &[1.5f32, 2.5, -3.0],
            if g.once_in(9) { g.dims() } else { vec![("a", 1), ("_", 3)] },
        )]
    },
    |_, _, _| vec![Tensor::constant(&[true, false], [2])],
    |g, _, _| vec![Tensor::arange(g.dtype(), "n", g.size())],
    |g, pool, _| vec![g.pick(pool).full_like(3)],
    |g, _, _| {
        let (key, own) = Key::new(g.below(9) as u64).split2();
        let dtype = g.choose(&[DType::U8, DType::U32, DType::U64, DType::F32]);
        vec![key.0, own.bits(dtype, g.dims())]
    },
    |g, pool, _| vec![Key(g.of(pool, |d| d == DType::U32)).uniform(g.dtype(), g.dims())],
    |g, _, _| vec![Key::new(1).fold_in(3).normal(g.dtype(), g.dims())],
    |g, _, _| vec![Key::new(2).gumbel(DType::F32, g.dims())],
    |g, _, _| vec![Key::new(2).randint(g.dtype(), g.dims(), -3, 5)],
    |g, _, _| vec![Key::new(3).permutation(g.dims())],
    |g, pool, _| {
        let x = g.pick(pool);
        vec![Key::new(4).shuffle(x, g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![Key::new(5).categorical(x, g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![Key::new(6).choice(x, g.axis(x), g.dims())]
    },
];

const REDUCTIONS: &[Random] = &[
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.sum(g.axes(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.prod(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.max(g.axes(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.min_keep(g.axes(x))]
    },
    |g, pool, _| vec![g.pick(pool).sum_keep(..)],
    |g, pool, _| {
        let x = g.of(pool, |d| d == DType::Bool);
        vec![x.any(g.axes(x)), x.all(..)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.mean(g.axes(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.mean_keep(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.var(g.axes(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.log_sum_exp(g.axes(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.argmax(g.axis(x)), x.argmin(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.cumsum(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.cumprod(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.cummax(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.cummin(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.softmax(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.log_softmax(g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.sort(g.axis(x), g.once_in(2))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.argsort(g.axis(x), g.once_in(2))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let (v, i) = x.top_k(g.count(), g.axis(x));
        vec![v, i]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let y = g.partner(pool, x);
        sort_together(&[x, y], g.axis(x), false)
    },
];

const PRODUCTS: &[Random] = &[
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.dot(
            g.partner(pool, x),
            x.shape().names().iter().flatten().take(1).copied().collect::<Vec<_>>(),
        )]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.dot(x, g.axes(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let precision = g.choose(&[Precision::Default, Precision::High, Precision::Highest]);
        let accumulate = g.once_in(2).then(|| g.dtype());
        vec![x.dot_with(g.partner(pool, x), g.axis(x), DotOptions { precision, accumulate })]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let y = g.partner(pool, x);
        let contract: Vec<_> = (0..g.below(2)).map(|_| (g.axis(x), g.axis(y))).collect();
        let batch: Vec<_> = (0..g.below(2)).map(|_| (g.axis(x), g.axis(y))).collect();
        vec![x.dot_general(y, &contract, &batch, DotOptions::default())]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.matmul(g.partner(pool, x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        if x.rank() < 2 {
            return vec![x.matmul(x)];
        }
        vec![x.matmul(x.swap_axes(-1, -2))]
    },
];

const INDEXING: &[Random] = &[
    |g, pool, _| {
        let x = g.pick(pool);
        let start = g.of(pool, DType::is_int);
        vec![x.dynamic_slice(g.axis(x), start.sum(..), g.count())]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        vec![x.dynamic_slice(axis, g.below(9), g.below(x.shape().size(axis).unwrap_or(1)))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let start = |dtype| Tensor::scalar(g.below(3), dtype);
        let blocks = [(g.axis(x), start(DType::I32), 1), (g.axis(x), start(DType::U8), 1)];
        vec![x.dynamic_slice_along(&blocks[..g.below(3)])]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.dynamic_update_slice(g.partner(pool, x), g.axis(x), g.below(5))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        vec![x.dynamic_update_slice(x.slice(axis, ..1), axis, 1)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.take(g.of(pool, DType::is_int), g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let n = g.choose(&["a", "i"]);
        vec![x.take(Tensor::arange(DType::I32, n, g.below(4)), g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![x.take_along_axis(g.of(pool, DType::is_int), g.axis(x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        vec![x.take_along_axis(x.argsort(axis, false), axis)]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let (indices, axis) = (g.of(pool, DType::is_int), g.axis(x));
        let y = g.partner(pool, x);
        vec![match g.below(4) {
            0 => x.index_set(indices, y, axis),
            1 => x.index_add(indices, 1, axis),
            2 => x.index_max(indices, x.take(indices, axis), axis),
            _ => x.index_mul(Tensor::arange(DType::I32, "i", g.below(4)), 2, axis),
        }]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        let indices = if g.once_in(3) { g.of(pool, DType::is_int) } else { x.argsort(axis, false) };
        vec![match g.below(3) {
            0 => x.scatter_along(indices, g.partner(pool, x), axis),
            1 => x.scatter_along_add(indices, x, axis),
            _ => x.scatter_along_min(indices, 1, axis),
        }]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let rows = Tensor::arange(g.choose(&[DType::I32, DType::U8]), "i", g.below(4));
        let mut at = x.at(g.axis(x), if g.once_in(4) { g.of(pool, DType::is_int) } else { rows });
        if g.once_in(2) {
            let axis = g.axis(x);
            let (from, to) = g.range(x, axis);
            at = match g.below(3) {
                0 => at.at(axis, from..to),
                1 => at.at(axis, from),
                _ => at.at(axis, rows),
            };
        }
        vec![at.clone().get(), at.clone().get_or(1), at.clone().add(1), at.set(g.partner(pool, x))]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        let (from, to) = g.range(x, axis);
        vec![x.at(axis, from..to).mul(2), x.at(axis, from).min(1), x.at(axis, from..to).get()]
    },
    |g, pool, _| {
        let (x, y) = (g.pick(pool), g.pick(pool));
        let indices = g.of(pool, DType::is_int);
        let axes = || PerAxis::collect((0..g.below(3)).map(|_| g.below(3)));
        let dims = ScatterDims {
            update_window_dims: axes(),
            inserted_window_dims: axes(),
            input_batching_dims: axes(),
            scatter_indices_batching_dims: axes(),
            scatter_dims_to_operand_dims: axes(),
            index_vector_dim: g.below(4),
            indices_are_sorted: g.once_in(2),
            unique_indices: g.once_in(2),
        };
        let slices = PerAxis::collect(x.shape().sizes().iter().map(|&size| size.min(1)));
        let part = x.gather(indices, dims.to_gather(slices));
        let by = scatter_by((x, y), indices, (part, y), dims.clone(), |a, b| (b.1, a.1));
        vec![part, x.scatter(indices, part, dims, g.choose(&ScatterUpdate::ALL)), by.0]
    },
    |g, pool, _| {
        vec![g.of(pool, DType::is_int).one_hot(g.choose(&["h", "a", "_"]), g.size(), g.dtype())]
    },
];
