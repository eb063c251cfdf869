//! Cholesky, LU and QR factors.

use super::{letter, routine};
use crate::{
    Scalar,
    cholesky::cholesky,
    lu::lu,
    qr::{multiplied, orthogonal, qr},
    stack::{Layout::ColumnMajor, Stack, StackMut, each, numbers, vectors},
};
use hloom_ffi::{CallFrame, HandlerError};

routine! {
    /// The Cholesky factor. Operand and first result: matrices, of which the triangle of the
    /// attribute `uplo` is read and written; second result: `info`.
    Potrf potrf
}

fn potrf<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let lower = letter(frame, "uplo", "LU")? == 'L';
    let [mut a, mut info] = [frame.result(0)?, frame.result(1)?];
    let a = StackMut::<T>::overwritten(frame, 0, &mut a, ColumnMajor)?;
    a.sizes.check_square()?;
    let size = a.sizes.rows;
    let info = vectors::<i32>(&mut info, a.sizes.count)?;
    each(a.matrices().into_iter().zip(info).collect(), size.pow(3) / 3, |(mut a, info), par| {
        let mut a = a.view();
        let read = a.as_ref();
        let factor = if lower {
            cholesky(read, par)
        } else {
            cholesky(read.adjoint().to_owned().as_ref(), par)
        };
        match factor {
            Err(minor) => info.fill(minor as i32),
            Ok(factor) => {
                info.fill(0);
                for column in 0..size {
                    for row in column..size {
                        if lower {
                            a[(row, column)] = factor[(row, column)]
                        } else {
                            a[(column, row)] = T::conj_impl(&factor[(row, column)])
                        }
                    }
                }
            }
        }
    });
    Ok(())
}

routine! {
    /// The LU factors. Operand and first result: matrices; second result: the row that each was
    /// exchanged with, counted from 1; third result: `info`, the first pivot that is 0, counted
    /// from 1.
    Getrf getrf
}

fn getrf<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let [mut a, mut pivots, mut info] = [frame.result(0)?, frame.result(1)?, frame.result(2)?];
    let a = StackMut::<T>::overwritten(frame, 0, &mut a, ColumnMajor)?;
    let sizes = a.sizes;
    let pivots = vectors::<i32>(&mut pivots, sizes.count)?;
    let info = vectors::<i32>(&mut info, sizes.count)?;
    let items = a.matrices().into_iter().zip(pivots).zip(info).collect();
    let cost = sizes.rows * sizes.columns * sizes.least();
    each(items, cost, |((mut a, pivots), info), par| {
        let factors = lu(a.view().as_ref(), par);
        for (to, &from) in pivots.iter_mut().zip(&factors.pivots) {
            *to = from as i32 + 1;
        }
        let packed = factors.packed;
        let singular = (0..sizes.least()).find(|&i| packed[(i, i)] == T::zero_impl());
        info.fill(singular.map_or(0, |i| i as i32 + 1));
        a.set(packed.as_ref());
    });
    Ok(())
}

routine! {
    /// The QR factors. Operand and first result: matrices; second result: the factors `tau` of the
    /// reflections.
    Geqrf geqrf
}

fn geqrf<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let [mut a, mut taus] = [frame.result(0)?, frame.result(1)?];
    let a = StackMut::<T>::overwritten(frame, 0, &mut a, ColumnMajor)?;
    let sizes = a.sizes;
    let taus = numbers::<T>(&mut taus, sizes.count)?;
    let cost = 2 * sizes.rows * sizes.columns * sizes.least();
    each(a.matrices().into_iter().zip(taus).collect(), cost, |(mut a, taus), par| {
        let found = qr(a.view(), par);
        taus.iter_mut().zip(found).for_each(|(to, from)| *to = from);
    });
    Ok(())
}

routine! {
    /// The first columns of a product of reflections. Operands: the vectors of the reflections,
    /// `[.., m, n]`, and their factors. Result: the columns, in place of the vectors.
    Orgqr orgqr
}

fn orgqr<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let taus = frame.argument(1)?;
    let mut a = frame.result(0)?;
    let a = StackMut::<T>::overwritten(frame, 0, &mut a, ColumnMajor)?;
    let sizes = a.sizes;
    let taus: &[T] = bytemuck::cast_slice(taus.as_slice::<T::Wire>()?);
    let count = taus.len().checked_div(sizes.count).unwrap_or(0).min(sizes.least());
    let cost = 2 * sizes.rows * sizes.columns * count;
    each(a.matrices().into_iter().enumerate().collect(), cost, |(index, mut a), par| {
        let taus = &taus[index * count..][..count];
        let q = orthogonal(a.view().as_ref(), taus, sizes.columns, par);
        a.set(q.as_ref());
    });
    Ok(())
}

routine! {
    /// A product of matrices with one of reflections. Operands: the vectors of the reflections,
    /// their factors, and the matrices, which the result replaces. Attributes: `left`, whether the
    /// reflections are on the left, and `transpose`, whether their adjoint is meant.
    Ormqr ormqr
}

fn ormqr<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let attributes = frame.attributes();
    let (left, adjoint) =
        (attributes.scalar::<bool>("left")?, attributes.scalar::<bool>("transpose")?);
    let reflections = Stack::<T>::argument(frame, 0, ColumnMajor)?;
    let taus = frame.argument(1)?;
    let taus: &[T] = bytemuck::cast_slice(taus.as_slice::<T::Wire>()?);
    let mut c = frame.result(0)?;
    let c = StackMut::<T>::overwritten(frame, 2, &mut c, ColumnMajor)?;
    let sizes = c.sizes;
    let count = taus.len().checked_div(sizes.count).unwrap_or(0);
    let length = if left { sizes.rows } else { sizes.columns };
    if reflections.sizes.rows != length || reflections.sizes.least() < count {
        let message = format!("{:?} with reflections {:?}", sizes, reflections.sizes);
        return Err(HandlerError::invalid(message));
    }
    let cost = 2 * sizes.rows * sizes.columns * count;
    each(c.matrices().into_iter().enumerate().collect(), cost, |(index, mut c), par| {
        let taus = &taus[index * count..][..count];
        let reflections = reflections.matrix(index);
        if left {
            multiplied(reflections, taus, c.view(), adjoint, par);
        } else {
            // `C Q` is `(Qᴴ Cᴴ)ᴴ`.
            let mut turned = c.view().as_ref().adjoint().to_owned();
            multiplied(reflections, taus, turned.as_mut(), !adjoint, par);
            c.set(turned.adjoint().to_owned().as_ref());
        }
    });
    Ok(())
}
