//! Elementwise functions of one operand.

use crate::{applied::Applied, emit::Value, lower::Lower, lowering::Lowering};
use hloom_graph::Unary;

impl Lower for Unary {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let name = match self {
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
            // StableHLO has no error function; plugins accept the op of the CHLO dialect.
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
}
