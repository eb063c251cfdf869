//! Maxima and minima of floats over devices, by order-preserving integer keys with NaN above or
//! below all others.
//!
//! NaN propagates in `max` and `min` of a device, but plugins leave reductions over devices to
//! libraries that ignore NaN. They reduce the keys instead.

use super::{Change, Pass, Platforms, Replacement, tensors};
use hloom_graph::{Collective, DType, Graph, NodeId, Op, Reduction, ScatterUpdate, Tensor, record};

pub(super) const PASS: Pass = Pass {
    name: "device_extremes",
    defects: &["nan_is_lost_between_devices"],
    platforms: Platforms::All,
    until: None,
    change: Change::Tensors(change),
};

fn change(graph: &Graph, node: NodeId) -> Option<Replacement<'_>> {
    let reduction = reduction(graph, node)?;
    let operand = graph.shape(graph.operands(node)[0]);
    let dtype = operand.dtype();
    let (float, key) = keys(dtype)?;
    // Empty tensors are left alone: their maximum is the lowest number, whose key is not the lowest
    // key.
    if operand.element_count() == 0 {
        return None;
    }
    let lowest = -1i64 << (key.bits() - 1);
    // Both constants are the bits of NaNs.
    let best = match reduction {
        Reduction::Max => !lowest,
        Reduction::Min => lowest,
        Reduction::Sum | Reduction::Prod | Reduction::Any | Reduction::All => return None,
    };
    tensors(move |operands| {
        let keys = |&x: &Tensor| {
            if x.dtype() != dtype {
                // Indices of a scatter.
                return x;
            }
            let wide = x.convert(float);
            let turned = turned(wide.bitcast(key));
            wide.is_nan().select(turned.full_like(best), turned)
        };
        let keys: Vec<Tensor> = operands.iter().map(keys).collect();
        let reduced = record(graph.node(node).op.clone(), &keys)[0];
        Some(vec![turned(reduced).bitcast(float).convert(dtype)])
    })
}

/// The reduction of an op that may reduce over devices.
fn reduction(graph: &Graph, node: NodeId) -> Option<Reduction> {
    match &graph.node(node).op {
        Op::Reduce(reduce) if !graph.is_per_device(node) => Some(reduce.reduction),
        Op::Scatter(scatter) if !graph.is_per_device(node) => match scatter.update {
            ScatterUpdate::Max => Some(Reduction::Max),
            ScatterUpdate::Min => Some(Reduction::Min),
            _ => None,
        },
        Op::Collective(collective) => match **collective {
            Collective::AllReduce { reduction, .. }
            | Collective::ReduceScatter { reduction, .. } => Some(reduction),
            _ => None,
        },
        _ => None,
    }
}

/// The float type whose bits are used, which is the type itself or a wider one that holds all its
/// values, and the integer type of its keys. The type of 4 bits has no NaN.
fn keys(dtype: DType) -> Option<(DType, DType)> {
    match dtype.bits() {
        _ if !dtype.is_float() => None,
        8 => Some((DType::BF16, DType::I16)),
        16 => Some((dtype, DType::I16)),
        32 => Some((dtype, DType::I32)),
        64 => Some((dtype, DType::I64)),
        _ => None,
    }
}

/// Inverts all bits but the sign of negative floats, so that they count up; the mapping is its own
/// inverse.
fn turned(bits: Tensor) -> Tensor {
    let width = bits.dtype().bits();
    let sign = bits.shift_right_arithmetic(width - 1);
    bits ^ (sign & !(-1i64 << (width - 1)))
}
