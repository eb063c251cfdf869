//! Cholesky factors and triangular systems.

use super::PlatformKernel;
use crate::Platform;
use hloom_graph::{
    Attributes, BackendConfig, CustomCall, Graph, NodeId, Op, Rewrite, Shape, ValueId,
};
use hloom_pjrt::extension::ffi::Ffi;

/// `cholesky` and `triangular_solve` on the CPU by the handlers of linear algebra: the plugin
/// expands both to loops over columns.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearAlgebraKernel;

impl PlatformKernel for LinearAlgebraKernel {
    fn name(&self) -> &str {
        "hloom.linear_algebra.v1"
    }

    fn never_fails(&self) -> bool {
        true
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        crate::linear_algebra::register(ffi.plugin(), self.platform());
        Ok(())
    }

    fn replace(
        &self,
        _: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let graph = rewrite.from();
        let shape = result(graph, node)?;
        let (target, attributes) = match &graph.node(node).op {
            Op::Cholesky(cholesky) => {
                ("hloom.cholesky.v1", Attributes::new().with("lower", cholesky.lower))
            }
            Op::TriangularSolve(form) => {
                let attributes = Attributes::new()
                    .with("left_side", form.left_side)
                    .with("lower", form.lower)
                    .with("unit_diagonal", form.unit_diagonal)
                    .with("transpose_a", form.transpose.name());
                ("hloom.triangular_solve.v1", attributes)
            }
            _ => return None,
        };
        let operands = graph.operands(node).to_vec();
        let operands =
            operands.into_iter().map(|value| rewrite.value(value)).collect::<Option<Vec<_>>>()?;
        let mut call = CustomCall::new(target, [shape]);
        call.config = BackendConfig::Typed(attributes);
        rewrite.add(call, &operands)
    }
}

/// The shape of the only result, if it has elements.
fn result(graph: &Graph, node: NodeId) -> Option<Shape> {
    let shape = graph.shape(graph.node_results(node).next()?);
    (shape.element_count() > 0).then_some(shape)
}
