//! Element types of GGUF files.

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

/// The number of a type in files, its name, the values of a block and the bytes of a block.
type Row = (GgufType, u32, &'static str, usize, usize);

/// All types in the order of [`GgufType`].
const TYPES: [Row; 35] = [
    (F32, 0, "F32", 1, 4),
    (F16, 1, "F16", 1, 2),
    (Q4_0, 2, "Q4_0", 32, 18),
    (Q4_1, 3, "Q4_1", 32, 20),
    (Q5_0, 6, "Q5_0", 32, 22),
    (Q5_1, 7, "Q5_1", 32, 24),
    (Q8_0, 8, "Q8_0", 32, 34),
    (Q8_1, 9, "Q8_1", 32, 36),
    (Q2_K, 10, "Q2_K", 256, 84),
    (Q3_K, 11, "Q3_K", 256, 110),
    (Q4_K, 12, "Q4_K", 256, 144),
    (Q5_K, 13, "Q5_K", 256, 176),
    (Q6_K, 14, "Q6_K", 256, 210),
    (Q8_K, 15, "Q8_K", 256, 292),
    (IQ2_XXS, 16, "IQ2_XXS", 256, 66),
    (IQ2_XS, 17, "IQ2_XS", 256, 74),
    (IQ3_XXS, 18, "IQ3_XXS", 256, 98),
    (IQ1_S, 19, "IQ1_S", 256, 50),
    (IQ4_NL, 20, "IQ4_NL", 32, 18),
    (IQ3_S, 21, "IQ3_S", 256, 110),
    (IQ2_S, 22, "IQ2_S", 256, 82),
    (IQ4_XS, 23, "IQ4_XS", 256, 136),
    (I8, 24, "I8", 1, 1),
    (I16, 25, "I16", 1, 2),
    (I32, 26, "I32", 1, 4),
    (I64, 27, "I64", 1, 8),
    (F64, 28, "F64", 1, 8),
    (IQ1_M, 29, "IQ1_M", 256, 56),
    (BF16, 30, "BF16", 1, 2),
    (TQ1_0, 34, "TQ1_0", 256, 54),
    (TQ2_0, 35, "TQ2_0", 256, 66),
    (MXFP4, 39, "MXFP4", 32, 17),
    (NVFP4, 40, "NVFP4", 64, 36),
    (Q1_0, 41, "Q1_0", 128, 18),
    (Q2_0, 42, "Q2_0", 64, 18),
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

    /// Its name in the format, such as `Q4_K`.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// The number of consecutive values of a row that one block stores; 1 for plain numbers.
    pub fn block_len(self) -> usize {
        self.row().3
    }

    /// The size of a block in bytes.
    pub fn block_bytes(self) -> usize {
        self.row().4
    }
}

impl fmt::Display for GgufType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_types() {
        for (index, row) in TYPES.iter().enumerate() {
            assert_eq!(row.0 as usize, index, "{}", row.2);
            assert_eq!(format!("{:?}", row.0), row.2);
            assert_eq!(GgufType::from_id(row.1), Some(row.0));
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
