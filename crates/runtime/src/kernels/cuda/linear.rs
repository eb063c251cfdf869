//! Products of one row: after a norm, and before a sum.

use super::{
    gated::Gated,
    pattern::{Norm, Product, after_reshaping, before_reshaping},
    ptx::Ptx,
};
use hloom_graph::{Binary, DType, NodeId, Op, Rewrite, Shape, ValueId};

/// Threads of a block, and the rows of a weight that it multiplies: one by each warp.
pub const THREADS: usize = 256;
pub const ROWS: usize = THREADS / 32;

/// The sum of a product and another row.
pub struct Sum {
    product: Product,
    other: ValueId,
    result: Shape,
}

impl Sum {
    /// The sum that a node is, if its product has no other user.
    pub fn at(rewrite: &Rewrite<'_>, node: NodeId) -> Option<Sum> {
        let graph = rewrite.from();
        let (Op::Binary(Binary::Add), &[left, right]) =
            (&graph.node(node).op, graph.operands(node))
        else {
            return None;
        };
        let result = graph.shape(graph.node_results(node).next()?);
        let sum = |value: ValueId, other: ValueId| {
            let product = Product::of(graph, value)?;
            let dot = graph.node_results(product.node).next()?;
            let fits = result.dtype() == DType::F32
                && result.element_count() == product.rows
                && after_reshaping(rewrite, dot).1 == [node];
            fits.then_some(Sum { product, other, result })
        };
        sum(right, left).or_else(|| sum(left, right))
    }

    pub fn replaced(&self, rewrite: &mut Rewrite<'_>) -> Option<Vec<ValueId>> {
        let Product { x, weight, rows, contracted, .. } = self.product;
        let operands = [rewrite.value(x)?, rewrite.value(weight)?, rewrite.value(self.other)?];
        let kernel = Ptx {
            name: "hloom_linear_add",
            text: include_str!("linear_add.ptx"),
            numbers: &[("KERNEL_K", contracted as u32), ("KERNEL_N0", rows as u32)],
            blocks: rows.div_ceil(ROWS),
            threads: THREADS,
            shared: contracted * 2,
        };
        rewrite.add(kernel.call(operands.len(), vec![self.result]), &operands)
    }
}

/// The replacement of a product of a norm of one row. Three products of the same row are one call.
pub fn normed(rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
    let graph = rewrite.from();
    let product = Product::at(graph, node)?;
    let norm = Norm::of(graph, product.x)?;
    if is_part(rewrite, &product) {
        return None;
    }
    let region = graph.node(node).region;
    let same = rewrite.users(product.x).iter().filter_map(|&user| Product::at(graph, user));
    let same = same.filter(|other| other.x == product.x && graph.node(other.node).region == region);
    let same: Vec<Product> = same.filter(|other| !is_part(rewrite, other)).collect();
    // A weight that is not there yet cannot be an operand.
    let is_there = |other: &Product| rewrite.value(other.weight).is_some();
    let group = match *same {
        [_, _, _] if same.iter().all(is_there) => same,
        _ => vec![product],
    };
    let mut operands = vec![rewrite.value(norm.x)?, rewrite.value(norm.scale)?];
    for product in &group {
        operands.push(rewrite.value(product.weight)?);
    }
    let shape =
        |product: &Product| graph.node_results(product.node).next().map(|value| graph.shape(value));
    let results: Vec<Shape> = group.iter().map(shape).collect::<Option<_>>()?;
    let rows = |at: usize| group.get(at).map_or(0, |product| product.rows as u32);
    let total: usize = group.iter().map(|product| product.rows).sum();
    let (name, text) = match *group {
        [_] => ("hloom_norm_linear1", include_str!("norm_linear1.ptx")),
        _ => ("hloom_norm_linear3", include_str!("norm_linear3.ptx")),
    };
    let kernel = Ptx {
        name,
        text,
        numbers: &[
            ("KERNEL_K", product.contracted as u32),
            ("KERNEL_N0", rows(0)),
            ("KERNEL_N1", rows(1)),
            ("KERNEL_N2", rows(2)),
            ("KERNEL_EPSILON", norm.epsilon.to_bits()),
        ],
        blocks: total.div_ceil(ROWS),
        threads: THREADS,
        shared: product.contracted * 2,
    };
    // The other products of the group find this node.
    let results = rewrite.add(kernel.call(operands.len(), results), &operands)?;
    let place = group.iter().position(|product| product.node == node)?;
    Some(vec![results[place]])
}

/// Whether a later node computes the product together with what comes after it.
fn is_part(rewrite: &Rewrite<'_>, product: &Product) -> bool {
    let graph = rewrite.from();
    let Some(dot) = graph.node_results(product.node).next() else { return false };
    let (value, users) = after_reshaping(rewrite, dot);
    debug_assert_eq!(before_reshaping(graph, value), dot);
    users.iter().any(|&user| Sum::at(rewrite, user).is_some())
        || Gated::after(rewrite, value).is_some()
}
