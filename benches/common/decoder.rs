//! The decode step of a Llama-shaped function, in user code.

use hloom::prelude::*;

/// The sizes of a decoder.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub hidden: usize,
    pub heads: usize,
    pub kv_heads: usize,
    pub inner: usize,
    pub context: usize,
}

#[derive(Tree, Clone)]
pub struct Layer<T = Tensor> {
    pub q: T,
    pub k: T,
    pub v: T,
    pub o: T,
    pub gate: T,
    pub up: T,
    pub down: T,
    pub norm1: T,
    pub norm2: T,
}

#[derive(Tree, Clone)]
pub struct Cache<T = Tensor> {
    pub k: T,
    pub v: T,
}

fn norm(x: Tensor, weight: Tensor) -> Tensor {
    x * ((x * x).mean_keep("d") + 1e-5).rsqrt() * weight
}

fn rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor {
    let halves = x.split("dim", 2);
    let (a, b) = (halves[0], halves[1]);
    concatenate(&[a * cos - b * sin, b * cos + a * sin], "dim")
}

impl Sizes {
    /// Elements per head.
    pub fn dim(self) -> usize {
        self.hidden / self.heads
    }
}

/// The cosines and sines of a position.
pub fn rotation(sizes: Sizes, position: Tensor) -> (Tensor, Tensor) {
    let dim = sizes.dim();
    let frequency =
        (Tensor::arange(DType::F32, "dim", dim / 2) * (-2.0 * 10_000f64.ln() / dim as f64)).exp();
    let angle = frequency * position.convert(DType::F32);
    (angle.cos(), angle.sin())
}

impl Layer {
    pub fn forward(
        self,
        sizes: Sizes,
        x: Tensor,
        cache: Cache,
        position: Tensor,
        cos: Tensor,
        sin: Tensor,
    ) -> (Tensor, Cache) {
        let (dim, groups) = (sizes.dim(), sizes.heads / sizes.kv_heads);
        let h = norm(x, self.norm1);
        let q = rope(
            h.dot(self.q, "d")
                .unflatten("out", [("kv", sizes.kv_heads), ("group", groups), ("dim", dim)]),
            cos,
            sin,
        );
        let k = rope(
            h.dot(self.k, "d").unflatten("out", [("kv", sizes.kv_heads), ("dim", dim)]),
            cos,
            sin,
        );
        let v = h.dot(self.v, "d").unflatten("out", [("kv", sizes.kv_heads), ("dim", dim)]);
        let cache = Cache {
            k: cache.k.dynamic_update_slice(
                k.transpose(["kv", "dim"]).insert_axis(1, "position"),
                "position",
                position,
            ),
            v: cache.v.dynamic_update_slice(
                v.transpose(["kv", "dim"]).insert_axis(1, "position"),
                "position",
                position,
            ),
        };
        let scores = q.dot(cache.k, "dim") * (1.0 / (dim as f64).sqrt());
        let seen = Tensor::arange(DType::I32, "position", sizes.context).le(position);
        let weights = seen.select(scores, -1e30).softmax("position");
        let mixed = weights.dot(cache.v, "position").merge(["kv", "group", "dim"], "in");
        let x = x + mixed.dot(self.o, "in");
        let h = norm(x, self.norm2);
        let inner = h.dot(self.gate, "d").silu() * h.dot(self.up, "d");
        (x + inner.dot(self.down, "inner"), cache)
    }
}

pub type Argument = (Vec<Layer<Spec>>, Vec<Cache<Spec>>);

pub fn arguments(sizes: Sizes, layers: usize) -> Argument {
    let layer = Layer {
        q: Spec::f32([("out", sizes.hidden), ("d", sizes.hidden)]),
        k: Spec::f32([("out", sizes.kv_heads * sizes.dim()), ("d", sizes.hidden)]),
        v: Spec::f32([("out", sizes.kv_heads * sizes.dim()), ("d", sizes.hidden)]),
        o: Spec::f32([("d", sizes.hidden), ("in", sizes.hidden)]),
        gate: Spec::f32([("inner", sizes.inner), ("d", sizes.hidden)]),
        up: Spec::f32([("inner", sizes.inner), ("d", sizes.hidden)]),
        down: Spec::f32([("d", sizes.hidden), ("inner", sizes.inner)]),
        norm1: Spec::f32([("d", sizes.hidden)]),
        norm2: Spec::f32([("d", sizes.hidden)]),
    };
    let cache =
        Spec::f32([("kv", sizes.kv_heads), ("position", sizes.context), ("dim", sizes.dim())]);
    (vec![layer; layers], vec![Cache { k: cache.clone(), v: cache }; layers])
}

pub fn decode(
    sizes: Sizes,
    layers: Vec<Layer>,
    x: Tensor,
    caches: Vec<Cache>,
    position: Tensor,
) -> (Tensor, Vec<Cache>) {
    let (cos, sin) = rotation(sizes, position);
    let mut x = x;
    let mut next = Vec::with_capacity(caches.len());
    for (layer, cache) in layers.into_iter().zip(caches) {
        let (y, written) = layer.forward(sizes, x, cache.clone(), position, cos, sin);
        x = y;
        next.push(Cache { k: written.k.reuse(cache.k), v: written.v.reuse(cache.v) });
    }
    (x, next)
}
