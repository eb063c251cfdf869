//! The Cholesky decomposition.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::op::Cholesky;

impl Lower for Cholesky {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let attributes = [("lower", Attribute::Bool(self.lower))];
        l.op("stablehlo.cholesky", &n.operands, n.result(), &attributes)
    }
}
