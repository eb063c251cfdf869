//! The compiled functions of a model.

use super::{LogMel, Whisper};
use crate::{Result, once::OncePer};
use hloom_graph::{DType, Spec, Tensor, Tree};
use hloom_nn::KvCache;
use hloom_runtime::{Buffer, Compiler, Donated, Exe, Kernels, Platform};
use once_cell::sync::OnceCell;
use std::path::PathBuf;

/// The encoder's results for a window, which the decoder uses.
#[derive(Tree, Clone)]
pub(super) struct Heard<T = Tensor> {
    /// The encoder's result, `f32[seq, in]`.
    pub hidden: T,
    /// The keys and values of the cross attentions.
    pub cross: KvCache<T>,
}

/// The next token and its position.
#[derive(Tree, Clone)]
pub(super) struct Cursor<T = Tensor> {
    /// `i32[]`; -1 if the largest logit is not finite.
    pub token: T,
    /// `i32[]`.
    pub position: T,
}

/// The result of a call that generates a token.
#[derive(Tree, Clone)]
pub(super) struct Step<T = Tensor> {
    pub cache: KvCache<T>,
    pub cursor: Cursor<T>,
}

/// Computes the features of samples.
pub(super) type Features = Exe<(Spec,), Tensor>;
/// Encodes features.
pub(super) type Encode = Exe<(Spec,), Heard>;
/// Processes the tokens that begin a text, and generates the next one among the allowed tokens,
/// `bool[vocab]`.
pub(super) type Prefill = Exe<(Donated<KvCache<Spec>>, KvCache<Spec>, Spec, Spec), Step>;
/// Processes one token, and generates the next one among the allowed tokens.
pub(super) type Decode = Exe<(Donated<KvCache<Spec>>, KvCache<Spec>, Cursor<Spec>, Spec), Step>;
/// The logits after each token of a text, `f32[seq, vocab]`.
pub(super) type Score = Exe<(KvCache<Spec>, Spec), Tensor>;

/// The functions of one model, compiled on first use. Threads that request the same one wait for
/// each other.
pub(super) struct Programs {
    pub platform: Platform,
    pub dump: Option<PathBuf>,
    pub kernels: Kernels,
    pub log_mel: LogMel,
    pub specs: Whisper<Spec>,
    pub weights: Whisper<Buffer>,
    pub sizes: Sizes,
    pub features: OnceCell<Features>,
    pub encode: OnceCell<Encode>,
    pub prefill: OncePer<usize, Prefill>,
    pub decode: OnceCell<Decode>,
    pub score: OncePer<usize, Score>,
}

/// The sizes of the programs' arguments.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub layers: usize,
    pub heads: usize,
    pub dim: usize,
    pub source: usize,
    pub target: usize,
    pub vocab: usize,
    pub dtype: DType,
}

impl Sizes {
    /// The cache of a text.
    pub fn cache(&self) -> KvCache<Spec> {
        KvCache::new(self.layers, self.heads, self.target, self.dim, self.dtype)
    }

    fn cross(&self) -> KvCache<Spec> {
        KvCache::new(self.layers, self.heads, self.source, self.dim, self.dtype)
    }

    fn allowed(&self) -> Spec {
        Spec::new(DType::Bool, [("vocab", self.vocab)])
    }
}

fn encode(weights: Whisper, features: Tensor) -> Heard {
    let hidden = weights.encode(features);
    Heard { hidden, cross: weights.cross(hidden) }
}

fn step(
    weights: &Whisper,
    donated: &KvCache,
    cross: &KvCache,
    tokens: Tensor,
    start: Tensor,
    allowed: Tensor,
) -> Step {
    let (hidden, cache) = weights.decode(tokens, start, donated, cross);
    let logits = weights.logits(hidden.slice("seq", -1..).squeeze("seq"));
    let logits = allowed.select(logits, f64::NEG_INFINITY);
    let is_finite = logits.max("vocab").is_finite();
    let token = is_finite.select(logits.argmax("vocab"), -1);
    let position = start + tokens.size("seq") as i32;
    Step { cache: cache.reuse(donated), cursor: Cursor { token, position } }
}

fn prefill(
    weights: Whisper,
    cache: KvCache,
    cross: KvCache,
    tokens: Tensor,
    allowed: Tensor,
) -> Step {
    step(&weights, &cache, &cross, tokens, Tensor::scalar(0, DType::I32), allowed)
}

fn decode(
    weights: Whisper,
    cache: KvCache,
    cross: KvCache,
    cursor: Cursor,
    allowed: Tensor,
) -> Step {
    let tokens = cursor.token.insert_axis(0, "seq");
    step(&weights, &cache, &cross, tokens, cursor.position, allowed)
}

impl Programs {
    pub fn features(&self) -> Result<Features> {
        let features = self.features.get_or_try_init(|| {
            let log_mel = self.log_mel.clone();
            let samples = Spec::f32([("sample", log_mel.samples())]);
            let forward = move |samples: Tensor| log_mel.forward(samples);
            Ok(self.compiler("features").compile(forward, (samples,))?)
        });
        features.cloned()
    }

    pub fn encode(&self) -> Result<Encode> {
        let encode = self.encode.get_or_try_init(|| {
            let LogMel { mel_bins, frames, .. } = self.log_mel;
            let features = Spec::f32([("mel", mel_bins), ("frame", frames)]);
            let exe = self.compiler("encode").compile(encode, (self.specs.clone(), features))?;
            Ok(exe.bind(&self.weights)?)
        });
        encode.cloned()
    }

    pub fn prefill(&self, tokens: usize) -> Result<Prefill> {
        self.prefill.get(tokens, || {
            let (cache, cross) = (Donated(self.sizes.cache()), self.sizes.cross());
            let tokens = Spec::i32([("seq", tokens)]);
            let arguments = (self.specs.clone(), cache, cross, tokens, self.sizes.allowed());
            Ok(self.compiler("prefill").compile(prefill, arguments)?.bind(&self.weights)?)
        })
    }

    pub fn decode(&self) -> Result<Decode> {
        let decode = self.decode.get_or_try_init(|| {
            let (cache, cross) = (Donated(self.sizes.cache()), self.sizes.cross());
            let scalar = || Spec::scalar(DType::I32);
            let cursor = Cursor { token: scalar(), position: scalar() };
            let arguments = (self.specs.clone(), cache, cross, cursor, self.sizes.allowed());
            Ok(self.compiler("decode").compile(decode, arguments)?.bind(&self.weights)?)
        });
        decode.cloned()
    }

    pub fn score(&self, tokens: usize) -> Result<Score> {
        self.score.get(tokens, || {
            let specs = self.sizes.cache();
            let score = move |weights: Whisper, cross: KvCache, tokens: Tensor| {
                let cache = specs.clone().map(&mut |_, spec: Spec| {
                    Tensor::zeros(spec.shape().dtype(), spec.shape().axes())
                });
                let start = Tensor::scalar(0, DType::I32);
                weights.logits(weights.decode(tokens, start, &cache, &cross).0)
            };
            let tokens = Spec::i32([("seq", tokens)]);
            let arguments = (self.specs.clone(), self.sizes.cross(), tokens);
            Ok(self.compiler("score").compile(score, arguments)?.bind(&self.weights)?)
        })
    }

    fn compiler(&self, name: &str) -> Compiler<'_> {
        let compiler = self.platform.compiler().name(name).kernels(self.kernels.clone());
        match &self.dump {
            Some(folder) => compiler.dump(folder),
            None => compiler,
        }
    }
}
