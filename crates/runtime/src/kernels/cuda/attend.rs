//! Attention of one query to a cache.

use super::{pattern::composite, ptx::Ptx};
use hloom_graph::{DType, Graph, Name, NodeId, Rewrite, Shape, ValueId, op::OwnComposite};

/// The most positions of a cache: one block reads all of a head's.
const MAX_POSITIONS: usize = 2048;

/// Threads of a block, as in the kernel.
const THREADS: usize = 1024;

/// The composite `hloom.attention` of queries `f32[seq=1, kv_head, group, dim]` to keys and values
/// `bf16[kv_head, position, dim]`, with a mask.
pub struct Attention {
    operands: [ValueId; 4],
    scale: f32,
    query: Shape,
    positions: usize,
}

impl Attention {
    pub fn at(graph: &Graph, node: NodeId) -> Option<Attention> {
        let composite = composite(graph, node, OwnComposite::ATTENTION)?;
        let scale = composite.attributes.scalar::<f64>("scale")? as f32;
        let &[query, key, value, mask] = graph.operands(node) else { return None };
        let operands = [query, key, value, mask];
        let [query, key, value, mask] = operands.map(|value| graph.shape(value));
        let &[seq, Some(kv_head), group, dim] = query.names() else { return None };
        let &[1, _, _, size] = query.sizes() else { return None };
        let cache = [kv_head, Name::new("position"), Name::new("dim")].map(Some);
        let positions = *key.sizes().get(1)?;
        let fits = query.dtype() == DType::F32
            && dim == cache[2]
            && ![seq, group].contains(&cache[1])
            && *key.names() == cache
            && key.axes() == value.axes()
            && [key.dtype(), value.dtype(), mask.dtype()]
                == [DType::BF16, DType::BF16, DType::Bool]
            && *mask.names() == [seq, cache[1]]
            && *mask.sizes() == [1, positions]
            && (1..=MAX_POSITIONS).contains(&positions)
            && [64, 128, 256].contains(&size);
        fits.then_some(Attention { operands, scale, query, positions })
    }

    pub fn replaced(&self, rewrite: &mut Rewrite<'_>) -> Option<Vec<ValueId>> {
        let operands = self.operands.map(|value| rewrite.value(value));
        let operands: Vec<ValueId> = operands.into_iter().collect::<Option<_>>()?;
        let &[_, heads, group, dim] = self.query.sizes() else { return None };
        let groups_of_lanes = THREADS / (dim / 8);
        let kernel = Ptx {
            name: "hloom_attend",
            text: include_str!("attend.ptx"),
            numbers: &[
                ("KERNEL_POSITIONS", self.positions as u32),
                ("KERNEL_GROUP", group as u32),
                ("KERNEL_DIM", dim as u32),
                ("KERNEL_SCALE", self.scale.to_bits()),
            ],
            blocks: heads * group,
            threads: THREADS,
            shared: groups_of_lanes * (dim + 2) * 4,
        };
        rewrite.add(kernel.call(operands.len(), vec![self.query]), &operands)
    }
}
