//! Loops and branches around random ops.

use super::{
    generator::Generator,
    ops::{Random, extend},
};
use hloom::{
    DType, Tensor,
    ops::{case, cond, for_loop, optimization_barrier, scan, while_loop},
};

pub const CONTROL: &[Random] = &[
    |g, pool, depth| {
        let x = g.pick(pool);
        let count = Tensor::scalar(0, DType::I32);
        let (n, x) = while_loop(
            (count, x),
            |(n, _)| n.lt(g.below(4)),
            |(n, x)| (n + 1, inner(g, pool, x, depth)),
        );
        vec![n, x]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        vec![while_loop(x, |x| x.is_finite(), |x| x + 1)]
    },
    |g, pool, depth| {
        let x = g.pick(pool);
        vec![for_loop(g.count(), x, |_, x| inner(g, pool, x, depth))]
    },
    |g, pool, depth| {
        let x = g.pick(pool);
        let truth = if g.once_in(3) {
            g.of(pool, |d| d == DType::Bool)
        } else {
            Tensor::scalar(true, DType::Bool)
        };
        vec![cond(truth, || inner(g, pool, x, depth), || x)]
    },
    |g, pool, depth| {
        let x = g.pick(pool);
        let index =
            if g.once_in(3) { g.of(pool, DType::is_int) } else { Tensor::scalar(1, DType::I32) };
        let second = Box::new(|| inner(g, pool, x, depth)) as Box<dyn FnOnce() -> Tensor>;
        vec![case(index, || x, [second, Box::new(|| x)])]
    },
    |g, pool, depth| {
        let x = g.pick(pool);
        let start = Tensor::zeros(DType::F32, [2]);
        let (carry, y) =
            scan(start, x, g.axis(x), |carry, x| (carry + 1, inner(g, pool, x, depth)));
        vec![carry, y]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let axis = g.axis(x);
        let (carry, sums) =
            scan(x.sum(axis), (x, x), axis, |carry, (a, b)| (carry + a, (a * b, carry)));
        vec![carry, sums.0, sums.1]
    },
    |g, pool, _| {
        let x = g.pick(pool);
        let y = g.pick(pool);
        let (x, y) = optimization_barrier((x, y));
        vec![x, y]
    },
];

/// A body: some ops on `x` and its captures, whose result mostly has the shape of `x`.
fn inner(g: &Generator, around: &[Tensor], x: Tensor, depth: usize) -> Tensor {
    let mut pool = around.to_vec();
    pool.push(x);
    extend(g, &mut pool, depth - 1);
    let shape = x.shape();
    let same = pool.iter().rev().find(|t| t.shape().same_layout(&shape));
    if g.once_in(8) { g.pick(&pool) } else { same.copied().unwrap_or(x) }
}
