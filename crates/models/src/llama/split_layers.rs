//! The layers of a model over several devices, each of which computes its own heads and inner
//! features from its own parts of the weights and of the cache.
//!
//! The layers are one [`manual`] computation with two sums over the devices a layer: after the
//! output projection of the attention and after the down projection. So shapes are one device's,
//! and platform kernels compute them. Each device also computes the logits of its own part of the
//! vocabulary. What cannot be split evenly is left to the plugin's partitioner: layers with
//! experts, inner features or query heads that the devices do not divide, or whose parts would cut
//! quantised blocks, and such a vocabulary.

use super::{
    Decoder, FeedForward, Layer,
    model::{self, TokenPositions, through},
    parallel::{self, DEVICES},
    products::{LowRank, Products},
};
use hloom_graph::{PartitionSpec, Tensor, Tree, axis_size, manual};
use hloom_nn::{KvCache, Linear, Rope};

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
    fn fits(self, layers: &[Layer]) -> bool {
        let whole_heads = |kv_heads: usize, groups: usize| {
            // The query heads of a device are adjacent: those of one head of keys and values if
            // several devices share it.
            kv_heads.is_multiple_of(self.kv)
                && (self.group == 1 || kv_heads == self.kv && groups.is_multiple_of(self.group))
        };
        layers.iter().all(|layer| {
            let FeedForward::Dense { mlp } = &layer.feed_forward else { return false };
            let cuts =
                |linear: &Linear| parallel::cuts_blocks(&linear.weight.shape(), self.devices());
            whole_heads(layer.self_attn.kv_heads, layer.self_attn.groups)
                && mlp.gate_proj.weight.size(0).is_multiple_of(self.devices())
                && !cuts(&layer.self_attn.o_proj)
                && !cuts(&mlp.down_proj)
        })
    }

    /// As [`through`], each device with its parts of the layers.
    fn through(
        self,
        layers: Vec<Layer>,
        low_rank: LowRank,
        x: Tensor,
        (start, angles): (Tensor, (Tensor, Tensor)),
        cache: &KvCache,
    ) -> (Tensor, KvCache) {
        let whole = PartitionSpec::replicated();
        let heads = || cache.clone().map(&mut |_, _: Tensor| parallel::heads());
        let splits = (split(&layers), split(&low_rank), (whole, whole, (whole, whole)), heads());
        let inputs = (layers, low_rank, (x, start, angles), cache.clone());
        manual(inputs, splits, (whole, heads()), |(mut layers, low_rank, place, cache)| {
            for layer in &mut layers {
                layer.self_attn.kv_heads /= self.kv;
                layer.self_attn.groups /= self.group;
            }
            let (x, start, angles) = place;
            let products =
                Products { over: &DEVICES, low_rank: Some(&low_rank), ..Products::default() };
            through(&layers, x, TokenPositions { start, angles }, &cache, products)
        })
    }
}

/// As [`forward`](super::Llama::forward) of the model, with adapters, over the devices of the
/// program.
pub(super) fn forward(
    model: &Decoder,
    low_rank: &LowRank,
    tokens: Tensor,
    (start, length): (Tensor, Tensor),
    rope: &Rope,
    cache: &KvCache,
) -> (Tensor, KvCache) {
    let angles = rope.angles(tokens.size("seq"), start, length);
    let x = model.embedded(tokens);
    let layers = model.layers.clone();
    let (x, cache) = match Split::of_program().filter(|split| split.fits(&layers)) {
        Some(split) => {
            split.through(layers, low_rank.of("model.layers."), x, (start, angles), cache)
        }
        None => {
            let products = Products { low_rank: Some(low_rank), ..Products::default() };
            through(&layers, x, TokenPositions { start, angles }, cache, products)
        }
    };
    (model.norm.forward(x), cache)
}

/// As [`logits`](super::Llama::logits) of the model, with the adapter of the output layer, over the
/// devices of the program.
pub(super) fn logits(output: Linear, low_rank: &LowRank, hidden: Tensor) -> Tensor {
    let fits = |split: &Split| output.weight.size(0).is_multiple_of(split.devices());
    if Split::of_program().filter(fits).is_none() {
        let products = Products { low_rank: Some(low_rank), ..Products::default() };
        return model::logits(&output, hidden, products);
    }
    let whole = PartitionSpec::replicated();
    let low_rank = low_rank.of("lm_head");
    let rows = output.clone().map(&mut |_, _: Tensor| PartitionSpec::shard(0, DEVICES));
    let splits = (whole, rows, split(&low_rank));
    let joined = PartitionSpec::shard("vocab", DEVICES);
    let logits =
        manual((hidden, output, low_rank), splits, joined, |(hidden, output, low_rank)| {
            let products = Products { low_rank: Some(&low_rank), ..Products::default() };
            model::logits(&output, hidden, products)
        });
    logits.constrain(whole)
}

/// The partitions of the leaves of a model's part whose paths are those of the model.
fn split<T: Tree<Leaf = Tensor> + Clone>(tree: &T) -> T::With<PartitionSpec> {
    tree.clone().map(&mut |path, _: Tensor| parallel::partition(&path.to_string()))
}
