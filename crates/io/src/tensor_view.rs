//! One tensor of a checkpoint.

use crate::{CheckpointFile, Error, Result, format};
use hloom_graph::{Element, Shape};
use std::{fmt, ops::Range, sync::Arc};

/// One tensor of a checkpoint: its shape and the range of its bytes in the file. Cloning it is
/// cheap, and it keeps the file open and, if it is, mapped.
#[derive(Clone)]
pub struct TensorView {
    name: Arc<str>,
    shape: Shape,
    file: Arc<CheckpointFile>,
    range: Range<usize>,
}

impl TensorView {
    pub(crate) fn new(
        name: Arc<str>,
        shape: Shape,
        file: Arc<CheckpointFile>,
        range: Range<usize>,
    ) -> TensorView {
        TensorView { name, shape, file, range }
    }

    /// Its full name in the checkpoint.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its element type, sizes and, if the file was written with them, axis names.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its bytes in the file's form: elements in row-major order, little-endian, four-bit ones two
    /// to a byte. They are copied from the file, also where it is mapped: a mapping changes when
    /// others write to the file, a copy does not.
    ///
    /// # Errors
    /// The file was truncated, or cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        self.file.read(self.range.clone())
    }

    /// Its mapped bytes; `None` if the file is read instead
    /// ([`Access::Read`](crate::Access::Read)).
    ///
    /// # Safety
    /// Nobody writes to the file or truncates it while the bytes are borrowed.
    #[allow(unsafe_code, reason = "the system cannot be asked who writes to a file")]
    pub unsafe fn mapped(&self) -> Option<&[u8]> {
        self.mapping()
    }

    /// Whether the file is mapped.
    pub fn is_mapped(&self) -> bool {
        self.mapping().is_some()
    }

    /// Its mapped bytes, which this crate passes to devices and copies without looking at them.
    pub(crate) fn mapping(&self) -> Option<&[u8]> {
        // The range was checked against the file when its header was read.
        self.file.mapped().map(|bytes| &bytes[self.range.clone()])
    }

    /// The file that holds it.
    pub fn file(&self) -> &Arc<CheckpointFile> {
        &self.file
    }

    /// The range of its bytes in the file.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Whether its bytes are mapped and begin at a multiple of `alignment` bytes in memory.
    pub fn is_aligned(&self, alignment: usize) -> bool {
        self.mapping().is_some_and(|bytes| bytes.as_ptr().addr().is_multiple_of(alignment))
    }

    /// Its elements.
    ///
    /// # Errors
    /// The tensor is of another element type than `E`, or its bytes cannot be read.
    pub fn to_vec<E: Element>(&self) -> Result<Vec<E>> {
        if self.shape.dtype() != E::DTYPE {
            return Err(Error::Tensor {
                name: self.name.to_string(),
                message: format!("its elements are {}, not {}", self.shape.dtype(), E::DTYPE),
            });
        }
        debug_assert!(!format::is_packed(E::DTYPE), "no Rust type has half a byte");
        Ok(E::from_bytes(&self.bytes()?))
    }
}

impl fmt::Debug for TensorView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.name, self.shape, self.file.path().display())
    }
}
