//! Types of values.

use hloom_graph::{DType, MAX_RANK, Shape};
use std::{
    fmt,
    hash::{Hash, Hasher},
};

/// The type of a value: a tensor of this element type and these sizes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Type {
    dtype: DType,
    rank: u8,
    /// The sizes have space for one axis more than a graph's shapes: some ops stack their operands.
    sizes: [usize; MAX_RANK + 1],
}

impl Hash for Type {
    /// Ignores the unused sizes.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.dtype.hash(hasher);
        self.sizes().hash(hasher);
    }
}

impl Type {
    /// The type of a tensor.
    ///
    /// # Panics
    /// With more than [`MAX_RANK`] + 1 sizes.
    pub fn new(dtype: DType, sizes: &[usize]) -> Type {
        let mut all = [0; MAX_RANK + 1];
        all[..sizes.len()].copy_from_slice(sizes);
        Type { dtype, rank: sizes.len() as u8, sizes: all }
    }

    /// The type of a scalar.
    pub fn scalar(dtype: DType) -> Type {
        Type::new(dtype, &[])
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The size of each axis.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes[..self.rank.into()]
    }
}

impl From<Shape> for Type {
    fn from(shape: Shape) -> Type {
        Type::from(&shape)
    }
}

impl From<&Shape> for Type {
    fn from(shape: &Shape) -> Type {
        let stored = shape.stored();
        Type::new(stored.dtype(), stored.sizes())
    }
}

impl fmt::Display for Type {
    /// In MLIR's syntax: `tensor<2x3xf32>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        self.sizes().iter().try_for_each(|size| write!(f, "{size}x"))?;
        write!(f, "{}>", element_name(self.dtype))
    }
}

/// The name of an element type in MLIR's syntax. StableHLO's signed integers are MLIR's signless
/// integers.
pub(crate) fn element_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "i1",
        DType::I2 => "i2",
        DType::I4 => "i4",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U2 => "ui2",
        DType::U4 => "ui4",
        DType::U8 | DType::Block(_) => "ui8",
        DType::U16 => "ui16",
        DType::U32 => "ui32",
        DType::U64 => "ui64",
        DType::F4E2M1FN => "f4E2M1FN",
        DType::F8E3M4 => "f8E3M4",
        DType::F8E4M3 => "f8E4M3",
        DType::F8E4M3FN => "f8E4M3FN",
        DType::F8E4M3FNUZ => "f8E4M3FNUZ",
        DType::F8E4M3B11FNUZ => "f8E4M3B11FNUZ",
        DType::F8E5M2 => "f8E5M2",
        DType::F8E5M2FNUZ => "f8E5M2FNUZ",
        DType::F8E8M0FNU => "f8E8M0FNU",
        DType::BF16 => "bf16",
        DType::F16 => "f16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::C64 => "complex<f32>",
        DType::C128 => "complex<f64>",
    }
}
