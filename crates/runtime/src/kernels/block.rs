//! Products with weights of quantised blocks, and their values.

use super::{PlatformKernel, linear::is_given};
use crate::Platform;
use hloom_graph::{
    Attributes, BackendConfig, CustomCall, DType, Graph, NodeId, Op, Rewrite, Shape, ValueId,
    op::{BitcastConvert, Composite, OwnComposite},
};
use hloom_kernels::{
    Activations, BlockKind as KernelKind, Isa,
    handlers::{BlockDecodeHandler, BlockLinearHandler},
};
use hloom_pjrt::extension::ffi::{Ffi, Handlers};

/// Dot products with weights of quantised blocks, `[n, k]`, on the CPU.
///
/// By default the activations are quantised too: each 32 values of a row are rounded to 8 bits with
/// a scale of their own, as the formats of GGUF files are computed elsewhere. Products of the same
/// left side with arguments of the program, or with inputs of a manual computation, are computed in
/// one call.
#[derive(Clone, Copy, Debug)]
pub struct BlockLinearKernel {
    activations: Activations,
}

impl BlockLinearKernel {
    /// A kernel that keeps activations in `f32`: slower, and as exact as the weights.
    pub fn with_float_activations() -> BlockLinearKernel {
        BlockLinearKernel { activations: Activations::Float }
    }
}

impl Default for BlockLinearKernel {
    fn default() -> BlockLinearKernel {
        BlockLinearKernel { activations: Activations::Quantized }
    }
}

impl PlatformKernel for BlockLinearKernel {
    fn name(&self) -> &str {
        BlockLinearHandler::TARGET
    }

    fn never_fails(&self) -> bool {
        Isa::selected().is_ok()
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        ffi.register(BlockLinearHandler::TARGET, &Handlers::new::<BlockLinearHandler>())
    }

    fn replace(
        &self,
        _: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let graph = rewrite.from();
        let product = Product::at(graph, node)?;
        let mut operands = vec![rewrite.value(product.x)?];
        let group: Vec<Product> = if product.given(graph).is_some() {
            let others =
                rewrite.users(product.x).iter().filter_map(|&user| Product::at(graph, user));
            others.filter(|other| product.goes_with(graph, other)).collect()
        } else {
            operands.push(rewrite.value(product.weight)?);
            vec![product]
        };
        // The bytes of the others may come later in the graph than this product.
        for given in group.iter().filter_map(|product| product.given(graph)) {
            let given = rewrite.value(given)?;
            operands.push(rewrite.add(BitcastConvert { dtype: DType::U8 }, &[given])?[0]);
        }
        let kinds: Vec<&str> = group.iter().map(|product| product.kind.name()).collect();
        let attributes = Attributes::new()
            .with("activations", self.activations.name())
            .with("kinds", kinds.join(","));
        let shapes: Vec<Shape> = group.iter().map(|product| product.shape).collect();
        let call = CustomCall {
            config: BackendConfig::Typed(attributes),
            ..CustomCall::new(BlockLinearHandler::TARGET, shapes)
        };
        // CSE merges this call with those of the other products of the group.
        let results = rewrite.add(call, &operands)?;
        let place = group.iter().position(|product| product.node == node)?;
        Some(vec![results[place]])
    }
}

/// A product that the kernel can compute.
#[derive(Clone, Copy)]
struct Product {
    node: NodeId,
    x: ValueId,
    /// The bytes of the weight's rows.
    weight: ValueId,
    kind: KernelKind,
    shape: Shape,
}

impl Product {
    fn at(graph: &Graph, node: NodeId) -> Option<Product> {
        let (composite, kind, shape) = on_blocks(graph, node, OwnComposite::BLOCK_DOT)?;
        let &[x, weight] = graph.operands(node) else {
            return None;
        };
        let x_type = graph.dtype(x);
        let fits = composite.attributes.scalar::<i64>("contracted") == Some(1)
            && is_kernel_type(x_type)
            && [DType::F32, x_type].contains(&shape.dtype());
        fits.then_some(Product { node, x, weight, kind, shape })
    }

    /// The weight, if it is an argument of the program, or one device's part of an input of a
    /// manual computation.
    fn given(&self, graph: &Graph) -> Option<ValueId> {
        let stored = stored(graph, self.weight);
        is_given(graph, stored).then_some(stored)
    }

    /// Whether both are computed in one call.
    fn goes_with(&self, graph: &Graph, other: &Product) -> bool {
        other.x == self.x
            && other.given(graph).is_some()
            && other.shape.dtype() == self.shape.dtype()
            && graph.node(other.node).region == graph.node(self.node).region
    }
}

/// The values of quantised blocks, on the CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockDecodeKernel;

impl PlatformKernel for BlockDecodeKernel {
    fn name(&self) -> &str {
        BlockDecodeHandler::TARGET
    }

    fn never_fails(&self) -> bool {
        Isa::selected().is_ok()
    }

    fn register(&self, ffi: &Ffi) -> hloom_pjrt::Result<()> {
        ffi.register(BlockDecodeHandler::TARGET, &Handlers::new::<BlockDecodeHandler>())
    }

    fn replace(
        &self,
        _: &Platform,
        rewrite: &mut Rewrite<'_>,
        node: NodeId,
    ) -> Option<Vec<ValueId>> {
        let (_, kind, shape) = on_blocks(rewrite.from(), node, OwnComposite::DEQUANTIZE)?;
        let &[bytes] = rewrite.from().operands(node) else {
            return None;
        };
        if !is_kernel_type(shape.dtype()) {
            return None;
        }
        let attributes = Attributes::new().with("kind", kind.name());
        let call = CustomCall {
            config: BackendConfig::Typed(attributes),
            ..CustomCall::new(BlockDecodeHandler::TARGET, [shape])
        };
        let bytes = rewrite.value(bytes)?;
        rewrite.add(call, &[bytes])
    }
}

/// A composite on blocks of a kind that kernels know, and the shape of its result, which is not
/// empty.
fn on_blocks(
    graph: &Graph,
    node: NodeId,
    own: OwnComposite,
) -> Option<(&Composite, KernelKind, Shape)> {
    let Op::Composite(composite) = &graph.node(node).op else {
        return None;
    };
    if !composite.is(own) || composite.version != 1 {
        return None;
    }
    let kind = KernelKind::from_name(composite.attributes.string("kind")?)?;
    let shape = graph.shape(graph.node_results(node).next()?);
    (shape.element_count() > 0).then_some((composite, kind, shape))
}

fn is_kernel_type(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::BF16 | DType::F16)
}

/// The blocks whose bytes these are, before the axes of their rows were joined or renamed.
fn stored(graph: &Graph, mut value: ValueId) -> ValueId {
    let row = |value| graph.shape(value).stored().sizes().last().copied();
    loop {
        let node = graph.value(value).node;
        match (&graph.node(node).op, graph.operands(node)) {
            (Op::Reshape(_) | Op::BitcastConvert(_), &[from]) if row(from) == row(value) => {
                value = from;
            }
            _ => return value,
        }
    }
}
