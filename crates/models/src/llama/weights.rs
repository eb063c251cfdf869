//! The weights of a checkpoint, checked against a configuration.

use super::{Config, Llama};
use crate::{Error, Result};
use hloom_graph::{DType, Mismatch, Problem, Spec, SpecSource};
use hloom_io::Checkpoint;

/// The specs of a model's weights, of one element type; checks that the checkpoint has exactly
/// these tensors.
pub(super) fn specs(config: &Config, checkpoint: &Checkpoint, dtype: DType) -> Result<Llama<Spec>> {
    let specs = Llama::new(config, dtype);
    let root = checkpoint.root();
    hloom_io::LoadPlan::new(&root, &specs, hloom_io::Unused::Allowed)
        .map_err(hloom_io::Error::from)?;
    // Older checkpoints contain tables that are computed here, and some a second copy of a tied
    // table.
    let known = |name: &str| {
        name.ends_with(".rotary_emb.inv_freq") || (config.tied && name == "lm_head.weight")
    };
    let unused = root.unused(&specs).into_iter().filter(|name| !known(name));
    let problems: Vec<_> = unused.map(|name| (name, Problem::Unused)).collect();
    match problems.is_empty() {
        true => Ok(specs),
        false => Err(Error::Checkpoint(Mismatch { origin: root.origin(), problems }.into())),
    }
}

/// The element type of a checkpoint's weights: that of its first matrix.
pub(super) fn stored_dtype(checkpoint: &Checkpoint) -> Option<DType> {
    let matrices = checkpoint.names().filter_map(|name| checkpoint.get(name));
    let mut dtypes = matrices.map(|tensor| tensor.shape()).filter(|shape| shape.rank() == 2);
    dtypes.find_map(|shape| shape.dtype().is_float().then_some(shape.dtype()))
}
