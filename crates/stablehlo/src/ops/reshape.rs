//! Reshapes and transposes.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::op::{Reshape, Reverse, Transpose};

impl Lower for Reshape {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let result = n.result();
        // A pure rename of axes is a no-op.
        if n.operand(0).same_layout(&result) {
            return n.operands[0];
        }
        l.op("stablehlo.reshape", &n.operands, result, &[])
    }
}

impl Lower for Transpose {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [("permutation", Attribute::i64s(&self.order))];
        l.op("stablehlo.transpose", &n.operands, n.result(), &attributes)
    }
}

impl Lower for Reverse {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [("dimensions", Attribute::i64s(&self.axes))];
        l.op("stablehlo.reverse", &n.operands, n.result(), &attributes)
    }
}
