//! The architecture: its weights, under their names in checkpoints, and its forward pass.

use super::{Config, FeedForward, products::Products};
use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_nn::{
    Activation, Embedding, KvCache, LayerCache, Linear, RmsNorm, Rope, attention, causal_mask,
    loss::cross_entropy, wide,
};

/// The weights of a model of the Llama family. They follow from a configuration alone, by
/// [`new`](Llama::new), or from a checkpoint and a configuration, by
/// [`spec_with`](Tree::spec_with); so do its parts in models of other heads.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Llama<T = Tensor> {
    /// All layers except the output layer.
    pub model: Decoder<T>,
    /// The output layer; without it, the embedding table is used.
    #[tree(has(lm_head = !config.tied, bias = false))]
    pub lm_head: Option<Linear<T>>,
}

/// The embedding, the layers and the last norm.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Decoder<T = Tensor> {
    /// One vector per token.
    pub embed_tokens: Embedding<T>,
    /// The layers, in order.
    #[tree(
        count = config.layers(),
        set(self_attn.window = config.windows.get(index).copied().flatten())
    )]
    pub layers: Vec<Layer<T>>,
    /// The norm after the last layer.
    #[tree(set(epsilon = config.rms_norm_eps))]
    pub norm: RmsNorm<T>,
}

/// One layer: attention and a feed-forward network, each after a norm and added to its input.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Layer<T = Tensor> {
    /// The norm before the attention.
    #[tree(set(epsilon = config.rms_norm_eps))]
    pub input_layernorm: RmsNorm<T>,
    /// The attention.
    pub self_attn: Attention<T>,
    /// The norm before the feed-forward network.
    #[tree(set(epsilon = config.rms_norm_eps))]
    pub post_attention_layernorm: RmsNorm<T>,
    /// The feed-forward network.
    #[tree(flatten)]
    pub feed_forward: FeedForward<T>,
}

/// Causal self-attention.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Attention<T = Tensor> {
    /// The query projection; the outputs of all heads are concatenated.
    #[tree(has(bias = config.qkv_bias))]
    pub q_proj: Linear<T>,
    /// The key projection.
    #[tree(has(bias = config.qkv_bias))]
    pub k_proj: Linear<T>,
    /// The value projection.
    #[tree(has(bias = config.qkv_bias))]
    pub v_proj: Linear<T>,
    /// The output projection.
    #[tree(has(bias = config.output_bias))]
    pub o_proj: Linear<T>,
    /// The norm of each query head.
    #[tree(has(q_norm = config.qk_norm), set(epsilon = config.rms_norm_eps))]
    pub q_norm: Option<RmsNorm<T>>,
    /// The norm of each key head.
    #[tree(has(k_norm = config.qk_norm), set(epsilon = config.rms_norm_eps))]
    pub k_norm: Option<RmsNorm<T>>,
    /// The number of key and value heads.
    #[tree(value = config.kv_heads)]
    pub kv_heads: usize,
    /// Query heads per key and value head.
    #[tree(value = config.heads / config.kv_heads)]
    pub groups: usize,
    /// The size of a head.
    #[tree(value = config.head_dim)]
    pub head_dim: usize,
    /// The attention window, including the token itself.
    #[tree(default)]
    pub window: Option<usize>,
}

/// A gated feed-forward network ([Shazeer 2020](https://arxiv.org/abs/2002.05202)).
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Mlp<T = Tensor> {
    /// The gate projection.
    pub gate_proj: Linear<T>,
    /// The up projection, which the gate multiplies.
    pub up_proj: Linear<T>,
    /// The down projection.
    pub down_proj: Linear<T>,
    /// The gate's activation function.
    #[tree(value = config.activation)]
    pub activation: Activation,
}

/// The positions of a call's tokens in their text.
#[derive(Clone, Copy)]
pub(crate) struct TokenPositions {
    /// Position of the first token, `i32[]`.
    pub start: Tensor,
    /// Cosines and sines of the positions.
    pub angles: (Tensor, Tensor),
}

impl Llama {
    /// The vectors of tokens after the last norm, `f32[seq, in]`, and the cache with their keys and
    /// values.
    ///
    /// `tokens` is `i32[seq]`; `start`, the position of the first one, and `length`, the length of
    /// the whole text, are `i32[]`. The positions before `start` are in the cache.
    #[track_caller]
    pub fn forward(
        &self,
        tokens: Tensor,
        start: Tensor,
        length: Tensor,
        rope: &Rope,
        cache: &KvCache,
    ) -> (Tensor, KvCache) {
        let angles = rope.angles(tokens.size("seq"), start, length);
        let place = TokenPositions { start, angles };
        let x = self.model.embedded(tokens);
        let (x, cache) = through(&self.model.layers, x, place, cache, Products::default());
        (self.model.norm.forward(x), cache)
    }

    /// The vectors of the tokens of whole texts after the last norm, `f32[.., seq, in]`, without a
    /// cache. `tokens` is `i32[.., seq]`: leading axes, such as `batch`, are independent texts.
    ///
    /// This is the forward pass of training: derivatives go to all weights.
    #[track_caller]
    pub fn forward_whole(&self, tokens: Tensor, rope: &Rope) -> Tensor {
        let count = tokens.size("seq");
        let (start, length) = (Tensor::scalar(0, DType::I32), Tensor::scalar(count, DType::I32));
        let place = TokenPositions { start, angles: rope.angles(count, start, length) };
        let layers = self.model.layers.iter();
        let x = layers.fold(self.model.embedded(tokens), |x, layer| {
            layer.forward(x, place, None, Products::default()).0
        });
        self.model.norm.forward(x)
    }

    /// The cross entropy of the token that follows each token of whole texts, `f32[.., seq]`: that
    /// of `targets` after `tokens`, both `i32[.., seq]`.
    #[track_caller]
    pub fn next_token_loss(&self, tokens: Tensor, targets: Tensor, rope: &Rope) -> Tensor {
        cross_entropy(self.logits(self.forward_whole(tokens, rope)), targets, "vocab")
    }

    /// The logits of the next tokens, `f32[.., vocab]`, from the result of
    /// [`forward`](Self::forward), `[.., in]`.
    #[track_caller]
    pub fn logits(&self, hidden: Tensor) -> Tensor {
        logits(&self.output(), hidden, Products::default())
    }

    /// The output layer.
    pub(super) fn output(&self) -> Linear {
        self.lm_head.clone().unwrap_or_else(|| self.model.embed_tokens.as_linear())
    }
}

/// The logits of an output layer for `hidden`, `[.., in]`.
#[track_caller]
pub(super) fn logits(output: &Linear, hidden: Tensor, products: Products<'_>) -> Tensor {
    let logits = output.to("vocab").forward(hidden);
    match products.added("lm_head", hidden) {
        Some(added) => logits + added.rename("in", "vocab"),
        None => logits,
    }
}

impl Decoder {
    /// The vectors of tokens, `f32[.., seq, in]`.
    #[track_caller]
    pub(super) fn embedded(&self, tokens: Tensor) -> Tensor {
        wide(self.embed_tokens.forward(tokens))
    }
}

/// The result of layers for `x`, `f32[seq, in]`, and the updated cache.
pub(super) fn through(
    layers: &[Layer],
    x: Tensor,
    place: TokenPositions,
    cache: &KvCache,
    products: Products<'_>,
) -> (Tensor, KvCache) {
    let mut updated = Vec::with_capacity(cache.layers.len());
    let x = layers.iter().zip(&cache.layers).enumerate().fold(x, |x, (index, (layer, cache))| {
        let path = format!("model.layers.{index}.");
        let (x, cache) = layer.forward(x, place, Some(cache), products.at(&path));
        updated.push(cache);
        x
    });
    (x, KvCache { layers: updated })
}

impl Layer {
    /// Without a cache, `x` is of whole texts.
    fn forward(
        &self,
        x: Tensor,
        place: TokenPositions,
        cache: Option<&LayerCache>,
        products: Products<'_>,
    ) -> (Tensor, LayerCache) {
        let (attended, cache) =
            self.self_attn.forward(self.input_layernorm.forward(x), place, cache, products);
        let x = x + attended;
        let normed = self.post_attention_layernorm.forward(x);
        (x + self.feed_forward.forward(normed, products), cache)
    }
}

impl Attention {
    fn forward(
        &self,
        x: Tensor,
        place: TokenPositions,
        cache: Option<&LayerCache>,
        products: Products<'_>,
    ) -> (Tensor, LayerCache) {
        let (kv_heads, groups, dim) = (self.kv_heads, self.groups, self.head_dim);
        let query_heads = [("kv_head", kv_heads), ("group", groups), ("dim", dim)];
        let mut query =
            products.outputs("self_attn.q_proj", &self.q_proj, x).unflatten("in", query_heads);
        let mut key = products
            .outputs("self_attn.k_proj", &self.k_proj, x)
            .unflatten("in", [("kv_head", kv_heads), ("dim", dim)]);
        let value = products
            .outputs("self_attn.v_proj", &self.v_proj, x)
            .unflatten("in", [("kv_head", kv_heads), ("dim", dim)]);
        if let Some(norm) = &self.q_norm {
            query = norm.forward(query);
        }
        if let Some(norm) = &self.k_norm {
            key = norm.forward(key);
        }
        let key = Rope::rotate(key, place.angles);
        let cache = match cache {
            Some(cache) => cache.append(key, value, place.start),
            None => LayerCache::of(key, value),
        };
        let query = Rope::rotate(query, place.angles);
        let mask = causal_mask(place.start, x.size("seq"), cache.key.size("position"), self.window);
        let scale = 1.0 / (dim as f64).sqrt();
        let mixed = attention(query, cache.key, cache.value, Some(mask), scale);
        let mixed = mixed.merge(["kv_head", "group", "dim"], "in");
        let y = products.summed("self_attn.o_proj", &self.o_proj, mixed);
        (y, cache)
    }
}

impl Mlp {
    pub(super) fn forward(&self, x: Tensor, products: Products<'_>) -> Tensor {
        let gate = self.activation.forward(products.outputs("gate_proj", &self.gate_proj, x));
        let up = products.outputs("up_proj", &self.up_proj, x);
        products.summed("down_proj", &self.down_proj, gate * up)
    }
}

impl Mlp<Spec> {
    /// The specs of a network with this inner size.
    pub(super) fn new(config: &Config, size: usize, bias: bool, dtype: DType) -> Mlp<Spec> {
        let hidden = config.hidden_size;
        Mlp {
            gate_proj: Linear::new(hidden, size, bias, dtype),
            up_proj: Linear::new(hidden, size, bias, dtype),
            down_proj: Linear::new(size, hidden, bias, dtype),
            activation: config.activation,
        }
    }
}

impl Llama<Spec> {
    /// The specs of the weights of a model, of one element type.
    pub fn new(config: &Config, dtype: DType) -> Llama<Spec> {
        let (hidden, vocab) = (config.hidden_size, config.vocab_size);
        let norm = |size| RmsNorm::new(size, config.rms_norm_eps, dtype);
        let linear = |inputs, outputs, bias| Linear::new(inputs, outputs, bias, dtype);
        let (query, kv) = (config.heads * config.head_dim, config.kv_heads * config.head_dim);
        let layer = |(index, &window): (usize, &Option<usize>)| Layer {
            input_layernorm: norm(hidden),
            self_attn: Attention {
                q_proj: linear(hidden, query, config.qkv_bias),
                k_proj: linear(hidden, kv, config.qkv_bias),
                v_proj: linear(hidden, kv, config.qkv_bias),
                o_proj: linear(query, hidden, config.output_bias),
                q_norm: config.qk_norm.then(|| norm(config.head_dim)),
                k_norm: config.qk_norm.then(|| norm(config.head_dim)),
                kv_heads: config.kv_heads,
                groups: config.heads / config.kv_heads,
                head_dim: config.head_dim,
                window,
            },
            post_attention_layernorm: norm(hidden),
            feed_forward: FeedForward::new(config, index, dtype),
        };
        Llama {
            model: Decoder {
                embed_tokens: Embedding::new(vocab, hidden, dtype),
                layers: config.windows.iter().enumerate().map(layer).collect(),
                norm: norm(hidden),
            },
            lm_head: (!config.tied).then(|| linear(hidden, vocab, false)),
        }
    }
}
