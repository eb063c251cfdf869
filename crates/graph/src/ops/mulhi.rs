//! The higher half of products of integers.

use super::elementwise::{CONVERT, same_dtype};
use crate::{
    DType, Operand, Tensor,
    takes::Takes,
    trace::{emit, function_scope},
};
use std::panic::Location;

#[hloom_derive::tensor_methods(mulhi)]
impl Tensor {
    /// The higher half of the bits of the product of integers, which has twice as many bits; `*`
    /// returns the lower half. It is computed by products in the next wider type, and for 64 bits
    /// by products of halves.
    #[track_caller]
    #[doc(alias = "umulhi")]
    pub fn mulhi(self, rhs: impl Operand) -> Tensor {
        let rhs = rhs.like(self);
        function_scope("mulhi", || {
            let dtype = emit("mulhi", &[self, rhs], Location::caller(), |_, s, _| {
                Takes::Int.check(s[0].dtype(), CONVERT)?;
                same_dtype(s[0].dtype(), s[1].dtype())?;
                Ok(s[0].dtype())
            });
            let Some(dtype) = dtype else { return Tensor::poisoned() };
            let wide = match (dtype.is_signed_int(), dtype.bits()) {
                (true, 64) => return signed_halves(self, rhs),
                (false, 64) => return halves(self, rhs),
                (true, 32) => DType::I64,
                (false, 32) => DType::U64,
                (true, 16) => DType::I32,
                (false, 16) => DType::U32,
                (true, 8) => DType::I16,
                (false, 8) => DType::U16,
                (true, _) => DType::I8,
                (false, _) => DType::U8,
            };
            let product = self.convert(wide) * rhs.convert(wide);
            let bits = dtype.bits();
            let high = if wide.is_signed_int() {
                product.shift_right_arithmetic(bits)
            } else {
                product.shift_right_logical(bits)
            };
            high.convert(dtype)
        })
    }
}

/// The higher half of the product of `u64`, by products of their halves, none of which overflows.
#[track_caller]
fn halves(x: Tensor, y: Tensor) -> Tensor {
    let low = |x: Tensor| x & u64::from(u32::MAX);
    let high = |x: Tensor| x.shift_right_logical(32);
    let first = high(x) * low(y) + high(low(x) * low(y));
    let second = low(x) * high(y) + low(first);
    high(x) * high(y) + high(first) + high(second)
}

/// As [`halves`], for `i64`: a negative number reinterpreted as `u64` is larger by 2^64.
#[track_caller]
fn signed_halves(x: Tensor, y: Tensor) -> Tensor {
    let product = halves(x.bitcast(DType::U64), y.bitcast(DType::U64)).bitcast(DType::I64);
    let excess = |x: Tensor, y: Tensor| x.shift_right_arithmetic(63) & y;
    product - excess(x, y) - excess(y, x)
}
