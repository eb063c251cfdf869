//! The derivatives of products of groups of rows, which are such products again.

use super::ragged_outer;
use crate::{Tensor, grad::Pull, op::Composite};

/// Rows times the matrix of their group, `[group, in, out]` or `[group, out, in]`.
pub(crate) fn pulled(pull: &Pull<'_>, op: &Composite) -> Vec<Option<Tensor>> {
    let (g, [x, w, sizes]) = (pull.g(), [0, 1, 2].map(|i| pull.x(i)));
    let is_first = op.attributes.scalar::<i64>("contracted") == Some(1);
    let outputs: isize = if is_first { 2 } else { 1 };
    let of_matrices = || match is_first {
        true => ragged_outer(x, g, sizes),
        false => ragged_outer(g, x, sizes),
    };
    pull.two(|| g.ragged_dot(w, sizes, (1, outputs)), of_matrices)
}

/// Outer products of rows, summed for each group.
pub(crate) fn pulled_outer(pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    let (g, [left, right, sizes]) = (pull.g(), [0, 1, 2].map(|i| pull.x(i)));
    pull.two(|| right.ragged_dot(g, sizes, (1, 2)), || left.ragged_dot(g, sizes, (1, 1)))
}
