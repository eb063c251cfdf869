//! The derivatives of collectives.

use crate::{
    Collective, PerAxis, Reduction, Tensor,
    grad::{Pull, Vjp, keeps_operands},
    record,
};

impl Vjp for Collective {
    keeps_operands!();

    /// Each device has its own value: the backward pass sends cotangents to the devices that the
    /// values came from.
    fn pull(&self, pull: &Pull<'_>) -> Vec<Option<Tensor>> {
        let g = pull.g();
        let back = match self {
            Collective::AllReduce { reduction: Reduction::Sum, over } => {
                Collective::AllReduce { reduction: Reduction::Sum, over: *over }
            }
            Collective::AllReduce { reduction: Reduction::Max | Reduction::Min, over } => {
                let chosen = pull.x(0).eq(pull.y(0));
                let chosen = chosen.select(g.full_like(1), g.full_like(0));
                return pull.one(summed(g, *over) / summed(chosen, *over) * chosen);
            }
            Collective::AllGather { axis, over } => {
                Collective::ReduceScatter { reduction: Reduction::Sum, axis: *axis, over: *over }
            }
            Collective::ReduceScatter { reduction: Reduction::Sum, axis, over } => {
                Collective::AllGather { axis: *axis, over: *over }
            }
            Collective::ReduceScatter {
                reduction: Reduction::Max | Reduction::Min,
                axis,
                over,
            } => {
                let whole = |x| record(Collective::AllGather { axis: *axis, over: *over }, &[x])[0];
                let chosen = pull.x(0).eq(whole(pull.y(0)));
                let g = whole(g);
                let chosen = chosen.select(g.full_like(1), g.full_like(0));
                return pull.one(g / summed(chosen, *over) * chosen);
            }
            Collective::AllReduce { .. } | Collective::ReduceScatter { .. } => {
                return pull.refuse("of products has no derivative");
            }
            Collective::AllToAll { split, concat, over } => {
                Collective::AllToAll { split: *concat, concat: *split, over: *over }
            }
            Collective::Permute { pairs, over } => {
                let pairs = pairs.iter().map(|&(source, target)| (target, source)).collect();
                Collective::Permute { pairs, over: *over }
            }
            Collective::Broadcast { source, over } => {
                let own = record(Collective::AxisIndex(*over), &[])[0].eq(*source);
                return pull.one(own.select(summed(g, *over), g.full_like(0)));
            }
            Collective::AxisIndex(_) => return Vec::new(),
        };
        pull.one(record(back, &[g])[0])
    }
}

/// The sum over the devices along mesh axes.
pub(crate) fn summed(x: Tensor, over: PerAxis<usize>) -> Tensor {
    if over.is_empty() {
        x
    } else {
        record(Collective::AllReduce { reduction: Reduction::Sum, over }, &[x])[0]
    }
}
