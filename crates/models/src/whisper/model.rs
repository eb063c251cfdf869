//! The architecture: its weights, under their names in checkpoints, and its forward pass.

use super::Config;
use hloom_graph::{ConvOptions, Tensor, Tree};
use hloom_nn::{
    Activation, Conv, Embedding, KvCache, LayerCache, LayerNorm, Linear, attention, causal_mask,
    compute_dtype, wide,
};

/// The weights of a Whisper model, which [`spec_with`](Tree::spec_with) reads by a [`Config`] from
/// a checkpoint, or from its part under `model`. The output layer is the table of tokens.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Whisper<T = Tensor> {
    /// The encoder, from features to hidden vectors.
    #[tree(all_sizes(in = config.hidden_size, out = config.hidden_size), has(bias = true))]
    pub encoder: Encoder<T>,
    /// The decoder, from tokens and hidden vectors to the next tokens.
    #[tree(all_sizes(in = config.hidden_size, out = config.hidden_size), has(bias = true))]
    pub decoder: Decoder<T>,
}

/// Convolutions over the features, positions, layers and a norm.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Encoder<T = Tensor> {
    /// The first convolution: from mel frequencies to vectors, one per frame.
    #[tree(set(options = ConvOptions::new().padding(1)))]
    pub conv1: Conv<T>,
    /// The second convolution: from frames to half as many positions.
    #[tree(set(options = ConvOptions::new().padding(1).strides(2)))]
    pub conv2: Conv<T>,
    /// One vector per position; sines and cosines in the published models.
    #[tree(sizes(vocab = config.max_source_positions))]
    pub embed_positions: Embedding<T>,
    /// The layers, in order.
    #[tree(count = config.encoder_layers)]
    pub layers: Vec<EncoderLayer<T>>,
    /// The norm after the last layer.
    pub layer_norm: LayerNorm<T>,
}

/// Attention and a feed-forward network, each after a norm and added to its input.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct EncoderLayer<T = Tensor> {
    /// The norm before the attention.
    pub self_attn_layer_norm: LayerNorm<T>,
    /// Attention to all positions.
    #[tree(set(heads = config.encoder_heads))]
    pub self_attn: Attention<T>,
    /// The norm before the feed-forward network.
    pub final_layer_norm: LayerNorm<T>,
    /// The up projection.
    #[tree(sizes(out = config.encoder_intermediate_size))]
    pub fc1: Linear<T>,
    /// The down projection.
    #[tree(sizes(in = config.encoder_intermediate_size))]
    pub fc2: Linear<T>,
    /// The activation function of the feed-forward network.
    #[tree(value = config.activation)]
    pub activation: Activation,
}

/// Tokens, positions, layers and a norm.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct Decoder<T = Tensor> {
    /// One vector per token; also the output layer.
    #[tree(sizes(vocab = config.vocab_size))]
    pub embed_tokens: Embedding<T>,
    /// One vector per position.
    #[tree(sizes(vocab = config.max_target_positions))]
    pub embed_positions: Embedding<T>,
    /// The layers, in order.
    #[tree(count = config.decoder_layers)]
    pub layers: Vec<DecoderLayer<T>>,
    /// The norm after the last layer.
    pub layer_norm: LayerNorm<T>,
}

/// Causal attention, attention to the audio and a feed-forward network, each after a norm and added
/// to its input.
#[derive(Tree, Clone, Debug)]
#[tree(config = Config)]
pub struct DecoderLayer<T = Tensor> {
    /// The norm before the causal attention.
    pub self_attn_layer_norm: LayerNorm<T>,
    /// Attention to the earlier tokens.
    #[tree(set(heads = config.decoder_heads))]
    pub self_attn: Attention<T>,
    /// The norm before the attention to the audio.
    pub encoder_attn_layer_norm: LayerNorm<T>,
    /// Attention to the encoder's vectors.
    #[tree(set(heads = config.decoder_heads))]
    pub encoder_attn: Attention<T>,
    /// The norm before the feed-forward network.
    pub final_layer_norm: LayerNorm<T>,
    /// The up projection.
    #[tree(sizes(out = config.decoder_intermediate_size))]
    pub fc1: Linear<T>,
    /// The down projection.
    #[tree(sizes(in = config.decoder_intermediate_size))]
    pub fc2: Linear<T>,
    /// The activation function of the feed-forward network.
    #[tree(value = config.activation)]
    pub activation: Activation,
}

/// The projections of an attention. Keys have no bias: the softmax would cancel it.
#[derive(Tree, Clone, Debug)]
pub struct Attention<T = Tensor> {
    /// The query projection; the outputs of all heads are concatenated.
    pub q_proj: Linear<T>,
    /// The key projection.
    #[tree(has(bias = false))]
    pub k_proj: Linear<T>,
    /// The value projection.
    pub v_proj: Linear<T>,
    /// The output projection.
    pub out_proj: Linear<T>,
    /// The number of heads.
    #[tree(default)]
    pub heads: usize,
}

impl Whisper {
    /// The vectors of a window of audio, `f32[seq, in]`, from its features, `f32[mel, frame]`.
    #[track_caller]
    pub fn encode(&self, features: Tensor) -> Tensor {
        let Encoder { conv1, conv2, embed_positions, layers, layer_norm } = &self.encoder;
        let x = conv2.forward(conv1.forward(features).gelu()).gelu();
        let x = x.named(["in", "seq"]).transpose(["seq", "in"]);
        let positions = wide(embed_positions.weight).named(["seq", "in"]);
        let x = layers.iter().fold(x + positions, |x, layer| layer.forward(x));
        layer_norm.forward(x)
    }

    /// The keys and values of the cross attentions, from the result of [`encode`](Self::encode), in
    /// the [`compute_dtype`] of the weights. They are the same for all tokens of a window.
    #[track_caller]
    pub fn cross(&self, hidden: Tensor) -> KvCache {
        let keys_and_values = |layer: &DecoderLayer| {
            let cached = |linear: &Linear| {
                let heads = layer.encoder_attn.split(linear.forward(hidden));
                let heads = heads.transpose(["kv_head", "seq", "dim"]).rename("seq", "position");
                heads.convert(compute_dtype(linear.weight.dtype()))
            };
            let Attention { k_proj, v_proj, .. } = &layer.encoder_attn;
            LayerCache { key: cached(k_proj), value: cached(v_proj) }
        };
        KvCache { layers: self.decoder.layers.iter().map(keys_and_values).collect() }
    }

    /// The vectors of tokens after the last norm, `f32[seq, in]`, and the cache with their keys and
    /// values.
    ///
    /// `tokens` is `i32[seq]`, and `start`, the position of the first one, `i32[]`. The positions
    /// before `start` are in the cache; `cross` is the result of [`cross`](Self::cross).
    #[track_caller]
    pub fn decode(
        &self,
        tokens: Tensor,
        start: Tensor,
        cache: &KvCache,
        cross: &KvCache,
    ) -> (Tensor, KvCache) {
        let Decoder { embed_tokens, embed_positions, layers, layer_norm } = &self.decoder;
        let positions = embed_positions.weight.dynamic_slice(0, start, tokens.size("seq"));
        let positions = wide(positions).named(["seq", "in"]);
        let mut x = wide(embed_tokens.forward(tokens)) + positions;
        let mut caches = Vec::with_capacity(layers.len());
        for ((layer, cache), cross) in layers.iter().zip(&cache.layers).zip(&cross.layers) {
            let (y, cache) = layer.forward(x, start, cache, cross);
            x = y;
            caches.push(cache);
        }
        (layer_norm.forward(x), KvCache { layers: caches })
    }

    /// The logits of the next tokens, `f32[.., vocab]`, from the result of
    /// [`decode`](Self::decode), `[.., in]`.
    #[track_caller]
    pub fn logits(&self, hidden: Tensor) -> Tensor {
        self.decoder.embed_tokens.as_linear().to("vocab").forward(hidden)
    }
}

impl EncoderLayer {
    fn forward(&self, x: Tensor) -> Tensor {
        let y = self.self_attn_layer_norm.forward(x);
        let across = |linear: &Linear| {
            let heads = self.self_attn.split(linear.forward(y));
            heads.transpose(["kv_head", "seq", "dim"]).rename("seq", "position")
        };
        let (key, value) = (across(&self.self_attn.k_proj), across(&self.self_attn.v_proj));
        let x = x + self.self_attn.mix(y, key, value, None);
        let y = self.fc1.forward(self.final_layer_norm.forward(x));
        x + self.fc2.forward(self.activation.forward(y))
    }
}

impl DecoderLayer {
    fn forward(
        &self,
        x: Tensor,
        start: Tensor,
        cache: &LayerCache,
        cross: &LayerCache,
    ) -> (Tensor, LayerCache) {
        let y = self.self_attn_layer_norm.forward(x);
        let own = |linear: &Linear| self.self_attn.split(linear.forward(y));
        let (key, value) = (own(&self.self_attn.k_proj), own(&self.self_attn.v_proj));
        let cache = cache.append(key, value, start);
        let mask = causal_mask(start, x.size("seq"), cache.key.size("position"), None);
        let x = x + self.self_attn.mix(y, cache.key, cache.value, Some(mask));
        let y = self.encoder_attn_layer_norm.forward(x);
        let x = x + self.encoder_attn.mix(y, cross.key, cross.value, None);
        let y = self.fc1.forward(self.final_layer_norm.forward(x));
        (x + self.fc2.forward(self.activation.forward(y)), cache)
    }
}

impl Attention {
    /// The heads of a projection.
    fn split(&self, x: Tensor) -> Tensor {
        x.unflatten("in", [("kv_head", self.heads), ("dim", x.size("in") / self.heads)])
    }

    /// The projected means of values, weighted for each element of `x`.
    fn mix(&self, x: Tensor, key: Tensor, value: Tensor, mask: Option<Tensor>) -> Tensor {
        let dim = key.size("dim");
        let heads = [("kv_head", self.heads), ("group", 1), ("dim", dim)];
        let query = self.q_proj.forward(x).unflatten("in", heads);
        let mixed = attention(query, key, value, mask, 1.0 / (dim as f64).sqrt());
        self.out_proj.forward(mixed.merge(["kv_head", "group", "dim"], "in"))
    }
}
