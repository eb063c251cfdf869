//! Reduction to Hessenberg and to tridiagonal form, by reflections in LAPACK's conventions.

use crate::{Scalar, qr::reflection};
use faer::{Mat, MatMut, MatRef};

/// Replaces the rows and columns `low..high` of a square matrix `A` by `Qᴴ A Q`, which has zeros
/// below the diagonal next to the main one. It stores the vectors of the reflections there, whose
/// product is `Q`; their factors are returned, one fewer than rows.
pub fn hessenberg<T: Scalar>(mut a: MatMut<'_, T>, low: usize, high: usize) -> Vec<T> {
    let size = a.nrows();
    let mut taus = vec![T::zero_impl(); size.saturating_sub(1)];
    for step in low..high.saturating_sub(1) {
        let first = step + 1;
        let (head, tau) = reflection(a.as_mut().get_mut(first..high, step..), 0);
        taus[step] = tau;
        a[(first, step)] = T::one_impl();
        let vector: Vec<T> = (first..high).map(|row| a[(row, step)]).collect();
        for row in 0..high {
            let mut dot = T::zero_impl();
            for (k, &v) in (first..).zip(&vector) {
                dot += a[(row, k)] * v;
            }
            let factor = tau * dot;
            for (k, v) in (first..).zip(&vector) {
                a[(row, k)] -= factor * T::conj_impl(v);
            }
        }
        for column in first..size {
            let mut dot = T::zero_impl();
            for (k, v) in (first..).zip(&vector) {
                dot += T::conj_impl(v) * a[(k, column)];
            }
            let factor = T::conj_impl(&tau) * dot;
            for (k, &v) in (first..).zip(&vector) {
                a[(k, column)] -= v * factor;
            }
        }
        a[(first, step)] = head;
    }
    taus
}

/// A self-adjoint matrix `A` as `Q T Qᴴ`, with a real tridiagonal `T`.
pub struct Tridiagonal<T: Scalar> {
    /// The vectors of the reflections, in the triangle that was read, and `T` on the diagonals.
    pub packed: Mat<T>,
    pub main: Vec<T::RealPart>,
    pub beside: Vec<T::RealPart>,
    pub taus: Vec<T>,
}

/// The tridiagonal form of a self-adjoint matrix of which one triangle is read; the other triangle
/// of the result is that of the operand.
pub fn tridiagonal<T: Scalar>(a: MatRef<'_, T>, lower: bool) -> Tridiagonal<T> {
    let size = a.nrows();
    // The upper triangle, read from the last element on, is a lower one.
    let place = |row: usize, column: usize| {
        if lower { (row, column) } else { (size - 1 - row, size - 1 - column) }
    };
    let read = |row: usize, column: usize| {
        if row >= column { a[place(row, column)] } else { T::conj_impl(&a[place(column, row)]) }
    };
    let mut full = Mat::from_fn(size, size, |row, column| {
        if row == column {
            T::of(read(row, column).re(), T::zero_impl().re())
        } else {
            read(row, column)
        }
    });
    let mut taus = hessenberg(full.as_mut(), 0, size);
    let mut packed = a.to_owned();
    for column in 0..size {
        for row in column..size {
            packed[place(row, column)] = full[(row, column)];
        }
    }
    let mut main: Vec<T::RealPart> = (0..size).map(|i| full[(i, i)].re()).collect();
    let mut beside: Vec<T::RealPart> = (1..size).map(|i| full[(i, i - 1)].re()).collect();
    if !lower {
        main.reverse();
        beside.reverse();
        taus.reverse();
    }
    Tridiagonal { packed, main, beside, taus }
}
