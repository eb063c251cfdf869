//! Feed-forward layers: one network, or a mixture of experts.

use super::{Config, Mlp, products::Products};
use hloom_graph::{DType, Path, Spec, SpecReader, SpecTree, Tensor, Tree};
use hloom_nn::{Activation, Linear, Routing, RoutingOptions, compute_dtype};

/// The feed-forward network of a layer, under its name in checkpoints. When a checkpoint is read, a
/// layer has experts if the configuration has experts and the checkpoint has those of the layer.
#[derive(Tree, Clone, Debug)]
pub enum FeedForward<T = Tensor> {
    /// One network for all tokens.
    Dense {
        /// The network.
        mlp: Mlp<T>,
    },
    /// Experts as in Mixtral.
    Mixtral {
        /// The experts.
        block_sparse_moe: MixtralExperts<T>,
    },
    /// Experts as in the mixtures of Qwen 2 and 3.
    Qwen {
        /// The experts.
        mlp: QwenExperts<T>,
    },
}

/// A mixture of experts with the names of Mixtral
/// ([Jiang et al. 2024](https://arxiv.org/abs/2401.04088)).
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct MixtralExperts<T = Tensor> {
    /// The router: the logits of the experts.
    #[tree(has(bias = false))]
    pub gate: Linear<T>,
    /// The gate projections, `[expert, out, in]`.
    #[axes(expert, out, in)]
    #[tree(rename = "experts.*.w1.weight")]
    pub w1: T,
    /// The down projections.
    #[axes(expert, out, in)]
    #[tree(rename = "experts.*.w2.weight")]
    pub w2: T,
    /// The up projections, which the gates multiply.
    #[axes(expert, out, in)]
    #[tree(rename = "experts.*.w3.weight")]
    pub w3: T,
    /// The choice of experts.
    #[tree(value = Choice::of(config))]
    pub choice: Choice,
    /// The gates' activation function.
    #[tree(value = config.activation)]
    pub activation: Activation,
}

/// A mixture of experts with the names of Qwen.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct QwenExperts<T = Tensor> {
    /// The router: the logits of the experts.
    #[tree(has(bias = false))]
    pub gate: Linear<T>,
    /// The gate projections, `[expert, out, in]`.
    #[axes(expert, out, in)]
    #[tree(rename = "experts.*.gate_proj.weight")]
    pub gate_proj: T,
    /// The up projections, which the gates multiply.
    #[axes(expert, out, in)]
    #[tree(rename = "experts.*.up_proj.weight")]
    pub up_proj: T,
    /// The down projections.
    #[axes(expert, out, in)]
    #[tree(rename = "experts.*.down_proj.weight")]
    pub down_proj: T,
    /// The expert that processes all tokens.
    #[tree(has(shared_expert = Choice::has_shared(config), bias = false))]
    pub shared_expert: Option<Mlp<T>>,
    /// The logit of the shared expert's weight.
    #[tree(has(shared_expert_gate = Choice::has_shared(config), bias = false))]
    pub shared_expert_gate: Option<Linear<T>>,
    /// The choice of experts.
    #[tree(value = Choice::of(config))]
    pub choice: Choice,
    /// The gates' activation function.
    #[tree(value = config.activation)]
    pub activation: Activation,
}

/// The choice of a token's experts: the most probable ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Choice {
    /// The number of experts of a token.
    pub per_token: usize,
    /// Whether their weights are divided by their sum.
    pub normalize: bool,
}

impl Choice {
    fn of(config: &Config) -> Choice {
        let experts = config.experts.as_ref();
        Choice {
            per_token: experts.map_or(1, |experts| experts.per_token),
            normalize: experts.is_some_and(|experts| experts.normalize),
        }
    }

    fn has_shared(config: &Config) -> bool {
        config.experts.as_ref().is_some_and(|experts| experts.shared_size.is_some())
    }

    /// The weighted sum of the experts' results for `x`, `f32[seq, in]`. Each product is computed
    /// in the [`compute_dtype`] of its weights, and the gated values are in that of the gates.
    #[track_caller]
    fn apply(
        self,
        x: Tensor,
        router: &Linear,
        [gate, up, down]: [Tensor; 3],
        activation: Activation,
    ) -> Tensor {
        let options = RoutingOptions { normalize: self.normalize, capacity: None };
        let logits = router.to("expert").forward(x);
        let routing = Routing::top_k(logits, "expert", self.per_token, options);
        let y = routing.apply(x, |x, sizes| {
            let product = |x: Tensor, weight: Tensor, axes: (&str, &str)| {
                let dtype = compute_dtype(weight.dtype());
                let weight = match weight.dtype() {
                    DType::Block(_) => weight,
                    _ => weight.convert(dtype),
                };
                x.convert(dtype).ragged_dot(weight, sizes, axes)
            };
            let gated = activation.forward(product(x, gate, ("in", "in")));
            let hidden = gated * product(x, up, ("in", "in")).convert(gated.dtype());
            product(hidden, down, ("out", "in"))
        });
        y.rename("out", "in")
    }
}

impl FeedForward {
    /// The result for `x`, `f32[seq, in]`.
    #[track_caller]
    pub(super) fn forward(&self, x: Tensor, products: Products<'_>) -> Tensor {
        match self {
            FeedForward::Dense { mlp } => {
                mlp.forward(x, products.at(&format!("{}mlp.", products.path)))
            }
            FeedForward::Mixtral {
                block_sparse_moe: MixtralExperts { w1, w2, w3, gate, choice, activation },
            } => choice.apply(x, gate, [*w1, *w3, *w2], *activation),
            FeedForward::Qwen { mlp } => mlp.forward(x, products),
        }
    }
}

impl QwenExperts {
    fn forward(&self, x: Tensor, products: Products<'_>) -> Tensor {
        let experts = [self.gate_proj, self.up_proj, self.down_proj];
        let y = self.choice.apply(x, &self.gate, experts, self.activation);
        match (&self.shared_expert, &self.shared_expert_gate) {
            (Some(shared), Some(gate)) => {
                let share = gate.forward(x).sigmoid().broadcast_to(y.shape());
                let path = format!("{}mlp.shared_expert.", products.path);
                y + share * shared.forward(x, products.at(&path))
            }
            _ => y,
        }
    }
}

impl SpecTree<Config> for FeedForward<Spec> {
    fn spec_at(
        reader: &SpecReader<'_>,
        path: &Path<'_>,
        axes: Option<&[&str]>,
        config: &Config,
    ) -> FeedForward<Spec> {
        let (mlp, mixtral) = (path.field("mlp"), path.field("block_sparse_moe"));
        let has = |path: &Path<'_>| config.experts.is_some() && reader.contains(path);
        if has(&mixtral) {
            let block_sparse_moe = SpecTree::spec_at(reader, &mixtral, axes, config);
            FeedForward::Mixtral { block_sparse_moe }
        } else if has(&mlp.field("experts")) {
            FeedForward::Qwen { mlp: SpecTree::spec_at(reader, &mlp, axes, config) }
        } else {
            let read = || SpecTree::spec_at(reader, &mlp, axes, config);
            FeedForward::Dense { mlp: reader.with_options(&[("bias", config.mlp_bias)], read) }
        }
    }
}

impl FeedForward<Spec> {
    /// The specs of the feed-forward network of a layer.
    pub(super) fn new(config: &Config, layer: usize, dtype: DType) -> FeedForward<Spec> {
        let hidden = config.hidden_size;
        let sparse = config.experts.as_ref();
        let sparse =
            sparse.filter(|experts| experts.layers.get(layer).is_some_and(|is_sparse| *is_sparse));
        let Some(experts) = sparse else {
            let mlp = Mlp::new(config, config.intermediate_size, config.mlp_bias, dtype);
            return FeedForward::Dense { mlp };
        };
        let gate = Linear::new(hidden, experts.count, false, dtype);
        let matrices = |outputs: usize, inputs: usize| {
            Spec::new(dtype, [("expert", experts.count), ("out", outputs), ("in", inputs)])
        };
        let inner = experts.intermediate_size;
        let (choice, activation) = (Choice::of(config), config.activation);
        if config.family == super::Family::Mixtral {
            let block_sparse_moe = MixtralExperts {
                gate,
                w1: matrices(inner, hidden),
                w2: matrices(hidden, inner),
                w3: matrices(inner, hidden),
                choice,
                activation,
            };
            return FeedForward::Mixtral { block_sparse_moe };
        }
        let shared = experts.shared_size.map(|size| Mlp::new(config, size, false, dtype));
        let mlp = QwenExperts {
            gate,
            gate_proj: matrices(inner, hidden),
            up_proj: matrices(inner, hidden),
            down_proj: matrices(hidden, inner),
            shared_expert_gate: shared.as_ref().map(|_| Linear::new(hidden, 1, false, dtype)),
            shared_expert: shared,
            choice,
            activation,
        };
        FeedForward::Qwen { mlp }
    }
}
