//! The weights of a checkpoint, checked against a configuration.

use super::{Config, Llama};
use crate::{Result, buffers};
use hloom_graph::{DType, Spec};
use hloom_io::{Checkpoint, LoadPlan, Unused};
use hloom_nn::Rope;
use hloom_runtime::{Buffer, Placement};

/// The specs of a model's weights, of one element type; checks that the checkpoint has exactly
/// these tensors.
pub(super) fn specs(config: &Config, checkpoint: &Checkpoint, dtype: DType) -> Result<Llama<Spec>> {
    let specs = Llama::new(config, dtype);
    LoadPlan::new(&checkpoint.root(), &specs, &unused(config)).map_err(hloom_io::Error::from)?;
    Ok(specs)
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

/// The element type of a checkpoint's weights: that of its first matrix.
pub(super) fn stored_dtype(checkpoint: &Checkpoint) -> Option<DType> {
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
