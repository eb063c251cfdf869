//! LU factors with row exchanges.

use crate::Scalar;
use faer::{
    Mat, MatMut, MatRef, Par, Spec,
    dyn_stack::{MemBuffer, MemStack},
    linalg::{
        lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch},
        triangular_solve::{solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place},
    },
};

/// The factors of a matrix in one: the unit lower triangular one below the diagonal, the upper
/// triangular one from the diagonal.
pub struct Lu<T> {
    pub packed: Mat<T>,
    /// The row that each row was exchanged with, in the order of the rows.
    pub pivots: Vec<usize>,
}

/// Factors a matrix. One that is singular has zeros on the diagonal of its upper factor.
pub fn lu<T: Scalar>(a: MatRef<'_, T>, par: Par) -> Lu<T> {
    let (rows, least) = (a.nrows(), a.nrows().min(a.ncols()));
    let mut packed = a.to_owned();
    let mut order = vec![0usize; rows];
    let mut inverse = vec![0usize; rows];
    let scratch = lu_in_place_scratch::<usize, T>(rows, a.ncols(), par, Spec::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    lu_in_place(packed.as_mut(), &mut order, &mut inverse, par, stack, Spec::default());
    // A pivot of 0 makes NaNs of the zeros below it.
    let is_regular = (0..least).all(|i| {
        let pivot = packed[(i, i)];
        T::is_finite_impl(&pivot) && pivot != T::zero_impl()
    });
    if is_regular { Lu { packed, pivots: exchanges(&order, least) } } else { careful(a) }
}

/// The exchanges that lead to an order of rows.
fn exchanges(order: &[usize], count: usize) -> Vec<usize> {
    let mut current: Vec<usize> = (0..order.len()).collect();
    let mut place = current.clone();
    let mut pivots = Vec::with_capacity(count);
    for (row, &wanted) in order.iter().enumerate().take(count) {
        let found = place[wanted];
        place.swap(current[row], wanted);
        current.swap(row, found);
        pivots.push(found);
    }
    pivots
}

/// The factors, where a column of zeros has no multipliers.
fn careful<T: Scalar>(a: MatRef<'_, T>) -> Lu<T> {
    let mut packed = a.to_owned();
    let (rows, columns) = (a.nrows(), a.ncols());
    let mut pivots = Vec::with_capacity(rows.min(columns));
    for step in 0..rows.min(columns) {
        let size = |packed: &Mat<T>, row: usize| T::abs1_impl(&packed[(row, step)]);
        let mut pivot = step;
        for row in step + 1..rows {
            if size(&packed, row) > size(&packed, pivot) {
                pivot = row;
            }
        }
        pivots.push(pivot);
        for column in 0..columns {
            let (a, b) = (packed[(step, column)], packed[(pivot, column)]);
            packed[(step, column)] = b;
            packed[(pivot, column)] = a;
        }
        let divisor = packed[(step, step)];
        if divisor == T::zero_impl() {
            continue;
        }
        for row in step + 1..rows {
            packed[(row, step)] /= divisor;
        }
        for column in step + 1..columns {
            let factor = packed[(step, column)];
            for row in step + 1..rows {
                let change = packed[(row, step)] * factor;
                packed[(row, column)] -= change;
            }
        }
    }
    Lu { packed, pivots }
}

impl<T: Scalar> Lu<T> {
    /// The row of the matrix at each row of the factors.
    pub fn permutation(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.packed.nrows()).collect();
        for (row, &pivot) in self.pivots.iter().enumerate() {
            order.swap(row, pivot);
        }
        order
    }

    /// Solves `A X = B` for the `A` that was factored, in place of `B`.
    pub fn solve(&self, mut right: MatMut<'_, T>, par: Par) {
        for (row, &pivot) in self.pivots.iter().enumerate() {
            for column in 0..right.ncols() {
                let (a, b) = (right[(row, column)], right[(pivot, column)]);
                right[(row, column)] = b;
                right[(pivot, column)] = a;
            }
        }
        let factors = self.packed.as_ref();
        solve_unit_lower_triangular_in_place(factors, right.as_mut(), par);
        solve_upper_triangular_in_place(factors, right, par);
    }
}
