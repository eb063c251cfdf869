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

use crate::{product::product, wide::wide};
use hloom_graph::{
    Attributes, DType, Tensor, for_loop, function_scope, op::OwnComposite, outer, record_error,
};

/// The mean of the values, weighted for each query by the softmax of `scale` times its dot products
/// with the keys.
///
/// - `query`: `[.., seq, kv_head, group, dim]`; multi-head attention has a group of 1, multi-query
///   attention one `kv_head`.
/// - `key`, `value`: `[.., kv_head, position, dim]`. They are not repeated for the groups.
/// - `mask`: `bool`, broadcast to `[.., seq, position]`: whether a query attends to a position. A
///   query that attends to none gets zeros.
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
    if let Some(message) = missing_axis(query, key, value) {
        return record_error("nn::attention", &[query, key, value], message);
    }
    function_scope("nn::attention", || {
        let attributes = Attributes::new().with("scale", scale);
        let inputs: Vec<Tensor> = [query, key, value].into_iter().chain(mask).collect();
        OwnComposite::ATTENTION.call(1, attributes, &inputs, |inputs| {
            decomposed(inputs[0], inputs[1], inputs[2], inputs.get(3).copied(), scale)
        })
    })
}

/// The error about a missing axis that attention finds by name, with the names that it expects.
fn missing_axis(query: Tensor, key: Tensor, value: Tensor) -> Option<String> {
    let needed = [
        ("query", query, &["dim"][..]),
        ("keys", key, &["position", "dim"]),
        ("values", value, &["position", "dim"]),
    ];
    needed.into_iter().find_map(|(role, tensor, names)| {
        let shape = tensor.shape();
        let name = names.iter().find(|name| shape.position(**name).is_err())?;
        Some(format!(
            "there is no axis `{name}` in the {role}: axes are found by name, `seq`, `kv_head`, \
             `group`, `dim` of a query and `kv_head`, `position`, `dim` of keys and values; heads \
             of PyTorch's [batch, head, seq, dim] are `kv_head`, and `seq` of keys and values is \
             `position`: use `.named([..])` or `.rename(..)`"
        ))
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
    let mut scores = product(wide(query) * scale, key, "dim");
    if let Some(mask) = mask {
        scores = mask.select(scores, f64::NEG_INFINITY);
    }
    // Like `softmax`, but the maximum is finite and the sum is not 0 where all positions are
    // masked.
    let most = scores.max_keep("position").maximum(f64::from(f32::MIN)).stop_gradient();
    let weights = (scores - most).exp();
    let weights = weights / weights.sum_keep("position").maximum(MIN_SUM);
    let weighted = product(weights, value, "position").convert(query.dtype());
    let order = query.shape().names().to_vec();
    match order.iter().copied().collect::<Option<Vec<_>>>() {
        Some(order) => weighted.transpose(order),
        None => weighted,
    }
}

/// Options of [`attention_with`].
#[derive(Clone, Debug, Default)]
pub struct AttentionOptions {
    /// `bool`, broadcast to `[.., seq, position]`: whether a query attends to a position. A query
    /// that attends to none gets zeros.
    pub mask: Option<Tensor>,
    /// A bias that is added to the scaled products, broadcast by name to `[.., kv_head, group, seq,
    /// position]`, as for relative positions.
    pub bias: Option<Tensor>,
    /// The smooth bound of products: `soft_cap * tanh(product / soft_cap)`.
    pub soft_cap: Option<f64>,
    /// A logit for each head, `[kv_head, group]`, that takes a share of the weights and has no
    /// value ([Xiao et al. 2023](https://arxiv.org/abs/2309.17453)).
    pub sinks: Option<Tensor>,
    /// The number of positions that are computed at once: memory grows with queries times this,
    /// rather than with queries times positions
    /// ([Rabe and Staats 2021](https://arxiv.org/abs/2112.05682)).
    pub chunk: Option<usize>,
}

/// [`attention`] with [options](AttentionOptions) and the same shapes, computed in `f32` or `f64`.
///
/// ```
/// use hloom_graph::{Spec, TraceScope};
/// use hloom_nn::{AttentionOptions, attention_with};
///
/// let trace = TraceScope::begin("example");
/// let q = Spec::f32([("seq", 5), ("kv_head", 2), ("group", 4), ("dim", 16)]);
/// let kv = Spec::f32([("kv_head", 2), ("position", 32), ("dim", 16)]);
/// let q = trace.parameter("q", &q, false);
/// let k = trace.parameter("k", &kv, false);
/// let v = trace.parameter("v", &kv, false);
/// let options = AttentionOptions { soft_cap: Some(50.0), chunk: Some(8), ..Default::default() };
/// let y = attention_with(q, k, v, 0.25, &options);
/// assert_eq!(y.shape(), q.shape());
/// ```
#[track_caller]
pub fn attention_with(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    scale: f64,
    options: &AttentionOptions,
) -> Tensor {
    if let Some(message) = missing_axis(query, key, value) {
        return record_error("nn::attention_with", &[query, key, value], message);
    }
    function_scope("nn::attention_with", || {
        let query_dtype = query.dtype();
        let order = query.shape().names().to_vec();
        let query = wide(query) * scale;
        let positions = key.size("position");
        let chunk = options.chunk.unwrap_or(positions).clamp(1, positions.max(1));
        let parts = Parts { query, options };
        let (weighted, sum) = if chunk >= positions {
            let scores = parts.scores(key, options.mask, options.bias);
            let most = parts.most(scores.max("position"));
            let weights = (scores - most).exp();
            (product(weights, value, "position"), parts.total(weights.sum("position"), most))
        } else {
            parts.chunked(key, value, positions, chunk)
        };
        let y = (weighted / sum.maximum(MIN_SUM)).convert(query_dtype);
        match order.into_iter().collect::<Option<Vec<_>>>() {
            Some(order) => y.transpose(order),
            None => y,
        }
    })
}

/// Less than any sum of weights, since the largest weight is 1.
const MIN_SUM: f64 = 1e-30;

/// A scaled query and the options.
struct Parts<'a> {
    query: Tensor,
    options: &'a AttentionOptions,
}

impl Parts<'_> {
    /// The logits of positions.
    #[track_caller]
    fn scores(&self, key: Tensor, mask: Option<Tensor>, bias: Option<Tensor>) -> Tensor {
        let mut scores = product(self.query, key, "dim");
        if let Some(cap) = self.options.soft_cap {
            scores = (scores / cap).tanh() * cap;
        }
        if let Some(bias) = bias {
            scores = scores + bias.convert(scores.dtype());
        }
        match mask {
            Some(mask) => mask.select(scores, f64::NEG_INFINITY),
            None => scores,
        }
    }

    /// The largest logit, finite also where all positions are masked.
    #[track_caller]
    fn most(&self, most: Tensor) -> Tensor {
        let most = match self.options.sinks {
            Some(sinks) => most.maximum(sinks.convert(most.dtype())),
            None => most,
        };
        most.maximum(f64::from(f32::MIN))
    }

    /// The sum of the weights and the weight of the sink.
    #[track_caller]
    fn total(&self, sum: Tensor, most: Tensor) -> Tensor {
        match self.options.sinks {
            Some(sinks) => sum + (-(most - sinks.convert(most.dtype()))).exp(),
            None => sum,
        }
    }

    /// The weighted values and the sum of the weights, chunk by chunk: earlier sums are rescaled
    /// when a larger logit occurs.
    #[track_caller]
    fn chunked(
        &self,
        key: Tensor,
        value: Tensor,
        positions: usize,
        chunk: usize,
    ) -> (Tensor, Tensor) {
        let rest = positions % chunk;
        let part = |x: Tensor, start: Tensor, count| match x.shape().position("position") {
            Ok(at) if x.shape().sizes()[at] == positions => x.dynamic_slice(at, start, count),
            _ => x,
        };
        let step = |carry: (Tensor, Tensor, Tensor), start: Tensor, count: usize| {
            let (weighted, sum, most) = carry;
            let own = |x: Option<Tensor>| x.map(|x| part(x, start, count));
            let (mask, bias) = (own(self.options.mask), own(self.options.bias));
            let scores = self.scores(part(key, start, count), mask, bias);
            let next = most.maximum(scores.max("position"));
            let kept = (most - next).exp();
            let weights = (scores - next).exp();
            let values = product(weights, part(value, start, count), "position");
            (weighted * kept + values, sum * kept + weights.sum("position"), next)
        };
        // The shapes of the sums, inferred from a chunk without positions.
        let scores = self.scores(
            key.slice("position", ..0),
            self.options.mask.map(|x| part(x, Tensor::scalar(0, DType::I32), 0)),
            self.options.bias.map(|x| part(x, Tensor::scalar(0, DType::I32), 0)),
        );
        let weighted = product(scores, value.slice("position", ..0), "position");
        let sum = scores.sum("position");
        let most = self.most(sum.full_like(f64::NEG_INFINITY));
        let most = most.broadcast_to(sum.shape());
        let start = (weighted.zeros_like(), sum.zeros_like(), most);
        let whole = for_loop(positions / chunk, start, |i, carry| step(carry, i * chunk, chunk));
        let (weighted, sum, most) = match rest {
            0 => whole,
            rest => step(whole, Tensor::scalar((positions - rest) as i32, DType::I32), rest),
        };
        (weighted, self.total(sum, most))
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
    function_scope("nn::causal_mask", || {
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
