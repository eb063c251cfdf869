//! Reductions along axes.
//!
//! Elements are combined in row-major order. Sums and products of floats and complex numbers are
//! rounded once, at the end: StableHLO leaves the order and the type of accumulation open, and this
//! is the closest to the exact result.

use super::{combined, compared};
use crate::{
    array::{Array, each_position, flat_index},
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
    number::{Number, highest, lowest},
};
use hloom_graph::{
    ArgReduction, DType, NodeId, Reduction, Shape,
    op::{ArgReduce, Cumulative, Reduce},
};
use std::cmp::Ordering;

/// The initial value of a reduction.
pub(super) fn initial(reduction: Reduction, dtype: DType) -> Number {
    let number = |value: i128| match dtype {
        dtype if dtype.is_int() || dtype == DType::Bool => Number::Int(value),
        _ => Number::Float(value as f64),
    };
    match reduction {
        Reduction::Sum | Reduction::Any => number(0),
        Reduction::Prod | Reduction::All => number(1),
        Reduction::Max => lowest(dtype),
        Reduction::Min => highest(dtype),
    }
}

/// A position without some axes.
pub(super) fn kept(position: &[usize], axes: &[usize]) -> Vec<usize> {
    let kept = position.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    kept.map(|(_, &at)| at).collect()
}

fn reduce(result: Shape, reduction: Reduction, axes: &[usize], x: &Array) -> Array {
    let mut all = vec![initial(reduction, x.dtype()); result.element_count()];
    each_position(x.sizes(), |position| {
        let to = flat_index(result.sizes(), &kept(position, axes));
        all[to] = combined(reduction, all[to], x.number(position));
    });
    Array::of(result, all.into_iter().map(|number| number.encode(result.dtype())).collect())
}

/// The index of the first of the best elements along an axis; NaN is better than any number.
fn arg_reduce(result: Shape, reduction: ArgReduction, axis: usize, x: &Array) -> Array {
    let wins = match reduction {
        ArgReduction::Max => Ordering::Greater,
        ArgReduction::Min => Ordering::Less,
    };
    Array::from_fn(result, |position| {
        let mut from = position.to_vec();
        from.insert(axis, 0);
        let mut best: Option<(usize, Number)> = None;
        for i in 0..x.sizes()[axis] {
            from[axis] = i;
            let number = x.number(&from);
            let is_better = match best {
                None => true,
                Some((_, held)) => {
                    let held_is_nan = held.real().is_nan();
                    !held_is_nan && (number.real().is_nan() || compared(number, held) == Some(wins))
                }
            };
            if is_better {
                best = Some((i, number));
            }
        }
        let index = best.map_or(0, |(index, _)| index);
        Number::Int(index as i128).encode(result.dtype())
    })
}

/// The reduction of each element and those before it along an axis.
fn cumulative(result: Shape, reduction: Reduction, axis: usize, x: &Array) -> Array {
    let dtype = result.dtype();
    let mut all = vec![initial(reduction, dtype); result.element_count()];
    each_position(x.sizes(), |position| {
        let to = flat_index(x.sizes(), position);
        let before = match position[axis] {
            0 => all[to],
            at => {
                let mut previous = position.to_vec();
                previous[axis] = at - 1;
                all[flat_index(x.sizes(), &previous)]
            }
        };
        all[to] = combined(reduction, before, x.number(position));
    });
    Array::of(result, all.into_iter().map(|number| number.encode(dtype)).collect())
}

impl Evaluate for Reduce {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_operands(n)?;
        m.one(n, |x, shape| reduce(shape, self.reduction, &self.axes, x[0]))
    }
}

impl Evaluate for ArgReduce {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.charge_operands(n)?;
        m.one(n, |x, shape| arg_reduce(shape, self.reduction, self.axis, x[0]))
    }
}

impl Evaluate for Cumulative {
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| cumulative(shape, self.reduction, self.axis, x[0]))
    }
}
