//! Systems of equations.

use super::{letter, routine};
use crate::{
    Scalar,
    stack::{Layout::ColumnMajor, Stack, StackMut, copied, each, numbers, vectors},
    triangular::{self, Form},
    tridiagonal,
};
use hloom_ffi::{CallFrame, HandlerError};

routine! {
    /// Solves equations with triangular matrices. Operands: the matrices, and the right sides,
    /// which the result replaces. Attributes: the letters `side`, `uplo`, `trans_x` and `diag`.
    Trsm trsm
}

fn trsm<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let transpose = letter(frame, "trans_x", "NTC")?;
    let form = Form {
        left_side: letter(frame, "side", "LR")? == 'L',
        lower: letter(frame, "uplo", "LU")? == 'L',
        unit_diagonal: letter(frame, "diag", "NU")? == 'U',
        transposed: transpose != 'N',
        conjugated: transpose == 'C',
    };
    let a = Stack::<T>::argument(frame, 0, ColumnMajor)?;
    let mut right = frame.result(0)?;
    let right = StackMut::<T>::overwritten(frame, 1, &mut right, ColumnMajor)?;
    let sizes = right.sizes;
    let length = if form.left_side { sizes.rows } else { sizes.columns };
    a.sizes.check_square()?;
    if a.sizes.rows != length || a.sizes.count != sizes.count {
        let message = format!("{:?} with right sides {sizes:?}", a.sizes);
        return Err(HandlerError::invalid(message));
    }
    let cost = length * sizes.rows * sizes.columns;
    each(right.matrices().into_iter().enumerate().collect(), cost, |(index, mut right), par| {
        triangular::solve(form, a.matrix(index), right.view(), par);
    });
    Ok(())
}

routine! {
    /// Solves equations with tridiagonal matrices. Operands: the diagonals below, at and above the
    /// main one, where the first of the lower and the last of the upper are not used, and the right
    /// sides. Results: the same memory, of which the last holds the solutions, and `info`.
    Gtsv gtsv
}

fn gtsv<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let [mut lower, mut main, mut upper] = [frame.result(0)?, frame.result(1)?, frame.result(2)?];
    let [mut right, mut info] = [frame.result(3)?, frame.result(4)?];
    let right = StackMut::<T>::overwritten(frame, 3, &mut right, ColumnMajor)?;
    let sizes = right.sizes;
    for (argument, diagonal) in [&mut lower, &mut main, &mut upper].into_iter().enumerate() {
        copied::<T>(frame, argument, diagonal)?;
    }
    let diagonals = [lower, main, upper];
    let mut diagonals = diagonals;
    let [lower, main, upper] = &mut diagonals;
    let lower = numbers::<T>(lower, sizes.count)?;
    let main = numbers::<T>(main, sizes.count)?;
    let upper = numbers::<T>(upper, sizes.count)?;
    let info = vectors::<i32>(&mut info, sizes.count)?;
    let items = right.matrices().into_iter().zip(lower).zip(main).zip(upper).zip(info).collect();
    each(
        items,
        8 * sizes.rows * sizes.columns,
        |((((mut right, lower), main), upper), info), _| {
            let found = tridiagonal::solve(lower, main, upper, right.view());
            info.fill(found.map_or(0, |pivot| pivot as i32 + 1));
        },
    );
    Ok(())
}
