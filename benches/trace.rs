//! The time to trace a Llama-shaped function, legalize it for the CPU, and lower it to the plugin's
//! input.
//!
//! With `HLOOM_BENCH_JAX=1`, and a `python3` that has JAX (or `HLOOM_PYTHON`), `jax.jit`'s trace
//! and lowering of the same function is also measured.

mod common;
#[path = "common/decoder.rs"]
mod decoder;

use common::Measurement;
use decoder::{Cache, Layer, Sizes, arguments, decode};
use hloom::{
    prelude::*,
    runtime::{legalize, trace_function},
};
use hloom_stablehlo::{Context, LowerOptions, lower};
use std::{hint::black_box, process::Command, time::Instant};

/// The sizes of TinyLlama 1.1B.
const SIZES: Sizes = Sizes { hidden: 2048, heads: 32, kv_heads: 4, inner: 5632, context: 1024 };

/// Milliseconds to trace and lower once, and the number of nodes.
fn measure(layers: usize) -> (f64, usize) {
    let start = Instant::now();
    let (weights, caches) = arguments(SIZES, layers);
    let specs =
        (weights, Spec::f32([("d", SIZES.hidden)]), Donated(caches), Spec::scalar(DType::I32));
    let graph = trace_function(
        |layers: Vec<Layer>, x: Tensor, caches: Vec<Cache>, position: Tensor| {
            decode(SIZES, layers, x, caches, position)
        },
        specs,
    )
    .expect("the function has no error");
    let nodes = graph.node_count();
    {
        // All of it is dropped within the measured time.
        let context = Context::new();
        let legal = legalize(&graph, "cpu", None).expect("the graph was traced");
        let module = lower(&context, &legal, &LowerOptions::default()).expect("the graph lowers");
        black_box(module.code());
    }
    drop(graph);
    (start.elapsed().as_secs_f64() * 1e3, nodes)
}

/// The smallest of many measurements: other load on the machine only adds to it.
fn smallest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

fn main() {
    let (_, nodes) = measure(22);
    let rounds: Vec<(f64, f64)> =
        (0..9).map(|_| (smallest((0..8).map(|_| measure(22).0)), measure(220).0)).collect();
    let small = smallest(rounds.iter().map(|round| round.0));
    let large = smallest(rounds.iter().map(|round| round.1));
    Measurement::new("trace_and_lower_22_layers", small, "ms").target(8.0).report();
    Measurement::new("trace_and_lower_22_layers_nodes", nodes as f64, "nodes").report();
    Measurement::new("trace_and_lower_10_times_the_layers", large, "ms")
        .reference(small)
        .target(11.0)
        .report();
    if std::env::var_os("HLOOM_BENCH_JAX").is_some() {
        let python = std::env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/trace_jax.py");
        let output = Command::new(python).arg(script).output().expect("python3 runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let jax: f64 = text
            .trim()
            .parse()
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        Measurement::new("trace_and_lower_beside_jax", jax, "ms")
            .reference(small)
            .target(10.0)
            .higher_is_better()
            .report();
    }
}
