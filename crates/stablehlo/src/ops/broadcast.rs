//! Broadcasts.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::op::BroadcastInDim;

impl Lower for BroadcastInDim {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let shape = n.result();
        // A pure rename of axes is a no-op.
        if n.operand(0).same_layout(&shape) && self.axes.is_sorted() {
            return n.operands[0];
        }
        let attributes = [("broadcast_dimensions", Attribute::i64s(&self.axes))];
        l.op("stablehlo.broadcast_in_dim", &n.operands, shape, &attributes)
    }
}
