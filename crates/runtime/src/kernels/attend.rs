//! Attention over a key-value cache.

use super::PlatformKernel;
use crate::Platform;
use hloom_graph::{
    Binary, CustomCall, DType, Graph, Name, NodeId, Op, PerAxis, Rewrite, Scalar, Shape, ValueId,
    op::{Convert, OwnComposite, Splat, Transpose},
};
use hloom_kernels::{Isa, handlers::AttendHandler};
use hloom_pjrt::extension::ffi::{Ffi, Handlers};

/// The composite `hloom.attention` as decoders use it, on the CPU: attention of queries `[seq,
/// kv_head, group, dim]` to keys and values `[kv_head, position, dim]`, with a mask `bool[seq,
/// position]` or none. The softmax is computed in `f32`.
///
/// It reads only the positions that the mask admits, so that the cost of a long cache depends on
/// its filled part. The softmax weights are not rounded to the cache's type.
#[derive(Clone, Copy, Debug, Default)]
pub struct AttendKernel;

impl PlatformKernel for AttendKernel {
    fn name(&self) -> &str {
        AttendHandler::TARGET
    }

    fn never_fails(&self) -> bool {
        Isa::selected().is_ok()
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        ffi.register(AttendHandler::TARGET, &Handlers::new::<AttendHandler>())
    }

    fn replace(
        &self,
        _: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        Attention::at(rewrite.from(), node)?.replaced(rewrite)
    }
}

/// An attention composite that the kernel can compute.
struct Attention<'a> {
    graph: &'a Graph,
    query: ValueId,
    /// Keys and values, and the mask if any.
    others: &'a [ValueId],
    scale: f64,
}

impl<'a> Attention<'a> {
    fn at(graph: &'a Graph, node: NodeId) -> Option<Attention<'a>> {
        let Op::Composite(composite) = &graph.node(node).op else {
            return None;
        };
        let &[query, ref others @ ..] = graph.operands(node) else {
            return None;
        };
        let attention =
            Attention { graph, query, others, scale: composite.attributes.scalar("scale")? };
        (composite.is(OwnComposite::ATTENTION) && composite.version == 1 && attention.fits())
            .then_some(attention)
    }

    /// Whether the axes are those that the kernel supports, in its order.
    fn fits(&self) -> bool {
        let [key, value, mask @ ..] = self.others else {
            return false;
        };
        let [query, key, value] = [self.query, *key, *value].map(|value| self.graph.shape(value));
        let &[seq, Some(kv_head), group, dim] = query.names() else {
            return false;
        };
        let cache = [kv_head, Name::new("position"), Name::new("dim")].map(Some);
        let is_mask = |&mask: &ValueId| {
            let mask = self.graph.shape(mask);
            mask.dtype() == DType::Bool
                && *mask.names() == [seq, cache[1]]
                && *mask.sizes() == [query.sizes()[0], key.sizes()[1]]
        };
        query.dtype() != DType::F64
            && dim == cache[2]
            && ![seq, group].contains(&cache[1])
            && *key.names() == cache
            && key.axes() == value.axes()
            && key.dtype() == value.dtype()
            && matches!(key.dtype(), DType::F32 | DType::BF16 | DType::F16)
            && mask.len() <= 1
            && mask.iter().all(is_mask)
    }

    /// The replacement call, between the ops that convert queries and results to the kernel's
    /// layout.
    fn replaced(&self, rewrite: &mut Rewrite<'_>) -> Option<Vec<ValueId>> {
        let query = self.graph.shape(self.query);
        let mut operands = vec![rewrite.value(self.query)?];
        for &other in self.others {
            operands.push(rewrite.value(other)?);
        }
        let scalar = Scalar::new(self.scale as f32);
        let dims = query.axes();
        let scale = rewrite.add(Splat { scalar, dims }, &[])?[0];
        let wide = converted(rewrite, operands[0], DType::F32)?;
        let scaled = rewrite.add(Binary::Mul, &[wide, scale])?[0];
        operands[0] = converted(rewrite, scaled, rewrite.shape(operands[1]).dtype())?;

        let &[seq, kv_head, group, dim] = query.sizes() else {
            return None;
        };
        let result = Shape::new(DType::F32, [kv_head, seq, group, dim]).ok()?;
        let attended = rewrite.add(CustomCall::new(AttendHandler::TARGET, [result]), &operands)?[0];
        let attended = converted(rewrite, attended, query.dtype())?;
        if query.is_named() {
            let order = PerAxis::from_slice(&[1, 0, 2, 3])?;
            rewrite.add(Transpose { order }, &[attended])
        } else {
            // Without names, the axes are in the order of the dot products.
            Some(vec![attended])
        }
    }
}

fn converted(rewrite: &mut Rewrite<'_>, value: ValueId, dtype: DType) -> Option<ValueId> {
    if rewrite.shape(value).dtype() == dtype {
        Some(value)
    } else {
        Some(rewrite.add(Convert { dtype }, &[value])?[0])
    }
}
