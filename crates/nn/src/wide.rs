//! The element type that layers compute in.

use hloom_graph::{DType, Tensor};

/// The tensor in the type that layers compute in: `f64` stays, all others become `f32`.
#[track_caller]
pub(crate) fn wide(x: Tensor) -> Tensor {
    match x.dtype() {
        DType::F64 => x,
        _ => x.convert(DType::F32),
    }
}
