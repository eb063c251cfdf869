//! Conversions of element types.

use crate::{applied::Applied, emit::Value, lower::Lower, lowering::Lowering};
use hloom_graph::op::{BitcastConvert, Convert};

impl Lower for Convert {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        l.op("stablehlo.convert", &n.operands, n.result(), &[])
    }
}

impl Lower for BitcastConvert {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let blocks = [n.operand(0), n.result()].map(|shape| shape.dtype().block());
        if blocks.iter().any(Option::is_some) {
            // Blocks are stored as the bytes of their rows.
            return n.operands[0];
        }
        l.op("stablehlo.bitcast_convert", &n.operands, n.result(), &[])
    }
}
