//! Elementwise functions that are composed of others.

use super::gradients::{gradients, pulled, twice};
use crate::{EXACT, Row, rows, ulps};

pub fn rows() -> Vec<Row> {
    let exact = EXACT.either_zero();
    let mut all = Vec::from(rows![
        "asin", ulps(4), [x] => x.asin();
        "acos", ulps(8), [x] => x.acos();
        "atan", ulps(4), [x] => x.atan();
        "sinh", ulps(16), [x] => x.sinh();
        "cosh", ulps(16), [x] => x.cosh();
        "asinh", ulps(8), [x] => x.asinh();
        "acosh", ulps(8), [x] => x.acosh();
        "atanh", ulps(64), [x] => x.atanh();
        "square", ulps(1), [x] => x.square();
        "reciprocal", ulps(1), [x] => x.reciprocal();
        "exp2", ulps(4), [x] => x.exp2();
        "log2", ulps(4), [x] => x.log2();
        "log10", ulps(4), [x] => x.log10();
        "elu 0.5", ulps(4), [x] => x.elu(0.5);
        "celu 0.5", ulps(4), [x] => x.celu(0.5);
        "selu", ulps(4), [x] => x.selu();
        "softplus", ulps(4), [x] => x.softplus();
        "log_sigmoid", ulps(4), [x] => x.log_sigmoid();
        "mish", ulps(8), [x] => x.mish();
        "softsign", ulps(2), [x] => x.softsign();
        "relu6", exact, [x] => x.relu6();
        "hard_tanh", exact, [x] => x.hard_tanh();
        "hard_sigmoid", ulps(4), [x] => x.hard_sigmoid();
        "hard_swish", ulps(4), [x] => x.hard_swish();
        "quick_gelu", ulps(16), [x] => x.quick_gelu();
        "softcap 2.5", ulps(4), [x] => x.softcap(2.5);
        "trunc", EXACT, [x] => x.trunc();
        "round_to 1", ulps(1), [x] => x.round_to(1);
        "round_to -1", ulps(1), [x] => x.round_to(-1);
        "is_inf", EXACT, [x] => x.is_inf();
        "is_pos_inf", EXACT, [x] => x.is_pos_inf();
        "is_neg_inf", EXACT, [x] => x.is_neg_inf();
        "conj", EXACT, [x] => x.conj();
        "nan_to_num", EXACT, [x] => x.nan_to_num();
        "floor_divide", exact, [x, y] => x.floor_divide(y);
        "modulo", exact, [x, y] => x.modulo(y);
        "logaddexp", ulps(4), [x, y] => x.logaddexp(y);
        "masked_fill", EXACT, [x, mask] => x.masked_fill(mask, x.zeros_like());
        "prelu", ulps(1), [x, slope] => x.prelu(slope);
        "glu", ulps(4).narrow(2), [x] => x.glu(1);
        "swiglu", ulps(8).narrow(4), [x] => x.swiglu(1);
        "xlogy", ulps(4), [x, y] => x.xlogy(y);
    ]);
    all.extend(gradients!["xlogy gradient", [x, y] => x.xlogy(y);]);
    all
}
