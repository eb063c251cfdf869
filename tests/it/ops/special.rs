//! Special functions, at arguments across each type: the errors stated in their documentation; and
//! functions of bits.

use super::table::{check, rows};
use crate::{
    platforms::cpu,
    reference::{EXACT, ulps},
};
use hloom::prelude::*;

#[test]
fn special_functions_are_near_everywhere() {
    check(
        "special",
        &rows![
            "erfc", ulps(4), [x] => x.erfc();
            "erf_inv", ulps(5), [x] => x.erf_inv();
            "lgamma", ulps(4), [x] => x.lgamma();
            "lgamma below 0", ulps(4).of_largest(), [x] => x.lgamma();
            "digamma", ulps(4), [x] => x.digamma();
            "digamma below 0", ulps(4).of_largest(), [x] => x.digamma();
            "polygamma 1", ulps(6), [x] => x.polygamma(1);
            "polygamma 2", ulps(7), [x] => x.polygamma(2);
            "polygamma 3", ulps(8), [x] => x.polygamma(3);
            "polygamma 12", ulps(17), [x] => x.polygamma(12);
            "zeta", ulps(8), [x, q] => x.zeta(q);
            "bessel_i0e", ulps(4), [x] => x.bessel_i0e();
            "bessel_i1e", ulps(4), [x] => x.bessel_i1e();
            "reduce_precision 8 7", EXACT, [x] => x.reduce_precision(8, 7);
            "reduce_precision 5 10", EXACT, [x] => x.reduce_precision(5, 10);
            "reduce_precision 5 2", EXACT, [x] => x.reduce_precision(5, 2);
            "reduce_precision 4 3", EXACT, [x] => x.reduce_precision(4, 3);
            "reduce_precision 2 0", EXACT, [x] => x.reduce_precision(2, 0);
            "reduce_precision 11 52", EXACT, [x] => x.reduce_precision(11, 52);
            "reduce_precision 8 23", EXACT, [x] => x.reduce_precision(8, 23);
            "reduce_precision 1 1", EXACT, [x] => x.reduce_precision(1, 1);
            "mulhi", EXACT, [x, y] => x.mulhi(y);
        ],
    );
}

#[test]
fn errors_name_the_function() {
    type Function = fn(Tensor) -> Tensor;
    let cases: [(Function, &str); 7] = [
        (
            |x| x.convert(DType::I32).lgamma(),
            "lgamma: takes floats, not i32; use `.convert(DType::F32)`",
        ),
        (|x| x.convert(DType::C64).erfc(), "erfc: takes floats, not c64"),
        (|x| x.zeta(x.convert(DType::F64)), "zeta: element types f32 and f64 differ"),
        (|x| x.polygamma(101), "polygamma: has orders up to 100, not 101"),
        (|x| x.mulhi(x), "mulhi: takes integers, not f32"),
        (|x| x.reduce_precision(0, 3), "reduce_precision: an exponent has at least 1 bit"),
        (
            |x| x.convert(DType::F8E5M2).reduce_precision(4, 3),
            "reduce_precision: takes f16, bf16, f32 or f64, not f8e5m2",
        ),
    ];
    for (function, message) in cases {
        let compiled = cpu().compile(function, (Spec::f32([("a", 3)]),));
        let error = compiled.expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
    }
}
