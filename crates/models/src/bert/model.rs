//! The architecture: its weights, under their names in checkpoints, and its forward pass.

use super::{Config, Head, Pooling};
use hloom_graph::{Tensor, Tree, outer};
use hloom_nn::{Activation, Embedding, LayerNorm, Linear, attention, wide};

/// The weights of a BERT, without the heads that some checkpoints have after the last layer. It is
/// read by [`spec_with`](Tree::spec_with) and a [`Config`].
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Bert<T = Tensor> {
    /// The input embeddings.
    #[tree(all_sizes(in = config.hidden_size), has(bias = true))]
    pub embeddings: Embeddings<T>,
    /// The layers.
    #[tree(all_sizes(in = config.hidden_size, out = config.hidden_size), has(bias = true))]
    pub encoder: Encoder<T>,
}

/// The sum of a vector per token, per position and per segment, normalized.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Embeddings<T = Tensor> {
    /// One vector per token.
    #[tree(sizes(vocab = config.vocab_size))]
    pub word_embeddings: Embedding<T>,
    /// One vector per position.
    #[tree(sizes(vocab = config.max_positions))]
    pub position_embeddings: Embedding<T>,
    /// One vector per segment type.
    #[tree(sizes(vocab = config.segment_types))]
    pub token_type_embeddings: Embedding<T>,
    /// The norm of the sum.
    #[tree(rename = "LayerNorm", set(epsilon = config.layer_norm_eps))]
    pub norm: LayerNorm<T>,
}

/// The layers, in order.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Encoder<T = Tensor> {
    /// The layers, in order.
    #[tree(rename = "layer", count = config.layers)]
    pub layers: Vec<Layer<T>>,
}

/// One layer: attention and a feed-forward network, each added to its input and normalized.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Layer<T = Tensor> {
    /// The attention.
    pub attention: Attention<T>,
    /// The up projection of the feed-forward network.
    #[tree(rename = "intermediate.dense", sizes(out = config.intermediate_size))]
    pub intermediate: Linear<T>,
    /// The down projection, added to the input of the network.
    #[tree(all_sizes(in = config.intermediate_size))]
    pub output: Output<T>,
    /// The network's activation function.
    #[tree(value = config.activation)]
    pub activation: Activation,
}

/// Bidirectional self-attention.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Attention<T = Tensor> {
    /// The query projection; the outputs of all heads are concatenated.
    #[tree(rename = "self.query")]
    pub query: Linear<T>,
    /// The key projection.
    #[tree(rename = "self.key")]
    pub key: Linear<T>,
    /// The value projection.
    #[tree(rename = "self.value")]
    pub value: Linear<T>,
    /// The output projection, added to the attention's input.
    pub output: Output<T>,
    /// The number of heads.
    #[tree(value = config.heads)]
    pub heads: usize,
}

/// A linear layer whose result is added to the residual and normalized.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
#[non_exhaustive]
pub struct Output<T = Tensor> {
    /// The linear layer.
    pub dense: Linear<T>,
    /// The norm of the sum.
    #[tree(rename = "LayerNorm", sizes(in = config.hidden_size))]
    #[tree(set(epsilon = config.layer_norm_eps))]
    pub norm: LayerNorm<T>,
}

impl Bert {
    /// The vectors of tokens after the last layer, `f32[batch, seq, in]`.
    ///
    /// `tokens` and `segments` (0 for the first text of a pair, 1 for the second) are `i32[batch,
    /// seq]`; `kept`, `bool[batch, seq]`, is true for tokens, at least one per row, and false for
    /// padding.
    #[track_caller]
    pub fn forward(&self, tokens: Tensor, segments: Tensor, kept: Tensor) -> Tensor {
        let mut x = self.embeddings.forward(tokens, segments);
        for layer in &self.encoder.layers {
            x = layer.forward(x, kept);
        }
        x
    }

    /// The mean of the vectors of the tokens that are not padding, normalized to length 1:
    /// `f32[batch, in]`.
    #[track_caller]
    pub fn pool(hidden: Tensor, kept: Tensor) -> Tensor {
        let head = Head { pooling: Pooling::Mean, normalize: true, max_tokens: None };
        Bert::pool_by(hidden, kept, head)
    }

    /// The vector of a text from those of the tokens that are not padding, which are at its end:
    /// `f32[batch, in]`.
    #[track_caller]
    pub fn pool_by(hidden: Tensor, kept: Tensor, head: Head) -> Tensor {
        let present = kept.convert(hidden.dtype());
        let count = present.sum("seq");
        let pooled = match head.pooling {
            Pooling::Mean => (hidden * present).sum("seq") / count,
            Pooling::MeanSqrtLen => (hidden * present).sum("seq") / count.sqrt(),
            Pooling::Cls => hidden.slice("seq", 0..1).squeeze("seq"),
            Pooling::Max => kept.select(hidden, f64::NEG_INFINITY).max("seq"),
            Pooling::LastToken => {
                let place = Tensor::arange(hidden.dtype(), "seq", kept.size("seq"));
                let last = outer(count - 1.0, place, |last, place| last.eq(place));
                (hidden * last.convert(hidden.dtype())).sum("seq")
            }
        };
        if !head.normalize {
            return pooled;
        }
        let length = (pooled * pooled).sum_keep("in").sqrt();
        pooled / length.maximum(1e-12)
    }
}

impl Embeddings {
    fn forward(&self, tokens: Tensor, segments: Tensor) -> Tensor {
        let words = wide(self.word_embeddings.forward(tokens));
        let segments = wide(self.token_type_embeddings.forward(segments));
        let count = tokens.size("seq");
        let positions =
            wide(self.position_embeddings.weight.slice(0, ..count as isize)).named(["seq", "in"]);
        self.norm.forward(words + segments + positions)
    }
}

impl Layer {
    fn forward(&self, x: Tensor, kept: Tensor) -> Tensor {
        let x = self.attention.forward(x, kept);
        let inside = self.activation.forward(self.intermediate.forward(x));
        self.output.forward(inside, x)
    }
}

impl Attention {
    fn forward(&self, x: Tensor, kept: Tensor) -> Tensor {
        let dim = self.query.weight.size(0) / self.heads;
        // One group: as many key heads as query heads.
        let query = self
            .query
            .forward(x)
            .unflatten("in", [("kv_head", self.heads), ("group", 1), ("dim", dim)]);
        let across = |layer: &Linear| {
            let heads = layer.forward(x).unflatten("in", [("kv_head", self.heads), ("dim", dim)]);
            heads.transpose(["batch", "kv_head", "seq", "dim"]).rename("seq", "position")
        };
        let mask = kept.rename("seq", "position");
        let scale = 1.0 / (dim as f64).sqrt();
        let mixed = attention(query, across(&self.key), across(&self.value), Some(mask), scale);
        self.output.forward(mixed.merge(["kv_head", "group", "dim"], "in"), x)
    }
}

impl Output {
    fn forward(&self, y: Tensor, x: Tensor) -> Tensor {
        self.norm.forward(x + self.dense.forward(y))
    }
}
