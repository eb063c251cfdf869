//! The weights of a checkpoint, checked against a configuration.

use super::{Config, Dtype, Llama};
use crate::{Result, buffers, lora::Adapters};
use hloom_graph::{BlockKind, DType, Spec, SpecSource, Tree};
use hloom_io::{Checkpoint, LoadPlan, Unused};
use hloom_nn::{Rope, compute_dtype};
use hloom_runtime::{Buffer, Placement};
use std::collections::BTreeMap;

/// The kinds of blocks that [`Dtype::Auto`] keeps: those whose products have kernels on CPUs.
/// Products with other kinds decode their weights each time, which takes longer than products with
/// `bf16`.
const KINDS_WITH_KERNELS: [BlockKind; 10] = [
    BlockKind::Q4_0,
    BlockKind::Q4_1,
    BlockKind::Q5_0,
    BlockKind::Q5_1,
    BlockKind::Q8_0,
    BlockKind::Q4_K,
    BlockKind::Q5_K,
    BlockKind::Q6_K,
    BlockKind::IQ4_NL,
    BlockKind::MXFP4,
];

/// The specs of a model's weights; checks that the checkpoint has exactly these tensors. Each has
/// the element type of its tensor in the checkpoint, `bf16` for quantised blocks that are not kept,
/// or all have the requested one; if that is a kind of blocks, all matrices.
pub(super) fn specs(config: &Config, checkpoint: &Checkpoint, dtype: Dtype) -> Result<Llama<Spec>> {
    let root = checkpoint.root();
    let specs = match dtype {
        Dtype::As(DType::Block(kind)) => {
            hloom_io::quantized(stored_specs(config, checkpoint, has_kernel), kind, &["*"])
        }
        Dtype::As(dtype) => Llama::new(config, dtype),
        Dtype::Auto => stored_specs(config, checkpoint, has_kernel),
        Dtype::Stored => stored_specs(config, checkpoint, |_| true),
    };
    LoadPlan::new(&root, &specs, &unused(config)).map_err(hloom_io::Error::from)?;
    Ok(specs)
}

fn has_kernel(kind: BlockKind) -> bool {
    KINDS_WITH_KERNELS.contains(&kind)
}

/// The specs of weights in the types that they have in the checkpoint, `bf16` for quantised blocks
/// of kinds that are not kept.
fn stored_specs(
    config: &Config,
    checkpoint: &Checkpoint,
    is_kept: impl Fn(BlockKind) -> bool,
) -> Llama<Spec> {
    let root = checkpoint.root();
    // The type that errors report as expected, for tensors that are missing or not floats.
    let usual = matrix_dtype(checkpoint).unwrap_or(DType::F32);
    Llama::new(config, usual).map(&mut |path, spec: Spec| {
        let stored = root.spec(&path.to_string()).map(|stored| stored.shape().dtype());
        match stored {
            Some(DType::Block(kind)) if !(is_kept(kind) && fits(kind, &spec)) => {
                spec.with_dtype(DType::BF16)
            }
            Some(stored @ DType::Block(_)) => spec.with_dtype(stored),
            Some(stored) if stored.is_float() => spec.with_dtype(stored),
            _ => spec,
        }
    })
}

/// Whether programs compute with blocks of a weight: it is a matrix of whole blocks.
fn fits(kind: BlockKind, spec: &Spec) -> bool {
    let shape = spec.shape();
    let row = shape.sizes().last().copied().unwrap_or_default();
    shape.rank() > 1 && row.is_multiple_of(kind.block_len())
}

/// The element type that most bytes of the weights have.
pub(super) fn most_common_dtype(weights: &Llama<Spec>) -> DType {
    let mut bytes: BTreeMap<DType, usize> = BTreeMap::new();
    weights.visit(&mut |_, spec| {
        *bytes.entry(spec.shape().dtype()).or_default() += spec.shape().byte_size();
    });
    bytes.into_iter().max_by_key(|&(_, bytes)| bytes).map_or(DType::F32, |(dtype, _)| dtype)
}

/// The specs in which weights that adapters are added to have the type that they are multiplied in:
/// a sum in a type of 8 bits would lose most of the adapter.
pub(super) fn addable(weights: Llama<Spec>, adapters: &Adapters<Spec>) -> Llama<Spec> {
    weights.map(&mut |path, spec: Spec| {
        let path = path.to_string();
        let layer = path.strip_suffix(".weight");
        if layer.is_some_and(|layer| adapters.contains_key(layer)) {
            let dtype = compute_dtype(spec.shape().dtype());
            spec.with_dtype(dtype)
        } else {
            spec
        }
    })
}

/// The tensors of a checkpoint that need no leaf: older checkpoints contain tables that are
/// computed here, and some checkpoints contain a second copy of a tied table.
pub(super) fn unused(config: &Config) -> Unused {
    let mut patterns = vec!["*.rotary_emb.inv_freq".to_owned()];
    if config.tied {
        patterns.push("lm_head.weight".to_owned());
    }
    Unused::RefusedExcept(patterns)
}

/// The element type of the first matrix of floats.
fn matrix_dtype(checkpoint: &Checkpoint) -> Option<DType> {
    let matrices = checkpoint.names().filter_map(|name| checkpoint.get(name));
    let mut dtypes = matrices.map(|tensor| tensor.shape()).filter(|shape| shape.rank() == 2);
    dtypes.find_map(|shape| shape.dtype().is_float().then_some(shape.dtype()))
}

impl Config {
    /// The specs of the tables of rotary angles for `positions` positions, an argument of
    /// [`Llama::forward`] and [`Llama::forward_whole`].
    pub fn rope_spec(&self, positions: usize) -> Rope<Spec> {
        Rope::new(&self.rope, positions)
    }

    /// The tables of [`rope_spec`](Self::rope_spec).
    ///
    /// # Errors
    /// The plugin is out of memory.
    pub fn rope_buffers<'a>(
        &self,
        to: impl Into<Placement<'a>>,
        positions: usize,
    ) -> Result<Rope<Buffer>> {
        let (to, specs) = (to.into(), self.rope_spec(positions));
        let (cos, sin) = match specs {
            Rope::Table { .. } => self.rope.tables(positions),
            Rope::Dynamic { .. } => Default::default(),
        };
        buffers::build(specs, |path, spec| {
            let table = if path == "cos" { &cos } else { &sin };
            Ok(Buffer::from_slice(to, table, spec.shape().axes())?)
        })
    }
}
