//! The model: its configuration, and the two programs that run it.

use crate::Result;
use hloom::{
    nn::{KvCache, Rope},
    prelude::*,
    vmap,
};
use hloom_models::llama::{Config, Llama};
use std::path::Path;

/// A model and the sizes that it is measured with.
pub struct Case {
    /// The name in results, such as `llama-8b`.
    pub name: String,
    /// The text of `config.json`, from which the peer makes the same model.
    pub json: &'static str,
    /// The configuration.
    pub config: Config,
    /// The positions of the cache.
    pub positions: usize,
    /// The tokens of each prompt.
    pub prompt: usize,
    /// The number of texts, all of one length.
    pub batch: usize,
    /// The tokens that one measurement of decode makes.
    pub steps: usize,
}

/// The arguments that no call changes.
#[derive(Tree, Clone)]
pub struct Bound<T = Tensor> {
    pub weights: Llama<T>,
    pub rope: Rope<T>,
}

/// The last tokens and their position.
#[derive(Tree, Clone)]
pub struct Cursor<T = Tensor> {
    /// `i32[batch]`, or `i32[]` for one text.
    pub token: T,
    /// `i32[]`.
    pub position: T,
}

/// The result of a step.
#[derive(Tree, Clone)]
pub struct Step<T = Tensor> {
    pub cache: KvCache<T>,
    pub cursor: Cursor<T>,
    /// Logits of the last tokens, `f32[batch, vocab]` or `f32[vocab]`.
    pub logits: T,
}

/// A cache that the program consumes.
pub type Cache = Donated<KvCache<Spec>>;
/// The arguments of [`prefill`].
pub type PrefillArguments = (Bound<Spec>, Cache, Spec, Spec);
/// The arguments of [`decode`].
pub type DecodeArguments = (Bound<Spec>, Cache, Cursor<Spec>);

/// The models that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CaseName {
    /// Llama 3 8B, a prompt of 512 tokens.
    #[value(name = "8b")]
    Llama8b,
    /// The same with 128 tokens.
    #[value(name = "8b-prefill-128")]
    Llama8bPrefill128,
    /// The same with 2,048 tokens.
    #[value(name = "8b-prefill-2048")]
    Llama8bPrefill2048,
    /// Sixteen texts at once.
    #[value(name = "8b-batch-16")]
    Llama8bBatch16,
    /// TinyLlama 1.1B.
    #[value(name = "m")]
    M,
}

/// Llama 3 with 8 billion parameters ([Grattafiori et al. 2024](https://arxiv.org/abs/2407.21783),
/// table 3).
const LLAMA_8B: &str = r#"{
    "model_type": "llama", "vocab_size": 128256, "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "max_position_embeddings": 8192, "rms_norm_eps": 1e-5, "rope_theta": 500000.0,
    "hidden_act": "silu", "tie_word_embeddings": false
}"#;

/// TinyLlama, with 1.1 billion parameters.
const M: &str = r#"{
    "model_type": "llama", "vocab_size": 32000, "hidden_size": 2048, "intermediate_size": 5632,
    "num_hidden_layers": 22, "num_attention_heads": 32, "num_key_value_heads": 4,
    "max_position_embeddings": 2048, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
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
    /// The model of a name, or a small one with the same number of texts for a rehearsal.
    ///
    /// # Errors
    /// The configuration is invalid.
    pub fn new(name: CaseName, quick: bool) -> Result<Case> {
        let (name, json, positions, prompt, batch) = match name {
            CaseName::Llama8b => ("llama-8b", LLAMA_8B, 1024, 512, 1),
            CaseName::Llama8bPrefill128 => ("llama-8b-prompt-128", LLAMA_8B, 1024, 128, 1),
            CaseName::Llama8bPrefill2048 => ("llama-8b-prompt-2048", LLAMA_8B, 2112, 2048, 1),
            CaseName::Llama8bBatch16 => ("llama-8b-batch-16", LLAMA_8B, 1024, 512, 16),
            CaseName::M => ("llama-m", M, 1024, 512, 1),
        };
        let (name, json, positions, prompt, steps) = if quick {
            ("llama-tiny", TINY, positions / 16, prompt / 16, 4)
        } else {
            (name, json, positions, prompt, 64)
        };
        let config = Config::parse(json, Path::new(name))?;
        Ok(Case { name: name.into(), json, config, positions, prompt, batch, steps })
    }

    /// The specs of the arguments that are bound.
    pub fn bound(&self) -> Bound<Spec> {
        let weights = Llama::new(&self.config, DType::BF16);
        Bound { weights, rope: self.config.rope_spec(self.positions) }
    }

    /// The specs of the cache.
    pub fn cache(&self) -> KvCache<Spec> {
        let Config { kv_heads, head_dim, .. } = self.config;
        let layers = self.config.layers();
        let cache = KvCache::new(layers, kv_heads, self.positions, head_dim, DType::BF16);
        if self.batch == 1 { cache } else { cache.batched(self.batch) }
    }

    /// The specs of all arguments of [`decode`].
    pub fn decode_arguments(&self) -> DecodeArguments {
        let token = Spec::new(DType::I32, self.texts());
        let cursor = Cursor { token, position: Spec::scalar(DType::I32) };
        (self.bound(), Donated(self.cache()), cursor)
    }

    /// The specs of all arguments of [`prefill`].
    pub fn prefill_arguments(&self) -> PrefillArguments {
        let tokens = Spec::new(DType::I32, self.prompt_axes());
        (self.bound(), Donated(self.cache()), tokens, Spec::scalar(DType::I32))
    }

    /// The axes of values for each text: none for one text.
    pub fn texts(&self) -> Vec<(&'static str, usize)> {
        if self.batch == 1 { Vec::new() } else { vec![("batch", self.batch)] }
    }

    /// The axes of the prompts.
    pub fn prompt_axes(&self) -> Vec<(&'static str, usize)> {
        [self.texts(), vec![("seq", self.prompt)]].concat()
    }

    /// The tokens of the prompts, which the peer computes in the same way.
    pub fn prompt_tokens(&self) -> Vec<i32> {
        let token = |i: usize| {
            let (text, position) = (i / self.prompt, i % self.prompt);
            ((position * 7919 + text * 31 + 1) % self.config.vocab_size) as i32
        };
        (0..self.batch * self.prompt).map(token).collect()
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

/// Processes the prompts, `i32[batch, seq]` or `i32[seq]`, from position `start` on, and picks the
/// next tokens.
pub fn prefill(bound: Bound, cache: KvCache, tokens: Tensor, start: Tensor) -> Step {
    let one = |(old, tokens): (KvCache, Tensor)| {
        let end = start + tokens.size("seq") as i32;
        let (hidden, cache) = bound.weights.forward(tokens, start, end, &bound.rope, &old);
        let logits = bound.weights.logits(hidden.slice("seq", -1..)).squeeze("seq");
        (cache, logits.argmax("vocab"), logits)
    };
    let position = start + tokens.size("seq") as i32;
    let (next, token, logits) = match tokens.rank() {
        1 => one((cache.clone(), tokens)),
        _ => vmap((cache.clone(), tokens), "batch", one),
    };
    Step { cache: next.reuse(&cache), cursor: Cursor { token, position }, logits }
}

/// Processes one token of each text and picks the next.
pub fn decode(bound: Bound, cache: KvCache, cursor: Cursor) -> Step {
    let tokens = cursor.token.insert_axis(-1, "seq");
    prefill(bound, cache, tokens, cursor.position)
}
