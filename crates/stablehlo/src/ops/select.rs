//! Selections.

use crate::{applied::Applied, emit::Value, lower::Lower, lowering::Lowering};
use hloom_graph::op::{Clamp, Select};

impl Lower for Select {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        l.op("stablehlo.select", &n.operands, n.result(), &[])
    }
}

impl Lower for Clamp {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        l.op("stablehlo.clamp", &n.operands, n.result(), &[])
    }
}
