//! The gated product of a feed-forward network.

use super::{
    linear::{ROWS, THREADS},
    pattern::{Norm, Product, giver},
    ptx::Ptx,
};
use hloom_graph::{Binary, DType, Graph, NodeId, Op, Rewrite, Shape, Unary, ValueId};

/// `silu(x G) * (x U)` of a norm `x` of one row, rounded to `bf16`.
pub struct Gated {
    norm: Norm,
    gate: Product,
    up: Product,
    result: Shape,
}

impl Gated {
    /// The gated product that a node rounds.
    pub fn at(rewrite: &Rewrite<'_>, node: NodeId) -> Option<Gated> {
        let graph = rewrite.from();
        let (Op::Convert(_), &[wide]) = (&graph.node(node).op, graph.operands(node)) else {
            return None;
        };
        let result = graph.shape(graph.node_results(node).next()?);
        let [left, right] = factors(graph, wide)?;
        let (gate, up) = match (activated(graph, left), activated(graph, right)) {
            (Some(gate), None) => (gate, Product::of(graph, right)?),
            (None, Some(gate)) => (gate, Product::of(graph, left)?),
            _ => return None,
        };
        let norm = Norm::of(graph, gate.x)?;
        let fits = gate.x == up.x
            && gate.rows == up.rows
            && gate.contracted == up.contracted
            && graph.dtype(wide) == DType::F32
            && result.dtype() == DType::BF16
            && result.element_count() == gate.rows
            && rewrite.users(wide) == [node];
        fits.then_some(Gated { norm, gate, up, result })
    }

    /// The gated product that the elements of a product are part of.
    pub fn after(rewrite: &Rewrite<'_>, product: ValueId) -> Option<Gated> {
        let graph = rewrite.from();
        // A sigmoid, two products and a conversion.
        let mut values = vec![product];
        for _ in 0..4 {
            let users: Vec<NodeId> =
                values.iter().flat_map(|&value| rewrite.users(value)).copied().collect();
            if let Some(gated) = users.iter().find_map(|&user| Gated::at(rewrite, user)) {
                return Some(gated);
            }
            values = users.iter().flat_map(|&user| graph.node_results(user)).collect();
            if values.len() > 4 {
                return None;
            }
        }
        None
    }

    pub fn replaced(&self, rewrite: &mut Rewrite<'_>) -> Option<Vec<ValueId>> {
        let Gated { norm, gate, up, result } = self;
        let operands = [norm.x, norm.scale, gate.weight, up.weight];
        let operands: Vec<ValueId> =
            operands.into_iter().map(|value| rewrite.value(value)).collect::<Option<_>>()?;
        let kernel = Ptx {
            name: "hloom_norm_gated",
            text: include_str!("norm_gated.ptx"),
            numbers: &[
                ("KERNEL_K", gate.contracted as u32),
                ("KERNEL_N0", gate.rows as u32),
                ("KERNEL_EPSILON", norm.epsilon.to_bits()),
            ],
            blocks: gate.rows.div_ceil(ROWS),
            threads: THREADS,
            shared: gate.contracted * 2,
        };
        rewrite.add(kernel.call(operands.len(), vec![*result]), &operands)
    }
}

/// The factors of an elementwise product.
fn factors(graph: &Graph, value: ValueId) -> Option<[ValueId; 2]> {
    let node = giver(graph, value);
    match (&graph.node(node).op, graph.operands(node)) {
        (Op::Binary(Binary::Mul), &[left, right]) => Some([left, right]),
        _ => None,
    }
}

/// The product `g` of which a value is `g * sigmoid(g)`.
fn activated(graph: &Graph, value: ValueId) -> Option<Product> {
    let [left, right] = factors(graph, value)?;
    let is_sigmoid_of = |value: ValueId, of: ValueId| {
        let node = giver(graph, value);
        matches!(graph.node(node).op, Op::Unary(Unary::Logistic)) && graph.operands(node) == [of]
    };
    match (is_sigmoid_of(right, left), is_sigmoid_of(left, right)) {
        (true, _) => Product::of(graph, left),
        (_, true) => Product::of(graph, right),
        _ => None,
    }
}
