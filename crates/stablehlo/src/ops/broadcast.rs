//! Repeating values along axes.

use crate::lowering::{Applied, Lowering};
use hloom_graph::PerAxis;
use melior::ir::Value;

pub(crate) fn broadcast_in_dim<'a>(l: &Lowering<'a>, n: &Applied<'a>, axes: &PerAxis<usize>) -> Value<'a, 'a> {
    let attributes = [("broadcast_dimensions", l.i64s(axes))];
    let result = l.types.tensor(&n.result());
    l.op("stablehlo.broadcast_in_dim", &n.operands, result, &attributes)
}
