//! The same elements under other axes.

use crate::lowering::{Applied, Lowering};
use hloom_graph::{DType, PerAxis, Shape};
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
    let (operand, result) = (n.operand(0), n.result());
    // XLA's CPU compiler cannot copy transposed elements of less than a byte, and throws: they are bytes on the way.
    let Some(unsigned) = below_a_byte(result.dtype()) else {
        return l.op("stablehlo.transpose", &n.operands, l.types.tensor(&result), &attributes);
    };
    let typed = |shape: Shape, dtype| l.types.tensor(&shape.with_dtype(dtype));
    let value = l.op("stablehlo.bitcast_convert", &n.operands, typed(operand, unsigned), &[]);
    let value = l.op("stablehlo.convert", &[value], typed(operand, DType::U8), &[]);
    // Without the barriers XLA would turn the elements before they are bytes, or after.
    let value = l.op(
        "stablehlo.optimization_barrier",
        &[value],
        typed(operand, DType::U8),
        &[],
    );
    let value = l.op("stablehlo.transpose", &[value], typed(result, DType::U8), &attributes);
    let value = l.op(
        "stablehlo.optimization_barrier",
        &[value],
        typed(result, DType::U8),
        &[],
    );
    let value = l.op("stablehlo.convert", &[value], typed(result, unsigned), &[]);
    l.op("stablehlo.bitcast_convert", &[value], l.types.tensor(&result), &[])
}

/// The unsigned type of the same width, for types of less than a byte.
fn below_a_byte(dtype: DType) -> Option<DType> {
    match dtype.bits() {
        2 => Some(DType::U2),
        4 => Some(DType::U4),
        _ => None,
    }
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
