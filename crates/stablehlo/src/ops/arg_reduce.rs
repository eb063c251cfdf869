//! Indices of the largest and smallest elements.

use super::{compare::comparison, reduce::identity};
use crate::{
    applied::Applied,
    attribute::{Attribute, Number},
    emit::Value,
    lower::Lower,
    lowering::Lowering,
    types::Type,
};
use hloom_graph::{ArgReduction, DType, Direction, Reduction, op::ArgReduce};

impl Lower for ArgReduce {
    type Results = Value;

    /// Reduces two tensors together: the values and their indices. The better value of a pair wins,
    /// or a NaN; of equal values, and of NaNs, the one with the lower index, in any order of
    /// reduction.
    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let ArgReduce { reduction, axis } = *self;
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
            let first =
                comparison(l, Direction::Lt, indices.dtype(), [left_index, right_index], truth);
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
}
