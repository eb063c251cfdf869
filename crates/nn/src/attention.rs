//! Scaled dot-product attention with grouped query heads.
//!
//! ```
//! use hloom_graph::{DType, Spec, Tensor, TraceScope};
//! use hloom_nn::{attention, causal_mask};
//!
//! let trace = TraceScope::begin("example");
//! // Eight query heads share two heads of keys and values.
//! let q = Spec::f32([("seq", 5), ("kv_head", 2), ("group", 4), ("dim", 16)]);
//! let kv = Spec::f32([("kv_head", 2), ("position", 32), ("dim", 16)]);
//! let q = trace.parameter("q", &q, false);
//! let k = trace.parameter("k", &kv, false);
//! let v = trace.parameter("v", &kv, false);
//! let mask = causal_mask(Tensor::scalar(7, DType::I32), 5, 32, None);
//! let y = attention(q, k, v, Some(mask), 0.25);
//! assert_eq!(y.shape().to_string(), "f32[seq=5, kv_head=2, group=4, dim=16]");
//! ```

use crate::product::product;
use hloom_graph::{Attributes, DType, Tensor, named_scope, outer, shared_composite};

/// The mean of the values, weighted for each query by the softmax of `scale` times its dot products
/// with the keys.
///
/// - `query`: `[.., seq, kv_head, group, dim]`; multi-head attention has a group of 1, multi-query
///   attention one `kv_head`.
/// - `key`, `value`: `[.., kv_head, position, dim]`. They are not repeated for the groups.
/// - `mask`: `bool`, broadcast to `[.., seq, position]`: whether a query attends to a position. A
///   query attends to at least one.
///
/// The result has the shape and type of `query`. Leading axes are batch axes, matched by name. It
/// is recorded as the composite `hloom.attention`, for which a platform may have a kernel.
#[track_caller]
pub fn attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Option<Tensor>,
    scale: f64,
) -> Tensor {
    named_scope("nn::attention", || {
        let attributes = Attributes::new().with("scale", scale);
        let inputs: Vec<Tensor> = [query, key, value].into_iter().chain(mask).collect();
        shared_composite("hloom.attention", 1, attributes, &inputs, |inputs| {
            decomposed(inputs[0], inputs[1], inputs[2], inputs.get(3).copied(), scale)
        })
    })
}

#[track_caller]
fn decomposed(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Option<Tensor>,
    scale: f64,
) -> Tensor {
    let mut scores = product(query.convert(DType::F32) * scale, key, "dim");
    if let Some(mask) = mask {
        scores = mask.select(scores, f64::NEG_INFINITY);
    }
    let weighted = product(scores.softmax("position"), value, "position").convert(query.dtype());
    let order = query.shape().names().to_vec();
    match order.iter().copied().collect::<Option<Vec<_>>>() {
        Some(order) => weighted.transpose(order),
        None => weighted,
    }
}

/// The mask of the cache positions visible to the queries at `start`, `start + 1`...: their own and
/// earlier ones, of which only the last `window` if given. `bool[seq, position]`; `start` is an
/// `i32` scalar.
#[track_caller]
pub fn causal_mask(
    start: Tensor,
    queries: usize,
    positions: usize,
    window: Option<usize>,
) -> Tensor {
    named_scope("nn::causal_mask", || {
        let query = Tensor::arange(DType::I32, "seq", queries) + start;
        let position = Tensor::arange(DType::I32, "position", positions);
        outer(query, position, |query, position| {
            let seen = query.ge(position);
            match window {
                // A window as long as the cache masks nothing.
                Some(window) if window < positions => seen & (query - position).lt(window),
                _ => seen,
            }
        })
    })
}
