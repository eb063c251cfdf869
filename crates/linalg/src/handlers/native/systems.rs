//! Systems of equations.

use super::handler;
use crate::{
    Scalar,
    lu::lu,
    stack::{Layout::RowMajor, Sizes, Stack, StackMut, each},
    triangular::{self, Form},
};
use faer::Mat;
use hloom_ffi::{CallFrame, HandlerError};

handler! {
    /// The handler `hloom.triangular_solve.v1`.
    ///
    /// Operands: triangular matrices `[.., n, n]`, and right sides `[.., n, k]`, or `[.., k, n]`
    /// with the matrices on the right of the solutions. Result: the solutions, as the right sides.
    /// Attributes as those of StableHLO's op: the booleans `left_side`, `lower` and
    /// `unit_diagonal`, and the string `transpose_a`.
    TriangularSolveHandler "hloom.triangular_solve.v1" solve_triangular
}

fn solve_triangular<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let attributes = frame.attributes();
    let transpose = attributes.string("transpose_a")?;
    let form = Form {
        left_side: attributes.scalar("left_side")?,
        lower: attributes.scalar("lower")?,
        unit_diagonal: attributes.scalar("unit_diagonal")?,
        transposed: transpose != "NO_TRANSPOSE",
        conjugated: transpose == "ADJOINT",
    };
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    let right = Stack::<T>::argument(frame, 1, RowMajor)?;
    check(
        &a.sizes,
        &right.sizes,
        if form.left_side { right.sizes.rows } else { right.sizes.columns },
    )?;
    let mut out = frame.result(0)?;
    let out = StackMut::<T>::result(&mut out, RowMajor)?.matrices();
    let cost = a.sizes.rows * right.sizes.rows * right.sizes.columns;
    each(out.into_iter().enumerate().collect(), cost, |(index, mut out), par| {
        let mut solution = right.matrix(index).to_owned();
        triangular::solve(form, a.matrix(index), solution.as_mut(), par);
        out.set(solution.as_ref());
    });
    Ok(())
}

/// Checks that right sides belong to square matrices.
fn check(a: &Sizes, right: &Sizes, size: usize) -> Result<(), HandlerError> {
    a.check_square()?;
    if a.count == right.count && a.rows == size {
        Ok(())
    } else {
        Err(HandlerError::invalid(format!("{a:?} with right sides {right:?}")))
    }
}

handler! {
    /// The handler `hloom.solve.v1`.
    ///
    /// Operands: matrices `[.., n, n]` and right sides `[.., n, k]`. Result: the solutions,
    /// `[.., n, k]`; infinities or NaNs for a matrix that is singular.
    SolveHandler "hloom.solve.v1" solve
}

fn solve<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    let right = Stack::<T>::argument(frame, 1, RowMajor)?;
    check(&a.sizes, &right.sizes, right.sizes.rows)?;
    let mut out = frame.result(0)?;
    let out = StackMut::<T>::result(&mut out, RowMajor)?.matrices();
    let cost = a.sizes.rows.pow(2) * (a.sizes.rows + right.sizes.columns);
    each(out.into_iter().enumerate().collect(), cost, |(index, mut out), par| {
        let mut solution = right.matrix(index).to_owned();
        lu(a.matrix(index), par).solve(solution.as_mut(), par);
        out.set(solution.as_ref());
    });
    Ok(())
}

handler! {
    /// The handler `hloom.inv.v1`.
    ///
    /// Operand: matrices `[.., n, n]`. Result: their inverses; infinities or NaNs for a matrix that
    /// is singular.
    InvHandler "hloom.inv.v1" inverse
}

fn inverse<T: Scalar>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let a = Stack::<T>::argument(frame, 0, RowMajor)?;
    a.sizes.check_square()?;
    let size = a.sizes.rows;
    let mut out = frame.result(0)?;
    let out = StackMut::<T>::result(&mut out, RowMajor)?.matrices();
    each(out.into_iter().enumerate().collect(), 2 * size.pow(3), |(index, mut out), par| {
        let mut inverse = Mat::<T>::identity(size, size);
        lu(a.matrix(index), par).solve(inverse.as_mut(), par);
        out.set(inverse.as_ref());
    });
    Ok(())
}
