//! Reductions with a body.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
    types::Type,
};
use hloom_graph::op::ReduceBy;

impl Lower for ReduceBy {
    type Results = Vec<Value>;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Vec<Value> {
        let body = self.body;
        let types: Vec<_> = n.results().map(Type::from).collect();
        let scalars: Vec<_> = n.results().map(|shape| Type::scalar(shape.dtype())).collect();
        let combine =
            l.region(&[&*scalars, &*scalars].concat(), |l, arguments| l.body(body, arguments));
        let attributes = [("dimensions", Attribute::i64s(&self.axes))];
        l.operation("stablehlo.reduce", &n.operands, &types, &attributes, vec![combine]).to_vec()
    }
}
