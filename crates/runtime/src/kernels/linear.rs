//! Dot products with weights that are stored with the contracted axis last.

use super::{DotStrategy, PlatformKernel};
use crate::Platform;
use hloom_graph::{
    CustomCall, DType, DotDims, Graph, NodeId, Op, PerAxis, RegionKind, Rewrite, Shape, ValueId,
    op::Transpose,
};
use hloom_kernels::{Isa, handlers::LinearHandler};
use hloom_pjrt::extension::ffi::{Ffi, Handlers};

/// Dot products that contract the last axis of both sides, `[.., k]` and `[n, k]`, on the CPU.
///
/// The platform's [table](crate::DotTable) selects the products that it computes, and the form of
/// the plugin's product for the others. Products of the same left side with arguments of the
/// program, or with inputs of a manual computation, are computed in one call.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearKernel {
    /// The strategy of all products, whatever the table says.
    always: Option<DotStrategy>,
}

impl LinearKernel {
    /// A kernel that replaces products of every size, including those that the plugin runs faster:
    /// for tests and benchmarks.
    pub fn of_any_size() -> LinearKernel {
        LinearKernel::always(DotStrategy::Kernel)
    }

    /// Computes products of every size in this way: to compare strategies.
    pub fn always(strategy: DotStrategy) -> LinearKernel {
        LinearKernel { always: Some(strategy) }
    }

    fn strategy(&self, platform: &Platform, graph: &Graph, product: &Product) -> DotStrategy {
        self.always.unwrap_or_else(|| {
            let (rows, weight) = product.sizes(graph);
            let (dtype, sums) = (graph.dtype(product.weight), product.shape.dtype());
            platform.dots().choose(platform, (dtype, sums), rows, weight)
        })
    }
}

impl PlatformKernel for LinearKernel {
    fn name(&self) -> &str {
        LinearHandler::TARGET
    }

    fn never_fails(&self) -> bool {
        Isa::selected().is_ok()
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        ffi.register(LinearHandler::TARGET, &Handlers::new::<LinearHandler>())
    }

    fn replace(
        &self,
        platform: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let graph = rewrite.from();
        let product = Product::at(graph, node)?;
        let group: Vec<Product> = if product.is_of_argument(graph) {
            let others =
                rewrite.users(product.x).iter().filter_map(|&user| Product::at(graph, user));
            others.filter(|other| product.goes_with(graph, other)).collect()
        } else {
            vec![product]
        };
        let by_kernel =
            |product: &Product| self.strategy(platform, graph, product) == DotStrategy::Kernel;
        // Small products join the call of a large one.
        if !group.iter().any(by_kernel) {
            return None;
        }
        let mut operands = vec![rewrite.value(product.x)?];
        for product in &group {
            operands.push(rewrite.value(product.stored)?);
        }
        let shapes: Vec<Shape> = group.iter().map(|product| product.shape).collect();
        let call = CustomCall::new(LinearHandler::TARGET, shapes);
        // CSE merges this call with those of the other products of the group.
        let results = rewrite.add(call, &operands)?;
        let place = group.iter().position(|product| product.node == node)?;
        Some(vec![results[place]])
    }

    fn rewrite_for_plugin(
        &self,
        platform: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let product = Product::at(rewrite.from(), node)?;
        match self.strategy(platform, rewrite.from(), &product) {
            DotStrategy::Plugin => product.with_columns_of_weight(rewrite),
            DotStrategy::Kernel | DotStrategy::PluginColumns => None,
        }
    }
}

/// A product that the kernel can compute.
#[derive(Clone, Copy)]
struct Product {
    node: NodeId,
    x: ValueId,
    weight: ValueId,
    /// The weight before its axes got the names of the product.
    stored: ValueId,
    shape: Shape,
}

impl Product {
    fn at(graph: &Graph, node: NodeId) -> Option<Product> {
        let Op::Dot(dims) = &graph.node(node).op else {
            return None;
        };
        let &[x, weight] = graph.operands(node) else {
            return None;
        };
        let shape = graph.shape(graph.node_results(node).next()?);
        let (left, right) = (graph.shape(x), graph.shape(weight));
        let contracts_last = right.rank() == 2
            && dims.left_batch.is_empty()
            && left.rank() > 0
            && *dims.left_contracting == [left.rank() - 1]
            && *dims.right_contracting == [1];
        let is_float = matches!(right.dtype(), DType::F32 | DType::BF16 | DType::F16);
        let sums = [DType::F32, right.dtype()].contains(&shape.dtype());
        let is_empty = shape.element_count() == 0;
        let stored = before_renaming(graph, weight);
        (contracts_last && is_float && sums && !is_empty && left.dtype() == right.dtype())
            .then_some(Product { node, x, weight, stored, shape })
    }

    /// The rows of the left side, and the elements of the weight.
    fn sizes(&self, graph: &Graph) -> (usize, usize) {
        let (x, weight) = (graph.shape(self.x), graph.shape(self.weight));
        (x.sizes()[..x.rank() - 1].iter().product(), weight.element_count())
    }

    /// The same product in a form that stays the plugin's own: see `legalize/columns.rs`, which
    /// rewrites products of `f32` rows.
    fn with_columns_of_weight(&self, rewrite: &mut Rewrite<'_>) -> Option<Vec<ValueId>> {
        let graph = rewrite.from();
        let Op::Dot(dims) = &graph.node(self.node).op else { return None };
        if graph.dtype(self.weight) != DType::F32 || self.sizes(graph).0 < 2 {
            return None;
        }
        let (x, weight) = (rewrite.value(self.x)?, rewrite.value(self.weight)?);
        // The compiler folds the transpose into the product.
        let order = PerAxis::from_slice(&[1, 0])?;
        let weight = *rewrite.add(Transpose { order }, &[weight])?.first()?;
        let dims = DotDims { right_contracting: PerAxis::from_slice(&[0])?, ..**dims };
        rewrite.add(dims, &[x, weight])
    }

    fn is_of_argument(&self, graph: &Graph) -> bool {
        is_given(graph, self.stored)
    }

    /// Whether both are computed in one call.
    fn goes_with(&self, graph: &Graph, other: &Product) -> bool {
        other.x == self.x
            && other.is_of_argument(graph)
            && other.shape.dtype() == self.shape.dtype()
            && graph.node(other.node).region == graph.node(self.node).region
    }
}

/// Whether a weight is an argument of the program, or one device's part of an input of a manual
/// computation.
pub(super) fn is_given(graph: &Graph, weight: ValueId) -> bool {
    let giver = graph.node(graph.value(weight).node);
    let is_argument =
        giver.region == Graph::ROOT || graph.region(giver.region).kind == RegionKind::Manual;
    matches!(giver.op, Op::Parameter(_)) && is_argument
}

/// The value before its axes were renamed.
fn before_renaming(graph: &Graph, mut value: ValueId) -> ValueId {
    loop {
        let node = graph.value(value).node;
        match (&graph.node(node).op, graph.operands(node)) {
            (Op::Reshape(_), &[from])
                if graph.shape(from).sizes() == graph.shape(value).sizes() =>
            {
                value = from;
            }
            _ => return value,
        }
    }
}
