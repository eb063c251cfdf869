//! Reshapes and transposes.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering};
use hloom_graph::PerAxis;

pub(crate) fn reshape(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    let result = n.result();
    // A pure rename of axes is a no-op.
    if n.operand(0).same_layout(&result) {
        return n.operands[0];
    }
    l.op("stablehlo.reshape", &n.operands, result, &[])
}

pub(crate) fn transpose(l: &mut Lowering<'_>, n: &Applied<'_>, order: &PerAxis<usize>) -> Value {
    let attributes = [("permutation", Attribute::i64s(order))];
    l.op("stablehlo.transpose", &n.operands, n.result(), &attributes)
}

pub(crate) fn reverse(l: &mut Lowering<'_>, n: &Applied<'_>, axes: &PerAxis<usize>) -> Value {
    let attributes = [("dimensions", Attribute::i64s(axes))];
    l.op("stablehlo.reverse", &n.operands, n.result(), &attributes)
}
