//! Storing the sums of a product.

use super::Linear;
use crate::{
    Element, MatrixMut,
    simd::{Simd, Task},
};
use std::ops::Range;

/// The result of a product, without its weight: storing is compiled once for all types of weights.
#[derive(Clone, Copy)]
pub(crate) struct Results<'a, Y> {
    bias: Option<&'a [Y]>,
    y: &'a MatrixMut<'a, Y>,
}

impl<W, Y> Linear<'_, W, Y> {
    pub(crate) fn results(&self) -> Results<'_, Y> {
        Results { bias: self.bias, y: &self.y }
    }
}

impl<'a, Y: Element> Results<'a, Y> {
    pub fn new(bias: Option<&'a [Y]>, y: &'a MatrixMut<'a, Y>) -> Self {
        Results { bias, y }
    }

    /// Stores sums of a row from a column on.
    ///
    /// # Safety
    /// They are within the result, and no other thread uses these columns; see also [`Simd`].
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "the closure of an iterator would be compiled without the kernel's instructions"
    )]
    pub unsafe fn store<S: Simd>(&self, row: usize, column: usize, sums: &[f32]) {
        let columns = column..column + sums.len();
        // SAFETY: by the contract of this function.
        let y = unsafe { self.y.part(row, columns.clone()) };
        let Some(bias) = self.bias else {
            let whole = sums.len() / S::LANES * S::LANES;
            for at in (0..whole).step_by(S::LANES) {
                // SAFETY: within both.
                unsafe { Y::store::<S>(y[at..].as_mut_ptr(), S::load(sums[at..].as_ptr())) };
            }
            for at in whole..sums.len() {
                y[at] = Y::from_f32(sums[at]);
            }
            return;
        };
        let bias = &bias[columns];
        for at in 0..sums.len() {
            y[at] = Y::from_f32(sums[at] + bias[at].to_f32());
        }
    }
}

/// Stores the sums of a piece of work, which are those of rows.
pub(crate) struct Finish<'a, Y> {
    pub results: Results<'a, Y>,
    /// The first row, and the number of rows.
    pub first: usize,
    pub count: usize,
    /// Columns, which belong only to this piece.
    pub columns: Range<usize>,
    /// The sums, with `stride` per row.
    pub sums: *const f32,
    pub stride: usize,
}

impl<Y: Element> Task for Finish<'_, Y> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Finish { results, first, count, columns, sums, stride } = self;
        for row in 0..count {
            // SAFETY: the caller passes as many sums as declared, of rows and columns within the
            // result.
            unsafe {
                let sums = std::slice::from_raw_parts(sums.add(row * stride), columns.len());
                results.store::<S>(first + row, columns.start, sums);
            }
        }
    }
}
