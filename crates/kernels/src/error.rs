//! What a kernel refuses.

/// Operands that do not fit, or work that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A view reaches beyond its memory.
    #[error("{rows} rows of {columns} elements every {stride} do not fit into {len} elements")]
    View {
        /// Rows of the view.
        rows: usize,
        /// Columns of the view.
        columns: usize,
        /// Elements from one row to the next.
        stride: usize,
        /// Elements of the memory.
        len: usize,
    },
    /// A size of one operand is not what another asks for.
    #[error("{what}: expected {expected}, found {found}")]
    Size {
        /// Which size.
        what: &'static str,
        /// What it has to be.
        expected: usize,
        /// What it is.
        found: usize,
    },
    /// A piece of work panicked.
    #[error("a piece of work panicked")]
    Panicked,
    /// `HLOOM_KERNELS_ISA` names no instruction set of this processor.
    #[error("HLOOM_KERNELS_ISA is `{name}`; this processor has {available}")]
    Isa {
        /// The name.
        name: String,
        /// Those that it could be.
        available: String,
    },
}

impl Error {
    /// [`Error::Size`] unless both sizes are the same.
    pub(crate) fn check(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
        match expected == found {
            true => Ok(()),
            false => Err(Error::Size { what, expected, found }),
        }
    }
}
