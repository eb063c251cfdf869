//! Elements below a byte in bytes, which the passes `narrow_*` compute and move instead: for some
//! ops plugins have no code for them, and crash the process.

use super::result;
use hloom_graph::{DType, Graph, NodeId, Op, Tensor, optimization_barrier, record};

/// The integer type of a byte for an integer type below.
pub(super) fn wide_integer(dtype: DType) -> Option<DType> {
    match dtype {
        DType::I2 | DType::I4 => Some(DType::I8),
        DType::U2 | DType::U4 => Some(DType::U8),
        _ => None,
    }
}

/// A type of at least a byte that holds the elements of a narrower one, in the same order.
pub(super) fn wide_number(dtype: DType) -> Option<DType> {
    match dtype {
        DType::F4E2M1FN => Some(DType::BF16),
        dtype => wide_integer(dtype),
    }
}

/// The integer type of an element's bits, and that of a byte: floats are moved as their bits.
pub(super) fn wide_bits(dtype: DType) -> Option<(DType, DType)> {
    match dtype {
        DType::F4E2M1FN => Some((DType::U4, DType::U8)),
        dtype => wide_integer(dtype).map(|wide| (dtype, wide)),
    }
}

/// The bits of elements in a wider type. Without the barrier the plugin would move ops across the
/// conversion.
pub(super) fn widened(x: Tensor, bits: DType, wide: DType) -> Tensor {
    let x = if x.dtype() == bits { x } else { x.bitcast(bits) };
    optimization_barrier(x.convert(wide))
}

/// The elements of a type with these bits.
pub(super) fn narrowed(x: Tensor, bits: DType, dtype: DType) -> Tensor {
    let x = optimization_barrier(x).convert(bits);
    if dtype == bits { x } else { x.bitcast(dtype) }
}

/// Records the op of a node with one result on operands in a wider type, between barriers. Operands
/// of other types, such as indices, stay.
pub(super) fn in_wide(
    graph: &Graph,
    node: NodeId,
    operands: &[Tensor],
    (bits, wide): (DType, DType),
) -> Vec<Tensor> {
    let dtype = result(graph, node).dtype();
    let widen = |&x: &Tensor| if x.dtype() == dtype { widened(x, bits, wide) } else { x };
    let operands: Vec<Tensor> = operands.iter().map(widen).collect();
    let moved = record(graph.node(node).op.clone(), &operands)[0];
    vec![narrowed(moved, bits, dtype)]
}

/// Records an op on operands converted to types of at least a byte, and converts its results back.
pub(super) fn converted(op: Op, operands: &[Tensor], results: &[DType]) -> Vec<Tensor> {
    let widen = |x: &Tensor| wide_number(x.dtype()).map_or(*x, |wide| x.convert(wide));
    let operands: Vec<Tensor> = operands.iter().map(widen).collect();
    let values = record(op, &operands).into_iter().zip(results);
    values.map(|(value, &dtype)| value.convert(dtype)).collect()
}
