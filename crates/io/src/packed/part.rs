//! The stored tensors of a packed weight.

use crate::{Error, Result, TensorView, convert::Conversion};
use hloom_graph::{DType, Shape};
use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

/// A stored tensor, whose bytes are kept in memory while they are used if its file is not mapped.
#[derive(Debug)]
pub(super) struct Part {
    view: TensorView,
    read: Mutex<Option<Arc<Vec<u8>>>>,
}

impl Part {
    pub fn new(view: TensorView) -> Part {
        Part { view, read: Mutex::new(None) }
    }

    pub fn name(&self) -> &str {
        self.view.name()
    }

    pub fn shape(&self) -> Shape {
        self.view.shape()
    }

    /// Calls a function with all bytes.
    pub fn with_bytes<R>(&self, use_bytes: impl FnOnce(&[u8]) -> R) -> Result<R> {
        if self.view.is_mapped() {
            return self.view.with_bytes(0..self.view.byte_size(), use_bytes);
        }
        let bytes = {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            match &*read {
                Some(bytes) => bytes.clone(),
                None => read.insert(Arc::new(self.view.bytes()?)).clone(),
            }
        };
        Ok(use_bytes(&bytes))
    }

    /// The values of some elements, read as those of `dtype`: a float, or `i8`.
    pub fn values(&self, dtype: DType, elements: Range<usize>) -> Result<Vec<f32>> {
        let conversion = Conversion::between(dtype, DType::F32)
            .filter(|conversion| !matches!(conversion, Conversion::Dequantize { .. }));
        self.with_bytes(|bytes| {
            let Some(conversion) = conversion else {
                let bytes = &bytes[elements];
                return bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect();
            };
            let unit = conversion.unit(DType::F32);
            let bytes = &bytes[unit.file_offset(elements.start)..unit.file_offset(elements.end)];
            let mut values = vec![0; 4 * elements.len()];
            conversion.run(bytes, &mut values).expect("floats fit into f32");
            let (values, _) = values.as_chunks::<4>();
            values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
        })
    }

    /// The values of some elements of a tensor of floats or of `i8`.
    pub fn floats(&self, elements: Range<usize>) -> Result<Vec<f32>> {
        self.values(self.shape().dtype(), elements)
    }

    /// Frees memory.
    pub fn release(&self) {
        self.view.release(0..self.view.byte_size());
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub fn error(&self, message: String) -> Error {
        Error::Tensor { name: self.name().to_owned(), message }
    }

    /// Checks the sizes and that the element type is one of some.
    pub fn check(&self, dtypes: &[DType], sizes: &[usize]) -> Result<()> {
        let shape = self.shape();
        if dtypes.contains(&shape.dtype()) && shape.sizes() == sizes {
            return Ok(());
        }
        let names: Vec<&str> = dtypes.iter().map(|dtype| dtype.name()).collect();
        Err(self.error(format!("expected {}{sizes:?}, found {shape}", names.join(" or "))))
    }
}
