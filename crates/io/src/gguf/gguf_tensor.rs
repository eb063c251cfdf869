//! One tensor of a GGUF file.

use super::{GgufType, TensorEntry, dequantize};
use crate::{CheckpointFile, Error, Result};
use std::{fmt, ops::Range, sync::Arc};

/// One tensor of a GGUF file: its element type, its sizes and the range of its bytes in the file.
/// Cloning it is cheap, and it keeps the file open and, if it is, mapped.
#[derive(Clone)]
pub struct GgufTensor {
    name: Arc<str>,
    kind: GgufType,
    sizes: Arc<[usize]>,
    file: Arc<CheckpointFile>,
    range: Range<usize>,
}

impl GgufTensor {
    pub(super) fn new(name: Arc<str>, entry: TensorEntry, file: Arc<CheckpointFile>) -> GgufTensor {
        let TensorEntry { kind, sizes, bytes } = entry;
        GgufTensor { name, kind, sizes: sizes.into(), file, range: bytes }
    }

    /// Its name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its element type.
    pub fn kind(&self) -> GgufType {
        self.kind
    }

    /// Its sizes in row-major order: a matrix is `[out, in]`. Blocks lie along the last axis.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// The number of its elements.
    pub fn element_count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The file that holds it.
    pub fn file(&self) -> &Arc<CheckpointFile> {
        &self.file
    }

    /// The range of its bytes in the file.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Its bytes as in the file: rows of blocks. They are copied from the file, also where it is
    /// mapped: a mapping changes when others write to the file, a copy does not.
    ///
    /// # Errors
    /// The file was truncated, or cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        self.file.read(self.range.clone())
    }

    /// Its elements as `f32`, in row-major order.
    ///
    /// # Errors
    /// The file was truncated, or cannot be read.
    pub fn dequantize(&self) -> Result<Vec<f32>> {
        dequantize(self.kind, &self.bytes()?).map_err(|error| Error::Tensor {
            name: self.name.to_string(),
            message: error.to_string(),
        })
    }
}

impl fmt::Debug for GgufTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kind, sizes) = (&self.name, self.kind, &self.sizes);
        write!(f, "{name}: {kind}{sizes:?} ({})", self.file.path().display())
    }
}
