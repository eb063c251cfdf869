//! Cholesky, LU and QR factors.

use super::handler;
use crate::{
    Scalar,
    cholesky::cholesky,
    lu::lu,
    qr::{orthogonal, qr},
    stack::{Layout::RowMajor, MatrixMut, Stack, StackMut, each, vectors},
};
use faer::MatRef;
use hloom_ffi::{CallFrame, HandlerError};

handler! {
    /// The handler `hloom.cholesky.v1`.
    ///
    /// Operand: matrices `[.., n, n]`. Result: the triangular factors, with zeros in the other
    /// triangle, or NaNs for a matrix that is not positive definite. Attribute `lower`: whether the
    /// lower triangle of the operand is read and the factor is lower triangular.
    CholeskyHandler "hloom.cholesky.v1" factor_cholesky
}

fn factor_cholesky<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let lower = frame.attributes().scalar::<bool>("lower")?;
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    a.sizes.check_square()?;
    let mut factor = frame.result(0)?;
    let factors = StackMut::<T>::result(&mut factor, RowMajor)?.matrices();
    let size = a.sizes.rows;
    each(factors.into_iter().enumerate().collect(), size.pow(3) / 3, |(index, mut out), par| {
        let a = a.matrix(index);
        let factor = if lower {
            cholesky(a, par)
        } else {
            // The upper triangle by rows is the lower one by columns, of the conjugate matrix.
            cholesky(a.transpose(), par)
        };
        match factor {
            Err(_) => out.set_nan(),
            Ok(factor) if lower => out.set(factor.as_ref()),
            Ok(factor) => out.set(factor.transpose()),
        }
    });
    Ok(())
}

handler! {
    /// The handler `hloom.lu.v1`.
    ///
    /// Operand: matrices `[.., m, n]`. Results: both factors in one, `[.., m, n]`; for each of the
    /// first `min(m, n)` rows, in their order, the row that it was exchanged with,
    /// `s32[.., min(m, n)]`; and the row of the operand at each row of the factors, `s32[.., m]`.
    LuHandler "hloom.lu.v1" factor_lu
}

fn factor_lu<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    let [mut packed, mut pivots, mut order] =
        [frame.result(0)?, frame.result(1)?, frame.result(2)?];
    let packed = StackMut::<T>::result(&mut packed, RowMajor)?.matrices();
    let pivots = vectors::<i32>(&mut pivots, a.sizes.count)?;
    let order = vectors::<i32>(&mut order, a.sizes.count)?;
    let items = packed.into_iter().zip(pivots).zip(order).enumerate().collect();
    let cost = a.sizes.rows * a.sizes.columns * a.sizes.least();
    each(items, cost, |(index, ((mut packed, pivots), order)), par| {
        let factors = lu(a.matrix(index), par);
        packed.set(factors.packed.as_ref());
        copy_indices(&factors.pivots, pivots);
        copy_indices(&factors.permutation(), order);
    });
    Ok(())
}

fn copy_indices(from: &[usize], to: &mut [i32]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from as i32;
    }
}

handler! {
    /// The handler `hloom.qr.v1`.
    ///
    /// Operand: matrices `[.., m, n]`. Results: the orthonormal columns, `[.., m, k]`, and the
    /// upper triangular factor, `[.., k, n]`, whose diagonal is real; `k` is `min(m, n)` or `m`.
    QrHandler "hloom.qr.v1" factor_qr
}

fn factor_qr<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    let [mut q, mut r] = [frame.result(0)?, frame.result(1)?];
    let q = StackMut::<T>::result(&mut q, RowMajor)?;
    let r = StackMut::<T>::result(&mut r, RowMajor)?;
    let width = q.sizes.columns;
    if ![a.sizes.least(), a.sizes.rows].contains(&width) || r.sizes.rows != width {
        let message = format!("{:?} have no factors {:?} and {:?}", a.sizes, q.sizes, r.sizes);
        return Err(HandlerError::invalid(message));
    }
    let items = q.matrices().into_iter().zip(r.matrices()).enumerate().collect();
    let cost = 2 * a.sizes.rows * a.sizes.columns * width;
    each(items, cost, |(index, (mut q, mut r)), par| {
        let mut packed = a.matrix(index).to_owned();
        let taus = qr(packed.as_mut(), par);
        q.set(orthogonal(packed.as_ref(), &taus, width, par).as_ref());
        set_upper(&mut r, packed.as_ref());
    });
    Ok(())
}

/// Copies the triangle from the diagonal on, with zeros below.
fn set_upper<T: Scalar>(to: &mut MatrixMut<'_, T>, from: MatRef<'_, T>) {
    let mut to = to.view();
    for row in 0..to.nrows() {
        for column in 0..to.ncols() {
            to[(row, column)] = if row <= column { from[(row, column)] } else { T::zero_impl() };
        }
    }
}
