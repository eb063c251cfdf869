//! Errors of kernels.

/// Operands that do not fit, or work that failed.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A view exceeds its memory.
    #[error("{rows} rows of {columns} elements every {stride} do not fit into {len} elements")]
    View {
        /// Rows of the view.
        rows: usize,
        /// Columns of the view.
        columns: usize,
        /// Distance between rows in elements.
        stride: usize,
        /// Number of elements of the memory.
        len: usize,
    },
    /// A size of one operand differs from another operand's.
    #[error("{what}: expected {expected}, found {found}")]
    Size {
        /// The name of the size.
        what: &'static str,
        /// The required size.
        expected: usize,
        /// The actual size.
        found: usize,
    },
    /// A row is not whole blocks.
    #[error("rows of {columns} values are not whole blocks of {values}")]
    Blocks {
        /// Values of a row.
        columns: usize,
        /// Values of a block.
        values: usize,
    },
    /// A piece of work panicked.
    #[error("a piece of work panicked")]
    Panicked,
    /// `HLOOM_KERNELS_ISA` is not an instruction set of this processor.
    #[error("HLOOM_KERNELS_ISA is `{name}`; this processor has {available}")]
    Isa {
        /// The name.
        name: String,
        /// The available names.
        available: String,
    },
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// Returns [`Error::Size`] unless both sizes are equal.
    pub(crate) fn check(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
        if expected == found { Ok(()) } else { Err(Error::Size { what, expected, found }) }
    }
}
