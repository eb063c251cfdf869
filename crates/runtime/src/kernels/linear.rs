//! Products with weights that are stored with the contracted axis last.

use super::PlatformKernel;
use hloom_graph::{CustomCall, DType, Graph, NodeId, Op, Rewrite, Shape, ValueId};
use hloom_kernels::handlers::LinearHandler;
use hloom_pjrt::extension::ffi::{Ffi, Handlers};

/// Products that contract the last axis of both sides, `[.., k]` and `[n, k]`, on the CPU.
///
/// | weight | rows of the left side | why |
/// |---|---|---|
/// | `bf16`, `f16` | any | the plugin converts the weight first, or multiplies element by element |
/// | `f32` | 2 and more | the plugin copies the weight, or is far below the speed of memory |
/// | `f32` of 64 KiB and more | 1 | the plugin reads it at three quarters of the speed |
///
/// Products of the same left side with arguments of the program are computed in one call.
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearKernel;

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
                let others = rewrite
                    .users(product.x)
                    .iter()
                    .filter_map(|&user| Product::at(graph, user));
                others.filter(|other| product.goes_with(graph, other)).collect()
            }
        };
        let mut operands = vec![rewrite.value(product.x)?];
        for product in &group {
            operands.push(rewrite.value(product.weight)?);
        }
        let shapes: Vec<Shape> = group.iter().map(|product| product.shape).collect();
        let call = Op::CustomCall(Box::new(CustomCall::new(LinearHandler::TARGET)));
        // The others of the group find this very node.
        let results = rewrite.add(call, &operands, &shapes);
        let place = group.iter().position(|product| product.node == node)?;
        Some(vec![results[place]])
    }
}

/// Bytes of a weight that take as long to read as a call out of the program takes: about 3 µs.
const WORTH_A_CALL: usize = 64 << 10;

/// A product that the kernel computes.
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
            && *dims.left_contracting == [left.rank() - 1]
            && *dims.right_contracting == [1];
        let rows: usize = left.sizes()[..left.rank().saturating_sub(1)].iter().product();
        let is_slow = match right.dtype() {
            DType::BF16 | DType::F16 => true,
            DType::F32 => rows > 1 || right.byte_size() >= WORTH_A_CALL,
            _ => false,
        };
        let sums = [DType::F32, right.dtype()].contains(&shape.dtype());
        let is_empty = shape.element_count() == 0;
        (contracts_last && is_slow && sums && !is_empty && left.dtype() == right.dtype()).then_some(Product {
            node,
            x,
            weight,
            shape,
        })
    }

    /// Whether the weight is there from the start.
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
