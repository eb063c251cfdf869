//! Reductions.

use crate::{
    applied::Applied,
    attribute::{Attribute, Number},
    emit::Value,
    lower::Lower,
    lowering::Lowering,
    types::Type,
};
use hloom_graph::{DType, Reduction, op::Reduce};

impl Lower for Reduce {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let result = Type::from(n.result());
        let scalar = Type::scalar(result.dtype());
        let start = l.scalar(scalar.dtype(), identity(self.reduction, scalar.dtype()));
        let combine = l.region(&[scalar, scalar], |l, operands| {
            vec![l.op(combiner(self.reduction), operands, scalar, &[])]
        });
        let attributes = [("dimensions", Attribute::i64s(&self.axes))];
        let operands = [n.operands[0], start];
        l.operation("stablehlo.reduce", &operands, &[result], &attributes, vec![combine]).at(0)
    }
}

/// The op that combines two elements.
pub(super) fn combiner(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Sum => "stablehlo.add",
        Reduction::Prod => "stablehlo.multiply",
        Reduction::Max => "stablehlo.maximum",
        Reduction::Min => "stablehlo.minimum",
        Reduction::Any => "stablehlo.or",
        Reduction::All => "stablehlo.and",
    }
}

/// The identity element of a reduction.
pub(super) fn identity(reduction: Reduction, dtype: DType) -> Number {
    match reduction {
        Reduction::Sum | Reduction::Any => Number::Int(0),
        Reduction::Prod | Reduction::All => Number::Int(1),
        Reduction::Max => lowest(dtype),
        Reduction::Min => highest(dtype),
    }
}

fn lowest(dtype: DType) -> Number {
    match dtype {
        // Two to the power of the lowest exponent: the type has no sign.
        DType::F8E8M0FNU => Number::Float(2f64.powi(-127)),
        dtype if dtype.is_signed_int() => Number::Int(-1 << (dtype.bits() - 1)),
        dtype if dtype.is_int() || dtype == DType::Bool => Number::Int(0),
        dtype => match highest(dtype) {
            Number::Float(value) => Number::Float(-value),
            int => int,
        },
    }
}

fn highest(dtype: DType) -> Number {
    match dtype {
        DType::Bool => Number::Int(1),
        dtype if dtype.is_signed_int() => {
            Number::Int((1i64 << (dtype.bits() - 2)) - 1 + (1i64 << (dtype.bits() - 2)))
        }
        dtype if dtype.is_int() => Number::Int((u64::MAX >> (64 - dtype.bits())) as i64),
        // The types without an infinity.
        DType::F4E2M1FN => Number::Float(6.0),
        DType::F8E4M3FN => Number::Float(448.0),
        DType::F8E4M3FNUZ => Number::Float(240.0),
        DType::F8E4M3B11FNUZ => Number::Float(30.0),
        DType::F8E5M2FNUZ => Number::Float(57344.0),
        DType::F8E8M0FNU => Number::Float(2f64.powi(127)),
        _ => Number::Float(f64::INFINITY),
    }
}
