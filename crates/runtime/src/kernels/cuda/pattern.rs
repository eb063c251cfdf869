//! Parts that the patterns share.

use hloom_graph::{
    DType, Graph, NodeId, Op, Rewrite, ValueId,
    op::{Composite, OwnComposite},
};

/// The largest row that is kept in shared memory: 48 KiB of `bf16`.
const MAX_CONTRACTED: usize = 24 * 1024;

/// A product of one row with a weight, `[1, k]` and `[n, k]` in `bf16`, summed in `f32`.
#[derive(Clone, Copy)]
pub struct Product {
    pub node: NodeId,
    pub x: ValueId,
    /// The weight, before its axes got the names of the product.
    pub weight: ValueId,
    /// The rows of the weight.
    pub rows: usize,
    /// The size of the contracted axis.
    pub contracted: usize,
}

impl Product {
    pub fn at(graph: &Graph, node: NodeId) -> Option<Product> {
        let Op::Dot(dims) = &graph.node(node).op else { return None };
        let &[x, weight] = graph.operands(node) else { return None };
        let result = graph.shape(graph.node_results(node).next()?);
        let (left, right) = (graph.shape(x), graph.shape(weight));
        let (rank, &[rows, contracted]) = (left.rank(), right.sizes()) else { return None };
        let contracts_last = rank > 0
            && dims.left_batch.is_empty()
            && *dims.left_contracting == [rank - 1]
            && *dims.right_contracting == [1];
        let types = [left.dtype(), right.dtype(), result.dtype()];
        let fits = contracts_last
            && types == [DType::BF16, DType::BF16, DType::F32]
            && left.element_count() == contracted
            && contracted.is_multiple_of(8)
            && (8..=MAX_CONTRACTED).contains(&contracted)
            && (1..=u32::MAX as usize / contracted).contains(&rows);
        let weight = before_reshaping(graph, weight);
        fits.then_some(Product { node, x, weight, rows, contracted })
    }

    /// The product that a value is, but for its shape.
    pub fn of(graph: &Graph, value: ValueId) -> Option<Product> {
        Product::at(graph, giver(graph, before_reshaping(graph, value)))
    }
}

/// A root mean square norm of one row in `f32`, rounded to `bf16`.
pub struct Norm {
    pub x: ValueId,
    /// In `bf16`.
    pub scale: ValueId,
    pub epsilon: f32,
}

impl Norm {
    /// The norm that a value is.
    pub fn of(graph: &Graph, value: ValueId) -> Option<Norm> {
        let node = giver(graph, value);
        let (Op::Convert(_), &[wide]) = (&graph.node(node).op, graph.operands(node)) else {
            return None;
        };
        let node = giver(graph, wide);
        let composite = composite(graph, node, OwnComposite::RMS_NORM)?;
        let &[x, scale] = graph.operands(node) else { return None };
        let size = graph.shape(value).element_count();
        let fits = graph.dtype(value) == DType::BF16
            && graph.dtype(x) == DType::F32
            && graph.dtype(scale) == DType::BF16
            && graph.shape(x).element_count() == size
            && graph.shape(scale).element_count() == size
            && graph.shape(x).sizes().last() == Some(&size);
        let epsilon = composite.attributes.scalar::<f64>("epsilon")? as f32;
        fits.then_some(Norm { x, scale, epsilon })
    }
}

/// A node's composite, if it is this one.
pub fn composite(graph: &Graph, node: NodeId, name: OwnComposite) -> Option<&Composite> {
    match &graph.node(node).op {
        Op::Composite(composite) if composite.is(name) && composite.version == 1 => Some(composite),
        _ => None,
    }
}

/// The node that gives a value.
pub fn giver(graph: &Graph, value: ValueId) -> NodeId {
    graph.value(value).node
}

/// The value of the same elements before it was reshaped.
pub fn before_reshaping(graph: &Graph, mut value: ValueId) -> ValueId {
    loop {
        let node = giver(graph, value);
        match (&graph.node(node).op, graph.operands(node)) {
            (Op::Reshape(_), &[from]) => value = from,
            _ => return value,
        }
    }
}

/// The value that has the same elements after all reshapes, and the nodes that use it.
pub fn after_reshaping<'r>(
    rewrite: &'r Rewrite<'_>,
    mut value: ValueId,
) -> (ValueId, &'r [NodeId]) {
    let graph = rewrite.from();
    loop {
        match rewrite.users(value) {
            &[user] if matches!(graph.node(user).op, Op::Reshape(_)) => {
                match graph.node_results(user).next() {
                    Some(reshaped) => value = reshaped,
                    None => return (value, rewrite.users(value)),
                }
            }
            users => return (value, users),
        }
    }
}
