//! Hessenberg and tridiagonal forms.

use super::{letter, routine};
use crate::{
    Scalar,
    hessenberg::{hessenberg, tridiagonal},
    stack::{Layout::ColumnMajor, StackMut, each, numbers, vectors},
};
use hloom_ffi::{CallFrame, HandlerError};

routine! {
    /// The Hessenberg form. Operand and first result: matrices; second result: the factors `tau` of
    /// the reflections; third result: `info`. The attributes `low` and `high` are the first and the
    /// last row that is reduced, counted from 1.
    Gehrd gehrd
}

fn gehrd<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let bound = |name: &str| {
        let found = frame.attributes().scalar::<i32>(name)?;
        usize::try_from(found).map_err(|_| HandlerError::invalid(format!("`{name}` is {found}")))
    };
    let (low, high) = (bound("low")?, bound("high")?);
    let [mut a, mut taus, mut info] = [frame.result(0)?, frame.result(1)?, frame.result(2)?];
    let a = StackMut::<T>::overwritten(frame, 0, &mut a, ColumnMajor)?;
    a.sizes.check_square()?;
    let sizes = a.sizes;
    let (low, high) = (low.saturating_sub(1), high.min(sizes.rows));
    let taus = numbers::<T>(&mut taus, sizes.count)?;
    let info = vectors::<i32>(&mut info, sizes.count)?;
    let items = a.matrices().into_iter().zip(taus).zip(info).collect();
    each(items, 4 * sizes.rows.pow(3), |((mut a, taus), info), _| {
        let found = hessenberg(a.view(), low, high);
        taus.iter_mut().zip(found).for_each(|(to, from)| *to = from);
        info.fill(0);
    });
    Ok(())
}

routine! {
    /// The tridiagonal form of self-adjoint matrices. Operand and first result: matrices, of which
    /// the triangle of the attribute `uplo` is read and written; then the main diagonal and the one
    /// next to it, real, the factors `tau` of the reflections, and `info`.
    Sytrd sytrd
}

fn sytrd<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let lower = letter(frame, "uplo", "LU")? == 'L';
    let [mut a, mut main, mut beside] = [frame.result(0)?, frame.result(1)?, frame.result(2)?];
    let [mut taus, mut info] = [frame.result(3)?, frame.result(4)?];
    let a = StackMut::<T>::overwritten(frame, 0, &mut a, ColumnMajor)?;
    a.sizes.check_square()?;
    let sizes = a.sizes;
    let main = numbers::<T::RealPart>(&mut main, sizes.count)?;
    let beside = numbers::<T::RealPart>(&mut beside, sizes.count)?;
    let taus = numbers::<T>(&mut taus, sizes.count)?;
    let info = vectors::<i32>(&mut info, sizes.count)?;
    let items = a.matrices().into_iter().zip(main).zip(beside).zip(taus).zip(info).collect();
    each(items, 4 * sizes.rows.pow(3), |((((mut a, main), beside), taus), info), _| {
        let found = tridiagonal(a.view().as_ref(), lower);
        a.set(found.packed.as_ref());
        main.iter_mut().zip(found.main).for_each(|(to, from)| *to = from);
        beside.iter_mut().zip(found.beside).for_each(|(to, from)| *to = from);
        taus.iter_mut().zip(found.taus).for_each(|(to, from)| *to = from);
        info.fill(0);
    });
    Ok(())
}
