//! Elementwise functions of two operands.

use crate::{applied::Applied, emit::Value, lower::Lower, lowering::Lowering};
use hloom_graph::Binary;

impl Lower for Binary {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let name = match self {
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
}
