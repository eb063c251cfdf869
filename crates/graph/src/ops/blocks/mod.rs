//! Ops on weights of quantised blocks, which all read their bytes.

mod decode;
mod product;
mod reverse;

use crate::{
    Attributes, Axis, BlockKind, DType, Dims, Shape, Tensor,
    op::OwnComposite,
    trace::{self, Rule, apply, emit, function_scope},
};
pub(super) use product::{Contracted, check_factor, dot, times};
pub(crate) use reverse::BLOCK_DOT_RULES;
use std::panic::Location;

use super::BitcastConvert;

/// The shape of blocks whose bytes have this shape.
pub(super) fn shape_of_blocks(bytes: &Shape, kind: BlockKind) -> Rule<Shape> {
    let Some((&row, before)) = bytes.sizes().split_last().filter(|_| bytes.dtype() == DType::U8)
    else {
        return Err(format!("{bytes} is not rows of bytes").into());
    };
    if !row.is_multiple_of(kind.block_bytes()) {
        return Err(format!(
            "rows of {row} bytes are not blocks of {kind}, which have {} bytes",
            kind.block_bytes()
        )
        .into());
    }
    let elements = row / kind.block_bytes() * kind.block_len();
    let sizes = before.iter().copied().chain([elements]);
    let dims = Dims::new(bytes.names().iter().copied().zip(sizes))?;
    Ok(bytes.with_dtype(DType::Block(kind)).with_dims(dims))
}

/// The kind of the blocks of a tensor, if it has blocks.
pub(super) fn kind_of(x: Tensor) -> Option<BlockKind> {
    trace::shape_of(x)?.dtype().block()
}

/// The bytes of each row of blocks, `u8[.., row]`, with the axes' names.
#[track_caller]
pub(super) fn bytes(x: Tensor) -> Tensor {
    let value = emit("bytes", &[x], Location::caller(), |builder, _, v| {
        // Blocks made from bytes are those bytes again.
        let graph = builder.graph();
        let node = graph.value(v[0]).node;
        match (&graph.node(node).op, graph.operands(node)) {
            (crate::Op::BitcastConvert(_), &[bytes]) => Ok(bytes),
            _ => builder.add(BitcastConvert { dtype: DType::U8 }, v),
        }
    });
    Tensor::or_poisoned(value)
}

/// The blocks of a kind in rows of bytes.
#[track_caller]
pub(super) fn blocks(bytes: Tensor, kind: BlockKind) -> Tensor {
    apply("blocks", &[bytes], |_| Ok(BitcastConvert { dtype: DType::Block(kind) }))
}

/// The result of an op that selects whole rows of blocks along `axis`, by their bytes; `None` if
/// `x` has no blocks.
#[track_caller]
pub(crate) fn by_rows(
    op: &'static str,
    x: Tensor,
    axis: Axis,
    select: impl FnOnce(Tensor) -> Tensor,
) -> Option<Tensor> {
    let kind = kind_of(x)?;
    let is_of_rows = emit(op, &[x], Location::caller(), |_, s, _| {
        if s[0].position(axis)? + 1 == s[0].rank() {
            return Err(format!(
                "the blocks of {} lie along axis {axis}; `dequantize` it first",
                s[0]
            )
            .into());
        }
        Ok(())
    });
    Some(match is_of_rows {
        Some(()) => function_scope(op, || blocks(select(bytes(x)), kind)),
        None => Tensor::poisoned(),
    })
}

#[hloom_derive::tensor_methods(blocks)]
impl Tensor {
    /// The values of quantised blocks in a float type, `f32` or one of 16 bits: the products that
    /// the format defines are computed in `f32` and then rounded.
    ///
    /// [`dot`](Self::dot) multiplies by blocks as they are: it decodes a part of the weight at a
    /// time where this function writes the whole. It is recorded as the composite
    /// `hloom.dequantize`.
    ///
    /// ```
    /// use hloom_graph::{BlockKind, DType, Spec, TraceScope};
    ///
    /// let trace = TraceScope::begin("example");
    /// let w = Spec::new(DType::Block(BlockKind::Q8_0), [("out", 8), ("in", 64)]);
    /// let w = trace.parameter("w", &w, false);
    /// let first = w.slice("out", ..2).dequantize(DType::BF16);
    /// assert_eq!(first.shape().to_string(), "bf16[out=2, in=64]");
    /// ```
    #[track_caller]
    pub fn dequantize(self, dtype: DType) -> Tensor {
        let checked = emit("dequantize", &[self], Location::caller(), |_, s, _| {
            let Some(kind) = s[0].dtype().block() else {
                return Err(format!("{} has no blocks; use `.convert(..)`", s[0]).into());
            };
            if !matches!(dtype, DType::F32 | DType::BF16 | DType::F16 | DType::F64) {
                return Err(format!("blocks have the values of floats, not of {dtype}").into());
            }
            Ok((kind, s[0].axes()))
        });
        let Some((kind, axes)) = checked else { return Tensor::poisoned() };
        function_scope("dequantize", || {
            let attributes =
                Attributes::new().with("kind", kind.name()).with("dtype", dtype.name());
            let rows = product::rows(bytes(self));
            let values = OwnComposite::DEQUANTIZE
                .call(1, attributes, &[rows], |rows| decode::decode(rows[0], kind).convert(dtype));
            values.reshape(axes)
        })
    }
}
