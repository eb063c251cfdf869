//! Special functions, at arguments across each type: the errors stated in their documentation; and
//! functions of bits.

use super::table::check;
use crate::platforms::cpu;
use hloom::prelude::*;

#[test]
fn special_functions_are_near_everywhere() {
    check("special");
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
