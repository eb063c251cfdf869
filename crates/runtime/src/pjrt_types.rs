//! Element types and shapes in the terms of PJRT.

use hloom_graph::{DType, Shape};

/// The plugin's name for an element type.
pub(crate) fn to_pjrt(dtype: DType) -> hloom_pjrt::DType {
    use hloom_pjrt::DType as P;
    match dtype {
        DType::Bool => P::Pred,
        DType::I2 => P::S2,
        DType::I4 => P::S4,
        DType::I8 => P::S8,
        DType::I16 => P::S16,
        DType::I32 => P::S32,
        DType::I64 => P::S64,
        DType::U2 => P::U2,
        DType::U4 => P::U4,
        DType::U8 | DType::Block(_) => P::U8,
        DType::U16 => P::U16,
        DType::U32 => P::U32,
        DType::U64 => P::U64,
        DType::F4E2M1FN => P::F4E2M1FN,
        DType::F8E3M4 => P::F8E3M4,
        DType::F8E4M3 => P::F8E4M3,
        DType::F8E4M3FN => P::F8E4M3FN,
        DType::F8E4M3FNUZ => P::F8E4M3FNUZ,
        DType::F8E4M3B11FNUZ => P::F8E4M3B11FNUZ,
        DType::F8E5M2 => P::F8E5M2,
        DType::F8E5M2FNUZ => P::F8E5M2FNUZ,
        DType::F8E8M0FNU => P::F8E8M0FNU,
        DType::BF16 => P::BF16,
        DType::F16 => P::F16,
        DType::F32 => P::F32,
        DType::F64 => P::F64,
        DType::C64 => P::C64,
        DType::C128 => P::C128,
    }
}

/// The element type of the plugin's name; `None` for one that graphs do not have.
pub(crate) fn from_pjrt(dtype: hloom_pjrt::DType) -> Option<DType> {
    DType::ALL.into_iter().find(|&ours| to_pjrt(ours) == dtype)
}

/// The sizes of the axes of the array that a device stores.
pub(crate) fn dims_i64(shape: Shape) -> Vec<i64> {
    // A shape's byte size was checked to be addressable, so its sizes fit.
    shape.stored().sizes().iter().map(|&size| size as i64).collect()
}
