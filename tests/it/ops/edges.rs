//! Statistics of short and complex types.

use super::table::{Row, check, rows};
use crate::reference::{EXACT, ulps};
use hloom::{prelude::*, vjp};

/// The cotangent of x for cotangents of 1 of the function's result.
fn slope(x: Tensor, f: impl FnOnce(Tensor) -> Tensor) -> Tensor {
    let (y, pullback) = vjp(x, f);
    pullback.apply(y.ones_like())
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

#[test]
fn edges_match() {
    check("edges", &statistics());
}
