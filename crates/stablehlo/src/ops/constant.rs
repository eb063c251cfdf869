//! Constants and other tensors without operands.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::{
    Literal,
    op::{Iota, Splat},
};

impl Lower for Literal {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, _: &Applied<'_>) -> Value {
        let shape = self.shape();
        let value = Attribute::elements(&shape, self.bytes());
        l.op("stablehlo.constant", &[], shape, &[("value", value)])
    }
}

impl Lower for Splat {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let shape = n.result();
        let value = Attribute::elements(&shape, self.scalar.bytes());
        l.op("stablehlo.constant", &[], shape, &[("value", value)])
    }
}

impl Lower for Iota {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [("iota_dimension", Attribute::i64(self.axis))];
        l.op("stablehlo.iota", &[], n.result(), &attributes)
    }
}
