//! The grids of the IQ types: tables of short vectors, which blocks store the indices of.
//!
//! `iq_grids.bin` holds them one after the other, two bytes for each vector: eight numbers of 2 bits
//! or four of 4 bits, from the lowest on, which select from the levels of the grid. The data are
//! those of llama.cpp; `tests/oracle/gguf_files.py` extracts them from the package `gguf`.

/// A table of vectors.
pub(super) struct Grid {
    /// The position of the first vector in the file.
    start: usize,
    /// The bits of each number.
    bits: usize,
    /// The values that the numbers stand for.
    levels: &'static [i8],
}

const BYTES: &[u8; 2 * (256 + 512 + 1024 + 256 + 512 + 2048)] = include_bytes!("iq_grids.bin");

const LEVELS_2: &[i8] = &[8, 25, 43];

pub(super) const IQ2_XXS: Grid = Grid { start: 0, bits: 2, levels: LEVELS_2 };
pub(super) const IQ2_XS: Grid = Grid { start: 256, bits: 2, levels: LEVELS_2 };
pub(super) const IQ2_S: Grid = Grid { start: 768, bits: 2, levels: LEVELS_2 };
pub(super) const IQ3_XXS: Grid =
    Grid { start: 1792, bits: 4, levels: &[4, 12, 20, 28, 36, 44, 52, 62] };
pub(super) const IQ3_S: Grid = Grid { start: 2048, bits: 4, levels: &[1, 3, 5, 7, 9, 11, 13, 15] };
pub(super) const IQ1: Grid = Grid { start: 2560, bits: 2, levels: &[-1, 0, 1] };

impl Grid {
    /// Element `element` of the vector with an index.
    pub fn get(&self, index: usize, element: usize) -> f32 {
        let at = 2 * (self.start + index);
        let vector = u16::from_le_bytes([BYTES[at], BYTES[at + 1]]);
        let level = vector >> (self.bits * element) & ((1 << self.bits) - 1);
        f32::from(self.levels[usize::from(level)])
    }
}
