//! Order.

use super::{comparison, elementwise::compare_as};
use crate::{
    attribute::Number,
    lowering::{Applied, Lowering},
};
use hloom_graph::{DType, Direction};
use melior::ir::{OperationRef, Value};

pub(crate) fn sort<'a>(l: &mut Lowering<'a>, n: &Applied<'a>, axis: usize, descending: bool) -> OperationRef<'a, 'a> {
    let results: Vec<_> = n.results().map(|shape| l.types.tensor(&shape)).collect();
    let parameters: Vec<_> = n.results().flat_map(|shape| [l.types.scalar(shape.dtype()); 2]).collect();
    let operation = l.operation(
        "stablehlo.sort",
        &n.operands,
        &results,
        &[("dimension", l.i64(axis)), ("is_stable", l.bool(true))],
        vec![l.empty_region(&parameters)],
    );
    let dtype = n.operand(0).dtype();
    let direction = if descending { Direction::Gt } else { Direction::Lt };
    l.fill(operation, 0, |l| {
        let truth = l.types.scalar(DType::Bool);
        let operands = [l.argument(0), l.argument(1)];
        vec![match dtype.is_float() {
            true => {
                let operands = operands.map(|operand| without_variants(l, dtype, operand));
                compare_as(l, if descending { "GT" } else { "LT" }, "TOTALORDER", operands, truth)
            }
            false => comparison(l, direction, dtype, operands, truth),
        }]
    });
    operation
}

/// The total order of floats tells -0 from 0 and NaNs from each other; here they are made equal, NaN being the largest.
fn without_variants<'a>(l: &mut Lowering<'a>, dtype: DType, x: Value<'a, 'a>) -> Value<'a, 'a> {
    let (scalar, truth) = (l.types.scalar(dtype), l.types.scalar(DType::Bool));
    let mut x = x;
    if dtype != DType::F8E8M0FNU {
        let zero = l.scalar(dtype, Number::Int(0));
        let is_zero = comparison(l, Direction::Eq, dtype, [x, zero], truth);
        x = l.op("stablehlo.select", &[is_zero, zero, x], scalar, &[]);
    }
    if dtype != DType::F4E2M1FN {
        let nan = l.scalar(dtype, Number::Float(f64::NAN));
        let is_nan = comparison(l, Direction::Ne, dtype, [x, x], truth);
        x = l.op("stablehlo.select", &[is_nan, nan, x], scalar, &[]);
    }
    x
}
