//! Sampling the next token from its logits, inside the program.
//!
//! ```
//! use hloom_graph::{Spec, TraceScope, Tree};
//! use hloom_nn::{Sampler, SamplerState, Sampling};
//!
//! let sampling = Sampling { top_p: 0.9, repeat_penalty: 1.1, ..Sampling::default() };
//! let trace = TraceScope::begin("example");
//! let mut parameter =
//!     |path: &hloom_graph::Path<'_>, spec| trace.parameter(path.to_string(), &spec, false);
//! let sampler = Sampler::new(&sampling).map(&mut parameter);
//! let state = SamplerState::new(&sampling).map(&mut parameter);
//! let logits = trace.parameter("logits", &Spec::f32([("vocab", 1000)]), false);
//! let (state, token) = sampler.pick(logits, state);
//! assert_eq!(token.shape().to_string(), "i32[]");
//! assert_eq!(state.recent.unwrap().shape().to_string(), "i32[recent=64]");
//! ```

use hloom_graph::{DType, Key, Spec, Tensor, Tree, concatenate, for_loop, function_scope, outer};

/// Options of sampling the next token: the penalty is applied first, then the temperature, then the
/// filters in the order of the fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// The divisor of the logits; 0 selects the largest.
    pub temperature: f64,
    /// Only the `top_k` most likely tokens are kept; 0 keeps all.
    pub top_k: usize,
    /// Only the most likely tokens that together reach this probability are kept; 1 keeps all.
    pub top_p: f64,
    /// Only tokens with at least this fraction of the most likely token's probability are kept; 0
    /// keeps all.
    pub min_p: f64,
    /// Positive logits of recent tokens are divided by it, others multiplied; 1 leaves them
    /// unchanged.
    pub repeat_penalty: f64,
    /// The number of recent tokens.
    pub repeat_last_n: usize,
}

/// A sampling option outside of its range.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("{name} is {found}; it must be {expected}")]
pub struct SamplingError {
    name: &'static str,
    found: f64,
    expected: &'static str,
}

hloom_graph::debug_as_display!(SamplingError);

/// The values of a [`Sampling`] as scalars of a program; a disabled stage is `None` and is left out
/// of the program.
#[derive(Tree, Clone, Debug)]
pub struct Sampler<T = Tensor> {
    /// `f32[]`.
    pub repeat_penalty: Option<T>,
    /// `f32[]`; without it the largest logit is selected.
    pub temperature: Option<T>,
    /// A constant of the program; 0 keeps all.
    pub top_k: usize,
    /// `f32[]`.
    pub top_p: Option<T>,
    /// `f32[]`.
    pub min_p: Option<T>,
}

/// The sampling state, carried from one token to the next.
#[derive(Tree, Clone, Debug)]
pub struct SamplerState<T = Tensor> {
    /// The key of the next random numbers.
    pub key: Key<T>,
    /// `i32[recent]`: the tokens to penalise; duplicates are allowed, and negative ones are ignored.
    pub recent: Option<T>,
}

/// The maximum number of recent tokens: the program stores them all, and loops over them for each
/// token.
const MAX_RECENT: usize = 1 << 20;
/// The maximum number of candidates that are compared pairwise.
const PAIRWISE: usize = 256;

impl Default for Sampling {
    /// Temperature 0.8 among the 40 most likely tokens that reach 95 %; no penalty.
    fn default() -> Sampling {
        Sampling {
            temperature: 0.8,
            top_k: 40,
            top_p: 0.95,
            min_p: 0.0,
            repeat_penalty: 1.0,
            repeat_last_n: 64,
        }
    }
}

impl Sampling {
    /// Always the most likely token.
    pub fn greedy() -> Sampling {
        Sampling { temperature: 0.0, ..Sampling::default() }
    }

    /// Checks the ranges of the options.
    ///
    /// # Errors
    /// The first option that is out of its range.
    pub fn check(&self) -> Result<(), SamplingError> {
        let rules = [
            ("temperature", self.temperature, 0.0..=1e4, "between 0 and 10000"),
            ("top_p", self.top_p, 0.0..=1.0, "between 0 and 1"),
            ("min_p", self.min_p, 0.0..=1.0, "between 0 and 1"),
            ("repeat_penalty", self.repeat_penalty, 1e-4..=1e4, "between 0.0001 and 10000"),
        ];
        if self.repeat_last_n > MAX_RECENT {
            return Err(SamplingError {
                name: "repeat_last_n",
                found: self.repeat_last_n as f64,
                expected: "at most 1048576",
            });
        }
        let broken = rules.into_iter().find(|(_, found, range, _)| !range.contains(found));
        broken.map_or(Ok(()), |(name, found, _, expected)| {
            Err(SamplingError { name, found, expected })
        })
    }

    /// The number of recent tokens that the program stores: 0 without a penalty.
    pub fn recent(&self) -> usize {
        if self.repeat_penalty == 1.0 { 0 } else { self.repeat_last_n }
    }
}

impl Sampler {
    /// The next token, `i32[]`, for logits `f32[vocab]`, and the updated state. The token is -1 if
    /// a logit among the candidates is NaN, if the largest is infinite, or if all are minus
    /// infinity: no token is then more likely than others.
    #[track_caller]
    pub fn pick(&self, logits: Tensor, state: SamplerState) -> (SamplerState, Tensor) {
        function_scope("nn::Sampler::pick", || {
            let logits = match (self.repeat_penalty, state.recent) {
                (Some(penalty), Some(recent)) => penalized(logits, recent, penalty),
                _ => logits,
            };
            let (key, token, largest) = match self.temperature {
                Some(temperature) => {
                    let (key, own) = state.key.split2();
                    let (token, largest) = self.draw(logits, temperature, own);
                    (key, token, largest)
                }
                None => {
                    let token = logits.argmax("vocab");
                    let largest = logits.dynamic_slice("vocab", token, 1).squeeze("vocab");
                    (state.key, token, largest)
                }
            };
            let token = largest.is_finite().select(token, -1);
            let remember = |recent: Tensor| {
                concatenate(
                    &[recent.slice("recent", 1..), token.insert_axis(0, "recent")],
                    "recent",
                )
            };
            let recent = state.recent.map(remember);
            (SamplerState { key, recent }, token)
        })
    }

    /// The distribution that [`pick`](Self::pick) samples from: the probability of each token,
    /// `f32[vocab]`.
    #[track_caller]
    pub fn probabilities(&self, logits: Tensor, recent: Option<Tensor>) -> Tensor {
        function_scope("nn::Sampler::probabilities", || {
            let vocabulary = logits.size("vocab");
            let logits = match (self.repeat_penalty, recent) {
                (Some(penalty), Some(recent)) => penalized(logits, recent, penalty),
                _ => logits,
            };
            let Some(temperature) = self.temperature else {
                return logits.argmax("vocab").one_hot("vocab", vocabulary, DType::F32);
            };
            let (candidates, ids) = self.candidates(logits);
            let kept = self.kept(candidates, temperature);
            match ids {
                None => kept.softmax("vocab"),
                Some(ids) => {
                    let places =
                        ids.rename("vocab", "kept").one_hot("vocab", vocabulary, DType::F32);
                    kept.softmax("vocab").rename("vocab", "kept").dot(places, "kept")
                }
            }
        })
    }

    /// The sampled token, and the largest logit of the candidates.
    #[track_caller]
    fn draw(&self, logits: Tensor, temperature: Tensor, key: Key) -> (Tensor, Tensor) {
        let (candidates, ids) = self.candidates(logits);
        let kept = self.kept(candidates, temperature);
        let picked = key.categorical(kept, "vocab");
        let token = match ids {
            Some(ids) => ids.dynamic_slice("vocab", picked, 1).squeeze("vocab"),
            None => picked,
        };
        (token, candidates.max("vocab"))
    }

    /// The largest logits, with NaN as the largest, and their tokens; without `top_k` all, in
    /// order.
    #[track_caller]
    fn candidates(&self, logits: Tensor) -> (Tensor, Option<Tensor>) {
        match self.top_k {
            k if k > 0 && k < logits.size("vocab") => {
                let (values, ids) = logits.top_k(k, "vocab");
                (values, Some(ids))
            }
            _ => (logits, None),
        }
    }

    /// The logits of the candidates, with minus infinity for those that are filtered out.
    #[track_caller]
    fn kept(&self, candidates: Tensor, temperature: Tensor) -> Tensor {
        // Numbers below the smallest normal one may be flushed to 0. Differences to the largest
        // logit are divided, since quotients of large logits by small numbers would all be
        // infinite.
        let least = temperature.maximum(f64::from(f32::MIN_POSITIVE));
        let mut kept = (candidates - candidates.max_keep("vocab")) / least;
        if let Some(top_p) = self.top_p {
            kept = nucleus(kept, top_p);
        }
        if let Some(min_p) = self.min_p {
            let least = kept.max_keep("vocab") + min_p.log();
            kept = kept.ge(least).select(kept, f64::NEG_INFINITY);
        }
        kept
    }
}

/// The logits with those of the tokens in `recent` divided by `penalty` if positive and multiplied
/// if negative, each once.
#[track_caller]
fn penalized(logits: Tensor, recent: Tensor, penalty: Tensor) -> Tensor {
    let found = logits.take(recent, "vocab");
    let changed = found.gt(0.0).select(found / penalty, found * penalty);
    // A token that is listed twice in `recent` gets the same value twice.
    for_loop(recent.size("recent"), logits, |i, logits| {
        let at = recent.dynamic_slice("recent", i, 1).squeeze("recent");
        let value = changed.dynamic_slice("recent", i, 1).rename("recent", "vocab");
        // A negative number is not a token, and must not count from the end of the vocabulary.
        let value = at.ge(0).select(value, logits.dynamic_slice("vocab", at, 1));
        logits.dynamic_update_slice(value, "vocab", at)
    })
}

/// The logits with all but the most likely tokens, which together reach `top_p`, at minus infinity;
/// equally likely tokens are kept together.
///
/// A token is kept if the more likely ones have a total probability below `top_p`.
#[track_caller]
fn nucleus(logits: Tensor, top_p: Tensor) -> Tensor {
    let probability = logits.softmax("vocab");
    let stays = if logits.size("vocab") <= PAIRWISE {
        let other = probability.rename("vocab", "other");
        let larger = |other: Tensor, one| other.gt(one).select(other, 0.0);
        let above = outer(other, probability, larger).sum("other");
        above.lt(top_p) | probability.ge(probability.max_keep("vocab"))
    } else {
        probability.ge(threshold(probability, top_p))
    };
    stays.select(logits, f64::NEG_INFINITY)
}

/// The smallest probability to keep. The total of the larger probabilities is monotonic, so one
/// threshold separates the tokens; it is found by bisection over floats, which is cheaper than
/// sorting a vocabulary.
#[track_caller]
fn threshold(probability: Tensor, top_p: Tensor) -> Tensor {
    let above = |threshold: Tensor| probability.gt(threshold).select(probability, 0.0).sum("vocab");
    // Bits of non-negative floats have the order of the floats. At `low` the total is too large, at
    // `high` small enough.
    let low = Tensor::scalar(-1, DType::I32);
    let high = probability.max("vocab").bitcast(DType::I32);
    let (_, threshold) = for_loop(31, (low, high), |_, (low, high)| {
        let middle = low + (high - low).shift_right_arithmetic(1);
        let enough = above(middle.maximum(0).bitcast(DType::F32)).lt(top_p);
        (enough.select(low, middle), enough.select(middle, high))
    });
    threshold.maximum(0).bitcast(DType::F32)
}

impl Sampler<Spec> {
    /// The specs of the stages that `sampling` enables.
    pub fn new(sampling: &Sampling) -> Sampler<Spec> {
        let stage = |on: bool| on.then(|| Spec::scalar(DType::F32));
        let random = sampling.temperature > 0.0;
        Sampler {
            repeat_penalty: stage(sampling.recent() > 0),
            temperature: stage(random),
            top_k: sampling.top_k,
            top_p: stage(random && sampling.top_p < 1.0),
            min_p: stage(random && sampling.min_p > 0.0),
        }
    }
}

impl SamplerState<Spec> {
    /// The specs of the state that `sampling` needs.
    pub fn new(sampling: &Sampling) -> SamplerState<Spec> {
        let recent = sampling.recent();
        SamplerState {
            key: Key::spec(),
            recent: (recent > 0).then(|| Spec::i32([("recent", recent)])),
        }
    }
}
