//! The layers of a model over several devices, each of which computes its own heads and inner
//! features from its own parts of the weights and of the cache.
//!
//! The layers are one [`manual`] computation with two sums over the devices a layer: after the
//! output projection of the attention and after the down projection. So shapes are one device's,
//! and platform kernels compute them. Each device also computes the logits of its own part of the
//! vocabulary. What cannot be split evenly is left to the plugin's partitioner: layers with
//! experts, inner features or query heads that the devices do not divide, and such a vocabulary.

use super::{
    FeedForward, Llama,
    model::{TokenPositions, through},
    parallel::{self, DEVICES},
    products::Products,
};
use hloom_graph::{PartitionSpec, Tensor, Tree, axis_size, manual};
use hloom_nn::{KvCache, Rope, wide};

/// The number of devices along each axis of the mesh.
#[derive(Clone, Copy)]
struct Split {
    kv: usize,
    group: usize,
}

impl Split {
    /// The devices of the program that is traced; none if it is for one.
    fn of_program() -> Option<Split> {
        let [kv, group] = DEVICES.map(axis_size);
        (kv * group > 1).then_some(Split { kv, group })
    }

    fn devices(self) -> usize {
        self.kv * self.group
    }

    /// Whether each device has whole heads and as many inner features as the others.
    fn fits(self, model: &Llama) -> bool {
        let whole_heads = |kv_heads: usize, groups: usize| {
            // The query heads of a device are adjacent: those of one head of keys and values if
            // several devices share it.
            kv_heads.is_multiple_of(self.kv)
                && (self.group == 1 || kv_heads == self.kv && groups.is_multiple_of(self.group))
        };
        model.model.layers.iter().all(|layer| {
            let FeedForward::Dense { mlp } = &layer.feed_forward else { return false };
            whole_heads(layer.self_attn.kv_heads, layer.self_attn.groups)
                && mlp.gate_proj.weight.size(0).is_multiple_of(self.devices())
        })
    }
}

/// As [`Llama::forward`], over the devices of the program.
pub(super) fn forward(
    model: &Llama,
    tokens: Tensor,
    start: Tensor,
    length: Tensor,
    rope: &Rope,
    cache: &KvCache,
) -> (Tensor, KvCache) {
    let Some(split) = Split::of_program().filter(|split| split.fits(model)) else {
        return model.forward(tokens, start, length, rope, cache);
    };
    let angles = rope.angles(tokens.size("seq"), start, length);
    let x = wide(model.model.embed_tokens.forward(tokens));
    let whole = PartitionSpec::replicated();
    let of_cache = || cache.clone().map(&mut |_, _: Tensor| parallel::heads());
    let layers = model.model.layers.clone();
    let of_layers =
        layers.clone().map(&mut |path, _: Tensor| parallel::partition(&path.to_string()));
    let inputs = (layers, x, (start, angles), cache.clone());
    let splits = (of_layers, whole, (whole, (whole, whole)), of_cache());
    let (x, cache) = manual(inputs, splits, (whole, of_cache()), |(mut layers, x, place, cache)| {
        for layer in &mut layers {
            layer.self_attn.kv_heads /= split.kv;
            layer.self_attn.groups /= split.group;
        }
        let (start, angles) = place;
        let products = Products { over: &DEVICES };
        through(&layers, x, TokenPositions { start, angles }, &cache, products)
    });
    (model.model.norm.forward(x), cache)
}

/// As [`Llama::logits`], over the devices of the program.
pub(super) fn logits(model: &Llama, hidden: Tensor) -> Tensor {
    let output = model.output();
    let fits = |split: &Split| output.weight.size(0).is_multiple_of(split.devices());
    if Split::of_program().filter(fits).is_none() {
        return model.logits(hidden);
    }
    let whole = PartitionSpec::replicated();
    let rows = output.clone().map(&mut |_, _: Tensor| PartitionSpec::shard(0, DEVICES));
    let joined = PartitionSpec::shard("vocab", DEVICES);
    let logits = manual((hidden, output), (whole, rows), joined, |(hidden, output)| {
        output.to("vocab").forward(hidden)
    });
    logits.constrain(whole)
}
