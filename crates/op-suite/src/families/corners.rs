//! Values and slopes at corners of domains: ties, zeros of both signs, infinities, NaN and limits
//! of integers.

use crate::{EXACT, Row, rows, ulps};
use hloom::{prelude::*, vjp};

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

fn reductions() -> Vec<Row> {
    Vec::from(rows![
        "log_sum_exp", ulps(4), [x] => x.log_sum_exp(1);
        "softmax", ulps(4), [x] => x.softmax(1);
        "log_softmax", ulps(4), [x] => x.log_softmax(1);
        "log_sum_exp slope", ulps(8), [x] => slope(x, |x| x.log_sum_exp(1));
        "prod slope", EXACT.either_zero(), [x] => slope(x, |x| x.prod(1));
        "cumprod slope", EXACT.either_zero(), [x] => slope(x, |x| x.cumprod(1));
        "max slope", ulps(1), [x] => slope(x, |x| x.max(1));
        "min slope", ulps(1), [x] => slope(x, |x| x.min(1));
        "argmax", EXACT, [x] => x.argmax(1);
        "argmin", EXACT, [x] => x.argmin(1);
        "sort", EXACT, [x] => x.sort(1, false);
        "argsort", EXACT, [x] => x.argsort(1, false);
        "top_k", EXACT, [x] => x.top_k(2, 1);
        "cummax", EXACT.either_zero(), [x] => x.cummax(1);
        "cummin", EXACT.either_zero(), [x] => x.cummin(1);
        "cumsum", EXACT.either_zero(), [x] => x.cumsum(1);
        "mean", ulps(1), [x] => x.mean(1);
        "var", ulps(2), [x] => x.var(1);
        "median", ulps(1), [x] => x.median(1);
        "iota 300", EXACT, [x] => Tensor::iota(x.dtype(), [300], 0);
    ])
}

fn pairs() -> Vec<Row> {
    Vec::from(rows![
        "pow", ulps(1), [x, y] => x.pow(y);
        "atan2", ulps(1), [x, y] => x.atan2(y);
        "rem", EXACT, [x, y] => x % y;
        "logaddexp", ulps(4), [x, y] => x.logaddexp(y);
        "maximum", EXACT.either_zero(), [x, y] => x.maximum(y);
        "minimum", EXACT.either_zero(), [x, y] => x.minimum(y);
        "clamp", EXACT.either_zero(), [x, low, high] => x.clamp(low, high);
        "pow slope", ulps(2), [x, y] => slopes(x, y, |x, y| x.pow(y));
        "maximum slope", EXACT.either_zero(), [x, y] => slopes(x, y, |x, y| x.maximum(y));
        "logaddexp slope", ulps(8), [x, y] => slopes(x, y, |x, y| x.logaddexp(y));
        "clamp slope", EXACT.either_zero(), [x, y] => {
            slopes(x, y, |x, y| x.clamp(x.full_like(-1), y))
        };
    ])
}

fn functions() -> Vec<Row> {
    Vec::from(rows![
        "erf_inv", EXACT, [x] => x.erf_inv();
        "exp_m1", ulps(1), [x] => x.exp_m1();
        "log1p", ulps(1), [x] => x.log1p();
        "asinh", ulps(2), [x] => x.asinh();
        "acosh", EXACT, [x] => x.acosh();
        "atanh", ulps(1), [x] => x.atanh();
        "sinh", ulps(8), [x] => x.sinh();
        "cosh", ulps(8), [x] => x.cosh();
        "tanh", ulps(1), [x] => x.tanh();
        // A power of a third, whose rounding error small numbers multiply.
        "cbrt", ulps(16), [x] => x.cbrt();
        "softplus", EXACT, [x] => x.softplus();
        "log_sigmoid", EXACT.either_zero(), [x] => x.log_sigmoid();
        "elu", EXACT, [x] => x.elu(1.0);
        "round_to 2", ulps(1), [x] => x.round_to(2);
        "round_to 400", EXACT, [x] => x.round_to(400);
        "round_to -400", EXACT, [x] => x.round_to(-400);
        "round_to lowest", EXACT, [x] => x.round_to(i32::MIN);
        "digamma", ulps(4), [x] => x.digamma();
        "lgamma", EXACT.either_zero(), [x] => x.lgamma();
        "sqrt slope", EXACT, [x] => slope(x, |x| x.sqrt());
        "cbrt slope", EXACT, [x] => slope(x, |x| x.cbrt());
        "erf_inv slope", EXACT, [x] => slope(x, |x| x.erf_inv());
        "abs slope", EXACT, [x] => slope(x, |x| x.abs());
        "sign slope", EXACT, [x] => slope(x, |x| x.sign());
        "l1_norm slope", EXACT, [x] => slope(x, |x| x.l1_norm(1));
    ])
}

fn complexes() -> Vec<Row> {
    let near = ulps(4);
    Vec::from(rows![
        "complex abs slope", EXACT.either_zero(), [x] => slope(x, |x| x.abs());
        "complex norm slope", EXACT.either_zero(), [x] => slope(x, |x| x.norm(1));
        "complex std slope", EXACT.either_zero(), [x] => slope(x, |x| x.std(1));
        "complex sign", near, [x] => x.sign();
        "complex div", near, [x, y] => x / y;
        "complex tanh", near, [x] => x.tanh();
        "complex sigmoid", near, [x] => x.sigmoid();
        "complex tanh slope", ulps(8), [x] => slope(x, |x| x.tanh());
        "complex exp", EXACT.either_zero(), [x] => x.exp();
        "complex log", near, [x] => x.log();
        "complex pow", near, [x, y] => x.pow(y);
        "complex mean", near, [x] => x.mean(1);
        "complex var", near, [x] => x.var(1);
        "complex std", near, [x] => x.std(1);
        "complex prod", near, [x] => x.prod(1);
        "complex cumsum", near, [x] => x.cumsum(1);
        "complex cumprod", near, [x] => x.cumprod(1);
    ])
}

fn integers() -> Vec<Row> {
    Vec::from(rows![
        "floor_divide of integers", EXACT, [x, y] => x.floor_divide(y);
        "modulo of integers", EXACT, [x, y] => x.modulo(y);
        "div of integers", EXACT, [x, y] => x / y;
        "rem of integers", EXACT, [x, y] => x % y;
        "abs of integers", EXACT, [x] => x.abs();
        "neg of integers", EXACT, [x] => -x;
        "shift_left", EXACT, [x, y] => x.shift_left(y);
        "shift_right_arithmetic", EXACT, [x, y] => x.shift_right_arithmetic(y);
        "shift_right_logical", EXACT, [x, y] => x.shift_right_logical(y);
    ])
}

pub fn rows() -> Vec<Row> {
    let all = [reductions(), pairs(), functions(), complexes(), integers()];
    all.into_iter().flatten().collect()
}
