//! Inclusive prefix logarithms of sums of exponentials.

use crate::{
    array::{Array, each_position, flat_index},
    evaluate::Evaluate,
    machine::{Evaluated, Machine},
    number::Number,
};
use hloom_graph::{NodeId, Shape, op::CumLogSumExp};

impl Evaluate for CumLogSumExp {
    /// Prefixes are rounded once, at the end: StableHLO leaves the order and the type of
    /// accumulation open, and this is the closest to the exact result.
    fn evaluate(&self, m: &mut Machine<'_, '_>, n: NodeId) -> Evaluated<()> {
        m.one(n, |x, shape| prefixes(shape, self.axis, x[0]))
    }
}

fn prefixes(result: Shape, axis: usize, x: &Array) -> Array {
    let mut all = vec![Prefix { max: f64::NEG_INFINITY, sum: 0.0 }; result.element_count()];
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
        all[to] = before.with(x.number(position).real());
    });
    let elements = all.into_iter().map(|prefix| prefix.number().encode(result.dtype()));
    Array::of(result, elements.collect())
}

/// The largest element of a prefix, and the sum of the exponentials of the distances to it.
#[derive(Clone, Copy)]
struct Prefix {
    max: f64,
    sum: f64,
}

impl Prefix {
    fn with(self, x: f64) -> Prefix {
        let max = self.max.max(x);
        // The distance of equal infinities is NaN.
        let share = |part: f64| if part == max { 1.0 } else { (part - max).exp() };
        Prefix { max, sum: self.sum * share(self.max) + share(x) }
    }

    fn number(self) -> Number {
        Number::Float(self.max + self.sum.ln())
    }
}
