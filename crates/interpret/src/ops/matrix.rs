//! Matrices of complex numbers in `f64`.

use crate::{
    array::{Array, positions},
    number::Complex,
};

/// A matrix in row-major order.
#[derive(Clone)]
pub(super) struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub numbers: Vec<Complex>,
}

impl Matrix {
    /// The matrix of the last two axes at a position along the others.
    pub fn of(x: &Array, batch: &[usize]) -> Matrix {
        let [.., rows, columns] = *x.sizes() else {
            return Matrix { rows: 0, columns: 0, numbers: Vec::new() };
        };
        let number = |at: Vec<usize>| x.number(&[batch, &at].concat()).complex();
        let numbers = positions(&[rows, columns]).into_iter().map(number).collect();
        Matrix { rows, columns, numbers }
    }

    /// The matrix whose element in each row and column is `number` of these.
    pub fn from_fn(
        rows: usize,
        columns: usize,
        number: impl Fn(usize, usize) -> Complex,
    ) -> Matrix {
        let numbers = positions(&[rows, columns]).into_iter().map(|at| number(at[0], at[1]));
        Matrix { rows, columns, numbers: numbers.collect() }
    }

    /// The matrix with ones on the diagonal and zeros elsewhere.
    pub fn identity(rows: usize, columns: usize) -> Matrix {
        Matrix::from_fn(
            rows,
            columns,
            |row, column| if row == column { Complex::ONE } else { Complex::ZERO },
        )
    }

    /// A row or a column of real numbers.
    pub fn of_reals(reals: impl IntoIterator<Item = f64>) -> Matrix {
        let numbers: Vec<_> = reals.into_iter().map(|re| Complex::new(re, 0.0)).collect();
        Matrix { rows: 1, columns: numbers.len(), numbers }
    }

    pub fn at(&self, row: usize, column: usize) -> Complex {
        self.numbers[row * self.columns + column]
    }

    pub fn set(&mut self, row: usize, column: usize, number: Complex) {
        self.numbers[row * self.columns + column] = number;
    }

    pub fn adjoint(&self) -> Matrix {
        let transposed = self.transposed();
        let numbers = transposed.numbers.iter().map(|z| z.conjugate()).collect();
        Matrix { numbers, ..transposed }
    }

    pub fn transposed(&self) -> Matrix {
        Matrix::from_fn(self.columns, self.rows, |row, column| self.at(column, row))
    }

    pub fn product(&self, other: &Matrix) -> Matrix {
        Matrix::from_fn(self.rows, other.columns, |row, column| {
            let terms = (0..self.columns).map(|k| self.at(row, k) * other.at(k, column));
            terms.fold(Complex::ZERO, |sum, term| sum + term)
        })
    }

    pub fn column(&self, column: usize) -> Vec<Complex> {
        (0..self.rows).map(|row| self.at(row, column)).collect()
    }

    pub fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.columns {
            self.numbers.swap(a * self.columns + column, b * self.columns + column);
        }
    }

    pub fn is_finite(&self) -> bool {
        self.numbers.iter().all(|z| z.re.is_finite() && z.im.is_finite())
    }

    /// The largest absolute value, at least 0.
    pub fn largest(&self) -> f64 {
        self.numbers.iter().fold(0.0, |largest, z| z.abs().max(largest))
    }
}

/// The Euclidean norm.
pub(super) fn norm(vector: &[Complex]) -> f64 {
    vector.iter().fold(0.0, |norm: f64, z| norm.hypot(z.abs()))
}

/// The product of the adjoint of a column with another one.
pub(super) fn inner(left: &[Complex], right: &[Complex]) -> Complex {
    let terms = left.iter().zip(right).map(|(&a, &b)| a.conjugate() * b);
    terms.fold(Complex::ZERO, |sum, term| sum + term)
}
