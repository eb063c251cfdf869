//! The grids of the IQ kinds: tables of short vectors, which blocks store the indices of.
//!
//! `iq_grids.bin` holds them one after the other, two bytes for each vector: eight numbers of 2 bits
//! or four of 4 bits, from the lowest on, which select from the levels of the grid. The data are
//! those of llama.cpp; `tests/oracle/gguf_files.py` extracts them from the package `gguf`.

/// A table of vectors.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct IqGrid {
    /// The position of the first vector in the file.
    start: usize,
    /// The number of vectors.
    count: usize,
    /// The bits of each number.
    bits: usize,
    /// The values that the numbers stand for.
    levels: &'static [i8],
}

const BYTES: &[u8; 2 * (256 + 512 + 1024 + 256 + 512 + 2048)] = include_bytes!("iq_grids.bin");

const LEVELS_1: &[i8] = &[-1, 0, 1];
const LEVELS_2: &[i8] = &[8, 25, 43];
const LEVELS_3_XXS: &[i8] = &[4, 12, 20, 28, 36, 44, 52, 62];
const LEVELS_3_S: &[i8] = &[1, 3, 5, 7, 9, 11, 13, 15];

impl IqGrid {
    pub const IQ2_XXS: IqGrid = IqGrid { start: 0, count: 256, bits: 2, levels: LEVELS_2 };
    pub const IQ2_XS: IqGrid = IqGrid { start: 256, count: 512, bits: 2, levels: LEVELS_2 };
    pub const IQ2_S: IqGrid = IqGrid { start: 768, count: 1024, bits: 2, levels: LEVELS_2 };
    pub const IQ3_XXS: IqGrid = IqGrid { start: 1792, count: 256, bits: 4, levels: LEVELS_3_XXS };
    pub const IQ3_S: IqGrid = IqGrid { start: 2048, count: 512, bits: 4, levels: LEVELS_3_S };
    pub const IQ1: IqGrid = IqGrid { start: 2560, count: 2048, bits: 2, levels: LEVELS_1 };

    /// The number of vectors and the size of each.
    pub(crate) const fn sizes(&self) -> [usize; 2] {
        [self.count, 16 / self.bits]
    }

    /// Element `element` of the vector with an index.
    ///
    /// # Panics
    /// The index or the element is out of range.
    pub fn get(&self, index: usize, element: usize) -> i8 {
        let at = 2 * (self.start + index);
        let vector = u16::from_le_bytes([BYTES[at], BYTES[at + 1]]);
        let level = vector >> (self.bits * element) & ((1 << self.bits) - 1);
        self.levels[usize::from(level)]
    }

    /// The vectors one after the other.
    pub(crate) fn values(&self) -> Vec<i8> {
        let [count, size] = self.sizes();
        (0..count).flat_map(|index| (0..size).map(move |at| self.get(index, at))).collect()
    }
}
