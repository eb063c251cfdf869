//! The derivative of products with quantised blocks by the other factor.

use super::{Contracted, times};
use crate::{
    BlockKind, Tensor,
    grad::Pull,
    op::Composite,
    ops::{CompositeRules, expanded_lanes},
};

/// The rules of products with blocks, which are constants.
pub(crate) const BLOCK_DOT_RULES: CompositeRules = CompositeRules {
    expand: |_, _| false,
    batch: expanded_lanes,
    record: |_, tape, node| tape.plain(node),
    pull,
};

/// The product with the same blocks that contracts their other axis.
fn pull(op: &Composite, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
    let (g, [x, weight]) = (pull.g(), [0, 1].map(|i| pull.x(i)));
    let kind = op.attributes.string("kind").and_then(BlockKind::from_name);
    let Some(kind) = kind else { return pull.refuse("has no kind of blocks") };
    let other = match op.attributes.scalar::<i64>("contracted") {
        Some(0) => Contracted::Columns,
        _ => Contracted::Rows,
    };
    let of_x = || times(g.convert(x.dtype()), weight, kind, (other, x.dtype()));
    vec![pull.wants(0).then(of_x), None]
}
