//! Convolutions of integers, which cuDNN lacks: exact sums of `f64`.

use super::{Change, Pass, Platforms, Replacement, result, tensors};
use hloom_graph::{ConvDims, DType, Graph, NodeId, Op, Tensor, record};
use hloom_pjrt::PlatformKind;

pub(super) const PASS: Pass = Pass {
    name: "integer_convolution",
    defects: &["integers_are_not_convolved"],
    platforms: Platforms::Only(&[PlatformKind::Cuda]),
    until: None,
    change: Change::Tensors(change),
};

/// Bits of the parts of an operand.
const BITS: usize = 16;

/// Products of two parts that `f64` adds up exactly.
const MAX_TERMS: usize = 1 << (f64::MANTISSA_DIGITS as usize - 1 - 2 * BITS);

/// Modulo 2^n, a product is the sum of the products of parts of 16 bits, each shifted by the places
/// of its parts; those that are shifted by n or more are 0.
fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let Op::Convolution(dims) = &graph.node(node).op else { return None };
    let dtype = result(graph, node).dtype();
    let is_integer = dtype.is_signed_int() || dtype.is_unsigned_int();
    if !is_integer || terms(graph, node, dims) > MAX_TERMS {
        return None;
    }
    let dims = ConvDims { accumulate: None, ..ConvDims::clone(dims) };
    tensors(move |operands| {
        let &[input, kernel] = operands else { return None };
        let mut sum: Option<Tensor> = None;
        for (i, input) in parts(input).into_iter().enumerate() {
            for (j, &kernel) in parts(kernel).iter().enumerate() {
                let shift = BITS * (i + j);
                if shift >= dtype.bits() {
                    continue;
                }
                let product = *record(dims.clone(), &[input, kernel]).first()?;
                let product = product.round_even().convert(DType::I64).convert(dtype);
                let shifted = match shift {
                    0 => product,
                    _ => product.shift_left(product.full_like(i64::try_from(shift).ok()?)),
                };
                sum = Some(sum.map_or(shifted, |sum| sum + shifted));
            }
        }
        Some(vec![sum?])
    })
}

/// The number of products that are added up: the elements of the kernel for one output feature.
fn terms(graph: &Graph, node: NodeId, dims: &ConvDims) -> usize {
    let kernel = graph.shape(graph.operands(node)[1]);
    let features = kernel.sizes()[dims.kernel_output_feature_dimension].max(1);
    kernel.element_count() / features
}

/// The parts of an operand as `f64`, from the lowest bits: without a sign, but the last one.
fn parts(x: Tensor) -> Vec<Tensor> {
    let count = x.dtype().bits().div_ceil(BITS);
    let part = |i: usize| {
        let shift = x.full_like(i64::try_from(BITS * i).unwrap_or_default());
        let upper = match (i, x.dtype().is_signed_int()) {
            (0, _) => x,
            (_, true) => x.shift_right_arithmetic(shift),
            (_, false) => x.shift_right_logical(shift),
        };
        let is_last = i + 1 == count;
        let part = if is_last { upper } else { upper & x.full_like((1i64 << BITS) - 1) };
        part.convert(DType::F64)
    };
    (0..count).map(part).collect()
}
