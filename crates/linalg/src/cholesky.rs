//! Cholesky factors.

use crate::Scalar;
use faer::{
    Mat, MatRef, Par, Spec,
    dyn_stack::{MemBuffer, MemStack},
    linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch},
};

/// The lower triangular factor of a matrix of which the lower triangle is read, with zeros above
/// the diagonal; or the order of the first leading minor that is not positive.
pub fn cholesky<T: Scalar>(a: MatRef<'_, T>, par: Par) -> Result<Mat<T>, usize> {
    let size = a.nrows();
    let mut factor =
        Mat::from_fn(
            size,
            size,
            |row, column| if row >= column { a[(row, column)] } else { T::zero_impl() },
        );
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<T>(size, par, Spec::default()));
    let stack = MemStack::new(&mut memory);
    let done = cholesky_in_place(factor.as_mut(), Default::default(), par, stack, Spec::default());
    match done {
        Ok(_) => match (0..size).find(|&i| T::is_nan_impl(&factor[(i, i)])) {
            None => {
                // The factorization uses the other triangle as scratch memory.
                for column in 1..size {
                    factor.col_as_slice_mut(column)[..column].fill(T::zero_impl());
                }
                Ok(factor)
            }
            Some(index) => Err(index + 1),
        },
        Err(LltError::NonPositivePivot { index }) => Err(index + 1),
    }
}
