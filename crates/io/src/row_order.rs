//! The order of a tensor's rows.

/// The order in which a file has the rows of a tensor, the elements of the first axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RowOrder {
    /// The tensor's own order.
    #[default]
    Stored,
    /// Within each head of queries or keys, the two rows of a rotary pair are next to each other,
    /// as in GGUF files of the Llama family: the file's row `2 * i + half` of a head is the row
    /// `half * size / 2 + i` of the tensor.
    Interleaved {
        /// The number of heads.
        heads: usize,
    },
}

impl RowOrder {
    /// Whether `rows` rows can be in this order: heads of equal and even sizes.
    pub(crate) fn fits(self, rows: usize) -> bool {
        match self {
            RowOrder::Stored => true,
            RowOrder::Interleaved { heads } => heads > 0 && rows.is_multiple_of(2 * heads),
        }
    }

    /// The place in the file of the row at `row` of `rows`.
    pub(crate) fn in_file(self, row: usize, rows: usize) -> usize {
        match self {
            RowOrder::Stored => row,
            RowOrder::Interleaved { heads } => {
                let size = rows / heads;
                let (head, row) = (row / size, row % size);
                let (half, pair) = (row / (size / 2), row % (size / 2));
                head * size + 2 * pair + half
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_taken_apart_within_each_head() {
        let order = RowOrder::Interleaved { heads: 2 };
        let rows: Vec<usize> = (0..12).map(|row| order.in_file(row, 12)).collect();
        assert_eq!(rows, [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11]);
        assert_eq!((0..3).map(|row| RowOrder::Stored.in_file(row, 3)).sum::<usize>(), 3);
    }

    #[test]
    fn heads_have_whole_pairs() {
        let fits = |heads, rows| RowOrder::Interleaved { heads }.fits(rows);
        assert!(fits(2, 12) && fits(3, 0) && RowOrder::Stored.fits(7));
        assert!(!fits(0, 12) && !fits(2, 6) && !fits(5, 12));
    }
}
