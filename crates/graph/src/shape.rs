//! Shapes: an element type and named axes.

use crate::{Axis, DType, Dims, IntoDims, Name, ShapeError};
use std::fmt;

/// An element type and up to eight axes, each with a size and an optional name. Printed as
/// `f32[batch=32, in=784]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    dtype: DType,
    dims: Dims,
}

impl Shape {
    /// A shape of `dtype` elements.
    ///
    /// # Errors
    /// As [`IntoDims::into_dims`]; or blocks that do not fill the rows along the last axis.
    pub fn new(dtype: DType, dims: impl IntoDims) -> Result<Shape, ShapeError> {
        let shape = Shape { dtype, dims: dims.into_dims()? };
        shape.check_blocks()?;
        Ok(shape)
    }

    /// Returns an error if the elements are blocks that do not fill the rows.
    pub(crate) fn check_blocks(&self) -> Result<(), ShapeError> {
        let Some(kind) = self.dtype.block() else { return Ok(()) };
        let row = self.sizes().last().copied().unwrap_or(1);
        if row.is_multiple_of(kind.block_len()) {
            Ok(())
        } else {
            Err(ShapeError::Blocks { kind, row })
        }
    }

    /// A shape without axes.
    pub fn scalar(dtype: DType) -> Shape {
        Shape { dtype, dims: Dims::default() }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.dims.sizes.len()
    }

    /// The axes with names.
    pub fn axes(&self) -> Dims {
        self.dims
    }

    /// The sizes of the axes, in order.
    pub fn sizes(&self) -> &[usize] {
        &self.dims.sizes
    }

    /// The names of the axes, in order.
    pub fn names(&self) -> &[Option<Name>] {
        &self.dims.names
    }

    /// The size of an axis, or `None` when there is no such axis.
    pub fn size(&self, axis: impl Into<Axis>) -> Option<usize> {
        self.position(axis).ok().map(|i| self.dims.sizes[i])
    }

    /// The number of elements of a tensor of this shape.
    pub fn element_count(&self) -> usize {
        self.dims.sizes.iter().product()
    }

    /// The number of bytes of a tensor of this shape on the host.
    pub fn byte_size(&self) -> usize {
        match self.dtype {
            DType::Block(_) => {
                let stored = self.stored();
                stored.sizes().iter().fold(1, |bytes, &size| bytes.saturating_mul(size))
            }
            dtype => self.element_count() * dtype.size(),
        }
    }

    /// The shape of the array that a device stores: for blocks the bytes of each row, `u8[.., row]`,
    /// with the axes' names; else this shape.
    pub fn stored(&self) -> Shape {
        let DType::Block(kind) = self.dtype else { return *self };
        let mut stored = self.with_dtype(DType::U8);
        if let Some(row) = stored.dims.sizes.as_mut_slice().last_mut() {
            *row = kind.row_bytes(*row);
        }
        stored
    }

    /// The index of an axis.
    ///
    /// # Errors
    /// There is no axis of that name, or the index is out of range.
    pub fn position(&self, axis: impl Into<Axis>) -> Result<usize, ShapeError> {
        let axis = axis.into();
        let found = match axis {
            Axis::Name(name) => self.dims.names.iter().position(|&n| n == Some(name)),
            Axis::Index(index) => {
                let rank = self.rank() as isize;
                let index = if index < 0 { index + rank } else { index };
                (0..rank).contains(&index).then_some(index as usize)
            }
        };
        found.ok_or_else(|| ShapeError::NoSuchAxis { axis, shape: Box::new(*self) })
    }

    /// The same axes with another element type.
    pub fn with_dtype(self, dtype: DType) -> Shape {
        Shape { dtype, ..self }
    }

    /// The same element type with other axes.
    pub fn with_dims(self, dims: Dims) -> Shape {
        Shape { dims, ..self }
    }

    /// The same axes with other sizes, one for each.
    pub(crate) fn with_sizes(
        mut self,
        sizes: impl IntoIterator<Item = usize>,
    ) -> Result<Shape, ShapeError> {
        for (old, new) in self.dims.sizes.as_mut_slice().iter_mut().zip(sizes) {
            *old = new;
        }
        self.dims.check_size()?;
        Ok(self)
    }

    /// The label of an axis in messages: its name, or its index if it has none.
    pub(crate) fn label(&self, position: usize) -> Axis {
        self.names()[position].map_or(Axis::from(position), Axis::from)
    }

    /// The same sizes without names.
    pub fn unnamed(mut self) -> Shape {
        self.dims.names.as_mut_slice().fill(None);
        self
    }

    /// The same shape without the axis at `position`.
    pub(crate) fn without(mut self, position: usize) -> Shape {
        self.dims.sizes.remove(position);
        self.dims.names.remove(position);
        self
    }

    /// Whether element type and sizes are equal; axis names are ignored.
    pub fn same_layout(&self, other: &Shape) -> bool {
        self.dtype == other.dtype && self.sizes() == other.sizes()
    }

    /// Whether every axis has a name.
    pub fn is_named(&self) -> bool {
        self.dims.names.iter().all(Option::is_some)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.dtype)?;
        for (i, (size, name)) in self.sizes().iter().zip(self.names()).enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            match name {
                Some(name) => write!(f, "{name}={size}")?,
                None => write!(f, "{size}")?,
            }
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
