//! One tensor of a checkpoint.

use crate::{CheckpointFile, Error, Result, RowOrder, format, packed::PackedMatrix};
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
    rows: RowOrder,
    packed: Option<Arc<PackedMatrix>>,
}

impl TensorView {
    pub(crate) fn new(
        name: Arc<str>,
        shape: Shape,
        file: Arc<CheckpointFile>,
        range: Range<usize>,
        rows: RowOrder,
    ) -> TensorView {
        TensorView { name, shape, file, range, rows, packed: None }
    }

    /// A weight whose values are computed from several tensors, one of which is in `file`.
    pub(crate) fn of_packed(
        name: Arc<str>,
        file: Arc<CheckpointFile>,
        packed: Arc<PackedMatrix>,
    ) -> TensorView {
        let shape = packed.shape();
        let (range, rows) = (0..shape.byte_size(), RowOrder::Stored);
        TensorView { name, shape, file, range, rows, packed: Some(packed) }
    }

    /// Its full name in the checkpoint.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its element type, sizes and, if the file was written with them, axis names.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The order in which the file has its rows.
    pub fn row_order(&self) -> RowOrder {
        self.rows
    }

    /// Its bytes in the file's form: elements in row-major order, little-endian, four-bit ones two
    /// to a byte, or rows of blocks. They are copied from the file, also where it is mapped: a
    /// mapping changes when others write to the file, a copy does not.
    ///
    /// # Errors
    /// The file was truncated, or cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        self.read(0..self.byte_size())
    }

    /// The size of its bytes in the file.
    pub(crate) fn byte_size(&self) -> usize {
        self.range.len()
    }

    /// Reads its bytes from `start` on, without touching mapped pages where the file has its rows
    /// in their order.
    ///
    /// # Errors
    /// The file was truncated, or cannot be read.
    pub(crate) fn read_at(&self, start: usize, output: &mut [u8]) -> Result<()> {
        if let Some(packed) = &self.packed {
            return packed.read_at(start, output);
        }
        let rows = self.shape.sizes().first().copied().unwrap_or(1);
        if self.rows == RowOrder::Stored || rows == 0 {
            return self.file.read_at(self.range.start + start, output);
        }
        let row_bytes = self.range.len() / rows;
        let mapped = self.file.mapped().map(|bytes| &bytes[self.range.clone()]);
        if mapped.is_some() {
            self.file.check_size()?;
        }
        let (mut at, mut rest) = (start, output);
        while !rest.is_empty() {
            let (row, within) = (at / row_bytes, at % row_bytes);
            let place = self.rows.in_file(row, rows) * row_bytes + within;
            let (part, others) = rest.split_at_mut(rest.len().min(row_bytes - within));
            match mapped {
                Some(bytes) => part.copy_from_slice(&bytes[place..place + part.len()]),
                None => self.file.read_at(self.range.start + place, part)?,
            }
            at += part.len();
            rest = others;
        }
        Ok(())
    }

    /// Calls `use_bytes` with the bytes of `range`: mapped ones without a copy, if the file has
    /// them in their order.
    ///
    /// # Errors
    /// As [`read_at`](Self::read_at).
    pub(crate) fn with_bytes<R>(
        &self,
        range: Range<usize>,
        use_bytes: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        match self.mapping() {
            Some(bytes) => {
                self.file.check_size()?;
                Ok(use_bytes(&bytes[range]))
            }
            None => Ok(use_bytes(&self.read(range)?)),
        }
    }

    fn read(&self, range: Range<usize>) -> Result<Vec<u8>> {
        let mut bytes = self.file.reserve(range.len())?;
        self.read_at(range.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the memory of mapped pages in `range` of its bytes to the system.
    pub(crate) fn release(&self, range: Range<usize>) {
        if let Some(packed) = &self.packed {
            // Other threads use its parts until all of it is read.
            if range == (0..self.byte_size()) {
                packed.release();
            }
        } else if self.rows == RowOrder::Stored {
            self.file.release(self.range.start + range.start..self.range.start + range.end);
        } else {
            self.file.release(self.range.clone());
        }
    }

    /// Its mapped bytes; `None` if the file is read instead
    /// ([`Access::Read`](crate::Access::Read)), or has the rows in another order.
    ///
    /// # Safety
    /// Nobody writes to the file or truncates it while the bytes are borrowed.
    #[allow(unsafe_code, reason = "the system cannot be asked who writes to a file")]
    pub unsafe fn mapped(&self) -> Option<&[u8]> {
        self.mapping()
    }

    /// Whether its bytes are mapped in their order.
    pub fn is_mapped(&self) -> bool {
        self.mapping().is_some()
    }

    /// Its mapped bytes, which this crate passes to devices and copies without looking at them.
    pub(crate) fn mapping(&self) -> Option<&[u8]> {
        // The range was checked against the file when its header was read.
        let mapped =
            self.file.mapped().filter(|_| self.rows == RowOrder::Stored && self.packed.is_none());
        mapped.map(|bytes| &bytes[self.range.clone()])
    }

    /// The file that holds it, or the first one of its parts.
    pub fn file(&self) -> &Arc<CheckpointFile> {
        &self.file
    }

    /// The range of its bytes in the file; for a weight of several tensors
    /// ([`Checkpoint::unpacked`](crate::Checkpoint::unpacked)), that of the bytes of its values.
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
