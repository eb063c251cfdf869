//! Systems of equations with triangular matrices.

use crate::Scalar;
use faer::{
    Conj, MatMut, MatRef, Par,
    linalg::triangular_solve::{
        solve_lower_triangular_in_place_with_conj, solve_unit_lower_triangular_in_place_with_conj,
        solve_unit_upper_triangular_in_place_with_conj, solve_upper_triangular_in_place_with_conj,
    },
};

/// An equation with a triangular matrix.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Whether the matrix is on the left of the solution.
    pub left_side: bool,
    /// Whether the lower triangle is read.
    pub lower: bool,
    /// Whether the diagonal is taken as ones.
    pub unit_diagonal: bool,
    /// Whether the matrix is transposed.
    pub transposed: bool,
    /// Whether the matrix is conjugated.
    pub conjugated: bool,
}

/// Solves an equation in place of its right side.
pub fn solve<T: Scalar>(form: Form, a: MatRef<'_, T>, right: MatMut<'_, T>, par: Par) {
    let conj = if form.conjugated { Conj::Yes } else { Conj::No };
    // `X A = B` is `Aᵀ Xᵀ = Bᵀ`.
    let right = if form.left_side { right } else { right.transpose_mut() };
    let is_transposed = form.transposed == form.left_side;
    let a = if is_transposed { a.transpose() } else { a };
    match (form.lower != is_transposed, form.unit_diagonal) {
        (true, false) => solve_lower_triangular_in_place_with_conj(a, conj, right, par),
        (true, true) => solve_unit_lower_triangular_in_place_with_conj(a, conj, right, par),
        (false, false) => solve_upper_triangular_in_place_with_conj(a, conj, right, par),
        (false, true) => solve_unit_upper_triangular_in_place_with_conj(a, conj, right, par),
    }
}
