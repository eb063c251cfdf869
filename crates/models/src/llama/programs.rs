//! The compiled functions of a model.

use super::{Config, Llama, parallel};
use crate::{
    Result,
    once::{OncePer, lock},
};
use hloom_graph::{DType, PartitionSpec, Spec, Tensor, Tree};
use hloom_nn::{KvCache, Rope, Sampler, SamplerState};
use hloom_runtime::{Buffer, Compiler, Donated, Exe, Kernels, Mesh, Placement, Platform};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// The arguments that no call changes: bound once.
#[derive(Tree, Clone)]
pub(super) struct Bound<T = Tensor> {
    pub weights: Llama<T>,
    pub rope: Rope<T>,
    pub sampler: Sampler<T>,
}

/// A piece of a prompt.
#[derive(Tree, Clone)]
pub(super) struct Piece<T = Tensor> {
    /// `i32[seq]`, of which the first `count` are valid.
    pub tokens: T,
    /// The number of valid tokens, `i32[]`.
    pub count: T,
    /// The position of the first one, `i32[]`.
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

/// The result of a call that makes a token.
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

/// Processes a piece of a prompt and samples the next token.
pub(super) type Prefill = Exe<(Donated<KvCache<Spec>>, Piece<Spec>, SamplerState<Spec>), Step>;
/// Processes a piece of a prompt and scores all its tokens.
pub(super) type Score = Exe<(Donated<KvCache<Spec>>, Piece<Spec>), Scored>;
/// Processes one token and samples the next.
pub(super) type Decode = Exe<(Donated<KvCache<Spec>>, Cursor<Spec>, SamplerState<Spec>), Step>;
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
    pub compile_time: Mutex<Duration>,
    pub prefill: OncePer<(usize, usize), Prefill>,
    pub score: OncePer<(usize, usize), Score>,
    pub decode: OncePer<usize, Decode>,
    pub grow: OncePer<(usize, usize), Grow>,
}

/// The shape of a cache except for its length.
#[derive(Clone, Copy)]
pub(super) struct KvShape {
    pub layers: usize,
    pub heads: usize,
    pub dim: usize,
    pub dtype: DType,
}

impl KvShape {
    pub fn of(config: &Config, dtype: DType) -> KvShape {
        let (layers, heads, dim) = (config.layers(), config.kv_heads, config.head_dim);
        KvShape { layers, heads, dim, dtype }
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
    fn forward(&self, donated: &KvCache, piece: &Piece) -> (Tensor, KvCache) {
        let (tokens, start, length) = (piece.tokens, piece.start, piece.length);
        let (hidden, cache) = self.weights.forward(tokens, start, length, &self.rope, donated);
        (hidden, placed(cache).reuse(donated))
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

pub(super) fn prefill(bound: Bound, cache: KvCache, piece: Piece, state: SamplerState) -> Step {
    let (hidden, cache) = bound.forward(&cache, &piece);
    let last = hidden.dynamic_slice("seq", piece.count - 1, 1);
    let (state, token) = bound.sampler.pick(bound.weights.logits(last).squeeze("seq"), state);
    let position = piece.start + piece.count;
    Step { cache, cursor: whole(Cursor { token, position }), state: whole(state) }
}

fn score(bound: Bound, cache: KvCache, piece: Piece) -> Scored {
    let (hidden, cache) = bound.forward(&cache, &piece);
    Scored { cache, logits: whole(bound.weights.logits(hidden)) }
}

pub(super) fn decode(bound: Bound, cache: KvCache, cursor: Cursor, state: SamplerState) -> Step {
    let piece = Piece {
        tokens: cursor.token.insert_axis(0, "seq"),
        count: Tensor::scalar(1, DType::I32),
        start: cursor.position,
        length: cursor.position + 1,
    };
    prefill(bound, cache, piece, state)
}

impl Piece<Spec> {
    pub fn new(size: usize) -> Piece<Spec> {
        let scalar = || Spec::scalar(DType::I32);
        Piece {
            tokens: Spec::i32([("seq", size)]),
            count: scalar(),
            start: scalar(),
            length: scalar(),
        }
    }
}

impl Cursor<Spec> {
    pub fn new() -> Cursor<Spec> {
        Cursor { token: Spec::scalar(DType::I32), position: Spec::scalar(DType::I32) }
    }
}

/// Returns the bound arguments once they are loaded; programs are compiled before that.
pub(super) type Loaded<'a> = &'a dyn Fn() -> Result<Arc<Bound<Buffer>>>;

impl Programs {
    pub fn prefill(&self, size: usize, positions: usize, loaded: Loaded<'_>) -> Result<Prefill> {
        self.prefill.get((size, positions), || {
            let cache = Donated(self.kv.cache(positions));
            let arguments = (self.bound.clone(), cache, Piece::new(size), self.state.clone());
            let exe = self.timed(|compiler| {
                let name = format!("prefill_{size}_{positions}");
                compiler.name(name).compile(prefill, arguments)
            })?;
            Ok(exe.bind(&*loaded()?)?)
        })
    }

    pub fn score(&self, size: usize, positions: usize, loaded: Loaded<'_>) -> Result<Score> {
        self.score.get((size, positions), || {
            let cache = Donated(self.kv.cache(positions));
            let arguments = (self.bound.clone(), cache, Piece::new(size));
            let exe = self.timed(|compiler| {
                let name = format!("score_{size}_{positions}");
                compiler.name(name).compile(score, arguments)
            })?;
            Ok(exe.bind(&*loaded()?)?)
        })
    }

    pub fn decode(&self, positions: usize, loaded: Loaded<'_>) -> Result<Decode> {
        self.decode.get(positions, || {
            let cache = Donated(self.kv.cache(positions));
            let arguments = (self.bound.clone(), cache, Cursor::new(), self.state.clone());
            let exe = self.timed(|compiler| {
                compiler.name(format!("decode_{positions}")).compile(decode, arguments)
            })?;
            Ok(exe.bind(&*loaded()?)?)
        })
    }

    pub fn grow(&self, from: usize, to: usize) -> Result<Grow> {
        self.grow.get((from, to), || {
            let more = (to - from) as isize;
            let grow = |cache: KvCache| {
                placed(cache.map(&mut |_, part: Tensor| part.pad("position", 0, more, 0)))
            };
            let arguments = (self.kv.cache(from),);
            Ok(self.timed(|compiler| {
                compiler.name(format!("grow_{from}_{to}")).compile(grow, arguments)
            })?)
        })
    }

    /// The placement of the calls' buffers.
    pub fn place(&self) -> Placement<'_> {
        match &self.mesh {
            Some(mesh) => mesh.into(),
            None => (&self.platform).into(),
        }
    }

    fn timed<R>(&self, compile: impl FnOnce(Compiler<'_>) -> R) -> R {
        let start = Instant::now();
        let compiler = match &self.mesh {
            Some(mesh) => mesh.compiler(),
            None => self.platform.compiler(),
        };
        let mut compiler = compiler.kernels(self.kernels.clone());
        if let Some(folder) = &self.dump {
            compiler = compiler.dump(folder);
        }
        let exe = compile(compiler);
        *lock(&self.compile_time) += start.elapsed();
        exe
    }
}
