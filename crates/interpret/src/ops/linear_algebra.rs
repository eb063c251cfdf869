//! The Cholesky decomposition and equations with triangular matrices, computed in `f64` and rounded
//! once.

use super::matrix::Matrix;
use crate::{
    array::{Array, positions},
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
    number::{Complex, Number},
};
use hloom_graph::{NodeId, Shape, TransposeA, TriangularSolve, op::Cholesky};

/// The tensor of the matrices that `matrix` returns for each position along the other axes.
fn each_matrix(result: Shape, matrix: impl Fn(&[usize]) -> Matrix) -> Array {
    let batch = &result.sizes()[..result.rank() - 2];
    let numbers = positions(batch).into_iter().flat_map(|at| matrix(&at).numbers);
    let bits = numbers.map(|z| {
        if result.dtype().is_complex() {
            Number::Complex(z).encode(result.dtype())
        } else {
            Number::Float(z.re).encode(result.dtype())
        }
    });
    Array::of(result, bits.collect())
}

/// The factor of each matrix, which is NaN for a matrix that is not positive definite. The triangle
/// that is not read is zero in the result.
fn cholesky(result: Shape, lower: bool, x: &Array) -> Array {
    each_matrix(result, |batch| {
        let a = Matrix::of(x, batch);
        let a = if lower { a } else { a.adjoint() };
        let factor = factor(&a);
        if lower { factor } else { factor.adjoint() }
    })
}

/// The lower triangular factor, from the lower triangle.
fn factor(a: &Matrix) -> Matrix {
    let zero = Complex::new(0.0, 0.0);
    let mut l = Matrix { numbers: vec![zero; a.numbers.len()], ..*a };
    for column in 0..a.columns {
        for row in column..a.rows {
            let mut rest = a.at(row, column);
            for k in 0..column {
                rest = rest - l.at(row, k) * l.at(column, k).conjugate();
            }
            let number = if row != column {
                rest / l.at(column, column)
            } else if rest.re > 0.0 {
                Complex::new(rest.re.sqrt(), 0.0)
            } else {
                // The matrix is not positive definite.
                let nan = Complex::new(f64::NAN, f64::NAN);
                return Matrix { numbers: vec![nan; a.numbers.len()], ..*a };
            };
            l.set(row, column, number);
        }
    }
    l
}

fn triangular_solve(result: Shape, form: &TriangularSolve, a: &Array, b: &Array) -> Array {
    each_matrix(result, |batch| {
        let (a, b) = (Matrix::of(a, batch), Matrix::of(b, batch));
        let mut a = triangle(a, form);
        let mut is_lower = form.lower;
        if form.transpose != TransposeA::No {
            a = if form.transpose == TransposeA::Adjoint { a.adjoint() } else { a.transposed() };
            is_lower = !is_lower;
        }
        if form.left_side {
            solved(&a, is_lower, b)
        } else {
            // X A = B is Aᵀ Xᵀ = Bᵀ.
            solved(&a.transposed(), !is_lower, b.transposed()).transposed()
        }
    })
}

/// The triangle that is read, with a diagonal of ones if it is not.
fn triangle(mut a: Matrix, form: &TriangularSolve) -> Matrix {
    for row in 0..a.rows {
        for column in 0..a.columns {
            let is_read = if form.lower { column <= row } else { column >= row };
            if row == column && form.unit_diagonal {
                a.set(row, column, Complex::ONE);
            } else if !is_read {
                a.set(row, column, Complex::new(0.0, 0.0));
            }
        }
    }
    a
}

/// The solution X of A X = B by substitution.
pub(super) fn solved(a: &Matrix, is_lower: bool, b: Matrix) -> Matrix {
    let mut x = b;
    let order: Vec<usize> =
        if is_lower { (0..a.rows).collect() } else { (0..a.rows).rev().collect() };
    for column in 0..x.columns {
        for (step, &row) in order.iter().enumerate() {
            let mut rest = x.at(row, column);
            for &known in &order[..step] {
                rest = rest - a.at(row, known) * x.at(known, column);
            }
            x.set(row, column, rest / a.at(row, row));
        }
    }
    x
}

/// The number of products for matrices of these sizes.
fn matrix_products(a: &Array, result: Shape) -> usize {
    let size = a.sizes().last().copied().unwrap_or(0);
    result.element_count().saturating_mul(size)
}

impl Evaluate for Cholesky {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_products(n, |x, shape| matrix_products(x[0], shape))?;
        m.one(n, |x, shape| cholesky(shape, self.lower, x[0]))
    }
}

impl Evaluate for TriangularSolve {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_products(n, |x, shape| matrix_products(x[0], shape))?;
        m.one(n, |x, shape| triangular_solve(shape, self, x[0], x[1]))
    }
}
