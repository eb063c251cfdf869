//! Element types of GGUF files.

use hloom_graph::{BlockKind, DType};
use std::fmt;

/// The element type of a tensor in a GGUF file: a number, or a block of quantised numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of the format")]
#[allow(non_camel_case_types, reason = "the names are those of the format")]
#[non_exhaustive]
pub enum GgufType {
    F32,
    F16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q8_1,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    Q8_K,
    IQ2_XXS,
    IQ2_XS,
    IQ3_XXS,
    IQ1_S,
    IQ4_NL,
    IQ3_S,
    IQ2_S,
    IQ4_XS,
    I8,
    I16,
    I32,
    I64,
    F64,
    IQ1_M,
    BF16,
    TQ1_0,
    TQ2_0,
    MXFP4,
    NVFP4,
    Q1_0,
    Q2_0,
}

use GgufType::*;

/// A type, its number in files and the element type of graphs.
type Row = (GgufType, u32, DType);

/// All types in the order of [`GgufType`].
const TYPES: [Row; 35] = [
    (F32, 0, DType::F32),
    (F16, 1, DType::F16),
    (Q4_0, 2, DType::Block(BlockKind::Q4_0)),
    (Q4_1, 3, DType::Block(BlockKind::Q4_1)),
    (Q5_0, 6, DType::Block(BlockKind::Q5_0)),
    (Q5_1, 7, DType::Block(BlockKind::Q5_1)),
    (Q8_0, 8, DType::Block(BlockKind::Q8_0)),
    (Q8_1, 9, DType::Block(BlockKind::Q8_1)),
    (Q2_K, 10, DType::Block(BlockKind::Q2_K)),
    (Q3_K, 11, DType::Block(BlockKind::Q3_K)),
    (Q4_K, 12, DType::Block(BlockKind::Q4_K)),
    (Q5_K, 13, DType::Block(BlockKind::Q5_K)),
    (Q6_K, 14, DType::Block(BlockKind::Q6_K)),
    (Q8_K, 15, DType::Block(BlockKind::Q8_K)),
    (IQ2_XXS, 16, DType::Block(BlockKind::IQ2_XXS)),
    (IQ2_XS, 17, DType::Block(BlockKind::IQ2_XS)),
    (IQ3_XXS, 18, DType::Block(BlockKind::IQ3_XXS)),
    (IQ1_S, 19, DType::Block(BlockKind::IQ1_S)),
    (IQ4_NL, 20, DType::Block(BlockKind::IQ4_NL)),
    (IQ3_S, 21, DType::Block(BlockKind::IQ3_S)),
    (IQ2_S, 22, DType::Block(BlockKind::IQ2_S)),
    (IQ4_XS, 23, DType::Block(BlockKind::IQ4_XS)),
    (I8, 24, DType::I8),
    (I16, 25, DType::I16),
    (I32, 26, DType::I32),
    (I64, 27, DType::I64),
    (F64, 28, DType::F64),
    (IQ1_M, 29, DType::Block(BlockKind::IQ1_M)),
    (BF16, 30, DType::BF16),
    (TQ1_0, 34, DType::Block(BlockKind::TQ1_0)),
    (TQ2_0, 35, DType::Block(BlockKind::TQ2_0)),
    (MXFP4, 39, DType::Block(BlockKind::MXFP4)),
    (NVFP4, 40, DType::Block(BlockKind::NVFP4)),
    (Q1_0, 41, DType::Block(BlockKind::Q1_0)),
    (Q2_0, 42, DType::Block(BlockKind::Q2_0)),
];

/// Types that the format had, and that llama.cpp does not read any more.
const REMOVED: [(u32, &str); 8] = [
    (4, "Q4_2"),
    (5, "Q4_3"),
    (31, "Q4_0_4_4"),
    (32, "Q4_0_4_8"),
    (33, "Q4_0_8_8"),
    (36, "IQ4_NL_4_4"),
    (37, "IQ4_NL_4_8"),
    (38, "IQ4_NL_8_8"),
];

impl GgufType {
    /// All types, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = GgufType> {
        TYPES.iter().map(|row| row.0)
    }

    /// The type with this number in files; `None` for unknown and removed ones.
    pub fn from_id(id: u32) -> Option<GgufType> {
        TYPES.iter().find(|row| row.1 == id).map(|row| row.0)
    }

    /// The name of a type that the format has no more.
    pub(super) fn removed(id: u32) -> Option<&'static str> {
        REMOVED.iter().find(|row| row.0 == id).map(|row| row.1)
    }

    fn row(self) -> &'static Row {
        &TYPES[self as usize]
    }

    /// Its number in files.
    pub fn id(self) -> u32 {
        self.row().1
    }

    /// The element type that tensors of this type have in graphs.
    pub fn dtype(self) -> DType {
        self.row().2
    }

    /// The type of files for an element type of graphs, if the format has it.
    pub fn from_dtype(dtype: DType) -> Option<GgufType> {
        TYPES.iter().find(|row| row.2 == dtype).map(|row| row.0)
    }

    /// The number of consecutive values of a row that one block stores; 1 for plain numbers.
    pub fn block_len(self) -> usize {
        self.dtype().block().map_or(1, BlockKind::block_len)
    }

    /// The size of a block, or of a plain number, in bytes.
    pub fn block_bytes(self) -> usize {
        self.dtype().block().map_or(self.dtype().size(), BlockKind::block_bytes)
    }
}

impl fmt::Display for GgufType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{self:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_types() {
        for (index, row) in TYPES.iter().enumerate() {
            assert_eq!(row.0 as usize, index, "{}", row.0);
            assert_eq!(format!("{:?}", row.0).to_lowercase(), row.2.name());
            assert_eq!(GgufType::from_id(row.1), Some(row.0));
            assert_eq!(GgufType::from_dtype(row.2), Some(row.0));
        }
    }

    #[test]
    fn each_number_up_to_42_is_a_type_or_removed() {
        for id in 0..43 {
            assert!(GgufType::from_id(id).is_some() != GgufType::removed(id).is_some(), "{id}");
        }
        assert_eq!((GgufType::from_id(43), GgufType::removed(43)), (None, None));
    }
}
