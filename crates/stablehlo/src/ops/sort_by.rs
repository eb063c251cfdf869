//! Sorts with a body.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
    types::Type,
};
use hloom_graph::op::SortBy;

impl Lower for SortBy {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let body = self.body;
        let types: Vec<_> = n.results().map(Type::from).collect();
        let pairs: Vec<_> =
            n.results().flat_map(|shape| [Type::scalar(shape.dtype()); 2]).collect();
        let is_before = l.region(&pairs, |l, arguments| {
            // StableHLO passes the two elements of each operand as adjacent arguments.
            let (left, right) = (arguments.iter().step_by(2), arguments.iter().skip(1).step_by(2));
            l.body(body, &left.chain(right).copied().collect::<Vec<_>>())
        });
        let attributes =
            [("dimension", Attribute::i64(self.axis)), ("is_stable", Attribute::Bool(true))];
        l.operation("stablehlo.sort", &n.operands, &types, &attributes, vec![is_before]).to_vec()
    }
}
