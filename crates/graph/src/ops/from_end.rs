//! Indices of the program, whose negative values count from the end.
//!
//! One rule for all reads and updates at computed indices: a negative index counts from the end.
//! Reads at indices that are still out of range are clamped, updates there dropped; the start of a
//! dynamic slice is clamped so that the slice fits. [`gather`](crate::Tensor::gather) and
//! [`scatter`](crate::Tensor::scatter) by dimension numbers take StableHLO's indices, where a
//! negative index is out of range.

use crate::{
    DType, Graph, Literal, Op, Tensor, ValueId,
    ops::Binary,
    trace::{current_graph, is_loop_index},
};

/// The maximum depth of ops that are followed to prove that no index is negative.
const MAX_DEPTH: usize = 8;

/// The indices as positions along an axis of `size` elements, where no index counts from the end:
/// negative ones have the size added, and are below 0 only if they are out of range. The result has
/// a wider type where the size exceeds the range of the indices' type.
///
/// Indices that are known not to be negative, and tensors that are not indices, stay as they are.
#[track_caller]
pub(super) fn counted_from_end(indices: Tensor, size: usize) -> Tensor {
    let dtype = indices.dtype();
    if indices.is_poisoned() || !dtype.is_signed_int() || is_never_negative(indices) {
        return indices;
    }
    let largest = i128::MAX >> (128 - dtype.bits());
    let wide = match size as i128 {
        size if size <= largest => indices,
        size if size <= i128::from(i32::MAX) => indices.convert(DType::I32),
        _ => indices.convert(DType::I64),
    };
    wide.lt(0).select(wide + size, wide)
}

fn is_never_negative(indices: Tensor) -> bool {
    let look = |graph: &Graph| is_known(graph, indices.value(), MAX_DEPTH);
    indices.trace_id() == crate::trace::current_id().unwrap_or(u32::MAX)
        && current_graph(look).unwrap_or(false)
}

/// Whether the integers of a value are known not to be negative; false if that cannot be proved.
fn is_known(graph: &Graph, value: ValueId, depth: usize) -> bool {
    if graph.dtype(value).is_unsigned_int() || is_loop_index(value) {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let node = graph.value(value).node;
    let operands = graph.operands(node);
    let is = |operand: usize| operands.get(operand).is_some_and(|&v| is_known(graph, v, depth));
    match &graph.node(node).op {
        Op::Constant(literal) => no_element_is_negative(literal),
        Op::Splat(splat) => splat.scalar.bytes().last().is_some_and(|&byte| byte < 0x80),
        // Indices of a narrow type may wrap around.
        Op::Iota(_) => graph.dtype(value).bits() >= 32,
        Op::ArgReduce(_) => true,
        // The first result has the values, the others have indices.
        Op::TopK(_) => graph.node_results(node).next() != Some(value),
        Op::Sort(_) => {
            let position = graph.node_results(node).position(|result| result == value);
            position.is_some_and(is)
        }
        Op::Convert(to) => {
            let from = graph.dtype(operands[0]);
            from.is_int() && from.bits() < to.dtype.bits() && is(0)
        }
        Op::BroadcastInDim(_)
        | Op::Reshape(_)
        | Op::Transpose(_)
        | Op::Slice(_)
        | Op::Reverse(_)
        | Op::DynamicSlice(_)
        | Op::Gather(_)
        | Op::OptimizationBarrier(_) => {
            let position = graph.node_results(node).position(|result| result == value);
            position.is_some_and(is)
        }
        Op::Concatenate(_) => (0..operands.len()).all(is),
        Op::Select(_) => is(1) && is(2),
        Op::Binary(Binary::Maximum) => is(0) || is(1),
        Op::Binary(Binary::Minimum) => is(0) && is(1),
        Op::Binary(Binary::Rem) => is(0),
        // Nothing is known of the others, so that an op which is not listed is sound here.
        _ => false,
    }
}

fn no_element_is_negative(literal: &Literal) -> bool {
    // Little-endian: the last byte of an element has the sign, also of an element below a byte.
    let size = literal.shape().dtype().size();
    literal.bytes().chunks_exact(size).all(|element| element[size - 1] < 0x80)
}
