//! The order in which a piece of work reads its rows of a weight.

use crate::{Matrix, simd::Simd};
use std::ops::Range;

/// Bytes of a cache line.
const LINE: usize = 64;

/// A part of a weight whose packed form stays in a cache.
pub(super) struct Strip {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
    /// The next strip, to prefetch it meanwhile.
    pub ahead: Ahead,
}

/// The strips of some rows of a weight, of up to as many rows and columns as a `size`: block by
/// block of columns, and in each all rows. After the last one is probably the row `next`.
pub(super) fn strips<W>(
    weight: &Matrix<'_, W>,
    rows: Range<usize>,
    next: usize,
    [height, width]: [usize; 2],
) -> impl Iterator<Item = Strip> {
    let (all, end) = (weight.rows, weight.columns);
    let starts = (0..end.max(1)).step_by(width);
    let first = rows.start;
    let places = starts.flat_map({
        let rows = rows.clone();
        move |column| rows.clone().step_by(height).map(move |row| (row, column))
    });
    places.map(move |(row, column)| {
        let strip = row..rows.end.min(row + height);
        let columns = column..end.min(column + width);
        let (row, column) = match (strip.end < rows.end, columns.end < end) {
            (true, _) => (strip.end, column),
            (false, true) => (first, columns.end),
            (false, false) => (next.min(all), 0),
        };
        let ahead = Ahead::new(weight, row..all.min(row + height), column..end.min(column + width));
        Strip { rows: strip, columns, ahead }
    })
}

/// Iterates over the cache lines of the next strip, to prefetch them.
pub(super) struct Ahead {
    at: *const u8,
    /// The end of the row.
    end: *const u8,
    /// Bytes from the end of a row to the start of the next.
    skip: usize,
    row: usize,
    /// Cache lines.
    lines: usize,
}

impl Ahead {
    #[inline(always)]
    pub fn new<W>(weight: &Matrix<'_, W>, rows: Range<usize>, columns: Range<usize>) -> Ahead {
        let at = weight
            .data
            .as_ptr()
            .wrapping_add(rows.start * weight.stride + columns.start)
            .cast::<u8>();
        let row = columns.len() * size_of::<W>();
        Ahead {
            at,
            end: at.wrapping_add(row),
            skip: weight.stride * size_of::<W>() - row,
            row,
            lines: rows.len() * row.div_ceil(LINE),
        }
    }

    #[inline(always)]
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Prefetches the next `count` lines.
    #[inline(always)]
    pub unsafe fn fetch<S: Simd>(&mut self, count: usize) {
        for _ in 0..count {
            // SAFETY: by the contract of [`Simd`].
            unsafe { S::prefetch_far(self.at) };
            self.at = self.at.wrapping_add(LINE);
            if self.at >= self.end {
                self.at = self.end.wrapping_add(self.skip);
                self.end = self.at.wrapping_add(self.row);
            }
        }
    }
}
