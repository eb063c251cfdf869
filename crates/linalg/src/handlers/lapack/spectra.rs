//! Eigenvalues and singular values.

use super::{letter, routine};
use crate::{
    Scalar,
    eigen::self_adjoint,
    stack::{Layout::ColumnMajor, Stack, StackMut, each, numbers, vectors},
    svd::{Vectors, decomposed},
};
use faer::traits::ComplexField;
use hloom_ffi::{CallFrame, HandlerError};

/// The `info` of an iteration that does not converge, or of elements that are not finite.
const FAILED: i32 = 1;

routine! {
    /// Eigenvalues of self-adjoint matrices. Operand: matrices, of which the triangle of the
    /// attribute `uplo` is read. Results: the eigenvectors (`mode` is `V`) in place of the operand,
    /// the eigenvalues, smallest first, and `info`.
    Syevd syevd
}

fn syevd<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let lower = letter(frame, "uplo", "LU")? == 'L';
    let has_vectors = letter(frame, "mode", "NV")? == 'V';
    let [mut a, mut values, mut info] = [frame.result(0)?, frame.result(1)?, frame.result(2)?];
    let a = StackMut::<T>::overwritten(frame, 0, &mut a, ColumnMajor)?;
    a.sizes.check_square()?;
    let sizes = a.sizes;
    let values = numbers::<T::RealPart>(&mut values, sizes.count)?;
    let info = vectors::<i32>(&mut info, sizes.count)?;
    let items = a.matrices().into_iter().zip(values).zip(info).collect();
    each(items, 9 * sizes.rows.pow(3), |((mut a, values), info), par| {
        let view = a.view();
        let read = view.as_ref();
        let found = if lower {
            self_adjoint(read, has_vectors, par)
        } else {
            self_adjoint(read.adjoint().to_owned().as_ref(), has_vectors, par)
        };
        match found {
            None => {
                info.fill(FAILED);
                values.fill(T::RealPart::nan_impl());
                a.set_nan();
            }
            Some((found, vectors)) => {
                info.fill(0);
                values.copy_from_slice(&found);
                if let Some(vectors) = vectors {
                    a.set(vectors.as_ref());
                }
            }
        }
    });
    Ok(())
}

routine! {
    /// Eigenvalues of matrices. Results: the eigenvalues, of a real matrix their real and imaginary
    /// parts; the left and the right eigenvectors as columns, where the attributes `compute_left`
    /// and `compute_right` are `V`; and `info`.
    Geev geev
}

fn geev<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let [left, right] = ["compute_left", "compute_right"].map(|name| letter(frame, name, "NV"));
    let (left, right) = (left? == 'V', right? == 'V');
    let a = Stack::<T>::argument(frame, 0, ColumnMajor)?;
    a.sizes.check_square()?;
    let count = a.sizes.count;
    let mut results = frame.results()?;
    let (values, rest) = results.split_at_mut(if T::IS_REAL { 2 } else { 1 });
    let [left_vectors, right_vectors, info] = rest else {
        return Err(HandlerError::invalid(format!("{} results", values.len() + rest.len())));
    };
    let mut parts: Vec<_> = (0..count).map(|_| Vec::new()).collect();
    for output in values {
        let each = numbers::<T>(output, count)?;
        parts.iter_mut().zip(each).for_each(|(parts, part)| parts.push(part));
    }
    let left_vectors = StackMut::<T::Complex>::result(left_vectors, ColumnMajor)?.matrices();
    let right_vectors = StackMut::<T::Complex>::result(right_vectors, ColumnMajor)?.matrices();
    let info = vectors::<i32>(info, count)?;
    let items = parts.into_iter().zip(left_vectors).zip(right_vectors).zip(info).enumerate();
    let cost = 25 * a.sizes.rows.pow(3);
    each(
        items.collect(),
        cost,
        |(index, (((mut values, mut l), mut r), info)), par| match T::eigen(
            a.matrix(index),
            left,
            right,
            par,
        ) {
            None => {
                info.fill(FAILED);
                values.iter_mut().for_each(|values| values.fill(T::nan_impl()));
                l.set_nan();
                r.set_nan();
            }
            Some(found) => {
                info.fill(0);
                for (row, value) in found.values.iter().enumerate() {
                    match &mut *values {
                        [re, im] => {
                            re[row] = T::of(value.re(), T::RealPart::zero_impl());
                            im[row] = T::of(value.im(), T::RealPart::zero_impl());
                        }
                        all => all[0][row] = T::of(value.re(), value.im()),
                    }
                }
                for (to, from) in [(&mut l, found.left), (&mut r, found.right)] {
                    if let Some(from) = from {
                        to.set(from.as_ref());
                    }
                }
            }
        },
    );
    Ok(())
}

routine! {
    /// Singular values. Results: the operand's memory, the singular values, largest first, `U`,
    /// `Vᴴ`, and `info`. Attribute `mode`: `A` for all vectors, `S` for as many as there are
    /// singular values, `N` for none.
    Gesdd gesdd
}

fn gesdd<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let kind = match letter(frame, "mode", "ASN")? {
        'A' => Vectors::Full,
        'S' => Vectors::Thin,
        _ => Vectors::None,
    };
    let [mut a, mut values] = [frame.result(0)?, frame.result(1)?];
    let [mut u, mut vh, mut info] = [frame.result(2)?, frame.result(3)?, frame.result(4)?];
    let a = StackMut::<T>::overwritten(frame, 0, &mut a, ColumnMajor)?;
    let sizes = a.sizes;
    let values = numbers::<T::RealPart>(&mut values, sizes.count)?;
    let u = StackMut::<T>::result(&mut u, ColumnMajor)?.matrices();
    let vh = StackMut::<T>::result(&mut vh, ColumnMajor)?.matrices();
    let info = vectors::<i32>(&mut info, sizes.count)?;
    let items = a.matrices().into_iter().zip(values).zip(u).zip(vh).zip(info).collect();
    let cost = 20 * sizes.rows * sizes.columns * sizes.least();
    each(items, cost, |((((mut a, values), mut u), mut vh), info), par| {
        match decomposed(a.view().as_ref(), kind, par) {
            None => {
                info.fill(FAILED);
                values.fill(T::RealPart::nan_impl());
                u.set_nan();
                vh.set_nan();
            }
            Some(found) => {
                info.fill(0);
                values.copy_from_slice(&found.s);
                if kind != Vectors::None {
                    u.set(found.u.as_ref());
                    vh.set(found.v.adjoint().to_owned().as_ref());
                }
            }
        }
    });
    Ok(())
}
