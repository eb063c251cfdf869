//! Elementwise functions of two and three operands.

use crate::{EXACT, Row, rows, ulps};
use hloom::prelude::*;

/// Every pair of truth values, as constants.
fn truths() -> (Tensor, Tensor) {
    (
        Tensor::constant(&[false, false, true, true], [4]),
        Tensor::constant(&[false, true, false, true], [4]),
    )
}

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "add", EXACT, [x, y] => x + y;
        "sub", EXACT, [x, y] => x - y;
        "mul", ulps(2), [x, y] => x * y;
        "div", ulps(4), [x, y] => x / y;
        "rem", EXACT, [x, y] => x % y;
        "pow", ulps(8), [x, y] => x.pow(y);
        "x.pow(x)", EXACT, [x] => x.pow(x);
        "x.pow(0)", EXACT, [x] => x.pow(0);
        "x.pow(1)", EXACT, [x] => x.pow(1);
        "x.pow(13)", EXACT, [x] => x.pow(13);
        "x.pow(100)", EXACT, [x] => x.pow(100);
        "x.pow(255)", EXACT, [x] => x.pow(255);
        "x.pow(-1)", EXACT, [x] => x.pow(-1);
        "known powers", EXACT, [] => {
            let exponents = [64i64, 1 << 40, (1 << 62) + 1, 64, -3, -9, -1];
            Tensor::constant(&[3i64, 3, -1, 2, -1, 1, 7], [7])
                .pow(Tensor::constant(&exponents, [7]))
        };
        "known unsigned powers", EXACT, [] => {
            let exponents = [u64::MAX, 1 << 63, 1 << 63];
            Tensor::constant(&[3u64, 255, 2], [3]).pow(Tensor::constant(&exponents, [3]))
        };
        "known truths", EXACT, [] => {
            let (x, y) = truths();
            let (x, y) = (x.insert_axis(1, "_"), y.insert_axis(0, "_"));
            vec![x + y, x * y, x.maximum(y), x.minimum(y), x & y, x | y, x ^ y]
        };
        "truths in a loop", EXACT, [] => {
            let (x, y) = truths();
            for_loop(2, (x, x), |_, (sum, product)| (sum + y, product * y))
        };
        "maximum", EXACT.either_zero(), [x, y] => x.maximum(y);
        "minimum", EXACT.either_zero(), [x, y] => x.minimum(y);
        "atan2", ulps(4), [x, y] => x.atan2(y);
        "next_after", EXACT.either_zero(), [x, y] => x.next_after(y);
        "and", EXACT, [x, y] => x & y;
        "or", EXACT, [x, y] => x | y;
        "xor", EXACT, [x, y] => x ^ y;
        "shift_left", EXACT, [x, y] => x.shift_left(y);
        "shift_right_arithmetic", EXACT, [x, y] => x.shift_right_arithmetic(y);
        "shift_right_logical", EXACT, [x, y] => x.shift_right_logical(y);
        "complex", EXACT, [x, y] => x.complex(y);
        "eq", EXACT, [x, y] => x.eq(y);
        "ne", EXACT, [x, y] => x.ne(y);
        "lt", EXACT, [x, y] => x.lt(y);
        "le", EXACT, [x, y] => x.le(y);
        "gt", EXACT, [x, y] => x.gt(y);
        "ge", EXACT, [x, y] => x.ge(y);
        "select", EXACT, [condition, x, y] => condition.select(x, y);
        "clamp", EXACT.either_zero(), [x, low, high] => x.clamp(low, high);
        "x + 2", EXACT, [x] => x + 2;
        "5 - x", EXACT, [x] => 5 - x;
        "2 * x", EXACT, [x] => 2 * x;
        "x * 0.5", EXACT, [x] => x * 0.5;
        "1.0 over x", ulps(2), [x] => 1.0 / x;
        "x.maximum(2)", EXACT.either_zero(), [x] => x.maximum(2u8);
        "x % 4 == 1", EXACT, [x] => (x % 4).eq(1);
        "x & true", EXACT, [x] => x & true;
    ])
}
