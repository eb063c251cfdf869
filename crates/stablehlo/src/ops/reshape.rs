//! The same elements under other axes.

use crate::lowering::{Applied, Lowering};
use hloom_graph::PerAxis;
use melior::ir::Value;

pub(crate) fn reshape<'a>(l: &Lowering<'a>, n: &Applied<'a>) -> Value<'a, 'a> {
    let result = n.result();
    // Names of axes are not known below: a change of nothing else is none.
    if n.operand(0).same_layout(&result) {
        return n.operands[0];
    }
    l.op("stablehlo.reshape", &n.operands, l.types.tensor(&result), &[])
}

pub(crate) fn transpose<'a>(l: &Lowering<'a>, n: &Applied<'a>, order: &PerAxis<usize>) -> Value<'a, 'a> {
    let attributes = [("permutation", l.i64s(order))];
    l.op(
        "stablehlo.transpose",
        &n.operands,
        l.types.tensor(&n.result()),
        &attributes,
    )
}

pub(crate) fn reverse<'a>(l: &Lowering<'a>, n: &Applied<'a>, axes: &PerAxis<usize>) -> Value<'a, 'a> {
    let attributes = [("dimensions", l.i64s(axes))];
    l.op(
        "stablehlo.reverse",
        &n.operands,
        l.types.tensor(&n.result()),
        &attributes,
    )
}
