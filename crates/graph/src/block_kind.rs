//! Formats of quantised numbers.

use std::fmt;

/// A format of quantised numbers: a block of a few bytes holds consecutive numbers of a row, as
/// small integers with the scales, minima or tables that they share.
///
/// The names and the bytes of a block are those of GGUF files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the variants' names are those of the formats")]
#[allow(non_camel_case_types, reason = "the names are those of the formats")]
#[non_exhaustive]
pub enum BlockKind {
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
    IQ1_M,
    TQ1_0,
    TQ2_0,
    MXFP4,
    NVFP4,
    Q1_0,
    Q2_0,
}

use BlockKind::*;

/// The name of a kind, the numbers of a block and the bytes of a block.
type Row = (BlockKind, &'static str, usize, usize);

/// All kinds in the order of [`BlockKind`].
const KINDS: [Row; 27] = [
    (Q4_0, "q4_0", 32, 18),
    (Q4_1, "q4_1", 32, 20),
    (Q5_0, "q5_0", 32, 22),
    (Q5_1, "q5_1", 32, 24),
    (Q8_0, "q8_0", 32, 34),
    (Q8_1, "q8_1", 32, 36),
    (Q2_K, "q2_k", 256, 84),
    (Q3_K, "q3_k", 256, 110),
    (Q4_K, "q4_k", 256, 144),
    (Q5_K, "q5_k", 256, 176),
    (Q6_K, "q6_k", 256, 210),
    (Q8_K, "q8_k", 256, 292),
    (IQ2_XXS, "iq2_xxs", 256, 66),
    (IQ2_XS, "iq2_xs", 256, 74),
    (IQ3_XXS, "iq3_xxs", 256, 98),
    (IQ1_S, "iq1_s", 256, 50),
    (IQ4_NL, "iq4_nl", 32, 18),
    (IQ3_S, "iq3_s", 256, 110),
    (IQ2_S, "iq2_s", 256, 82),
    (IQ4_XS, "iq4_xs", 256, 136),
    (IQ1_M, "iq1_m", 256, 56),
    (TQ1_0, "tq1_0", 256, 54),
    (TQ2_0, "tq2_0", 256, 66),
    (MXFP4, "mxfp4", 32, 17),
    (NVFP4, "nvfp4", 64, 36),
    (Q1_0, "q1_0", 128, 18),
    (Q2_0, "q2_0", 64, 18),
];

impl BlockKind {
    /// All kinds.
    pub fn all() -> impl Iterator<Item = BlockKind> {
        KINDS.iter().map(|row| row.0)
    }

    const fn row(self) -> &'static Row {
        &KINDS[self as usize]
    }

    /// The name in printed shapes, such as `q4_k`.
    pub const fn name(self) -> &'static str {
        self.row().1
    }

    /// The kind called `name`, as printed by [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<BlockKind> {
        BlockKind::all().find(|kind| kind.name() == name)
    }

    /// The number of consecutive elements of a row that one block holds.
    pub const fn block_len(self) -> usize {
        self.row().2
    }

    /// The size of a block in bytes.
    pub const fn block_bytes(self) -> usize {
        self.row().3
    }

    /// The size in bytes of a row of this many elements; an incomplete last block counts as a whole
    /// one.
    pub const fn row_bytes(self, elements: usize) -> usize {
        elements.div_ceil(self.block_len()) * self.block_bytes()
    }
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_kinds() {
        for (index, row) in KINDS.iter().enumerate() {
            assert_eq!(row.0 as usize, index, "{}", row.1);
            assert_eq!(format!("{:?}", row.0).to_lowercase(), row.1);
        }
    }

    #[test]
    fn an_incomplete_block_takes_a_whole_one() {
        let sizes = [0, 1, 32, 33, 64].map(|elements| Q4_1.row_bytes(elements));
        assert_eq!(sizes, [0, 20, 20, 40, 40]);
    }
}
