//! Comparisons.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
    types::Type,
};
use hloom_graph::{DType, Direction};

impl Lower for Direction {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let operands = [n.operands[0], n.operands[1]];
        comparison(l, *self, n.operand(0).dtype(), operands, n.result())
    }
}

/// A comparison of elements of `dtype`; with NaN it is false, except for `Ne`.
pub(super) fn comparison(
    l: &mut Lowering<'_>,
    direction: Direction,
    dtype: DType,
    operands: [Value; 2],
    result: impl Into<Type>,
) -> Value {
    let direction = match direction {
        Direction::Eq => "EQ",
        Direction::Ne => "NE",
        Direction::Lt => "LT",
        Direction::Le => "LE",
        Direction::Gt => "GT",
        Direction::Ge => "GE",
    };
    let kind = match dtype {
        dtype if dtype.is_signed_int() => "SIGNED",
        dtype if dtype.is_unsigned_int() || dtype == DType::Bool => "UNSIGNED",
        _ => "FLOAT",
    };
    compare_as(l, direction, kind, operands, result)
}

/// A comparison with StableHLO's names of directions and kinds.
pub(super) fn compare_as(
    l: &mut Lowering<'_>,
    direction: &str,
    kind: &str,
    operands: [Value; 2],
    result: impl Into<Type>,
) -> Value {
    let attributes = [
        (
            "comparison_direction",
            Attribute::text(format!("#stablehlo<comparison_direction {direction}>")),
        ),
        ("compare_type", Attribute::text(format!("#stablehlo<comparison_type {kind}>"))),
    ];
    l.op("stablehlo.compare", &operands, result, &attributes)
}
