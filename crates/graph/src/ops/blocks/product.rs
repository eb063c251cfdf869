//! Products with weights of quantised blocks.

use super::{bytes, decode};
use crate::{
    Attributes, BlockKind, DType, DotOptions, Shape, Tensor,
    op::OwnComposite,
    ops::{DotDims, for_loop},
    trace::{Rule, apply, emit, function_scope},
};
use std::panic::Location;

/// The limit on the bytes of decoded values in `f32` that a program holds for a product: compilers
/// for CPUs write the whole operand of a product to memory.
const PANEL_BYTES: usize = 4 << 20;

/// The axis of a weight, `[n, k]`, that is contracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Contracted {
    /// The first, of the rows.
    Rows,
    /// The last, along which the blocks lie.
    Columns,
}

/// Tensors with the axes before the last one joined, so that they have rank 2.
#[track_caller]
pub(super) fn rows(x: Tensor) -> Tensor {
    let shape = x.shape();
    let Some((&last, before)) = shape.sizes().split_last() else { return x };
    x.reshape([before.iter().product(), last])
}

/// A product of `x` and blocks, by the dimension numbers of a dot product of their values.
struct Product {
    kind: BlockKind,
    dims: DotDims,
    shape: Shape,
    /// The axis of the weight as a matrix that is contracted, if it is only that and no axis is a
    /// batch axis.
    contracted: Option<Contracted>,
}

impl Product {
    fn new(dims: DotDims, x: &Shape, weight: &Shape) -> Rule<Product> {
        let Some(kind) = weight.dtype().block() else {
            return Err(format!(
                "{x} has blocks of quantised numbers; it is the right operand of a product"
            )
            .into());
        };
        check_factor(x, weight)?;
        let shape = dims.result(x, &weight.with_dtype(x.dtype()))?;
        let contracted = match *dims.right_contracting {
            _ if !dims.right_batch.is_empty() => None,
            [axis] if axis + 1 == weight.rank() => Some(Contracted::Columns),
            [0] if weight.rank() == 2 => Some(Contracted::Rows),
            _ => None,
        };
        Ok(Product { kind, dims, shape, contracted })
    }
}

/// Returns an error if `x` is not multiplied by a weight of blocks.
pub(in super::super) fn check_factor(x: &Shape, weight: &Shape) -> Rule<()> {
    match x.dtype() {
        DType::F32 | DType::BF16 | DType::F16 | DType::F64 => Ok(()),
        _ => Err(format!("{weight} is multiplied by floats of 16 bits or more, not by {x}").into()),
    }
}

/// The dot product `op` of `x` and a weight of blocks, by the rule for its dimension numbers.
#[track_caller]
pub(in super::super) fn dot(
    op: &'static str,
    [x, weight]: [Tensor; 2],
    dims: impl FnOnce(&[Shape]) -> Rule<DotDims>,
) -> Tensor {
    let product =
        emit(op, &[x, weight], Location::caller(), |_, s, _| Product::new(dims(s)?, &s[0], &s[1]));
    let Some(product) = product else { return Tensor::poisoned() };
    let Product { kind, dims, shape, contracted } = product;
    function_scope(op, || {
        let Some(contracted) = contracted else {
            let weight = weight.dequantize(x.dtype());
            return apply(op, &[x, weight], |_| Ok(dims));
        };
        let x = x.moveaxis(dims.left_contracting[0] as isize, -1);
        let y = times(rows(x), rows(bytes(weight)), kind, (contracted, shape.dtype()));
        y.reshape(shape.axes())
    })
}

/// The product of `x`, `[rows, inner]`, and a weight, `u8[n, bytes]`: `[rows, k]` if the weight's
/// rows are contracted, else `[rows, n]`, in the given type. Sums are in `f32`, or `f64` for `x` in
/// `f64`.
///
/// It is recorded as the composite `hloom.block_dot`, whose body decodes a panel of the weight's
/// rows at a time.
#[track_caller]
pub(in super::super) fn times(
    x: Tensor,
    weight: Tensor,
    kind: BlockKind,
    (contracted, dtype): (Contracted, DType),
) -> Tensor {
    let attributes = Attributes::new()
        .with("kind", kind.name())
        .with("contracted", contracted as i64)
        .with("dtype", dtype.name());
    let inputs = [x, weight].map(|x| x.with_names(&[None, None]));
    OwnComposite::BLOCK_DOT.call(1, attributes, &inputs, |inputs| {
        by_panels(inputs[0], inputs[1], kind, contracted).convert(dtype)
    })
}

#[track_caller]
fn by_panels(x: Tensor, weight: Tensor, kind: BlockKind, contracted: Contracted) -> Tensor {
    let n = weight.size(0);
    let k = weight.size(1) / kind.block_bytes() * kind.block_len();
    let most = (PANEL_BYTES / DType::F32.size() / k.max(1)).max(1);
    if n <= most {
        return panel(x, weight, kind, contracted);
    }
    let count = n.div_ceil(most);
    let size = n.div_ceil(count);
    // The last panel may overlap the one before: its rows are computed again, or count as 0.
    let (whole, rest) = (n / size, n % size);
    match contracted {
        Contracted::Columns => {
            let count = n.div_ceil(size);
            let out = Tensor::zeros(sums(x), [x.size(0), n]);
            for_loop(count, out, |i, out| {
                let first = (i * size).minimum(n - size);
                let part = weight.dynamic_slice(0, first, size);
                out.dynamic_update_slice(panel(x, part, kind, contracted), 1, first)
            })
        }
        Contracted::Rows => {
            let out = Tensor::zeros(sums(x), [x.size(0), k]);
            let out = for_loop(whole, out, |i, out| {
                let part = weight.dynamic_slice(0, i * size, size);
                out + panel(x.dynamic_slice(1, i * size, size), part, kind, contracted)
            });
            if rest == 0 {
                return out;
            }
            let from = (n - rest) as isize;
            out + panel(x.slice(1, from..), weight.slice(0, from..), kind, contracted)
        }
    }
}

/// The type of the sums of products with `x`.
fn sums(x: Tensor) -> DType {
    if x.dtype() == DType::F64 { DType::F64 } else { DType::F32 }
}

/// The product with all rows of a weight at once.
#[track_caller]
fn panel(x: Tensor, weight: Tensor, kind: BlockKind, contracted: Contracted) -> Tensor {
    let values = decode::decode(weight, kind).convert(x.dtype());
    let options = DotOptions { accumulate: Some(sums(x)), ..DotOptions::default() };
    let none: &[(usize, usize)] = &[];
    x.dot_general(values, &[(1, contracted as usize)], none, options)
}
