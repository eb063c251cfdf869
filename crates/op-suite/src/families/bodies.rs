//! Reductions and sorting with user-defined bodies.

use crate::{EXACT, Row, rows};
use hloom::{
    ops::{reduce_by, sort_by},
    prelude::*,
};

fn size(x: Tensor) -> Tensor {
    if x.dtype().is_unsigned_int() { x } else { x.abs() }
}

fn magnitude(x: Tensor, axis: isize) -> Tensor {
    reduce_by(size(x), Tensor::scalar(0, x.dtype()), axis, |a, b| a.maximum(b))
}

/// The largest element and its first position.
fn best(x: Tensor) -> (Tensor, Tensor) {
    let positions = Tensor::iota(DType::I32, x.shape().axes(), 1);
    let start =
        (Tensor::scalar(f32::NEG_INFINITY, DType::F32), Tensor::scalar(i32::MAX, DType::I32));
    reduce_by((x, positions), start, 1, |left, right| {
        let first = left.0.gt(right.0) | (left.0.eq(right.0) & left.1.lt(right.1));
        (first.select(left.0, right.0), first.select(left.1, right.1))
    })
}

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "reduce_by magnitude 0", EXACT, [x] => magnitude(x, 0);
        "reduce_by magnitude 1", EXACT, [x] => magnitude(x, 1);
        "reduce_by best", EXACT, [x] => best(x);
        "reduce_by xor", EXACT, [x] => {
            reduce_by(x, Tensor::scalar(false, DType::Bool), 1, |a, b| a ^ b)
        };
        "sort_by magnitude 1", EXACT, [x] => sort_by(x, 1, |a, b| size(a).lt(size(b)));
        "sort_by last digit", EXACT, [x, y] => {
            sort_by((x, y), 0, |a, b| (a.0 % 10).gt(b.0 % 10))
        };
    ])
}
