//! Gradients of layers and losses, against `jax.vjp`: rows and cases are those of
//! [`gradients`](super::gradients).

use super::gradients::{gradients, pulled, twice};
use crate::Row;
use hloom::{
    nn::{
        AttentionOptions, BatchNorm, Embedding, GroupNorm, LayerNorm, Linear, RmsNorm, attention,
        attention_with,
        loss::{
            CrossEntropyOptions, absolute_error, cross_entropy, cross_entropy_with, hinge, huber,
            kl_divergence, soft_cross_entropy, squared_error,
        },
    },
    prelude::*,
};

const EPSILON: f64 = 1e-3;

/// A query, a key and a value with the names of their axes.
fn named(q: Tensor, k: Tensor, v: Tensor) -> [Tensor; 3] {
    let positions = |x: Tensor| x.named(["kv_head", "position", "dim"]);
    [q.named(["seq", "kv_head", "group", "dim"]), positions(k), positions(v)]
}

fn mask(mask: Tensor) -> Option<Tensor> {
    Some(mask.named(["seq", "position"]))
}

fn attentions() -> Vec<Row> {
    gradients![
        "attention", [q, k, v] => {
            let [q, k, v] = named(q, k, v);
            attention(q, k, v, None, 0.5)
        };
        "attention masked", [q, k, v, m] => {
            let [q, k, v] = named(q, k, v);
            attention(q, k, v, mask(m), 0.5)
        };
        "attention in chunks", [q, k, v, m] => {
            let [q, k, v] = named(q, k, v);
            let options = AttentionOptions { mask: mask(m), chunk: Some(2), ..Default::default() };
            attention_with(q, k, v, 0.5, &options)
        };
        "attention with all", [q, k, v, m, bias, sinks] => {
            let [q, k, v] = named(q, k, v);
            let options = AttentionOptions {
                mask: mask(m),
                bias: Some(bias.named(["kv_head", "group", "seq", "position"])),
                soft_cap: Some(3.0),
                sinks: Some(sinks.named(["kv_head", "group"])),
                chunk: None,
            };
            attention_with(q, k, v, 0.5, &options)
        };
    ]
}

fn batch_norm(weight: Tensor, bias: Tensor, mean: Tensor, var: Tensor) -> BatchNorm {
    BatchNorm {
        weight: Some(weight),
        bias: Some(bias),
        running_mean: mean,
        running_var: var,
        num_batches_tracked: None,
        epsilon: EPSILON,
        momentum: 0.1,
    }
}

fn norms() -> Vec<Row> {
    gradients![
        "layer_norm", [x, weight, bias] => {
            LayerNorm { weight, bias: Some(bias), epsilon: EPSILON }.forward(x)
        };
        "rms_norm", [x, weight] => RmsNorm { weight, epsilon: EPSILON }.forward(x);
        "batch_norm", [x, w, b] => batch_norm(w, b, w, b).train(x, 1).0;
        "batch_norm of running statistics", [x, w, b, mean, var] => {
            batch_norm(w, b, mean, var).forward(x, 1)
        };
        "group_norm", [x, w, b] => {
            let norm = GroupNorm { weight: Some(w), bias: Some(b), groups: 3, epsilon: EPSILON };
            norm.forward(x, 1, 2)
        };
    ]
}

fn losses() -> Vec<Row> {
    gradients![
        "cross_entropy", [x, labels] => cross_entropy(x, labels, 1);
        "cross_entropy smooth", [x, labels] => {
            let options = CrossEntropyOptions { label_smoothing: 0.1, ignore_index: Some(4) };
            cross_entropy_with(x, labels, 1, options)
        };
        "soft_cross_entropy", [x, targets] => soft_cross_entropy(x, targets, 1);
        "squared_error", [x, y] => squared_error(x, y);
        "absolute_error", [x, y] => absolute_error(x, y);
        "huber", [x, y] => huber(x, y, 1.0);
        "hinge", [x, y] => hinge(x, y);
        "kl_divergence", [x, targets] => kl_divergence(x, targets);
    ]
}

fn weights() -> Vec<Row> {
    gradients![
        "linear", [x, weight, bias] => Linear { weight, bias: Some(bias) }.forward(x);
        "embedding", [weight, ids] => Embedding { weight }.forward(ids);
    ]
}

pub fn rows() -> Vec<Row> {
    [attentions(), norms(), losses(), weights()].into_iter().flatten().collect()
}
