//! Statistics of short and complex types, derivatives at zeros and at singular matrices, and
//! special values: where a composition of ops loses what each of them has.

use crate::{EXACT, Row, rows, ulps};
use hloom::{
    grad,
    nn::loss::{bce_with_logits, kl_divergence, soft_cross_entropy},
    prelude::*,
    vjp,
};

/// The cotangent of x for cotangents of 1 of the function's result.
fn slope(x: Tensor, f: impl FnOnce(Tensor) -> Tensor) -> Tensor {
    let (y, pullback) = vjp(x, f);
    pullback.apply(y.ones_like())
}

/// As [`slope`], of two tensors.
fn slopes(x: Tensor, y: Tensor, f: impl FnOnce(Tensor, Tensor) -> Tensor) -> (Tensor, Tensor) {
    let (z, pullback) = vjp((x, y), |(x, y)| f(x, y));
    pullback.apply(z.ones_like())
}

/// So many copies of the only element.
fn many(x: Tensor, count: usize) -> Tensor {
    x.broadcast_to([count])
}

const MANY: usize = 70_000;

/// So many times the first index.
fn first() -> Tensor {
    Tensor::zeros(DType::I32, [1000])
}

fn statistics() -> Vec<Row> {
    let rounded = ulps(16).of_largest();
    Vec::from(rows![
        "var", rounded, [x] => x.var(0);
        "var_keep", rounded, [x] => x.var_keep(0);
        "var_ddof", rounded, [x] => x.var_ddof(0, 1);
        "std", rounded, [x] => x.std(0);
        "std_keep", rounded, [x] => x.std_keep(0);
        "std_ddof", rounded, [x] => x.std_ddof(0, 1);
        "std_ddof 0", rounded, [x] => x.std_ddof(0, 0);
        "norm", rounded, [x] => x.norm(0);
        "softmax of many", EXACT, [x] => many(x, MANY).softmax(0).slice(0, ..1);
        "log_softmax of many", EXACT, [x] => many(x, MANY).log_softmax(0).slice(0, ..1);
        "log_sum_exp of many", EXACT, [x] => many(x, MANY).log_sum_exp(0);
        "index_add of many", EXACT, [x] => {
            Tensor::zeros(x.dtype(), [3]).index_add(first(), many(x, 1000), 0)
        };
        "scatter_along_add of many", EXACT, [x] => {
            Tensor::zeros(x.dtype(), [3]).scatter_along_add(first(), many(x, 1000), 0)
        };
        "take slope of many", EXACT, [x] => slope(many(x, 3), |x| x.take(first(), 0));
        "sum of many", EXACT, [x] => many(x, 1000).sum_keep(0);
        "mean of many", EXACT, [x] => many(x, MANY).mean_keep(0);
        "matmul of many", EXACT, [x] => many(x, 1000).dot(many(x, 1000), 0).insert_axis(0, "_");
        "cumsum of many", EXACT, [x] => many(x, 1000).cumsum(0).slice(0, 999..);
        "sum_pool of many", EXACT, [x] => many(x, 1000).sum_pool(0, 1000);
    ])
}

fn norms() -> Vec<Row> {
    let near = ulps(16).of_largest();
    Vec::from(rows![
        "norm slope", near, [x] => slope(x, |x| x.norm(1));
        "norm_keep slope", near, [x] => slope(x, |x| x.norm_keep(1));
        "bounded norm slope", near, [x] => slope(x, |x| x.norm(1).maximum(1e-6));
        "norm curvature", EXACT.either_zero(), [x] => grad(x, |x| {
            slope(x, |x| x.norm(1)).square().sum(..)
        });
        "normalize slope", near, [x, t] => slope(x, |x| x.normalize(1, 1e-6) * t);
        "cosine_similarity slope", near, [x, t] => slope(x, |x| x.cosine_similarity(t, 1, 1e-6));
        "std slope", near, [x] => slope(x, |x| x.std(1));
        "std_keep slope", near, [x] => slope(x, |x| x.std_keep(1));
        "std_ddof slope", near, [x] => slope(x, |x| x.std_ddof(1, 1));
        "det slope", ulps(64).of_largest(), [x] => slope(x, |x| x.det());
        "det curvature", ulps(64).of_largest(), [x] => grad(x, |x| {
            slope(x, |x| x.det()).square().sum(..)
        });
    ])
}

fn elementwise() -> Vec<Row> {
    Vec::from(rows![
        "quotient slope", ulps(2), [x, y] => slopes(x, y, |x, y| x / y);
        "log of quotient slope", ulps(2), [x, y] => slopes(x, y, |x, y| (x / y).log());
        "atan2 slope", ulps(4), [x, y] => slopes(x, y, |x, y| x.atan2(y));
        "modulo", EXACT, [x, y] => x.modulo(y);
        "floor_divide", EXACT, [x, y] => x.floor_divide(y);
        "modulo slope", EXACT.either_zero(), [x, y] => slopes(x, y, |x, y| x.modulo(y));
        "log2 of powers", EXACT, [x] => x.log2();
        "log10 of powers", EXACT, [x] => x.log10();
        "log2", ulps(4), [x] => x.log2();
        "log10", ulps(4), [x] => x.log10();
        "exp_m1 slope", ulps(5), [x] => slope(x, |x| x.exp_m1());
        "sigmoid slope", ulps(8), [x] => slope(x, |x| x.sigmoid());
        "tanh slope", ulps(8), [x] => slope(x, |x| x.tanh());
        "elu slope", ulps(6), [x] => slope(x, |x| x.elu(0.75));
        "celu slope", ulps(64), [x] => slope(x, |x| x.celu(0.75));
        "silu slope", ulps(8), [x] => slope(x, |x| x.silu());
        "complex sqrt", ulps(4), [x] => x.sqrt();
        "complex abs", ulps(2), [x] => x.abs();
    ])
}

fn losses() -> Vec<Row> {
    Vec::from(rows![
        "soft_cross_entropy", ulps(8), [x, t] => soft_cross_entropy(x, t, 1);
        "soft_cross_entropy slope", ulps(8).of_largest(), [x, t] => {
            slope(x, |x| soft_cross_entropy(x, t, 1))
        };
        "kl_divergence", ulps(16), [x, t] => kl_divergence(x, t);
        "kl_divergence slope", EXACT.either_zero(), [x, t] => slope(x, |x| kl_divergence(x, t));
        "bce_with_logits", ulps(4), [x, t] => bce_with_logits(x, t);
        "bce_with_logits slope", ulps(4), [x, t] => slope(x, |x| bce_with_logits(x, t));
    ])
}

/// Rows of [`Tensor::linspace`] for each type: number, ends and count.
macro_rules! spans {
    ($($number:literal $start:literal $end:literal $count:literal;)*) => {
        Vec::from(rows![
            $(concat!("linspace ", $number, " f64"), EXACT, [] =>
                Tensor::linspace(DType::F64, "i", $start, $end, $count);)*
            $(concat!("linspace ", $number, " f32"), EXACT, [] =>
                Tensor::linspace(DType::F32, "i", $start, $end, $count);)*
            $(concat!("linspace ", $number, " f16"), EXACT, [] =>
                Tensor::linspace(DType::F16, "i", $start, $end, $count);)*
            $(concat!("linspace ", $number, " bf16"), EXACT, [] =>
                Tensor::linspace(DType::BF16, "i", $start, $end, $count);)*
        ])
    };
}

fn spans() -> Vec<Row> {
    spans![
        0 0.1 0.1 7;
        1 -2.3328583 2.8459015 10;
        2 0.0 1.0 11;
        3 1.0 0.0 3;
        4 5.5 7.0 1;
        5 0.3 0.3 1;
        6 2.0 3.0 0;
    ]
}

pub fn rows() -> Vec<Row> {
    let all = [statistics(), norms(), elementwise(), losses(), spans()];
    all.into_iter().flatten().collect()
}
