//! Elementwise ops.

use crate::{applied::Applied, attribute::Attribute, emit::Value, lowering::Lowering, types::Type};
use hloom_graph::{Binary, DType, Direction, Unary, op::ReducePrecision};

pub(crate) fn convert(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    l.op("stablehlo.convert", &n.operands, n.result(), &[])
}

pub(crate) fn bitcast_convert(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    l.op("stablehlo.bitcast_convert", &n.operands, n.result(), &[])
}

pub(crate) fn reduce_precision(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    precision: &ReducePrecision,
) -> Value {
    let attributes = [
        ("exponent_bits", Attribute::i32(precision.exponent_bits)),
        ("mantissa_bits", Attribute::i32(precision.mantissa_bits)),
    ];
    l.op("stablehlo.reduce_precision", &n.operands, n.result(), &attributes)
}

pub(crate) fn unary(l: &mut Lowering<'_>, n: &Applied<'_>, function: Unary) -> Value {
    let name = match function {
        Unary::Abs => "stablehlo.abs",
        Unary::Neg => "stablehlo.negate",
        Unary::Sign => "stablehlo.sign",
        Unary::Exp => "stablehlo.exponential",
        Unary::ExpM1 => "stablehlo.exponential_minus_one",
        Unary::Log => "stablehlo.log",
        Unary::Log1p => "stablehlo.log_plus_one",
        Unary::Sqrt => "stablehlo.sqrt",
        Unary::Rsqrt => "stablehlo.rsqrt",
        Unary::Cbrt => "stablehlo.cbrt",
        Unary::Sin => "stablehlo.sine",
        Unary::Cos => "stablehlo.cosine",
        Unary::Tan => "stablehlo.tan",
        Unary::Tanh => "stablehlo.tanh",
        Unary::Logistic => "stablehlo.logistic",
        // StableHLO has no error function; plugins accept it from the CHLO dialect.
        Unary::Erf => "chlo.erf",
        Unary::Floor => "stablehlo.floor",
        Unary::Ceil => "stablehlo.ceil",
        Unary::Round => "stablehlo.round_nearest_afz",
        Unary::RoundEven => "stablehlo.round_nearest_even",
        Unary::IsFinite => "stablehlo.is_finite",
        Unary::Not => "stablehlo.not",
        Unary::CountLeadingZeros => "stablehlo.count_leading_zeros",
        Unary::PopulationCount => "stablehlo.popcnt",
        Unary::Real => "stablehlo.real",
        Unary::Imag => "stablehlo.imag",
    };
    l.op(name, &n.operands, n.result(), &[])
}

pub(crate) fn binary(l: &mut Lowering<'_>, n: &Applied<'_>, function: Binary) -> Value {
    let name = match function {
        Binary::Add => "stablehlo.add",
        Binary::Sub => "stablehlo.subtract",
        Binary::Mul => "stablehlo.multiply",
        Binary::Div => "stablehlo.divide",
        Binary::Rem => "stablehlo.remainder",
        Binary::Pow => "stablehlo.power",
        Binary::Maximum => "stablehlo.maximum",
        Binary::Minimum => "stablehlo.minimum",
        Binary::Atan2 => "stablehlo.atan2",
        Binary::NextAfter => "chlo.next_after",
        Binary::And => "stablehlo.and",
        Binary::Or => "stablehlo.or",
        Binary::Xor => "stablehlo.xor",
        Binary::ShiftLeft => "stablehlo.shift_left",
        Binary::ShiftRightArithmetic => "stablehlo.shift_right_arithmetic",
        Binary::ShiftRightLogical => "stablehlo.shift_right_logical",
        Binary::Complex => "stablehlo.complex",
    };
    l.op(name, &n.operands, n.result(), &[])
}

pub(crate) fn compare(l: &mut Lowering<'_>, n: &Applied<'_>, direction: Direction) -> Value {
    let operands = [n.operands[0], n.operands[1]];
    comparison(l, direction, n.operand(0).dtype(), operands, n.result())
}

pub(crate) fn select(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    l.op("stablehlo.select", &n.operands, n.result(), &[])
}

pub(crate) fn clamp(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    l.op("stablehlo.clamp", &n.operands, n.result(), &[])
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
