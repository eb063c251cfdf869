//! Kinds of block-quantised weights.

use super::format::{self, UNIT, Visit};
use std::fmt;

/// The kind of a block-quantised matrix, whose rows are blocks of adjacent values as GGUF files
/// store them. All numbers are little-endian.
#[allow(non_camel_case_types, reason = "the names are those of the formats")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum BlockKind {
    /// 32 values: a scale in `f16` and 32 `i8`, each of which is multiplied by the scale.
    Q8_0,
    /// 32 values: a scale `d` in `f16` and 16 bytes. Their low halves are the values 0 to 15, the
    /// high ones 16 to 31: `(half - 8) * d`.
    Q4_0,
    /// 32 values: a scale `d` and a minimum `m` in `f16`, and 16 bytes as in [`BlockKind::Q4_0`]:
    /// `half * d + m`.
    Q4_1,
    /// 32 values: a scale `d`, 32 bits, of which bit `i` is the fifth one of value `i`, and 16 bytes
    /// as in [`BlockKind::Q4_0`]: `(bits - 16) * d`.
    Q5_0,
    /// 32 values: like [`BlockKind::Q5_0`], with a minimum `m` after the scale: `bits * d + m`.
    Q5_1,
    /// 256 values in eight units: `d` and `m` in `f16`, a scale `s` and a minimum `t` of six bits
    /// for each unit in 12 bytes, and 128 bytes, of which each 32 have the values of a unit in
    /// their low halves and of the next in the high ones: `half * (d * s) - m * t`.
    Q4_K,
    /// 256 values: like [`BlockKind::Q4_K`], with 32 bytes after the scales. Bit `i` of them is
    /// the fifth bit of the values of unit `i`.
    Q5_K,
    /// 256 values: 128 bytes with their lowest four bits, 64 with the highest two, a factor `s` in
    /// `i8` for each 16 values, and a scale `d` in `f16`: `(bits - 32) * (d * s)`.
    Q6_K,
    /// 32 values: a scale in `f16`, and 16 bytes as in [`BlockKind::Q4_0`], whose halves are
    /// indices of a table of numbers between -127 and 113.
    IQ4_NL,
    /// 32 values: the biased exponent of a power of two in 8 bits, and 16 bytes as in
    /// [`BlockKind::Q4_0`], whose halves are floats of four bits (E2M1).
    MXFP4,
}

impl BlockKind {
    /// Every kind.
    pub const ALL: [BlockKind; 10] = [
        BlockKind::Q8_0,
        BlockKind::Q4_0,
        BlockKind::Q4_1,
        BlockKind::Q5_0,
        BlockKind::Q5_1,
        BlockKind::Q4_K,
        BlockKind::Q5_K,
        BlockKind::Q6_K,
        BlockKind::IQ4_NL,
        BlockKind::MXFP4,
    ];

    /// The name: that of GGUF in lower case.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Q8_0 => "q8_0",
            BlockKind::Q4_0 => "q4_0",
            BlockKind::Q4_1 => "q4_1",
            BlockKind::Q5_0 => "q5_0",
            BlockKind::Q5_1 => "q5_1",
            BlockKind::Q4_K => "q4_k",
            BlockKind::Q5_K => "q5_k",
            BlockKind::Q6_K => "q6_k",
            BlockKind::IQ4_NL => "iq4_nl",
            BlockKind::MXFP4 => "mxfp4",
        }
    }

    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<BlockKind> {
        BlockKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The number of values of a block.
    pub fn block_values(self) -> usize {
        format::visit(self, Sizes).0
    }

    /// The number of bytes of a block.
    pub fn block_bytes(self) -> usize {
        format::visit(self, Sizes).1
    }
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The values and bytes of a block.
struct Sizes;

impl Visit for Sizes {
    type Output = (usize, usize);

    fn visit<F: format::Format>(self) -> (usize, usize) {
        (F::UNITS * UNIT, F::BYTES)
    }
}
