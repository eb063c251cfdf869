//! Systems of equations with triangular matrices.

use crate::{
    applied::Applied, attribute::Attribute, emit::Value, lower::Lower, lowering::Lowering,
};
use hloom_graph::op::TriangularSolve;

impl Lower for TriangularSolve {
    type Results = Value;

    fn lower(&self, l: &mut Lowering<'_>, n: &Applied<'_>) -> Value {
        let transpose = format!("#stablehlo<transpose {}>", self.transpose.name());
        let attributes = [
            ("left_side", Attribute::Bool(self.left_side)),
            ("lower", Attribute::Bool(self.lower)),
            ("unit_diagonal", Attribute::Bool(self.unit_diagonal)),
            ("transpose_a", Attribute::text(transpose)),
        ];
        l.op("stablehlo.triangular_solve", &n.operands, n.result(), &attributes)
    }
}
