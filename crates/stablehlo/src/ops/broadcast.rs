//! Repeating values along axes.

use crate::lowering::{Applied, Lowering};
use hloom_graph::PerAxis;
use melior::ir::Value;

pub(crate) fn broadcast_in_dim<'a>(l: &Lowering<'a>, n: &Applied<'a>, axes: &PerAxis<usize>) -> Value<'a, 'a> {
    let shape = n.result();
    // Axes that only got names stay as they are.
    if n.operand(0).same_layout(&shape) && axes.is_sorted() {
        return n.operands[0];
    }
    let attributes = [("broadcast_dimensions", l.i64s(axes))];
    let result = l.types.tensor(&shape);
    l.op("stablehlo.broadcast_in_dim", &n.operands, result, &attributes)
}
