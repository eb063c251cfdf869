//! How long it takes to trace a Llama-shaped function and lower it to what the plugin is given.
//!
//! With `HLOOM_BENCH_JAX=1`, and a `python3` that has JAX (or `HLOOM_PYTHON`), `jax.jit`'s trace and lowering of the same
//! function is measured beside it.

mod common;

use common::{Better, report};
use hloom::{prelude::*, runtime::trace_function};
use hloom_stablehlo::{Context, LowerOptions, lower};
use std::{hint::black_box, process::Command, time::Instant};

const HIDDEN: usize = 2048;
const HEADS: usize = 32;
const KV_HEADS: usize = 4;
const DIM: usize = HIDDEN / HEADS;
const INNER: usize = 5632;
const CONTEXT: usize = 1024;

#[derive(Tree, Clone)]
struct Layer<T = Tensor> {
    q: T,
    k: T,
    v: T,
    o: T,
    gate: T,
    up: T,
    down: T,
    norm1: T,
    norm2: T,
}

#[derive(Tree, Clone)]
struct Cache<T = Tensor> {
    k: T,
    v: T,
}

fn norm(x: Tensor, weight: Tensor) -> Tensor {
    x * ((x * x).mean_keep("d") + 1e-5).rsqrt() * weight
}

fn rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor {
    let halves = x.chunk("dim", 2);
    let (a, b) = (halves[0], halves[1]);
    concatenate(&[a * cos - b * sin, b * cos + a * sin], "dim")
}

impl Layer {
    fn forward(self, x: Tensor, cache: Cache, position: Tensor, cos: Tensor, sin: Tensor) -> (Tensor, Cache) {
        let h = norm(x, self.norm1);
        let q = rope(
            h.dot(self.q, "d")
                .split("out", [("kv", KV_HEADS), ("group", HEADS / KV_HEADS), ("dim", DIM)]),
            cos,
            sin,
        );
        let k = rope(
            h.dot(self.k, "d").split("out", [("kv", KV_HEADS), ("dim", DIM)]),
            cos,
            sin,
        );
        let v = h.dot(self.v, "d").split("out", [("kv", KV_HEADS), ("dim", DIM)]);
        let cache = Cache {
            k: cache
                .k
                .dynamic_update_slice(
                    k.transpose(["kv", "dim"]).insert_axis(1, "position"),
                    "position",
                    position,
                )
                .reuse(cache.k),
            v: cache
                .v
                .dynamic_update_slice(
                    v.transpose(["kv", "dim"]).insert_axis(1, "position"),
                    "position",
                    position,
                )
                .reuse(cache.v),
        };
        let scores = q.dot(cache.k, "dim") * (1.0 / (DIM as f64).sqrt());
        let seen = Tensor::arange(DType::I32, "position", CONTEXT).le(position);
        let weights = seen.select(scores, -1e30).softmax("position");
        let mixed = weights.dot(cache.v, "position").merge(["kv", "group", "dim"], "in");
        let x = x + mixed.dot(self.o, "in");
        let h = norm(x, self.norm2);
        let inner = h.dot(self.gate, "d").silu() * h.dot(self.up, "d");
        (x + inner.dot(self.down, "inner"), cache)
    }
}

type Argument = (Vec<Layer<Spec>>, Vec<Cache<Spec>>);

fn arguments(layers: usize) -> Argument {
    let layer = Layer {
        q: Spec::f32([("out", HIDDEN), ("d", HIDDEN)]),
        k: Spec::f32([("out", KV_HEADS * DIM), ("d", HIDDEN)]),
        v: Spec::f32([("out", KV_HEADS * DIM), ("d", HIDDEN)]),
        o: Spec::f32([("d", HIDDEN), ("in", HIDDEN)]),
        gate: Spec::f32([("inner", INNER), ("d", HIDDEN)]),
        up: Spec::f32([("inner", INNER), ("d", HIDDEN)]),
        down: Spec::f32([("d", HIDDEN), ("inner", INNER)]),
        norm1: Spec::f32([("d", HIDDEN)]),
        norm2: Spec::f32([("d", HIDDEN)]),
    };
    let cache = Spec::f32([("kv", KV_HEADS), ("position", CONTEXT), ("dim", DIM)]);
    (
        vec![layer; layers],
        vec![
            Cache {
                k: cache.clone(),
                v: cache
            };
            layers
        ],
    )
}

fn decode(layers: Vec<Layer>, x: Tensor, caches: Vec<Cache>, position: Tensor) -> (Tensor, Vec<Cache>) {
    let half = DIM / 2;
    let frequency = (Tensor::arange(DType::F32, "dim", half) * (-2.0 * 10_000f64.ln() / DIM as f64)).exp();
    let angle = frequency * position.convert(DType::F32);
    let (cos, sin) = (angle.cos(), angle.sin());
    let mut x = x;
    let mut next = Vec::with_capacity(caches.len());
    for (layer, cache) in layers.into_iter().zip(caches) {
        let (y, cache) = layer.forward(x, cache, position, cos, sin);
        x = y;
        next.push(cache);
    }
    (x, next)
}

/// Milliseconds to trace and lower once, and the number of nodes.
fn measure(layers: usize) -> (f64, usize) {
    let start = Instant::now();
    let (weights, caches) = arguments(layers);
    let specs = (
        weights,
        Spec::f32([("d", HIDDEN)]),
        Donated(caches),
        Spec::scalar(DType::I32),
    );
    let graph = trace_function(decode, specs).expect("the function has no mistake");
    let nodes = graph.node_count();
    let context = Context::new();
    let module = lower(&context, &graph, &LowerOptions::default()).expect("the graph lowers");
    black_box(module.bytecode());
    drop((module, graph));
    drop(context);
    (start.elapsed().as_secs_f64() * 1e3, nodes)
}

/// The smallest of many measurements: what else runs on the machine only adds to it.
fn smallest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

fn main() {
    let (_, nodes) = measure(22);
    let rounds: Vec<(f64, f64)> = (0..9)
        .map(|_| (smallest((0..8).map(|_| measure(22).0)), measure(220).0))
        .collect();
    let small = smallest(rounds.iter().map(|round| round.0));
    let large = smallest(rounds.iter().map(|round| round.1));
    report("trace_and_lower_22_layers", small, "ms", None, Some(8.0), Better::Lower);
    report(
        "trace_and_lower_22_layers_nodes",
        nodes as f64,
        "nodes",
        None,
        None,
        Better::Lower,
    );
    report(
        "trace_and_lower_10_times_the_layers",
        large,
        "ms",
        Some(small),
        Some(11.0),
        Better::Lower,
    );
    if std::env::var_os("HLOOM_BENCH_JAX").is_some() {
        let python = std::env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/trace_jax.py");
        let output = Command::new(python).arg(script).output().expect("python3 runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let jax: f64 = text
            .trim()
            .parse()
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        report(
            "trace_and_lower_beside_jax",
            jax,
            "ms",
            Some(small),
            Some(10.0),
            Better::Higher,
        );
    }
}
