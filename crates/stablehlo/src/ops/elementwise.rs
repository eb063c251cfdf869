//! Elementwise ops.

use super::integer_power;
use crate::{
    attribute::{Attribute, Number},
    emit::Value,
    lowering::{Applied, ElementUse, Lowering},
    types::Type,
};
use hloom_graph::{Binary, DType, Direction, Scalar, Unary};

pub(crate) fn convert(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    let (from, to) = (n.operand(0), n.result());
    let mut operand = n.operands[0];
    if from.dtype() == DType::F4E2M1FN && to.dtype().is_int() {
        // XLA treats this type's largest values as infinite, and converts them to the largest
        // integer.
        let wide = Type::from(from.with_dtype(DType::F32));
        operand = l.op("stablehlo.convert", &[operand], wide, &[]);
    }
    l.op("stablehlo.convert", &[operand], to, &[])
}

pub(crate) fn bitcast_convert(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    l.op("stablehlo.bitcast_convert", &n.operands, n.result(), &[])
}

pub(crate) fn unary(l: &mut Lowering<'_>, n: &Applied<'_>, function: Unary) -> Value {
    if function == Unary::Erf && n.result().dtype() == DType::F32 {
        return erf(l, n);
    }
    if function == Unary::Imag
        && !n.operand(0).dtype().is_complex()
        && n.result().dtype() != DType::F8E8M0FNU
    {
        // XLA would find out late that it is 0, after it has folded the `atan2` of zeros to NaN.
        return l.full(&n.result(), Number::Int(0));
    }
    if function == Unary::PopulationCount && n.result().dtype() == DType::I4 {
        // XLA also counts the sign bits that fill the byte.
        let unsigned = Type::from(n.result().with_dtype(DType::U4));
        let bits = l.op("stablehlo.bitcast_convert", &n.operands, unsigned, &[]);
        let count = l.op("stablehlo.popcnt", &[bits], unsigned, &[]);
        return l.op("stablehlo.bitcast_convert", &[count], n.result(), &[]);
    }
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

/// The error function of `f32`, clamped to its limits. Approximations stay below 1 or exceed it by
/// up to a unit in the last place per operation, and products with large numbers amplify the
/// difference.
fn erf(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    /// From here on the error function rounds to 1.
    const LIMIT: f64 = 3.919_206;
    let (x, shape) = (n.operands[0], n.result());
    let r#type = Type::from(shape);
    let near = l.op("chlo.erf", &[x], r#type, &[]);
    let bounds = [-1.0, 1.0].map(|bound| l.scalar(DType::F32, Number::Float(bound)));
    let near = l.op("stablehlo.clamp", &[bounds[0], near, bounds[1]], r#type, &[]);
    let sign = l.op("stablehlo.sign", &[x], r#type, &[]);
    let size = l.op("stablehlo.abs", &[x], r#type, &[]);
    let limit = l.full(&shape, Number::Float(LIMIT));
    let truth = Type::from(shape.with_dtype(DType::Bool));
    let is_far = comparison(l, Direction::Ge, DType::F32, [size, limit], truth);
    l.op(SELECT, &[is_far, sign, near], r#type, &[])
}

pub(crate) fn binary(l: &mut Lowering<'_>, n: &Applied<'_>, function: Binary) -> Value {
    let dtype = n.result().dtype();
    let may_divide_by_zero = dtype.is_int() && n.known(1).is_none_or(is_zero);
    let name = match function {
        Binary::Maximum if dtype.is_complex() => return complex_extreme(l, n, Direction::Gt),
        Binary::Minimum if dtype.is_complex() => return complex_extreme(l, n, Direction::Lt),
        Binary::Pow if dtype.is_int() => return l.in_bytes(n, ElementUse::Combined, integer_power),
        // As in the specification and NumPy; XLA folds additions as exclusive or.
        Binary::Add if dtype == DType::Bool => "stablehlo.or",
        Binary::Mul if dtype == DType::Bool => "stablehlo.and",
        Binary::Add => "stablehlo.add",
        Binary::Sub => "stablehlo.subtract",
        Binary::Mul => "stablehlo.multiply",
        Binary::Div if may_divide_by_zero => {
            let all_bits = l.full(&n.result(), Number::Int(-1));
            return integer_division(l, n, DIVIDE, all_bits);
        }
        Binary::Rem if may_divide_by_zero => {
            return integer_division(l, n, REMAINDER, n.operands[0]);
        }
        Binary::Div => DIVIDE,
        Binary::Rem => REMAINDER,
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

const SELECT: &str = "stablehlo.select";
const DIVIDE: &str = "stablehlo.divide";
const REMAINDER: &str = "stablehlo.remainder";

/// A quotient or remainder of integers that is `by_zero` where the divisor is 0. Plugins fold
/// divisions of constants as the processor does, so that one by 0 would crash the process.
fn integer_division(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    name: &'static str,
    by_zero: Value,
) -> Value {
    let shape = n.result();
    let [zero, one] = [0, 1].map(|number| l.full(&shape, Number::Int(number)));
    let truth = shape.with_dtype(DType::Bool);
    let is_zero = comparison(l, Direction::Eq, shape.dtype(), [n.operands[1], zero], truth);
    let divisor = l.op(SELECT, &[is_zero, one, n.operands[1]], shape, &[]);
    let value = l.op(name, &[n.operands[0], divisor], shape, &[]);
    l.op(SELECT, &[is_zero, by_zero, value], shape, &[])
}

/// The maximum or minimum by real parts, then by imaginary parts; an operand with a NaN propagates.
/// XLA ignores the imaginary parts.
fn complex_extreme(l: &mut Lowering<'_>, n: &Applied<'_>, direction: Direction) -> Value {
    let (operands, shape) = ([n.operands[0], n.operands[1]], n.result());
    let real = shape.dtype().real();
    let truth = Type::from(shape.with_dtype(DType::Bool));
    let part = Type::from(shape.with_dtype(real));
    let reals = operands.map(|operand| l.op("stablehlo.real", &[operand], part, &[]));
    let imaginaries = operands.map(|operand| l.op("stablehlo.imag", &[operand], part, &[]));
    let wins = comparison(l, direction, real, reals, truth);
    let ties = comparison(l, Direction::Eq, real, reals, truth);
    let second = comparison(l, direction, real, imaginaries, truth);
    let second = l.op("stablehlo.and", &[ties, second], truth, &[]);
    let is_nan = operands
        .map(|operand| comparison(l, Direction::Ne, shape.dtype(), [operand, operand], truth));
    let right_is_number = l.op("stablehlo.not", &[is_nan[1]], truth, &[]);
    let wins = l.op("stablehlo.or", &[wins, second], truth, &[]);
    let wins = l.op("stablehlo.and", &[wins, right_is_number], truth, &[]);
    let wins = l.op("stablehlo.or", &[wins, is_nan[0]], truth, &[]);
    l.op(SELECT, &[wins, operands[0], operands[1]], shape, &[])
}

pub(super) fn is_zero(number: &Scalar) -> bool {
    number.bytes().iter().all(|&byte| byte == 0)
}

pub(crate) fn compare(l: &mut Lowering<'_>, n: &Applied<'_>, direction: Direction) -> Value {
    let operands = [n.operands[0], n.operands[1]];
    comparison(l, direction, n.operand(0).dtype(), operands, n.result())
}

pub(crate) fn select(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    l.op(SELECT, &n.operands, n.result(), &[])
}

pub(crate) fn clamp(l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
    if n.result().dtype() == DType::Bool {
        // XLA's constant evaluator does not support it.
        let (r#type, [low, x, high]) = (Type::from(n.result()), [0, 1, 2].map(|i| n.operands[i]));
        let at_least = l.op("stablehlo.or", &[x, low], r#type, &[]);
        return l.op("stablehlo.and", &[at_least, high], r#type, &[]);
    }
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
