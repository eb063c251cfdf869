//! Views of operands and results.

use crate::{Element, Error};
use std::marker::PhantomData;

/// A matrix in borrowed memory: rows of contiguous elements, with a stride of `stride` elements.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    pub(crate) data: &'a [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) stride: usize,
}

/// A mutable matrix.
#[derive(Debug)]
pub struct MatrixMut<'a, T> {
    pub(crate) data: *mut T,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) stride: usize,
    memory: PhantomData<&'a mut [T]>,
}

// SAFETY: as a unique slice; threads that write through it write disjoint elements.
unsafe impl<T: Send> Send for MatrixMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for MatrixMut<'_, T> {}

/// The number of elements from the first to the last of a matrix.
fn reach(rows: usize, columns: usize, stride: usize) -> Option<usize> {
    match rows.checked_sub(1) {
        None => Some(0),
        Some(before) => before.checked_mul(stride)?.checked_add(columns),
    }
}

fn check(len: usize, rows: usize, columns: usize, stride: usize) -> Result<(), Error> {
    let fits = stride >= columns && reach(rows, columns, stride).is_some_and(|reach| reach <= len);
    if fits { Ok(()) } else { Err(Error::View { rows, columns, stride, len }) }
}

impl<'a, T: Element> Matrix<'a, T> {
    /// A matrix of contiguous rows.
    ///
    /// # Errors
    /// [`Error::View`]: `data` is too short.
    pub fn new(data: &'a [T], rows: usize, columns: usize) -> Result<Self, Error> {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A matrix with a row stride of `stride` elements.
    ///
    /// # Errors
    /// [`Error::View`]: `data` is too short, or rows overlap.
    pub fn with_stride(
        data: &'a [T],
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Result<Self, Error> {
        check(data.len(), rows, columns, stride)?;
        Ok(Self { data, rows, columns, stride })
    }

    /// A range of the rows.
    pub(crate) fn range(self, rows: std::ops::Range<usize>) -> Self {
        let start = if rows.is_empty() { 0 } else { rows.start * self.stride };
        Self { data: &self.data[start..], rows: rows.len(), ..self }
    }
}

impl<'a, T: Element> MatrixMut<'a, T> {
    /// A matrix of contiguous rows.
    ///
    /// # Errors
    /// [`Error::View`]: `data` is too short.
    pub fn new(data: &'a mut [T], rows: usize, columns: usize) -> Result<Self, Error> {
        Self::with_stride(data, rows, columns, columns)
    }

    /// A matrix with a row stride of `stride` elements.
    ///
    /// # Errors
    /// [`Error::View`]: `data` is too short, or rows overlap.
    pub fn with_stride(
        data: &'a mut [T],
        rows: usize,
        columns: usize,
        stride: usize,
    ) -> Result<Self, Error> {
        check(data.len(), rows, columns, stride)?;
        Ok(Self { data: data.as_mut_ptr(), rows, columns, stride, memory: PhantomData })
    }

    /// A mutable part of a row.
    ///
    /// # Safety
    /// It is within the matrix, and no other thread uses it.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "threads write disjoint parts")]
    pub(crate) unsafe fn part(&self, row: usize, columns: std::ops::Range<usize>) -> &mut [T] {
        debug_assert!(row < self.rows && columns.end <= self.columns, "BUG: outside of the result");
        // SAFETY: by the contract of this function.
        unsafe {
            std::slice::from_raw_parts_mut(
                self.data.add(row * self.stride + columns.start),
                columns.len(),
            )
        }
    }
}
