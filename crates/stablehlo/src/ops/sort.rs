//! Sorting.

use super::compare::{compare_as, comparison};
use crate::{
    applied::Applied,
    attribute::{Attribute, Number},
    emit::Value,
    lower::Lower,
    lowering::Lowering,
    types::Type,
};
use hloom_graph::{
    DType, Direction,
    op::{Sort, TopK},
};

impl Lower for Sort {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let Sort { axis, descending } = *self;
        let types: Vec<_> = n.results().map(Type::from).collect();
        let parameters: Vec<_> = types.iter().flat_map(|x| [Type::scalar(x.dtype()); 2]).collect();
        let dtype = types[0].dtype();
        let compare = l.region(&parameters, |l, arguments| {
            let truth = Type::scalar(DType::Bool);
            let operands = [arguments[0], arguments[1]];
            vec![if dtype.is_float() {
                // The total order compares signs and magnitudes: in some 8-bit types, NaN has
                // the bits of a negative number, or the highest bit is not a sign.
                let wide = if dtype.bits() <= 8 { DType::BF16 } else { dtype };
                let operands = operands.map(|operand| converted(l, operand, dtype, wide));
                let operands = operands.map(|operand| without_variants(l, wide, operand));
                compare_as(l, if descending { "GT" } else { "LT" }, "TOTALORDER", operands, truth)
            } else {
                let direction = if descending { Direction::Gt } else { Direction::Lt };
                comparison(l, direction, dtype, operands, truth)
            }]
        });
        let attributes =
            [("dimension", Attribute::i64(axis)), ("is_stable", Attribute::Bool(true))];
        l.operation("stablehlo.sort", &n.operands, &types, &attributes, vec![compare]).to_vec()
    }
}

impl Lower for TopK {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let types: Vec<_> = n.results().map(Type::from).collect();
        l.operation("chlo.top_k", &n.operands, &types, &[("k", Attribute::i64(self.k))], Vec::new())
            .to_vec()
    }
}

/// Converts a scalar to another type, if necessary.
fn converted(l: &mut Lowering<'_>, x: Value, from: DType, to: DType) -> Value {
    if from == to { x } else { l.op("stablehlo.convert", &[x], Type::scalar(to), &[]) }
}

/// The total order of floats distinguishes -0 from 0 and NaNs from each other; this makes them
/// equal, with NaN the largest.
fn without_variants(l: &mut Lowering<'_>, dtype: DType, x: Value) -> Value {
    let (scalar, truth) = (Type::scalar(dtype), Type::scalar(DType::Bool));
    let zero = l.scalar(dtype, Number::Int(0));
    let is_zero = comparison(l, Direction::Eq, dtype, [x, zero], truth);
    let x = l.op("stablehlo.select", &[is_zero, zero, x], scalar, &[]);
    let nan = l.scalar(dtype, Number::Float(f64::NAN));
    let is_nan = comparison(l, Direction::Ne, dtype, [x, x], truth);
    l.op("stablehlo.select", &[is_nan, nan, x], scalar, &[])
}
