//! The element type that layers compute in.

use hloom_graph::{DType, Tensor};

/// The tensor in the type that layers compute in: `f64` stays, all others become `f32`.
///
/// ```
/// use hloom_graph::{DType, Spec, TraceScope};
/// use hloom_nn::wide;
///
/// let trace = TraceScope::begin("example");
/// let x = trace.parameter("x", &Spec::bf16([4]), false);
/// let y = trace.parameter("y", &Spec::f64([4]), false);
/// assert_eq!([wide(x).dtype(), wide(y).dtype()], [DType::F32, DType::F64]);
/// ```
#[track_caller]
pub fn wide(x: Tensor) -> Tensor {
    match x.dtype() {
        DType::F64 => x,
        _ => x.convert(DType::F32),
    }
}

/// The type in which numbers for `dtype` are drawn: floats below 32 bits become `f32`.
pub(crate) fn wide_type(dtype: DType) -> DType {
    if dtype.is_float() && dtype.bits() < 32 { DType::F32 } else { dtype }
}
