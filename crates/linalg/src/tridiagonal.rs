//! Systems of equations with tridiagonal matrices.

use crate::Scalar;
use faer::MatMut;

/// Solves an equation in place of its right side, with row exchanges. The diagonals, of which the
/// first element of the lower one and the last of the upper one are not used, are overwritten.
/// Returns the index of a pivot that is 0.
pub fn solve<T: Scalar>(
    lower: &mut [T],
    main: &mut [T],
    upper: &mut [T],
    mut right: MatMut<'_, T>,
) -> Option<usize> {
    let (size, columns, zero) = (main.len(), right.ncols(), T::zero_impl());
    // Elements that exchanges move into the second diagonal above.
    let mut second = vec![zero; size];
    for row in 0..size.saturating_sub(1) {
        let below = row + 1;
        if T::abs1_impl(&lower[below]) > T::abs1_impl(&main[row]) {
            std::mem::swap(&mut lower[below], &mut main[row]);
            std::mem::swap(&mut main[below], &mut upper[row]);
            if below + 1 < size {
                second[row] = upper[below];
                upper[below] = zero;
            }
            for column in 0..columns {
                let (a, b) = (right[(row, column)], right[(below, column)]);
                right[(row, column)] = b;
                right[(below, column)] = a;
            }
        }
        if main[row] == zero {
            return Some(row);
        }
        let factor = lower[below] / main[row];
        let above = upper[row];
        main[below] -= factor * above;
        if below + 1 < size {
            let above = second[row];
            upper[below] -= factor * above;
        }
        for column in 0..columns {
            let change = factor * right[(row, column)];
            right[(below, column)] -= change;
        }
    }
    if size > 0 && main[size - 1] == zero {
        return Some(size - 1);
    }
    for column in 0..columns {
        for row in (0..size).rev() {
            let mut value = right[(row, column)];
            if row + 1 < size {
                value -= upper[row] * right[(row + 1, column)];
            }
            if row + 2 < size {
                value -= second[row] * right[(row + 2, column)];
            }
            right[(row, column)] = value / main[row];
        }
    }
    None
}
