//! The compiled functions of a model.

use super::{Config, Dtype, Llama, parallel, products::LowRank, split_layers};
use crate::{
    Error, Result,
    once::{OncePer, lock},
};
use hloom_graph::{DType, PartitionSpec, Spec, Tensor, Tree};
use hloom_nn::{KvCache, Rope, Sampler, SamplerState};
use hloom_runtime::{
    BindFirst, BucketedExe, Buckets, Buffer, Compiler, Donated, Exe, Kernels, Mesh, OnePerAxis,
    Placement, Platform, ResultTree,
};
use once_cell::sync::OnceCell;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// The arguments that no call changes: bound once.
#[derive(Tree, Clone)]
pub(super) struct Bound<T = Tensor> {
    pub weights: Llama<T>,
    pub low_rank: LowRank<T>,
    pub rope: Rope<T>,
    pub sampler: Sampler<T>,
}

/// A piece of a prompt.
#[derive(Tree, Clone)]
pub(super) struct PromptPiece<T = Tensor> {
    /// `i32[seq]`; a prefix of them is valid.
    pub tokens: T,
    /// The position of the first token, `i32[]`.
    pub start: T,
    /// The length of the text with the whole prompt, `i32[]`.
    pub length: T,
}

/// The next token and its position.
#[derive(Tree, Clone)]
pub(super) struct Cursor<T = Tensor> {
    /// `i32[]`.
    pub token: T,
    /// `i32[]`.
    pub position: T,
}

/// The result of a call that generates a token.
#[derive(Tree, Clone)]
pub(super) struct Step<T = Tensor> {
    pub cache: KvCache<T>,
    pub cursor: Cursor<T>,
    pub state: SamplerState<T>,
}

/// The result of a call that scores every token of a piece.
#[derive(Tree, Clone)]
pub(super) struct Scored<T = Tensor> {
    pub cache: KvCache<T>,
    /// `f32[seq, vocab]`.
    pub logits: T,
}

type Cache = Donated<KvCache<Spec>>;
/// The arguments of the programs that generate the first token and later tokens.
type Prompted = (Bound<Spec>, Cache, PromptPiece<Spec>, SamplerState<Spec>);
type Continued = (Bound<Spec>, Cache, Cursor<Spec>, SamplerState<Spec>);

/// Processes a piece of a prompt and samples the next token. The buckets are those of pieces and
/// caches.
pub(super) type Prefill = BucketedExe<(Cache, PromptPiece<Spec>, SamplerState<Spec>), Step, 2>;
/// Processes a piece of a prompt and scores all its tokens.
pub(super) type Score = BucketedExe<(Cache, PromptPiece<Spec>), Scored, 2>;
/// Processes one token and samples the next. The buckets are those of caches.
pub(super) type Decode = BucketedExe<(Cache, Cursor<Spec>, SamplerState<Spec>), Step>;
/// Grows the cache to more positions.
pub(super) type Grow = Exe<(KvCache<Spec>,), KvCache>;

/// The functions of one model, compiled on first use. Threads that request the same one wait for
/// each other.
pub(super) struct Programs {
    pub platform: Platform,
    /// The mesh of the devices that share the model, when there are several.
    pub mesh: Option<Mesh>,
    pub dump: Option<PathBuf>,
    pub kernels: Kernels,
    pub bound: Bound<Spec>,
    pub state: SamplerState<Spec>,
    pub kv: KvShape,
    pub pieces: Buckets,
    pub caches: Buckets,
    /// The time spent compiling programs without buckets, and preparing those with buckets.
    pub compile_time: Mutex<Duration>,
    pub prefill: ModelProgram<Prompted, Step, 2>,
    pub score: ModelProgram<(Bound<Spec>, Cache, PromptPiece<Spec>), Scored, 2>,
    pub decode: ModelProgram<Continued, Step, 1>,
    pub grow: OncePer<(usize, usize), Grow>,
}

/// A function of the model: it is compiled while the weights are loaded, and then bound to them.
pub(super) struct ModelProgram<A: BindFirst, R: ResultTree, const N: usize> {
    free: OnceCell<BucketedExe<A, R, N>>,
    bound: OnceCell<BucketedExe<A::Rest, R, N>>,
}

/// The shape of a cache except for its length.
#[derive(Clone, Copy)]
pub(super) struct KvShape {
    pub layers: usize,
    pub heads: usize,
    pub dim: usize,
    pub dtype: DType,
}

/// The element types that a cache may have: those that products are computed in.
const CACHE_DTYPES: [DType; 4] = [DType::BF16, DType::F16, DType::F32, DType::F64];

impl KvShape {
    /// The shape for a model whose weights are mostly of the type `weights`.
    ///
    /// # Errors
    /// A cache cannot have the requested element type.
    pub fn of(config: &Config, weights: DType, requested: Dtype) -> Result<KvShape> {
        let dtype = match requested {
            Dtype::As(dtype) => dtype,
            _ if CACHE_DTYPES.contains(&weights) => weights,
            Dtype::Auto | Dtype::Stored => DType::BF16,
        };
        if !CACHE_DTYPES.contains(&dtype) {
            let message = format!(
                "the element type {dtype} is not possible for the cache; it must be bf16, f16, \
                 f32 or f64"
            );
            return Err(Error::Request(message));
        }
        let (layers, heads, dim) = (config.layers(), config.kv_heads, config.head_dim);
        Ok(KvShape { layers, heads, dim, dtype })
    }

    pub fn cache(&self, positions: usize) -> KvCache<Spec> {
        parallel::split_cache(KvCache::new(
            self.layers,
            self.heads,
            positions,
            self.dim,
            self.dtype,
        ))
    }
}

impl Bound {
    /// The vectors of a piece after the last norm, `[seq, in]`, and the updated cache.
    fn forward(&self, donated: &KvCache, piece: &PromptPiece) -> (Tensor, KvCache) {
        let (tokens, start, length) = (piece.tokens, piece.start, piece.length);
        let (model, low_rank) = (&self.weights.model, &self.low_rank);
        let (hidden, cache) =
            split_layers::forward(model, low_rank, tokens, (start, length), &self.rope, donated);
        (hidden, placed(cache).reuse(donated))
    }

    /// The logits of vectors after the last norm, `[.., in]`.
    fn logits(&self, hidden: Tensor) -> Tensor {
        split_layers::logits(self.weights.output(), &self.low_rank, hidden)
    }
}

/// The cache with the sharding that the next call takes.
fn placed(cache: KvCache) -> KvCache {
    cache.map(&mut |_, part: Tensor| part.constrain(parallel::heads()))
}

/// Small results, replicated for the next call and the host.
fn whole<T: Tree<Leaf = Tensor, With<Tensor> = T>>(tree: T) -> T {
    tree.map(&mut |_, tensor: Tensor| tensor.constrain(PartitionSpec::replicated()))
}

/// `count` is the number of valid tokens of the piece, `i32[]`.
pub(super) fn prefill(
    bound: Bound,
    cache: KvCache,
    piece: PromptPiece,
    state: SamplerState,
    count: Tensor,
) -> Step {
    let (hidden, cache) = bound.forward(&cache, &piece);
    let last = hidden.dynamic_slice("seq", count - 1, 1);
    // `f64` weights compute in `f64`.
    let logits = bound.logits(last).squeeze("seq").convert(DType::F32);
    let (state, token) = bound.sampler.pick(logits, state);
    let position = piece.start + count;
    Step { cache, cursor: whole(Cursor { token, position }), state: whole(state) }
}

fn score(bound: Bound, cache: KvCache, piece: PromptPiece) -> Scored {
    let (hidden, cache) = bound.forward(&cache, &piece);
    Scored { cache, logits: whole(bound.logits(hidden).convert(DType::F32)) }
}

pub(super) fn decode(bound: Bound, cache: KvCache, cursor: Cursor, state: SamplerState) -> Step {
    let piece = PromptPiece {
        tokens: cursor.token.insert_axis(0, "seq"),
        start: cursor.position,
        length: cursor.position + 1,
    };
    prefill(bound, cache, piece, state, Tensor::scalar(1, DType::I32))
}

impl PromptPiece<Spec> {
    pub fn new(size: usize) -> PromptPiece<Spec> {
        let scalar = || Spec::scalar(DType::I32);
        PromptPiece { tokens: Spec::i32([("seq", size)]), start: scalar(), length: scalar() }
    }
}

impl Cursor<Spec> {
    pub fn new() -> Cursor<Spec> {
        Cursor { token: Spec::scalar(DType::I32), position: Spec::scalar(DType::I32) }
    }
}

/// Returns the bound arguments once they are loaded; programs are compiled before that.
pub(super) type Loaded<'a> = &'a dyn Fn() -> Result<Arc<Bound<Buffer>>>;

impl<A, R, const N: usize> ModelProgram<A, R, N>
where
    A: BindFirst<First = Bound<Spec>>,
    R: ResultTree + 'static,
{
    /// The program, with the bucket for these lengths compiled; `prepare` traces the function.
    fn get<L: OnePerAxis<usize, N>>(
        &self,
        lengths: L,
        loaded: Loaded<'_>,
        prepare: impl FnOnce() -> Result<BucketedExe<A, R, N>>,
    ) -> Result<BucketedExe<A::Rest, R, N>> {
        let free = self.free.get_or_try_init(prepare)?;
        free.compile(lengths)?;
        self.bound.get_or_try_init(|| Ok(free.bind(&*loaded()?)?)).cloned()
    }

    /// Whether a call with these lengths does not wait, neither for the compiler nor for weights.
    pub fn is_ready(&self, lengths: impl OnePerAxis<usize, N>) -> bool {
        self.bound.get().is_some_and(|bound| bound.is_compiled(lengths))
    }

    /// The time spent compiling buckets.
    pub fn compile_time(&self) -> Duration {
        self.free.get().map_or(Duration::ZERO, |free| free.stats().compile_time)
    }
}

impl<A: BindFirst, R: ResultTree, const N: usize> Default for ModelProgram<A, R, N> {
    fn default() -> Self {
        ModelProgram { free: OnceCell::new(), bound: OnceCell::new() }
    }
}

impl Programs {
    pub fn prefill(&self, size: usize, positions: usize, loaded: Loaded<'_>) -> Result<Prefill> {
        self.prefill.get([size, positions], loaded, || {
            let arguments =
                (self.bound.clone(), self.cache(), PromptPiece::new(1), self.state.clone());
            self.prepare("prefill", |compiler| {
                let run = |bound: Bound,
                           cache: KvCache,
                           piece: PromptPiece,
                           state: SamplerState,
                           [count, _]: [Tensor; 2]| {
                    prefill(bound, cache, piece, state, count)
                };
                compiler.compile_buckets(run, arguments, self.both())
            })
        })
    }

    pub fn score(&self, size: usize, positions: usize, loaded: Loaded<'_>) -> Result<Score> {
        self.score.get([size, positions], loaded, || {
            let arguments = (self.bound.clone(), self.cache(), PromptPiece::new(1));
            self.prepare("score", |compiler| {
                let run = |bound: Bound, cache: KvCache, piece: PromptPiece, _: [Tensor; 2]| {
                    score(bound, cache, piece)
                };
                compiler.compile_buckets(run, arguments, self.both())
            })
        })
    }

    pub fn decode(&self, positions: usize, loaded: Loaded<'_>) -> Result<Decode> {
        self.decode.get(positions, loaded, || {
            let arguments = (self.bound.clone(), self.cache(), Cursor::new(), self.state.clone());
            self.prepare("decode", |compiler| {
                let run = |bound: Bound,
                           cache: KvCache,
                           cursor: Cursor,
                           state: SamplerState,
                           _: Tensor| decode(bound, cache, cursor, state);
                compiler.compile_buckets(run, arguments, self.caches.clone())
            })
        })
    }

    /// The cache as an argument of a program with buckets, which set its size.
    fn cache(&self) -> Cache {
        Donated(self.kv.cache(1))
    }

    fn both(&self) -> Buckets<2> {
        self.pieces.clone().and(self.caches.clone())
    }

    /// The time spent on programs so far; times in parallel are added.
    pub fn compile_time(&self) -> Duration {
        let buckets =
            [self.prefill.compile_time(), self.score.compile_time(), self.decode.compile_time()];
        *lock(&self.compile_time) + buckets.iter().sum::<Duration>()
    }

    pub fn grow(&self, from: usize, to: usize) -> Result<Grow> {
        self.grow.get((from, to), || {
            let more = (to - from) as isize;
            let grow = |cache: KvCache| {
                placed(cache.map(&mut |_, part: Tensor| part.pad("position", 0, more, 0)))
            };
            let arguments = (self.kv.cache(from),);
            self.prepare(&format!("grow_{from}_{to}"), |compiler| compiler.compile(grow, arguments))
        })
    }

    /// The placement of the calls' buffers.
    pub fn place(&self) -> Placement<'_> {
        match &self.mesh {
            Some(mesh) => mesh.into(),
            None => (&self.platform).into(),
        }
    }

    /// Traces or compiles a function of this name.
    pub fn prepare<R>(
        &self,
        name: &str,
        compile: impl FnOnce(Compiler<'_>) -> hloom_runtime::Result<R>,
    ) -> Result<R> {
        let start = Instant::now();
        let compiler = match &self.mesh {
            Some(mesh) => mesh.compiler(),
            None => self.platform.compiler(),
        };
        let mut compiler = compiler.name(name).kernels(self.kernels.clone());
        if let Some(folder) = &self.dump {
            compiler = compiler.dump(folder);
        }
        let exe = compile(compiler);
        *lock(&self.compile_time) += start.elapsed();
        Ok(exe?)
    }
}
