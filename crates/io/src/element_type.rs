//! The names of element types in safetensors files.

use hloom_graph::DType;

/// Each name and its type.
const NAMES: [(&str, DType); 20] = [
    ("BOOL", DType::Bool),
    ("U8", DType::U8),
    ("I8", DType::I8),
    ("U16", DType::U16),
    ("I16", DType::I16),
    ("U32", DType::U32),
    ("I32", DType::I32),
    ("U64", DType::U64),
    ("I64", DType::I64),
    ("F4", DType::F4E2M1FN),
    ("F8_E4M3", DType::F8E4M3FN),
    ("F8_E4M3FNUZ", DType::F8E4M3FNUZ),
    ("F8_E5M2", DType::F8E5M2),
    ("F8_E5M2FNUZ", DType::F8E5M2FNUZ),
    ("F8_E8M0", DType::F8E8M0FNU),
    ("F16", DType::F16),
    ("BF16", DType::BF16),
    ("F32", DType::F32),
    ("F64", DType::F64),
    ("C64", DType::C64),
];

/// The element type with this name in files.
pub fn from_file(name: &str) -> Option<DType> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, dtype)| *dtype)
}

/// The name of `dtype` in files, or `None` if the format has no such type.
pub fn in_file(dtype: DType) -> Option<&'static str> {
    NAMES.iter().find(|(_, known)| *known == dtype).map(|(name, _)| *name)
}

/// Bits of one element in a file: four-bit elements are packed two to a byte, the first in the low
/// half; `BOOL` takes a byte.
pub fn bits_in_file(dtype: DType) -> usize {
    match dtype {
        DType::Bool => 8,
        other => other.bits(),
    }
}
