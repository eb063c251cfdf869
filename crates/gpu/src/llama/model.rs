//! The model: its configuration, and the two programs that run it.

use crate::Result;
use hloom::{
    nn::{KvCache, Rope},
    prelude::*,
};
use hloom_models::llama::{Config, Llama};
use std::path::Path;

/// A model and the sizes that it is measured with.
pub struct Case {
    /// The name in results, such as `llama-8b`.
    pub name: &'static str,
    /// The text of `config.json`, from which the peer makes the same model.
    pub json: &'static str,
    /// The configuration.
    pub config: Config,
    /// The positions of the cache.
    pub positions: usize,
    /// The tokens of the prompt.
    pub prompt: usize,
    /// The tokens that one measurement of decode makes.
    pub steps: usize,
}

/// The arguments that no call changes.
#[derive(Tree, Clone)]
pub struct Bound<T = Tensor> {
    pub weights: Llama<T>,
    pub rope: Rope<T>,
}

/// The last token and its position.
#[derive(Tree, Clone)]
pub struct Cursor<T = Tensor> {
    /// `i32[]`.
    pub token: T,
    /// `i32[]`.
    pub position: T,
}

/// The result of a step.
#[derive(Tree, Clone)]
pub struct Step<T = Tensor> {
    pub cache: KvCache<T>,
    pub cursor: Cursor<T>,
    /// Of the last token, `f32[vocab]`.
    pub logits: T,
}

/// The arguments of [`decode`] after the bound ones.
pub type DecodeArguments = (Donated<KvCache<Spec>>, Cursor<Spec>);
/// The arguments of [`prefill`] after the bound ones.
pub type PrefillArguments = (Donated<KvCache<Spec>>, Spec, Spec);

/// Llama 3 with 8 billion parameters ([config.json](https://arxiv.org/abs/2407.21783), table 3).
const LLAMA_8B: &str = r#"{
    "model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "max_position_embeddings": 8192, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
    "hidden_act": "silu", "tie_word_embeddings": false
}"#;

/// A small one, for a rehearsal on a CPU.
const TINY: &str = r#"{
    "model_type": "llama", "vocab_size": 512, "hidden_size": 128, "intermediate_size": 384,
    "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 2,
    "max_position_embeddings": 256, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
    "hidden_act": "silu", "tie_word_embeddings": false
}"#;

impl Case {
    /// Llama 3 8B, or a small model for a rehearsal.
    ///
    /// # Errors
    /// The configuration is invalid.
    pub fn new(quick: bool) -> Result<Case> {
        let (name, json) = if quick { ("llama-tiny", TINY) } else { ("llama-8b", LLAMA_8B) };
        let config = Config::parse(json, Path::new(name))?;
        let (positions, prompt, steps) = if quick { (64, 32, 16) } else { (1024, 512, 64) };
        Ok(Case { name, json, config, positions, prompt, steps })
    }

    /// The specs of the arguments that are bound.
    pub fn bound(&self) -> Bound<Spec> {
        let weights = Llama::new(&self.config, DType::BF16);
        Bound { weights, rope: self.config.rope_spec(self.positions) }
    }

    /// The specs of the cache.
    pub fn cache(&self) -> KvCache<Spec> {
        let Config { kv_heads, head_dim, .. } = self.config;
        KvCache::new(self.config.layers(), kv_heads, self.positions, head_dim, DType::BF16)
    }

    /// The specs of all arguments of [`decode`].
    pub fn decode_arguments(&self) -> (Bound<Spec>, Donated<KvCache<Spec>>, Cursor<Spec>) {
        let scalar = || Spec::scalar(DType::I32);
        let cursor = Cursor { token: scalar(), position: scalar() };
        (self.bound(), Donated(self.cache()), cursor)
    }

    /// The specs of all arguments of [`prefill`].
    pub fn prefill_arguments(&self) -> (Bound<Spec>, Donated<KvCache<Spec>>, Spec, Spec) {
        let tokens = Spec::i32([("seq", self.prompt)]);
        (self.bound(), Donated(self.cache()), tokens, Spec::scalar(DType::I32))
    }

    /// The tokens of the prompt, which the peer computes in the same way.
    pub fn prompt_tokens(&self) -> Vec<i32> {
        (0..self.prompt).map(|i| ((i * 7919 + 1) % self.config.vocab_size) as i32).collect()
    }

    /// The bytes of the weights that a step of decode reads: all but the embedding table, of which
    /// it reads one row.
    pub fn bytes_per_token(&self) -> f64 {
        let mut bytes = 0;
        self.bound().weights.visit(&mut |path, spec: &Spec| {
            if !path.to_string().contains("embed_tokens") {
                bytes += spec.shape().byte_size();
            }
        });
        bytes as f64
    }
}

/// Processes the prompt, `i32[seq]`, from position `start` on, and picks the next token.
pub fn prefill(bound: Bound, cache: KvCache, tokens: Tensor, start: Tensor) -> Step {
    let count = tokens.size("seq") as i32;
    let end = start + count;
    let (hidden, next) = bound.weights.forward(tokens, start, end, &bound.rope, &cache);
    let last = hidden.slice("seq", -1..);
    let logits = bound.weights.logits(last).squeeze("seq");
    let cursor = Cursor { token: logits.argmax("vocab"), position: end };
    Step { cache: next.reuse(&cache), cursor, logits }
}

/// Processes one token and picks the next.
pub fn decode(bound: Bound, cache: KvCache, cursor: Cursor) -> Step {
    prefill(bound, cache, cursor.token.insert_axis(0, "seq"), cursor.position)
}
