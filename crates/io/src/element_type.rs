//! The element types of safetensors files.

use hloom_graph::DType;
use safetensors::Dtype;

/// Each type of the format that is a [`DType`].
const TYPES: [(Dtype, DType); 20] = [
    (Dtype::BOOL, DType::Bool),
    (Dtype::U8, DType::U8),
    (Dtype::I8, DType::I8),
    (Dtype::U16, DType::U16),
    (Dtype::I16, DType::I16),
    (Dtype::U32, DType::U32),
    (Dtype::I32, DType::I32),
    (Dtype::U64, DType::U64),
    (Dtype::I64, DType::I64),
    (Dtype::F4, DType::F4E2M1FN),
    (Dtype::F8_E4M3, DType::F8E4M3FN),
    (Dtype::F8_E4M3FNUZ, DType::F8E4M3FNUZ),
    (Dtype::F8_E5M2, DType::F8E5M2),
    (Dtype::F8_E5M2FNUZ, DType::F8E5M2FNUZ),
    (Dtype::F8_E8M0, DType::F8E8M0FNU),
    (Dtype::F16, DType::F16),
    (Dtype::BF16, DType::BF16),
    (Dtype::F32, DType::F32),
    (Dtype::F64, DType::F64),
    (Dtype::C64, DType::C64),
];

/// The element type as a [`DType`], if it is one.
pub fn from_file(dtype: Dtype) -> Option<DType> {
    TYPES.iter().find(|(known, _)| *known == dtype).map(|(_, dtype)| *dtype)
}

/// The element type in files, or `None` if the format has no such type.
pub fn in_file(dtype: DType) -> Option<Dtype> {
    TYPES.iter().find(|(_, known)| *known == dtype).map(|(in_file, _)| *in_file)
}

/// Bits of one element in a file: four-bit elements are packed two to a byte, the first in the low
/// half; `BOOL` takes a byte.
pub fn bits_in_file(dtype: DType) -> usize {
    in_file(dtype).map_or(dtype.bits(), |dtype| dtype.bitsize())
}
