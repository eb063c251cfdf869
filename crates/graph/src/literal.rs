//! Constant data.

use crate::{DType, Element, Shape};
use std::{fmt, sync::Arc};

/// One value of an element type, compared by its bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    dtype: DType,
    bits: [u8; 16],
}

/// The values of a constant tensor, in row-major order, compared by their bits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Literal(Arc<Contents>);

/// The contents of a literal, stored by pointer so that nodes stay small.
#[derive(PartialEq, Eq, Hash)]
struct Contents {
    shape: Shape,
    bytes: Box<[u8]>,
}

impl Scalar {
    /// The value of a Rust number.
    pub fn new<T: Element>(value: T) -> Scalar {
        let mut bits = [0; 16];
        let bytes = bytemuck::bytes_of(&value);
        bits[..bytes.len()].copy_from_slice(bytes);
        Scalar { dtype: T::DTYPE, bits }
    }

    /// The value of an integer, which must be in the range of `dtype`.
    pub(crate) fn from_int(dtype: DType, value: i128) -> Scalar {
        let mut bits = [0; 16];
        let size = dtype.size();
        bits[..size].copy_from_slice(&value.to_le_bytes()[..size]);
        Scalar { dtype, bits }
    }

    /// The value as `f64`, for floats of 16 bits or more.
    pub(crate) fn float(&self) -> Option<f64> {
        let bits = self.bits;
        match self.dtype {
            DType::BF16 => Some(half::bf16::from_le_bytes([bits[0], bits[1]]).into()),
            DType::F16 => Some(half::f16::from_le_bytes([bits[0], bits[1]]).into()),
            DType::F32 => Some(f32::from_le_bytes(*bits.first_chunk()?).into()),
            DType::F64 => Some(f64::from_le_bytes(*bits.first_chunk()?)),
            _ => None,
        }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The value's bytes in host layout.
    pub fn bytes(&self) -> &[u8] {
        &self.bits[..self.dtype.size()]
    }
}

impl Literal {
    /// A literal of a slice; `None` if its length is not the shape's element count.
    pub fn new<T: Element>(values: &[T], shape: Shape) -> Option<Literal> {
        (shape.dtype() == T::DTYPE && values.len() == shape.element_count()).then(|| {
            let bytes = bytemuck::cast_slice(values).into();
            Literal(Arc::new(Contents { shape, bytes }))
        })
    }

    /// The shape, whose axis names are not used.
    pub fn shape(&self) -> Shape {
        self.0.shape
    }

    /// The bytes in host layout.
    pub fn bytes(&self) -> &[u8] {
        &self.0.bytes
    }
}

fn write_value(f: &mut fmt::Formatter<'_>, index: usize, value: &dyn fmt::Debug) -> fmt::Result {
    write!(f, "{}{value:?}", if index > 0 { ", " } else { "" })
}

fn write_values(
    f: &mut fmt::Formatter<'_>,
    dtype: DType,
    bytes: &[u8],
    most: usize,
) -> fmt::Result {
    fn each<T: Element + fmt::Debug>(
        f: &mut fmt::Formatter<'_>,
        bytes: &[u8],
        most: usize,
    ) -> fmt::Result {
        let values = T::from_bytes(&bytes[..bytes.len().min(most * size_of::<T>())]);
        for (i, value) in values.iter().enumerate() {
            write_value(f, i, value)?;
        }
        if bytes.len() > most * size_of::<T>() { f.write_str(", ...") } else { Ok(()) }
    }
    match dtype {
        DType::Bool => each::<bool>(f, bytes, most),
        DType::I8 | DType::I4 | DType::I2 => each::<i8>(f, bytes, most),
        DType::I16 => each::<i16>(f, bytes, most),
        DType::I32 => each::<i32>(f, bytes, most),
        DType::I64 => each::<i64>(f, bytes, most),
        DType::U16 => each::<u16>(f, bytes, most),
        DType::U32 => each::<u32>(f, bytes, most),
        DType::U64 => each::<u64>(f, bytes, most),
        DType::BF16 => each::<half::bf16>(f, bytes, most),
        DType::F16 => each::<half::f16>(f, bytes, most),
        DType::F32 => each::<f32>(f, bytes, most),
        DType::F64 => each::<f64>(f, bytes, most),
        DType::C64 => each::<num_complex::Complex<f32>>(f, bytes, most),
        DType::C128 => each::<num_complex::Complex<f64>>(f, bytes, most),
        _ => each::<u8>(f, bytes, most),
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_values(f, self.dtype, self.bytes(), 1)
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({self})", self.dtype)
    }
}

impl fmt::Display for Literal {
    /// The first values, and `...` when there are more than eight.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        write_values(f, self.shape().dtype(), self.bytes(), 8)?;
        f.write_str("]")
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {self}", self.shape())
    }
}
