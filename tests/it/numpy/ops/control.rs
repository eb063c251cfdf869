//! Loops and branches.

use super::{
    super::{generator::Generator, values::Data},
    Template,
};
use hloom::{
    DType, Tensor,
    ops::{case, cond, for_loop, scan, while_loop},
};

/// A step of a loop's body: a tensor of the shape of `x`, computed from `x` and `y`, which has the
/// same shape.
fn step(g: &Generator<'_>, x: Tensor, y: Tensor) -> Tensor {
    let dtype = x.dtype();
    let number = dtype != DType::Bool;
    match g.below(8) {
        0 if x.rank() > 0 => x.reverse(0),
        1 if number => x + y,
        2 if number => x - y,
        3 if !dtype.is_complex() => x.maximum(y),
        4 if !dtype.is_complex() => x.lt(y).select(y, x),
        5 if !dtype.is_complex() => y.clamp(x.minimum(y), x),
        6 if dtype.is_int() => (x * y) ^ x,
        7 => x.eq(y).select(x, y),
        _ => y,
    }
}

/// A step that occasionally is a branch.
fn steps(g: &Generator<'_>, x: Tensor, y: Tensor) -> Tensor {
    match g.below(6) {
        0 => cond(x.eq(y).all(..), || step(g, x, y), || step(g, y, x)),
        1 => for_loop(g.below(3), x, |_, x| step(g, x, y)),
        _ => step(g, step(g, x, y), y),
    }
}

fn pair(g: &Generator<'_>, dtype: DType) -> (Tensor, Tensor) {
    let x = g.any(dtype);
    (x, g.tensor(dtype, x.shape().sizes()))
}

pub fn control() -> Vec<Template> {
    vec![
        Template::new("while_loop", |g, dtype| {
            let (x, y) = pair(g, dtype);
            let count = g.argument(DType::I32, &[], Data::Small);
            let (n, x, changes) = while_loop(
                (count, x, Tensor::scalar(0, DType::U8)),
                |(n, ..)| n.lt(g.below(4)),
                |(n, x, changes)| {
                    let next = steps(g, x, y);
                    let differs = next.ne(x).any(..).convert(DType::U8);
                    (n + 1, next, changes + differs)
                },
            );
            vec![n, x, changes]
        }),
        Template::new("for_loop", |g, dtype| {
            let (x, y) = pair(g, dtype);
            vec![for_loop(g.below(5), x, |_, x| steps(g, x, y))]
        }),
        Template::new("scan", |g, dtype| {
            let xs = g.ranked(dtype);
            let axis = g.axis(xs);
            let mut sizes = xs.shape().sizes().to_vec();
            sizes.remove(axis.rem_euclid(sizes.len() as isize) as usize);
            let start = g.tensor(dtype, &sizes);
            let (last, (all, equal)) = scan(start, xs, axis, |carry, x| {
                let next = step(g, carry, x);
                (next, (step(g, next, x), next.eq(x)))
            });
            vec![last, all, equal]
        }),
        Template::new("scan of two", |g, dtype| {
            let xs = g.ranked(dtype);
            let axis = g.axis(xs);
            let counts = Tensor::iota(DType::I32, xs.shape().sizes().to_vec(), axis);
            let (n, (first, second)) =
                scan(Tensor::scalar(0, DType::I32), (xs, counts), axis, |n, (x, i)| {
                    (n + 1, (x, i + n))
                });
            vec![n, first, second]
        }),
        Template::new("cond", |g, dtype| {
            let (x, y) = pair(g, dtype);
            let truth = g.argument(DType::Bool, &[], Data::Any);
            vec![cond(truth, || step(g, x, y), || step(g, y, x))]
        }),
        Template::new("case", |g, dtype| {
            let (x, y) = pair(g, dtype);
            let index = g.argument(DType::I32, &[], Data::Index(3));
            let second = Box::new(|| steps(g, x, y)) as Box<dyn FnOnce() -> Tensor>;
            vec![case(index, || x, [second, Box::new(|| y)])]
        }),
    ]
}
