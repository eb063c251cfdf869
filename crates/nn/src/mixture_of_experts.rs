//! Mixtures of experts ([Shazeer et al. 2017](https://arxiv.org/abs/1701.06538)): each token goes
//! to the experts that a router chooses, and their work grows with the number of tokens.
//!
//! ```
//! use hloom_graph::{Spec, TraceScope};
//! use hloom_nn::{Routing, RoutingOptions};
//!
//! let trace = TraceScope::begin("example");
//! let x = trace.parameter("x", &Spec::f32([("token", 100), ("in", 16)]), false);
//! let router = trace.parameter("router", &Spec::f32([("expert", 8), ("in", 16)]), false);
//! let up = Spec::f32([("expert", 8), ("hidden", 32), ("in", 16)]);
//! let up = trace.parameter("up", &up, false);
//! let down = Spec::f32([("expert", 8), ("in", 16), ("hidden", 32)]);
//! let down = trace.parameter("down", &down, false);
//!
//! let routing = Routing::top_k(x.dot(router, "in"), "expert", 2, RoutingOptions::default());
//! let y = routing.apply(x, |x, sizes| {
//!     let hidden = x.ragged_dot(up, sizes, ("in", "in")).silu();
//!     hidden.ragged_dot(down, sizes, ("hidden", "hidden"))
//! });
//! assert_eq!(y.shape().to_string(), "f32[token=100, in=16]");
//! ```

use crate::wide::wide;
use hloom_graph::{Axis, Tensor, function_scope, record_error};

/// The experts of each token, and their weights.
#[derive(Clone, Debug)]
pub struct Routing {
    /// The experts that each token goes to, `i32[token, choice]`, the most probable first.
    pub experts: Tensor,
    /// The weights of their results, `[token, choice]`, in `f32` or `f64`.
    pub weights: Tensor,
    /// The number of experts.
    pub count: usize,
}

/// The options of [`Routing::top_k`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoutingOptions {
    /// Whether the weights of a token's experts are divided by their sum, as Mixtral does.
    pub normalize: bool,
    /// The maximum number of tokens that an expert processes; later tokens get nothing from it.
    pub capacity: Option<usize>,
}

impl Default for RoutingOptions {
    fn default() -> RoutingOptions {
        RoutingOptions { normalize: true, capacity: None }
    }
}

impl Routing {
    /// The `k` most probable experts of each token by the softmax of `logits`, `[token, expert]`
    /// with the experts along `axis`.
    #[track_caller]
    pub fn top_k(
        logits: Tensor,
        axis: impl Into<Axis>,
        k: usize,
        options: RoutingOptions,
    ) -> Routing {
        let axis = axis.into();
        function_scope("nn::Routing::top_k", || {
            let shape = logits.shape();
            let (2, Ok(at)) = (shape.rank(), shape.position(axis)) else {
                let message = format!("logits are [token, expert] with axis {axis}, not {shape}");
                let none = record_error("nn::Routing::top_k", &[logits], message);
                return Routing { experts: none, weights: none, count: 1 };
            };
            let count = shape.sizes()[at];
            let logits = if at == 0 { logits.swap_axes(0, 1) } else { logits };
            let token = logits.shape().names()[0].map_or("_", |name| name.as_str());
            let logits = wide(logits).named([token, "choice"]);
            let (weights, experts) = logits.softmax(1).top_k(k, 1);
            let weights = if options.normalize { weights / weights.sum_keep(1) } else { weights };
            let all = Routing { experts, weights, count };
            match options.capacity {
                Some(capacity) => all.limited(capacity),
                None => all,
            }
        })
    }

    /// The weighted sum of the experts' results for each token of `x`, `[token, in]`.
    ///
    /// `experts` takes the tokens sorted by expert, each once for every choice, and the number of
    /// tokens of each expert, `i32[expert]`, as [`ragged_dot`](Tensor::ragged_dot) does; it returns
    /// `[token, out]`. The sum is computed in `f32` or `f64`; the result has the type of `x`.
    #[track_caller]
    pub fn apply(&self, x: Tensor, experts: impl FnOnce(Tensor, Tensor) -> Tensor) -> Tensor {
        let choices = self.experts.size(1);
        let (sorted, order, sizes) = function_scope("nn::Routing::apply", || {
            let order = self.order();
            let sizes = self.flat().bincount("expert", self.count);
            let token = x.shape().names().first().copied().flatten();
            let sorted = x.take((order / choices).named(["_"]), 0);
            let sorted = sorted.rename(0, token.map_or("_", |name| name.as_str()));
            (sorted, order, sizes)
        });
        let results = experts(sorted, sizes);
        function_scope("nn::Routing::apply", || {
            let name = results.shape().names().first().copied().flatten();
            let name = name.map_or("_", |name| name.as_str());
            let results = wide(results.rename(0, "_"));
            // The position of each choice among the sorted choices.
            let place = order.argsort(0, false);
            let by_choice = results.take(place, 0).unflatten(0, [x.size(0), choices]);
            let weights =
                self.weights.convert(results.dtype()).named(["_", "_"]).insert_axis(-1, "_");
            let weights = weights.broadcast_to(by_choice.shape());
            (by_choice * weights).sum(1).rename(0, name).convert(x.dtype())
        })
    }

    /// The choices of all tokens as one vector, without axis names.
    #[track_caller]
    fn flat(&self) -> Tensor {
        self.experts.named(["_", "_"]).merge([0, 1], "_")
    }

    /// The choices sorted by expert, the tokens of each in order.
    #[track_caller]
    fn order(&self) -> Tensor {
        self.flat().argsort(0, false)
    }

    /// The routing in which an expert's weight is 0 for tokens beyond its capacity.
    #[track_caller]
    fn limited(self, capacity: usize) -> Routing {
        let flat = self.flat();
        let place = self.order().argsort(0, false);
        let sizes = flat.bincount("_", self.count);
        let starts = sizes.cumsum(0) - sizes;
        let turn = place - starts.take(flat, 0);
        let is_taken = turn.lt(capacity).reshape(self.experts.shape());
        Routing { weights: is_taken.select(self.weights, 0.0), ..self }
    }
}
