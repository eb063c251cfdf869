//! Elementwise functions of one operand.

use crate::{EXACT, Row, rows, ulps};

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "abs", ulps(2), [x] => x.abs();
        "neg", EXACT, [x] => -x;
        "sign", ulps(2), [x] => x.sign();
        "exp", ulps(4), [x] => x.exp();
        "exp_m1", ulps(4), [x] => x.exp_m1();
        "log", ulps(4), [x] => x.log();
        "log1p", ulps(4), [x] => x.log1p();
        "sqrt", ulps(4), [x] => x.sqrt();
        "rsqrt", ulps(4), [x] => x.rsqrt();
        "cbrt", ulps(4), [x] => x.cbrt();
        "sin", ulps(4), [x] => x.sin();
        "cos", ulps(4), [x] => x.cos();
        "tan", ulps(4), [x] => x.tan();
        "tanh", ulps(4), [x] => x.tanh();
        "sigmoid", ulps(8), [x] => x.sigmoid();
        "erf", ulps(4), [x] => x.erf();
        "floor", EXACT, [x] => x.floor();
        "ceil", EXACT, [x] => x.ceil();
        "round", EXACT, [x] => x.round();
        "round_even", EXACT, [x] => x.round_even();
        "is_finite", EXACT, [x] => x.is_finite();
        "is_nan", EXACT, [x] => x.is_nan();
        "not", EXACT, [x] => !x;
        "count_leading_zeros", EXACT, [x] => x.count_leading_zeros();
        "population_count", EXACT, [x] => x.population_count();
        "real", EXACT, [x] => x.real();
        "imag", EXACT, [x] => x.imag();
    ])
}
