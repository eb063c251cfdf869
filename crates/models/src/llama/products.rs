//! The products of a decoder layer with its weights and adapters.

use super::Llama;
use crate::lora::Adapters;
use hloom_graph::{DType, Reduction, Spec, Tensor, Tree, path_matches};
use hloom_nn::{Linear, compute_dtype};
use std::collections::BTreeSet;

/// Adapters whose products are computed in each call, because their weights cannot hold the sum.
#[derive(Tree, Clone, Debug)]
pub(super) struct LowRank<T = Tensor> {
    pub adapters: Adapters<T>,
    /// The factor of the products.
    pub scale: f64,
}

/// The layers that are computed by [`Products`].
const LAYERS: [&str; 8] = [
    "*.q_proj",
    "*.k_proj",
    "*.v_proj",
    "*.o_proj",
    "*.gate_proj",
    "*.up_proj",
    "*.down_proj",
    "lm_head",
];

/// Whether a weight that is stored as `stored` loses most of an adapter that is added to it: it has
/// fewer bits than products are computed in.
fn loses_sums(stored: DType) -> bool {
    compute_dtype(stored) != stored
}

/// The adapters whose products are computed in each call, and those that are added to their
/// weights, which are first converted if they lose sums.
pub(super) fn divided(
    adapters: Adapters<Spec>,
    weights: &Llama<Spec>,
) -> (Adapters<Spec>, Adapters<Spec>) {
    let mut apart = BTreeSet::new();
    weights.visit(&mut |path, spec| {
        let path = path.to_string();
        let layer = path.strip_suffix(".weight").filter(|_| loses_sums(spec.shape().dtype()));
        let is_known = |layer: &&str| LAYERS.iter().any(|pattern| path_matches(pattern, layer));
        apart.extend(layer.filter(is_known).map(str::to_owned));
    });
    adapters.into_iter().partition(|(layer, _)| apart.contains(layer))
}

impl<T> Default for LowRank<T> {
    fn default() -> LowRank<T> {
        LowRank { adapters: Adapters::new(), scale: 1.0 }
    }
}

impl<T: Clone> LowRank<T> {
    /// The adapters of the layers with this prefix.
    pub fn of(&self, prefix: &str) -> LowRank<T> {
        let mut part = self.clone();
        part.adapters.retain(|layer, _| layer.starts_with(prefix));
        part
    }
}

/// The computation of the linear layers of a part of a model.
#[derive(Clone, Copy, Default)]
pub(super) struct Products<'a> {
    /// The mesh axes that split the features between the layers of a block: those of one device
    /// inside of [`manual`](hloom_graph::manual), none for whole weights.
    pub over: &'static [&'static str],
    pub low_rank: Option<&'a LowRank>,
    /// The path of the part of the model, which ends in a dot.
    pub path: &'a str,
}

impl<'a> Products<'a> {
    /// Those of a part.
    pub fn at(self, path: &'a str) -> Products<'a> {
        Products { path, ..self }
    }

    /// The result of a layer for whole inputs: on each device, its part of the outputs.
    #[track_caller]
    pub fn outputs(self, name: &str, linear: &Linear, x: Tensor) -> Tensor {
        plus(linear.forward(x), self.added(name, x))
    }

    /// The result of a layer whose inputs may be split over the devices: the sum of their
    /// products, in the element type of `x`, plus the bias.
    #[track_caller]
    pub fn summed(self, name: &str, linear: &Linear, x: Tensor) -> Tensor {
        if self.over.is_empty() {
            return self.outputs(name, linear, x);
        }
        let y = Linear { weight: linear.weight, bias: None }.forward(x);
        let y = plus(y, self.added(name, x)).all_reduce(Reduction::Sum, self.over);
        match linear.bias {
            Some(bias) => y + bias.convert(y.dtype()).named(["in"]),
            None => y,
        }
    }

    /// The product that the adapter of a layer adds to the result for `x`.
    #[track_caller]
    pub fn added(self, name: &str, x: Tensor) -> Option<Tensor> {
        let low_rank = self.low_rank?;
        let adapter = low_rank.adapters.get(&format!("{}{name}", self.path))?;
        Some(adapter.forward(x) * low_rank.scale)
    }
}

#[track_caller]
fn plus(y: Tensor, added: Option<Tensor>) -> Tensor {
    match added {
        Some(added) => y + added,
        None => y,
    }
}
