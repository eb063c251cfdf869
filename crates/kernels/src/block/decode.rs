//! Dequantisation of rows.

use super::{
    BlockMatrix,
    format::{self, Format, UNIT, Unit, Visit},
    lanes::{self, Lanes, Work, value},
};
use crate::{Element, Error, Isa, MatrixMut, Pool};
use std::{marker::PhantomData, ops::Range};

/// Bytes of blocks per piece of work.
const PIECE_BYTES: usize = 32 << 10;

/// Writes the values of blocks to `out`, `[rows, columns]`, each as the nearest number of its type.
///
/// # Errors
/// [`Error::Size`]: the sizes of the matrices differ. [`Error::Panicked`]: see [`Pool::for_each`].
///
/// # Panics
/// The processor does not support `isa`.
pub fn decode<T: Element>(
    isa: Isa,
    pool: &dyn Pool,
    blocks: BlockMatrix<'_>,
    out: &mut MatrixMut<'_, T>,
) -> Result<(), Error> {
    assert!(isa.is_available(), "the processor has no {isa}");
    Error::check("rows of the result", blocks.rows, out.rows)?;
    Error::check("columns of the result", blocks.columns, out.columns)?;
    let count = (PIECE_BYTES / blocks.row_bytes().max(1)).max(1);
    let out = &*out;
    pool.for_each(blocks.rows.div_ceil(count), &|piece| {
        let rows = piece * count..blocks.rows.min((piece + 1) * count);
        format::visit(blocks.kind, Rows { isa, blocks, rows, out });
    })
}

/// Rows of the result, which belong only to this piece.
struct Rows<'a, T> {
    isa: Isa,
    blocks: BlockMatrix<'a>,
    rows: Range<usize>,
    out: &'a MatrixMut<'a, T>,
}

impl<T: Element> Visit for Rows<'_, T> {
    type Output = ();

    fn visit<F: Format>(self) {
        lanes::run(self.isa, Decode::<T, F> { rows: self, format: PhantomData });
    }
}

struct Decode<'a, T, F> {
    rows: Rows<'a, T>,
    format: PhantomData<F>,
}

impl<T: Element, F: Format> Work for Decode<'_, T, F> {
    #[inline(always)]
    unsafe fn run<L: Lanes>(self) {
        let Rows { blocks, rows, out, .. } = self.rows;
        let row_bytes = blocks.row_bytes();
        for row in rows {
            let from = &blocks.bytes[row * row_bytes..][..row_bytes];
            // SAFETY: within the result; rows belong to one thread.
            let to = unsafe { out.part(row, 0..blocks.columns) };
            let units = to.as_chunks_mut::<UNIT>().0;
            for (at, values) in units.iter_mut().enumerate() {
                let block = &from[at / F::UNITS * F::BYTES..][..F::BYTES];
                decode_unit::<T, F>(block, at % F::UNITS, values);
            }
        }
    }
}

#[inline(always)]
fn decode_unit<T: Element, F: Format>(block: &[u8], unit: usize, to: &mut [T; UNIT]) {
    let Unit { bytes, scale, minimum, factors } = F::unit(block, unit);
    for at in 0..UNIT {
        let scale = if F::HAS_FACTORS { scale * f32::from(factors[at / 16]) } else { scale };
        let scaled = scale * value::<F>(bytes[at]) as f32;
        to[at] = T::from_f32(if F::HAS_MINIMA { scaled + minimum } else { scaled });
    }
}
