//! Floats rounded to a format of fewer bits.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::op::ReducePrecision;

impl Lower for ReducePrecision {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [
            ("exponent_bits", Attribute::i32(self.exponent_bits)),
            ("mantissa_bits", Attribute::i32(self.mantissa_bits)),
        ];
        l.op("stablehlo.reduce_precision", &n.operands, n.result(), &attributes)
    }
}
