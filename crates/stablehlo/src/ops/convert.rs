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
        l.op("stablehlo.bitcast_convert", &n.operands, n.result(), &[])
    }
}
