//! Inclusive prefix logarithms of sums of exponentials.

use super::{compare::comparison, cumulative::prefixes};
use crate::{
    applied::Applied, attribute::Number, emit::Value, lower::Lower, lowering::Lowering, types::Type,
};
use hloom_graph::{DType, Direction, Shape, op::CumLogSumExp};

impl Lower for CumLogSumExp {
    type Results = Value;

    /// A reduce window, as of sums. Floats below 32 bits are computed in `f32`.
    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let shape = n.result();
        if shape.dtype().bits() >= 32 {
            return reduced(l, n.operands[0], shape, self.axis);
        }
        let wide = shape.with_dtype(DType::F32);
        let x = l.op("stablehlo.convert", &n.operands, wide, &[]);
        let x = reduced(l, x, wide, self.axis);
        l.op("stablehlo.convert", &[x], shape, &[])
    }
}

fn reduced(l: &mut Lowering<'_>, x: Value, shape: Shape, axis: usize) -> Value {
    let start = Number::Float(f64::NEG_INFINITY);
    let dtype = shape.dtype();
    prefixes(l, x, shape, axis, start, |l, operands| log_add_exp(l, dtype, operands))
}

/// The logarithm of the sum of the exponentials of two scalars.
fn log_add_exp(l: &mut Lowering<'_>, dtype: DType, operands: [Value; 2]) -> Value {
    let scalar = Type::scalar(dtype);
    let max = l.op("stablehlo.maximum", &operands, scalar, &[]);
    let distance = l.op("stablehlo.subtract", &operands, scalar, &[]);
    let size = l.op("stablehlo.abs", &[distance], scalar, &[]);
    let size = l.op("stablehlo.negate", &[size], scalar, &[]);
    let ratio = l.op("stablehlo.exponential", &[size], scalar, &[]);
    let rest = l.op("stablehlo.log_plus_one", &[ratio], scalar, &[]);
    let sum = l.op("stablehlo.add", &[max, rest], scalar, &[]);
    // The distance of equal infinities is NaN; their sum is the result, as is that with a NaN.
    let plain = l.op("stablehlo.add", &operands, scalar, &[]);
    let truth = Type::scalar(DType::Bool);
    let is_nan = comparison(l, Direction::Ne, dtype, [distance, distance], truth);
    l.op("stablehlo.select", &[is_nan, plain, sum], scalar, &[])
}
