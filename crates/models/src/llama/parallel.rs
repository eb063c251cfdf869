//! Tensor parallelism: the sharding of a model's weights and cache over several devices.
//!
//! The mesh has two axes. Key and value heads are split along `kv`, as far as there are heads;
//! where there are more devices than heads, the devices that share a head differ along `group` and
//! hold copies of its keys and values. Query heads and the inner features of feed-forward networks,
//! which in a mixture are those of each expert, are split along both, and so is the vocabulary.
//! Small tensors are replicated.

use super::{Config, Llama};
use crate::Result;
use hloom_graph::{PartitionSpec, Shape, Spec, Tree, path_matches, shard_tree};
use hloom_nn::KvCache;
use hloom_runtime::{Mesh, Platform};

/// The mesh axis that key and value heads are split along.
pub(super) const KV: &str = "kv";
/// The mesh axis along which devices share key and value heads.
pub(super) const GROUP: &str = "group";

/// Both axes, along which most weights are split.
pub(super) const DEVICES: [&str; 2] = [KV, GROUP];

/// The first `devices` of a platform as a mesh for a model.
pub(super) fn mesh(platform: &Platform, devices: usize, config: &Config) -> Result<Mesh> {
    Ok(Mesh::new(platform, axes(devices, config))?)
}

/// The mesh of a model over this many devices.
pub(super) fn axes(devices: usize, config: &Config) -> [(&'static str, usize); 2] {
    let split = (1..=devices)
        .rev()
        .find(|&parts| devices.is_multiple_of(parts) && config.kv_heads.is_multiple_of(parts));
    // Zero devices do not form a mesh: creating the mesh reports the error.
    let split = split.unwrap_or(1);
    [(KV, split), (GROUP, devices / split)]
}

impl Llama<Spec> {
    /// The specs with the sharding of each weight over the mesh axes `kv` and `group`: the size of
    /// `kv` divides the number of key and value heads, and the product of both is the number of
    /// devices. Sizes that are not divisible are padded.
    pub fn tensor_parallel(self) -> Llama<Spec> {
        split(self)
    }
}

/// The partitions of weights and adapters by patterns of their paths, for sizes that the devices
/// divide.
fn rules() -> [(&'static str, PartitionSpec); 16] {
    let rows = PartitionSpec::shard("out", DEVICES);
    let columns = PartitionSpec::shard("in", DEVICES);
    [
        // An adapter's `lora_A` has the inputs of its layer, and its `lora_B` the outputs.
        ("*.o_proj.lora_A.*", columns),
        ("*.down_proj.lora_A.*", columns),
        ("*.lora_A.*", PartitionSpec::replicated()),
        ("*.q_proj.*", rows),
        ("*.k_proj.*", PartitionSpec::shard("out", KV)),
        ("*.v_proj.*", PartitionSpec::shard("out", KV)),
        ("*.o_proj.weight", columns),
        ("*.gate_proj.*", rows),
        ("*.up_proj.*", rows),
        ("*.down_proj.weight", columns),
        // The weights of each expert.
        ("*.w1.*", rows),
        ("*.w3.*", rows),
        ("*.w2.*", columns),
        ("lm_head.*", rows),
        ("model.embed_tokens.weight", PartitionSpec::shard("vocab", DEVICES)),
        ("*", PartitionSpec::replicated()),
    ]
}

/// The partition of the weight or adapter at a path, for a size that the devices divide.
pub(super) fn partition(path: &str) -> PartitionSpec {
    let rule = rules().into_iter().find(|(pattern, _)| path_matches(pattern, path));
    rule.map_or(PartitionSpec::replicated(), |(_, partition)| partition)
}

/// Specs with the sharding of their weights and adapters; sizes that are not divisible are padded.
pub(super) fn split<T: Tree<Leaf = Spec, With<Spec> = T>>(specs: T) -> T {
    let padded = rules().map(|(pattern, partition)| (pattern, partition.padded()));
    shard_tree(specs, &padded).expect("the last rule is for every leaf")
}

/// Whether parts of a shape on as many devices, split along its last axis, would cut its blocks.
pub(super) fn cuts_blocks(shape: &Shape, devices: usize) -> bool {
    let row = shape.sizes().last().copied().unwrap_or_default();
    let kind = shape.dtype().block();
    kind.is_some_and(|kind| !row.is_multiple_of(kind.block_len() * devices))
}

/// The specs with weights whose blocks would be cut split along their outputs instead.
pub(super) fn with_whole_blocks(weights: Llama<Spec>, devices: usize) -> Llama<Spec> {
    weights.map(&mut |path, spec: Spec| {
        let is_of_columns = partition(&path.to_string()) == PartitionSpec::shard("in", DEVICES);
        if is_of_columns && cuts_blocks(&spec.shape(), devices) {
            spec.partitioned(PartitionSpec::shard("out", DEVICES).padded())
        } else {
            spec
        }
    })
}

/// The cache with its heads split.
pub(super) fn split_cache(cache: KvCache<Spec>) -> KvCache<Spec> {
    shard_tree(cache, &[("*", heads())]).expect("the rule is for every leaf")
}

/// The partition of a part of the cache.
pub(super) fn heads() -> PartitionSpec {
    PartitionSpec::shard("kv_head", KV)
}
