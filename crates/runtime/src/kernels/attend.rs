//! Attention of tokens to a cache.

use super::PlatformKernel;
use hloom_graph::{
    Binary, CustomCall, DType, Graph, NodeId, Op, Reduction, Rewrite, Unary, ValueId,
    op::{Convert, Reduce, Select},
};
use hloom_kernels::handlers::AttendHandler;
use hloom_pjrt::extension::ffi::{Ffi, Handlers};

/// Attention as decoders compute it, on the CPU: of queries `[seq, kv_head, group, dim]` to keys and values
/// `[kv_head, position, dim]`, with the softmax in `f32` and a mask `bool[seq, position]` or none.
///
/// It reads what the mask lets through and nothing else, so that a long cache costs what is filled of it. Weights of values are
/// not rounded to the cache's type.
#[derive(Clone, Copy, Debug, Default)]
pub struct AttendKernel;

impl PlatformKernel for AttendKernel {
    fn name(&self) -> &str {
        AttendHandler::TARGET
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        ffi.register(AttendHandler::TARGET, &Handlers::new::<AttendHandler>())
    }

    fn replace(&self, rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
        let attention = Attention::at(rewrite.from(), node)?;
        let operands = [
            Some(attention.query),
            Some(attention.key),
            Some(attention.value),
            attention.mask,
        ];
        let operands: Option<Vec<ValueId>> = operands
            .into_iter()
            .flatten()
            .map(|value| rewrite.value(value))
            .collect();
        let shape = rewrite.from().shape(rewrite.from().node_results(node).next()?);
        rewrite.add(CustomCall::new(AttendHandler::TARGET, [shape]), &operands?)
    }
}

/// The operands of an attention.
struct Attention {
    query: ValueId,
    key: ValueId,
    value: ValueId,
    mask: Option<ValueId>,
}

impl Attention {
    /// The attention that ends in this node, its second product.
    fn at(graph: &Graph, node: NodeId) -> Option<Attention> {
        let (weights, value) = product(graph, node, 0, 1)?;
        let dtype = graph.dtype(value);
        let result = graph.node_results(node).next()?;
        let weights = if dtype == DType::F32 {
            weights
        } else {
            operand(graph, weights, &Convert { dtype }.into())?
        };
        // The softmax.
        let [exponentials, sums] = binary(graph, weights, Binary::Div)?;
        let shifted = operand(graph, exponentials, &Op::Unary(Unary::Exp))?;
        if reduced(graph, sums, Reduction::Sum)? != exponentials {
            return None;
        }
        let [scores, most] = binary(graph, shifted, Binary::Sub)?;
        if reduced(graph, most, Reduction::Max)? != scores {
            return None;
        }
        let (products, mask) = match masked(graph, scores) {
            Some((products, mask)) => (products, Some(mask)),
            None => (scores, None),
        };
        let (query, key) = product(graph, graph.value(products).node, 1, 2)?;
        let fits = graph.dtype(products) == DType::F32
            && graph.dtype(result) == DType::F32
            && graph.dtype(weights) == DType::F32
            && graph.shape(key).sizes() == graph.shape(value).sizes();
        fits.then_some(Attention {
            query,
            key,
            value,
            mask,
        })
    }
}

/// The operands of a product of four axes and three that goes in step over axis `batch` and axis 0, and contracts the last one and
/// axis `right`, of one type that the kernel knows.
fn product(graph: &Graph, node: NodeId, batch: usize, right: usize) -> Option<(ValueId, ValueId)> {
    let Op::Dot(dims) = &graph.node(node).op else {
        return None;
    };
    let &[x, cache] = graph.operands(node) else {
        return None;
    };
    let dtype = graph.dtype(cache);
    let fits = graph.shape(x).rank() == 4
        && graph.shape(cache).rank() == 3
        && *dims.left_batch == [batch]
        && *dims.right_batch == [0]
        && *dims.left_contracting == [3]
        && *dims.right_contracting == [right]
        && graph.dtype(x) == dtype
        && matches!(dtype, DType::F32 | DType::BF16 | DType::F16);
    fits.then_some((x, cache))
}

/// What an op of one operand is applied to.
fn operand(graph: &Graph, value: ValueId, op: &Op) -> Option<ValueId> {
    let node = graph.value(value).node;
    match graph.operands(node) {
        &[operand] if graph.node(node).op == *op => Some(operand),
        _ => None,
    }
}

/// What an op of two operands is applied to.
fn binary(graph: &Graph, value: ValueId, op: Binary) -> Option<[ValueId; 2]> {
    let node = graph.value(value).node;
    match graph.operands(node) {
        &[left, right] if graph.node(node).op == Op::Binary(op) => Some([left, right]),
        _ => None,
    }
}

/// What is combined along its last axis, of four, and repeated along it again.
fn reduced(graph: &Graph, value: ValueId, reduction: Reduction) -> Option<ValueId> {
    let node = graph.value(value).node;
    let Op::BroadcastInDim(broadcast) = &graph.node(node).op else {
        return None;
    };
    let &[kept] = graph.operands(node) else { return None };
    if !matches!(graph.node(graph.value(kept).node).op, Op::Reshape(_)) {
        return None;
    }
    let &[reduced] = graph.operands(graph.value(kept).node) else {
        return None;
    };
    let node = graph.value(reduced).node;
    let Op::Reduce(Reduce {
        reduction: found,
        axes: along,
    }) = &graph.node(node).op
    else {
        return None;
    };
    let &[from] = graph.operands(node) else { return None };
    let sizes = |value| graph.shape(value).sizes().to_vec();
    let mut expected = sizes(from);
    *expected.last_mut()? = 1;
    let fits = *broadcast.axes == [0, 1, 2, 3] && *found == reduction && **along == [3] && sizes(kept) == expected;
    fits.then_some(from)
}

/// The products and the mask, `[seq, position]`, of scores that are minus infinity where the mask is false.
fn masked(graph: &Graph, scores: ValueId) -> Option<(ValueId, ValueId)> {
    let node = graph.value(scores).node;
    let &[mask, products, hidden] = graph.operands(node) else {
        return None;
    };
    let is_hidden = match &graph.node(graph.value(hidden).node).op {
        Op::Splat(splat) => splat.scalar == hloom_graph::Scalar::new(f32::NEG_INFINITY),
        _ => false,
    };
    let mask_node = graph.value(mask).node;
    let Op::BroadcastInDim(broadcast) = &graph.node(mask_node).op else {
        return None;
    };
    let &[mask] = graph.operands(mask_node) else {
        return None;
    };
    let shape = graph.shape(products);
    let sizes = shape.sizes();
    let fits = graph.node(node).op == Op::Select(Select)
        && is_hidden
        && *broadcast.axes == [1, 3]
        && shape.rank() == 4
        && *graph.shape(mask).sizes() == [sizes[1], sizes[3]];
    fits.then_some((products, mask))
}
