//! Rust types that correspond to element types.

use crate::DType;
use half::{bf16, f16};
use num_complex::Complex;

/// A Rust type with the size and semantics of a [`DType`].
pub trait Element:
    private::Sealed + bytemuck::NoUninit + Default + PartialEq + std::fmt::Debug + Send + Sync + 'static
{
    /// The element type.
    const DTYPE: DType;

    /// Reads elements from the bytes of a tensor in host layout, which need not be aligned; bytes
    /// after the last whole element are ignored.
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
}

mod private {
    pub trait Sealed {}
}

macro_rules! element {
    ($($rust:ty => $dtype:ident),*) => { $(
        impl private::Sealed for $rust {}
        impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
            fn from_bytes(bytes: &[u8]) -> Vec<Self> {
                bytes.chunks_exact(size_of::<Self>()).map(bytemuck::pod_read_unaligned).collect()
            }
        }
    )* };
}
element!(
    i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    bf16 => BF16, f16 => F16, f32 => F32, f64 => F64, Complex<f32> => C64, Complex<f64> => C128
);

impl private::Sealed for bool {}
impl Element for bool {
    const DTYPE: DType = DType::Bool;
    fn from_bytes(bytes: &[u8]) -> Vec<bool> {
        bytes.iter().map(|&b| b != 0).collect()
    }
}
