//! Dot products.

use crate::{Row, rows, ulps};
use hloom::{
    ops::{DotOptions, Precision},
    prelude::*,
};

fn linear(x: Tensor, weight: Tensor, options: DotOptions) -> Tensor {
    x.named(["batch", "in"]).dot_with(weight.named(["out", "in"]), "in", options)
}

fn into(dtype: DType) -> DotOptions {
    DotOptions { accumulate: Some(dtype), ..DotOptions::default() }
}

fn precision(precision: Precision) -> DotOptions {
    DotOptions { precision, ..DotOptions::default() }
}

fn none() -> DotOptions {
    DotOptions::default()
}

const NO_AXES: &[(usize, usize)] = &[];

pub fn rows() -> Vec<Row> {
    // The order of summation is the platform's choice: errors are relative to the largest result.
    let sums = ulps(8).of_largest();
    Vec::from(rows![
        "dot in", sums, [x, w] => linear(x, w, none());
        "dot into i32", sums, [x, w] => linear(x, w, into(DType::I32));
        "dot into u32", sums, [x, w] => linear(x, w, into(DType::U32));
        "dot into f32", sums, [x, w] => linear(x, w, into(DType::F32));
        "dot into bf16", sums, [x, w] => linear(x, w, into(DType::BF16));
        "dot into f64", sums, [x, w] => linear(x, w, into(DType::F64));
        "dot into c128", sums, [x, w] => linear(x, w, into(DType::C128));
        "dot high", sums, [x, w] => linear(x, w, precision(Precision::High));
        "dot highest", sums, [x, w] => linear(x, w, precision(Precision::Highest));
        "matmul", sums, [x, y] => x.matmul(y);
        "dot over shared names", sums, [q, k] => {
            q.named(["batch", "q", "head", "dim"])
                .dot(k.named(["batch", "k", "head", "dim"]), "dim")
        };
        "dot two axes", sums, [x, y] => {
            x.named(["a", "i", "j"]).dot(y.named(["i", "j", "b"]), ["i", "j"])
        };
        "dot all axes", sums, [x, y] => {
            x.named(["i", "j"]).dot(y.named(["j", "i"]), ["i", "j"])
        };
        "dot_general 0-2 batch 2-0", sums, [x, y] => {
            x.dot_general(y, &[(0, 2)], &[(2, 0)], none())
        };
        "dot_general outer", sums, [x, y] => x.dot_general(y, NO_AXES, NO_AXES, none());
        "dot_general batch all", sums, [x, y] => {
            x.dot_general(y, NO_AXES, &[(0, 0), (1, 1)], none())
        };
    ])
}
