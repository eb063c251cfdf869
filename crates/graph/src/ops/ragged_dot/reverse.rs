//! The derivatives of products of groups of rows, which are such products again.

use super::ragged_outer;
use crate::{
    BlockKind, Tensor,
    grad::Pull,
    op::Composite,
    ops::{CompositeRules, blocks, expanded_lanes},
};

/// The rules of [`Tensor::ragged_dot`].
pub(crate) const RAGGED_DOT_RULES: CompositeRules = CompositeRules {
    expand: |_, _| false,
    batch: expanded_lanes,
    record: |_, tape, node| tape.plain(node),
    pull: pull_dot,
};

/// The rules of [`ragged_outer`].
pub(crate) const RAGGED_OUTER_RULES: CompositeRules =
    CompositeRules { pull: pull_outer, ..RAGGED_DOT_RULES };

/// Rows times the matrix of their group, `[group, in, out]` or `[group, out, in]`.
fn pull_dot(op: &Composite, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    let (g, [x, w, sizes]) = (pull.g(), [0, 1, 2].map(|i| pull.x(i)));
    let is_first = op.attributes.scalar::<i64>("contracted") == Some(1);
    let outputs: isize = if is_first { 2 } else { 1 };
    if let Some(kind) = op.attributes.string("kind").and_then(BlockKind::from_name) {
        let of_rows = || g.ragged_dot(blocks::blocks(w, kind), sizes, (1, outputs));
        return vec![pull.wants(0).then(of_rows), None, None];
    }
    let of_matrices =
        || if is_first { ragged_outer(x, g, sizes) } else { ragged_outer(g, x, sizes) };
    pull.two(|| g.ragged_dot(w, sizes, (1, outputs)), of_matrices)
}

/// Outer products of rows, summed for each group.
fn pull_outer(_: &Composite, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    let (g, [left, right, sizes]) = (pull.g(), [0, 1, 2].map(|i| pull.x(i)));
    pull.two(|| right.ragged_dot(g, sizes, (1, 2)), || left.ragged_dot(g, sizes, (1, 1)))
}
