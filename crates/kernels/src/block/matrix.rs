//! Views of block-quantised weights.

use super::BlockKind;
use crate::Error;

/// A block-quantised matrix in borrowed memory: contiguous rows of whole blocks.
#[derive(Clone, Copy, Debug)]
pub struct BlockMatrix<'a> {
    pub(super) kind: BlockKind,
    pub(super) bytes: &'a [u8],
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl<'a> BlockMatrix<'a> {
    /// A matrix of `rows` rows with `columns` values each.
    ///
    /// # Errors
    /// [`Error::Blocks`]: a row is not whole blocks. [`Error::Size`]: the length of `bytes` differs
    /// from that of the matrix.
    pub fn new(
        kind: BlockKind,
        bytes: &'a [u8],
        rows: usize,
        columns: usize,
    ) -> Result<Self, Error> {
        let values = kind.block_values();
        if !columns.is_multiple_of(values) {
            return Err(Error::Blocks { columns, values });
        }
        let row_bytes = (columns / values).checked_mul(kind.block_bytes());
        let all_bytes = row_bytes.and_then(|row_bytes| rows.checked_mul(row_bytes));
        // No memory is as large as a product that overflows.
        let expected = all_bytes.unwrap_or(usize::MAX);
        Error::check("bytes of the blocks", expected, bytes.len())?;
        Ok(Self { kind, bytes, rows, columns })
    }

    /// The bytes of a row.
    pub(super) fn row_bytes(&self) -> usize {
        self.columns / self.kind.block_values() * self.kind.block_bytes()
    }
}
