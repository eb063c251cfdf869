//! The numbers of packed weights before they are scaled.

use super::part::Part;
use crate::Result;
use hloom_graph::DType;
use std::ops::Range;

/// The place in a word of AWQ, from the lowest field on, of each of eight adjacent rows.
const AWQ_PLACES: [usize; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

/// An arrangement of numbers, as a matrix of rows and columns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arrangement {
    /// Elements of their own, row by row.
    Elements,
    /// Fields of this many bits in the bytes of a row, from the lowest on, minus an offset.
    Fields { bits: usize, offset: u8 },
    /// Floats of four bits (E2M1), two to a byte, the first one in the low half.
    E2m1,
    /// Fields of this many bits, minus an offset, in words of 32 bits, `[words, columns]`: those of
    /// a word are in adjacent rows.
    Down { bits: usize, offset: u8 },
    /// Fields of four bits in words of 32 bits, `[columns, words]`: those of a word are in adjacent
    /// rows, in the order of AWQ.
    Awq,
    /// Fields of this many bits in words of 32 bits, `[columns, words]`: those of a word are in
    /// adjacent rows.
    Across { bits: usize },
    /// Fields of this many bits in words of 32 bits, `[words, rows]`: those of a word are in
    /// adjacent columns.
    Gptq { bits: usize },
}

/// Writes rows of `columns` numbers each; `all` is the number of rows of the whole.
pub(super) fn read(
    part: &Part,
    arrangement: Arrangement,
    rows: Range<usize>,
    [all, columns]: [usize; 2],
    to: &mut [f32],
) -> Result<()> {
    let as_dtype = match arrangement {
        Arrangement::Elements => Some(part.shape().dtype()),
        Arrangement::E2m1 => Some(DType::F4E2M1FN),
        _ => None,
    };
    if let Some(dtype) = as_dtype {
        let elements = rows.start * columns..rows.end * columns;
        to.copy_from_slice(&part.values(dtype, elements)?);
        return Ok(());
    }
    part.with_bytes(|bytes| {
        let word = |at: usize| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|byte| bytes[4 * at + byte]);
            u32::from_le_bytes([a, b, c, d])
        };
        let number = |row: usize, column: usize| match arrangement {
            Arrangement::Fields { bits, offset } => {
                let at = row * columns + column;
                let mask = ((1u16 << bits) - 1) as u8;
                let field = bytes[at * bits / 8] >> (at * bits % 8) & mask;
                f32::from(field) - f32::from(offset)
            }
            Arrangement::Down { bits, offset } => {
                let per_word = 32 / bits;
                let field = field(word(row / per_word * columns + column), row % per_word, bits);
                field - f32::from(offset)
            }
            Arrangement::Awq => field(word(column * (all / 8) + row / 8), AWQ_PLACES[row % 8], 4),
            Arrangement::Across { bits } => {
                let per_word = 32 / bits;
                field(word(column * (all / per_word) + row / per_word), row % per_word, bits)
            }
            Arrangement::Gptq { bits } => {
                let per_word = 32 / bits;
                field(word(column / per_word * all + row), column % per_word, bits)
            }
            Arrangement::Elements | Arrangement::E2m1 => unreachable!("read before"),
        };
        for (row, to) in rows.zip(to.chunks_exact_mut(columns.max(1))) {
            for (column, to) in to.iter_mut().enumerate() {
                *to = number(row, column);
            }
        }
    })
}

fn field(word: u32, place: usize, bits: usize) -> f32 {
    (word >> (place * bits) & ((1u64 << bits) - 1) as u32) as f32
}
