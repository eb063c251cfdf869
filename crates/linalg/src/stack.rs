//! Stacks of matrices in the memory of a call.

use crate::Scalar;
use faer::{MatMut, MatRef, Par};
use hloom_ffi::{CallFrame, Element, HandlerError, Input, Output};
use rayon::prelude::*;

/// The order of the elements of a matrix in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Rows one after the other.
    RowMajor,
    /// Columns one after the other.
    ColumnMajor,
}

/// The matrices of an argument.
pub struct Stack<'a, T> {
    data: &'a [T],
    pub sizes: Sizes,
    layout: Layout,
}

/// The matrices of a result.
pub struct StackMut<'a, T> {
    data: &'a mut [T],
    pub sizes: Sizes,
    layout: Layout,
}

/// A matrix of a result.
pub struct MatrixMut<'a, T> {
    data: &'a mut [T],
    rows: usize,
    columns: usize,
    layout: Layout,
}

/// The number of matrices and their size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    pub count: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Sizes {
    /// The sizes of an array of these dimensions, of which the last two are of the matrices.
    pub fn of(dims: &[i64]) -> Result<Sizes, HandlerError> {
        let wrong = || HandlerError::invalid(format!("no matrices: an array of {dims:?}"));
        let sizes = dims.iter().map(|&dim| usize::try_from(dim)).collect::<Result<Vec<_>, _>>();
        match sizes.map_err(|_| wrong())?.as_slice() {
            [leading @ .., rows, columns] => {
                Ok(Sizes { count: leading.iter().product(), rows: *rows, columns: *columns })
            }
            _ => Err(wrong()),
        }
    }

    /// The smaller of both sizes.
    pub fn least(&self) -> usize {
        self.rows.min(self.columns)
    }

    /// Checks that the matrices are square.
    pub fn check_square(&self) -> Result<(), HandlerError> {
        if self.rows == self.columns {
            Ok(())
        } else {
            Err(HandlerError::invalid(format!(
                "expected square matrices, found {} x {}",
                self.rows, self.columns
            )))
        }
    }
}

impl<'a, T: Scalar> Stack<'a, T> {
    /// The matrices of an argument.
    pub fn argument(
        frame: &'a CallFrame<'_>,
        index: usize,
        layout: Layout,
    ) -> Result<Stack<'a, T>, HandlerError> {
        let input: Input<'a> = frame.argument(index)?;
        let data = bytemuck::cast_slice(input.as_slice::<T::Wire>()?);
        Ok(Stack { data, sizes: Sizes::of(input.dims())?, layout })
    }

    /// A matrix.
    pub fn matrix(&self, index: usize) -> MatRef<'a, T> {
        let Sizes { rows, columns, .. } = self.sizes;
        let size = rows * columns;
        let data = &self.data[index * size..][..size];
        match self.layout {
            Layout::RowMajor => MatRef::from_row_major_slice(data, rows, columns),
            Layout::ColumnMajor => MatRef::from_column_major_slice(data, rows, columns),
        }
    }
}

impl<'a, T: Scalar> StackMut<'a, T> {
    /// The matrices of a result.
    pub fn result(
        output: &'a mut Output<'_>,
        layout: Layout,
    ) -> Result<StackMut<'a, T>, HandlerError> {
        let sizes = Sizes::of(output.dims())?;
        let data = bytemuck::cast_slice_mut(output.as_mut_slice::<T::Wire>()?);
        Ok(StackMut { data, sizes, layout })
    }

    /// The matrices of a result that holds those of an argument at first, whether or not both share
    /// their memory.
    pub fn overwritten(
        frame: &CallFrame<'_>,
        argument: usize,
        output: &'a mut Output<'_>,
        layout: Layout,
    ) -> Result<StackMut<'a, T>, HandlerError> {
        copied::<T>(frame, argument, output)?;
        StackMut::result(output, layout)
    }

    /// Each matrix.
    pub fn matrices(self) -> Vec<MatrixMut<'a, T>> {
        let Sizes { count, rows, columns } = self.sizes;
        let layout = self.layout;
        let parts = parts(self.data, count).into_iter();
        parts.map(|data| MatrixMut { data, rows, columns, layout }).collect()
    }
}

impl<T: Scalar> MatrixMut<'_, T> {
    /// A view.
    pub fn view(&mut self) -> MatMut<'_, T> {
        let (rows, columns) = (self.rows, self.columns);
        match self.layout {
            Layout::RowMajor => MatMut::from_row_major_slice_mut(self.data, rows, columns),
            Layout::ColumnMajor => MatMut::from_column_major_slice_mut(self.data, rows, columns),
        }
    }

    /// Copies a matrix of the same size.
    pub fn set(&mut self, from: MatRef<'_, T>) {
        self.view().copy_from(from);
    }

    /// Sets every element to NaN.
    pub fn set_nan(&mut self) {
        self.data.fill(T::nan_impl());
    }
}

/// A slice in `count` parts of the same length.
pub fn parts<T>(mut slice: &mut [T], count: usize) -> Vec<&mut [T]> {
    let size = slice.len().checked_div(count).unwrap_or(0);
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let (part, rest) = std::mem::take(&mut slice).split_at_mut(size);
        all.push(part);
        slice = rest;
    }
    all
}

/// Copies an argument into a result, unless both share their memory.
pub fn copied<T: Scalar>(
    frame: &CallFrame<'_>,
    argument: usize,
    output: &mut Output<'_>,
) -> Result<(), HandlerError> {
    let input = frame.argument(argument)?;
    if input.aliased().is_some() {
        return Ok(());
    }
    let from = input.as_slice::<T::Wire>()?;
    if from.len() != output.len() {
        let message = format!("{input:?} and {output:?} differ in size");
        return Err(HandlerError::invalid(message));
    }
    output.as_mut_slice::<T::Wire>()?.copy_from_slice(from);
    Ok(())
}

/// The elements of a result, one vector for each of `count` matrices.
pub fn vectors<'a, T: Element>(
    output: &'a mut Output<'_>,
    count: usize,
) -> Result<Vec<&'a mut [T]>, HandlerError> {
    Ok(parts(output.as_mut_slice::<T>()?, count))
}

/// As [`vectors`], of numbers.
pub fn numbers<'a, T: Scalar>(
    output: &'a mut Output<'_>,
    count: usize,
) -> Result<Vec<&'a mut [T]>, HandlerError> {
    Ok(parts(bytemuck::cast_slice_mut(output.as_mut_slice::<T::Wire>()?), count))
}

/// Fewer floating-point operations than this are done by one thread.
const SERIAL: usize = 1 << 18;

/// Does the work of each matrix: many in parallel, or one by several threads. A matrix takes about
/// `cost` operations.
pub fn each<I: Send>(items: Vec<I>, cost: usize, work: impl Fn(I, Par) + Sync) {
    let total = cost.saturating_mul(items.len());
    if total < SERIAL {
        items.into_iter().for_each(|item| work(item, Par::Seq));
    } else if items.len() == 1 {
        items.into_iter().for_each(|item| work(item, Par::rayon(0)));
    } else {
        items.into_par_iter().for_each(|item| work(item, Par::Seq));
    }
}
