//! Slicing, padding and concatenation.

use crate::{EXACT, Row, rows};
use hloom::prelude::*;

/// The number 1, or `true`, as the padding of any element type.
fn pad_with_one(x: Tensor, axis: isize, low: isize, high: isize) -> Tensor {
    match x.dtype() {
        DType::Bool => x.pad(axis, low, high, true),
        _ => x.pad(axis, low, high, 1),
    }
}

fn spread_with_zero(x: Tensor) -> Tensor {
    match x.dtype() {
        DType::Bool => x.pad_interior(0, 0, 1, 2, false),
        _ => x.pad_interior(0, 0, 1, 2, 0),
    }
}

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "slice 1..-1", EXACT, [x] => x.slice(1, 1..).slice(1, ..-1).slice(-1, ..);
        "slice ..=-3", EXACT, [x] => x.slice(1, ..=-3);
        "slice -3..", EXACT, [x] => x.slice(-1, -3..);
        "slice 2..2", EXACT, [x] => x.slice(-1, 2..2);
        "slice ..", EXACT, [x] => x.slice(0, ..);
        "slice first by name", EXACT, [x] => x.named(["rows", "columns"]).slice("rows", 1..3);
        "slice_step 1.. by 3", EXACT, [x] => x.slice_step(1, 1.., 3);
        "slice_step .. by 100", EXACT, [x] => x.slice_step(1, .., 100);
        "index -1", EXACT, [x] => x.index(1, -1);
        "index 0", EXACT, [x] => x.index(0, 0);
        "index -2", EXACT, [x] => x.index(-1, -2);
        "split 2", EXACT, [x] => x.split(0, 2);
        "split 7", EXACT, [x] => x.split(0, 7);
        "split_sizes 1 0 3", EXACT, [x] => x.split_sizes(0, &[1, 0, 3]);
        "split_sizes 7", EXACT, [x] => x.split_sizes(-1, &[7]);
        "pad 1 2", EXACT, [x] => pad_with_one(x, 1, 1, 2);
        "pad -1 -2", EXACT, [x] => x.pad(1, -1, -2, 0);
        "pad -1 3", EXACT, [x] => x.pad(1, -1, 3, -2.5);
        "pad to nothing", EXACT, [x] => x.pad(1, -3, -4, 0.0);
        "pad with -inf", EXACT, [x] => x.pad(0, 1, 0, f32::NEG_INFINITY);
        "pad_interior 0 1 by 2", EXACT, [x] => spread_with_zero(x);
        "pad_interior -1 -1 by 1", EXACT, [x] => x.pad_interior(1, -1, -1, 1, 9);
        "concatenate 1", EXACT, [x, y, z] => concatenate(&[x, y, z], 1);
        "concatenate one", EXACT, [x] => concatenate(&[x], 0);
        "stack", EXACT, [x, y] => stack(&[x, y], "copy");
    ])
}
