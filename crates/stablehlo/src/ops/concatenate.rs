//! Concatenation.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::op::Concatenate;

impl Lower for Concatenate {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [("dimension", Attribute::i64(self.axis))];
        l.op("stablehlo.concatenate", &n.operands, n.result(), &attributes)
    }
}
