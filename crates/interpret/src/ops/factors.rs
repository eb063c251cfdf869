//! Factors of matrices with exchanged rows or by reflections, and systems of equations.

use super::{
    linear_algebra::solved,
    matrix::{Matrix, norm},
};
use crate::number::Complex;

/// Both triangular factors in one matrix, with row exchanges.
pub(super) struct Lu {
    pub packed: Matrix,
    /// The pivots: for each row in order, the row that it was exchanged with.
    pub pivots: Vec<usize>,
}

/// The LU factors: each pivot is the first element with the largest sum of the absolute values of
/// its real and imaginary parts.
pub(super) fn lu(mut a: Matrix) -> Lu {
    let least = a.rows.min(a.columns);
    let mut pivots = Vec::with_capacity(least);
    for step in 0..least {
        let size = |row: usize| a.at(row, step).re.abs() + a.at(row, step).im.abs();
        let larger = |pivot: usize, row: usize| if size(row) > size(pivot) { row } else { pivot };
        let pivot = (step + 1..a.rows).fold(step, larger);
        pivots.push(pivot);
        a.swap_rows(step, pivot);
        let divisor = a.at(step, step);
        if divisor.is_zero() {
            continue;
        }
        for row in step + 1..a.rows {
            let factor = a.at(row, step) / divisor;
            a.set(row, step, factor);
            for column in step + 1..a.columns {
                a.set(row, column, a.at(row, column) - factor * a.at(step, column));
            }
        }
    }
    Lu { packed: a, pivots }
}

impl Lu {
    /// The row of the matrix at each row of the factors.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.packed.rows).collect();
        for (row, &pivot) in self.pivots.iter().enumerate() {
            order.swap(row, pivot);
        }
        order
    }

    /// The solution X of A X = B.
    pub fn solution(&self, mut b: Matrix) -> Matrix {
        for (row, &pivot) in self.pivots.iter().enumerate() {
            b.swap_rows(row, pivot);
        }
        let size = self.packed.rows;
        let unit = Matrix::from_fn(size, size, |row, column| {
            if row == column { Complex::ONE } else { self.packed.at(row, column) }
        });
        solved(&self.packed, false, solved(&unit, true, b))
    }
}

/// The QR factors by Householder reflections; the first factor has `width` columns. Each reflection
/// is `I - tau v v*` with a real image, where the first element of `v` is 1 and the image has the
/// opposite sign of the real part of the element that it replaces, as in LAPACK.
pub(super) fn qr(mut a: Matrix, width: usize) -> [Matrix; 2] {
    let mut reflections = Vec::new();
    for step in 0..a.rows.min(a.columns) {
        let column = a.column(step);
        let (head, tail) = (column[step], &column[step + 1..]);
        let length = norm(tail);
        if length == 0.0 && head.im == 0.0 {
            continue;
        }
        let image = head.abs().hypot(length) * if head.re >= 0.0 { -1.0 } else { 1.0 };
        let tau = Complex::new((image - head.re) / image, -head.im / image);
        let below = head - Complex::new(image, 0.0);
        let vector: Vec<_> =
            std::iter::once(Complex::ONE).chain(tail.iter().map(|&z| z / below)).collect();
        reflect(&mut a, step, &vector, tau.conjugate());
        for row in step..a.rows {
            a.set(row, step, Complex::new(if row == step { image } else { 0.0 }, 0.0));
        }
        reflections.push((step, vector, tau));
    }
    let mut q = Matrix::identity(a.rows, width);
    for (step, vector, tau) in reflections.iter().rev() {
        reflect(&mut q, *step, vector, *tau);
    }
    let upper = Matrix::from_fn(width, a.columns, |row, column| {
        if row <= column { a.at(row, column) } else { Complex::ZERO }
    });
    [q, upper]
}

/// Multiplies the rows from `first` on by `I - tau v v*` from the left.
fn reflect(a: &mut Matrix, first: usize, vector: &[Complex], tau: Complex) {
    for column in 0..a.columns {
        let below = a.column(column).split_off(first);
        let factor = tau * super::matrix::inner(vector, &below);
        for (row, &z) in vector.iter().enumerate() {
            a.set(first + row, column, below[row] - z * factor);
        }
    }
}
