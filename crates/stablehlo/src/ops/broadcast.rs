//! Broadcasts.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering};
use hloom_graph::PerAxis;

pub(crate) fn broadcast_in_dim(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    axes: &PerAxis<usize>,
) -> Value {
    let shape = n.result();
    // A pure rename of axes is a no-op.
    if n.operand(0).same_layout(&shape) && axes.is_sorted() {
        return n.operands[0];
    }
    let attributes = [("broadcast_dimensions", Attribute::i64s(axes))];
    l.op("stablehlo.broadcast_in_dim", &n.operands, shape, &attributes)
}
