//! Eigenvalues and singular values.

use super::handler;
use crate::{
    Scalar,
    eigen::self_adjoint,
    stack::{Layout::RowMajor, MatrixMut, Stack, StackMut, each, numbers},
    svd::{Vectors, decomposed},
};
use faer::traits::ComplexField;
use hloom_ffi::{CallFrame, HandlerError, Output};

/// The matrices of a result that a call may lack.
fn optional<'a, T: Scalar>(
    output: Option<&'a mut Output<'_>>,
    count: usize,
) -> Result<Vec<Option<MatrixMut<'a, T>>>, HandlerError> {
    Ok(match output {
        Some(output) => {
            StackMut::result(output, RowMajor)?.matrices().into_iter().map(Some).collect()
        }
        None => (0..count).map(|_| None).collect(),
    })
}

/// The second result, if there is one.
fn second<'f>(frame: &'f CallFrame<'_>) -> Result<Option<Output<'f>>, HandlerError> {
    (frame.num_results() > 1).then(|| frame.result(1)).transpose()
}

handler! {
    /// The handler `hloom.eigh.v1`.
    ///
    /// Operand: self-adjoint matrices `[.., n, n]`. Results: the eigenvalues, smallest first, real,
    /// `[.., n]`; and optionally the orthonormal eigenvectors as columns, `[.., n, n]`. Attribute
    /// `lower`: whether the lower triangle is read, or the upper.
    EighHandler "hloom.eigh.v1" eigh
}

fn eigh<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let lower = frame.attributes().scalar::<bool>("lower")?;
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    a.sizes.check_square()?;
    let (mut values, mut columns) = (frame.result(0)?, second(frame)?);
    let values = numbers::<T::RealPart>(&mut values, a.sizes.count)?;
    let columns = optional::<T>(columns.as_mut(), a.sizes.count)?;
    let items = values.into_iter().zip(columns).enumerate().collect();
    each(items, 9 * a.sizes.rows.pow(3), |(index, (values, columns)), par| {
        let a = a.matrix(index);
        let found = if lower {
            self_adjoint(a, columns.is_some(), par)
        } else {
            self_adjoint(a.adjoint().to_owned().as_ref(), columns.is_some(), par)
        };
        match found {
            None => {
                values.fill(T::RealPart::nan_impl());
                columns.into_iter().for_each(|mut columns| columns.set_nan());
            }
            Some((found, vectors)) => {
                values.copy_from_slice(&found);
                if let (Some(mut columns), Some(vectors)) = (columns, vectors) {
                    columns.set(vectors.as_ref());
                }
            }
        }
    });
    Ok(())
}

handler! {
    /// The handler `hloom.eig.v1`.
    ///
    /// Operand: matrices `[.., n, n]`. Results: the complex eigenvalues, `[.., n]`; and optionally
    /// the eigenvectors of norm 1 as columns, complex, `[.., n, n]`.
    EigHandler "hloom.eig.v1" eig
}

fn eig<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    a.sizes.check_square()?;
    let (mut values, mut columns) = (frame.result(0)?, second(frame)?);
    let values = numbers::<T::Complex>(&mut values, a.sizes.count)?;
    let columns = optional::<T::Complex>(columns.as_mut(), a.sizes.count)?;
    let items = values.into_iter().zip(columns).enumerate().collect();
    each(items, 25 * a.sizes.rows.pow(3), |(index, (values, columns)), par| {
        match T::eigen(a.matrix(index), false, columns.is_some(), par) {
            None => {
                values.fill(T::Complex::nan_impl());
                columns.into_iter().for_each(|mut columns| columns.set_nan());
            }
            Some(found) => {
                values.copy_from_slice(&found.values);
                if let (Some(mut columns), Some(vectors)) = (columns, found.right) {
                    columns.set(vectors.as_ref());
                }
            }
        }
    });
    Ok(())
}

handler! {
    /// The handler `hloom.svd.v1`.
    ///
    /// Operand: matrices `[.., m, n]`. Results: the singular values, largest first, real,
    /// `[.., min(m, n)]`; and optionally the vectors, `U`, `[.., m, k]`, and `Vᴴ`, `[.., l, n]`:
    /// `k` and `l` are both `min(m, n)`, or `m` and `n`.
    SvdHandler "hloom.svd.v1" singular
}

fn singular<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    let has_vectors = frame.num_results() > 1;
    let mut values = frame.result(0)?;
    let [mut u, mut vh] =
        if has_vectors { [Some(frame.result(1)?), Some(frame.result(2)?)] } else { [None, None] };
    let least = a.sizes.least();
    let kind = match (&u, has_vectors) {
        (Some(u), _) if u.dims().last() == Some(&(least as i64)) => Vectors::Thin,
        (_, true) => Vectors::Full,
        (_, false) => Vectors::None,
    };
    // Thin vectors of square matrices are a basis too.
    let kind = match (&vh, kind) {
        (Some(vh), Vectors::Thin)
            if !vh.dims().ends_with(&[least as i64, a.sizes.columns as i64]) =>
        {
            Vectors::Full
        }
        (_, kind) => kind,
    };
    let values = numbers::<T::RealPart>(&mut values, a.sizes.count)?;
    let u = optional::<T>(u.as_mut(), a.sizes.count)?;
    let vh = optional::<T>(vh.as_mut(), a.sizes.count)?;
    let items = values.into_iter().zip(u).zip(vh).enumerate().collect();
    let cost = 20 * a.sizes.rows * a.sizes.columns * least;
    each(items, cost, |(index, ((values, u), vh)), par| {
        match decomposed(a.matrix(index), kind, par) {
            None => {
                values.fill(T::RealPart::nan_impl());
                u.into_iter().chain(vh).for_each(|mut vectors| vectors.set_nan());
            }
            Some(found) => {
                values.copy_from_slice(&found.s);
                if let (Some(mut u), Some(mut vh)) = (u, vh) {
                    u.set(found.u.as_ref());
                    vh.set(found.v.adjoint().to_owned().as_ref());
                }
            }
        }
    });
    Ok(())
}
