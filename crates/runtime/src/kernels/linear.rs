//! Dot products with weights that are stored with the contracted axis last.

use super::PlatformKernel;
use hloom_graph::{CustomCall, DType, Graph, NodeId, Op, Rewrite, Shape, ValueId};
use hloom_kernels::{Isa, handlers::LinearHandler};
use hloom_pjrt::extension::ffi::{Ffi, Handlers};

/// Dot products that contract the last axis of both sides, `[.., k]` and `[n, k]`, on the CPU.
///
/// | rows of the left side | weight | why |
/// |---|---|---|
/// | 1 | `bf16` of 8 KiB and more, `f16` of 32 KiB and more | the plugin computes one by one |
/// | 1 | `f32` of 256 KiB and more | from memory, the plugin reads it at two thirds of the speed |
/// | 2 to 8 | any | the plugin does not share the rows' work, or copies the weight |
/// | more | 256 x 256 elements and more | the plugin copies or converts it |
///
/// With more than 8 rows, `f32` is left to the plugin on AVX2, and beyond 1,024 rows elsewhere:
/// the copy costs little then.
///
/// `docs/kernels.md` has the measurements.
///
/// Products of the same left side with arguments of the program are computed in one call.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearKernel {
    any_size: bool,
}

impl LinearKernel {
    /// A kernel that replaces products of every size, including those that the plugin runs faster:
    /// for tests and benchmarks.
    pub fn of_any_size() -> LinearKernel {
        LinearKernel { any_size: true }
    }
}

impl PlatformKernel for LinearKernel {
    fn name(&self) -> &str {
        LinearHandler::TARGET
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        ffi.register(LinearHandler::TARGET, &Handlers::new::<LinearHandler>())
    }

    fn replace(&self, rewrite: &mut Rewrite<'_>, node: NodeId) -> Option<Vec<ValueId>> {
        let graph = rewrite.from();
        let product = Product::at(graph, node)?;
        let group: Vec<Product> = match product.is_of_argument(graph) {
            false => vec![product],
            true => {
                let others =
                    rewrite.users(product.x).iter().filter_map(|&user| Product::at(graph, user));
                others.filter(|other| product.goes_with(graph, other)).collect()
            }
        };
        // Small products join the call of a large one.
        if !self.any_size && !group.iter().any(|product| product.is_slow(graph)) {
            return None;
        }
        let mut operands = vec![rewrite.value(product.x)?];
        for product in &group {
            operands.push(rewrite.value(product.weight)?);
        }
        let shapes: Vec<Shape> = group.iter().map(|product| product.shape).collect();
        let call = CustomCall::new(LinearHandler::TARGET, shapes);
        // The other products of the group find this node (CSE).
        let results = rewrite.add(call, &operands)?;
        let place = group.iter().position(|product| product.node == node)?;
        Some(vec![results[place]])
    }
}

/// The weight size in bytes from which the kernel multiplies one row faster than the plugin.
const fn one_row(dtype: DType) -> usize {
    match dtype {
        DType::BF16 => 8 << 10,
        DType::F16 => 32 << 10,
        _ => 256 << 10,
    }
}

/// The weight size in elements from which the kernel multiplies many rows faster than the plugin.
const MANY_ROWS: usize = 256 * 256;

/// The number of rows of `f32` beyond which the plugin's copy of the weight does not matter.
const MOST_ROWS: usize = 1024;

/// Whether the kernel multiplies many rows of `f32` faster than the plugin. With vectors of 256
/// bits there are too few registers for its blocks.
fn has_wide_vectors() -> bool {
    !matches!(Isa::selected(), Ok(Isa::Avx2 | Isa::Portable))
}

/// A product that the kernel can compute.
#[derive(Clone, Copy)]
struct Product {
    node: NodeId,
    x: ValueId,
    weight: ValueId,
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
        (contracts_last && is_float && sums && !is_empty && left.dtype() == right.dtype())
            .then_some(Product { node, x, weight, shape })
    }

    /// Whether the plugin is slower at it.
    fn is_slow(&self, graph: &Graph) -> bool {
        let (x, weight) = (graph.shape(self.x), graph.shape(self.weight));
        let rows: usize = x.sizes()[..x.rank() - 1].iter().product();
        match rows {
            0 | 1 => weight.byte_size() >= one_row(weight.dtype()),
            2..=8 => true,
            _ if weight.dtype() == DType::F32 && (rows > MOST_ROWS || !has_wide_vectors()) => false,
            _ => weight.element_count() >= MANY_ROWS,
        }
    }

    /// Whether the weight is an argument of the program.
    fn is_of_argument(&self, graph: &Graph) -> bool {
        let giver = graph.node(graph.value(self.weight).node);
        matches!(giver.op, Op::Parameter(_)) && giver.region == Graph::ROOT
    }

    /// Whether both are computed in one call.
    fn goes_with(&self, graph: &Graph, other: &Product) -> bool {
        other.x == self.x
            && other.is_of_argument(graph)
            && other.shape.dtype() == self.shape.dtype()
            && graph.node(other.node).region == graph.node(self.node).region
    }
}
