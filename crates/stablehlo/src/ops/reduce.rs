//! Reductions.

use super::comparison;
use crate::{
    applied::Applied,
    attribute::{Attribute, Number},
    emit::Value,
    lowering::Lowering,
    types::Type,
};
use hloom_graph::{ArgReduction, DType, Direction, PerAxis, Reduction};

pub(crate) fn reduce(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    reduction: Reduction,
    axes: &PerAxis<usize>,
) -> Value {
    let result = Type::from(n.result());
    let scalar = Type::scalar(result.dtype());
    let start = l.scalar(scalar.dtype(), identity(reduction, scalar.dtype()));
    let combine = l.region(&[scalar, scalar], |l, operands| {
        vec![l.op(combiner(reduction), operands, scalar, &[])]
    });
    let attributes = [("dimensions", Attribute::i64s(axes))];
    let operands = [n.operands[0], start];
    l.operation("stablehlo.reduce", &operands, &[result], &attributes, vec![combine]).at(0)
}

/// Reduces two tensors together: the values and their indices. The better value of a pair wins, or
/// a NaN; of equal values, and of NaNs, the one with the lower index, in any order of reduction.
pub(crate) fn arg_reduce(
    l: &mut Lowering<'_>,
    n: &Applied<'_>,
    reduction: ArgReduction,
    axis: usize,
) -> Value {
    let values = n.operand(0);
    let indices = values.with_dtype(n.result().dtype());
    let positions = [("iota_dimension", Attribute::i64(axis))];
    let positions = l.op("stablehlo.iota", &[], indices, &positions);
    let (worst, better) = match reduction {
        ArgReduction::Max => (identity(Reduction::Max, values.dtype()), Direction::Gt),
        ArgReduction::Min => (identity(Reduction::Min, values.dtype()), Direction::Lt),
    };
    let starts = [l.scalar(values.dtype(), worst), l.scalar(indices.dtype(), Number::Int(0))];
    let (value, index) = (Type::scalar(values.dtype()), Type::scalar(indices.dtype()));
    let results = [Type::from(n.result().with_dtype(values.dtype())), Type::from(n.result())];
    let choose = l.region(&[value, index, value, index], |l, operands| {
        let truth = Type::scalar(DType::Bool);
        let [left, left_index, right, right_index] = [0, 1, 2, 3].map(|i| operands[i]);
        let dtype = values.dtype();
        let mut wins = comparison(l, better, dtype, [left, right], truth);
        let mut ties = comparison(l, Direction::Eq, dtype, [left, right], truth);
        if dtype.is_float() {
            let left_nan = comparison(l, Direction::Ne, dtype, [left, left], truth);
            let right_nan = comparison(l, Direction::Ne, dtype, [right, right], truth);
            let right_number = l.op("stablehlo.not", &[right_nan], truth, &[]);
            let only_left = l.op("stablehlo.and", &[left_nan, right_number], truth, &[]);
            wins = l.op("stablehlo.or", &[wins, only_left], truth, &[]);
            let both = l.op("stablehlo.and", &[left_nan, right_nan], truth, &[]);
            ties = l.op("stablehlo.or", &[ties, both], truth, &[]);
        }
        let first = comparison(l, Direction::Lt, indices.dtype(), [left_index, right_index], truth);
        let earlier = l.op("stablehlo.and", &[ties, first], truth, &[]);
        let kept = l.op("stablehlo.or", &[wins, earlier], truth, &[]);
        vec![
            l.op("stablehlo.select", &[kept, left, right], value, &[]),
            l.op("stablehlo.select", &[kept, left_index, right_index], index, &[]),
        ]
    });
    let operands = [n.operands[0], positions, starts[0], starts[1]];
    let attributes = [("dimensions", Attribute::i64s(&[axis]))];
    l.operation("stablehlo.reduce", &operands, &results, &attributes, vec![choose]).at(1)
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
        // Two to the power of its lowest exponent: the type has no sign.
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
