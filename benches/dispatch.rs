//! The overhead of a call of an executable over the plugin's own: with 2 arguments, and with 200
//! bound weights and 2 arguments; that of a jitted function over the executable's; and that of the
//! structure of trees with 200 buffers.
//!
//! The raw calls (`PJRT_LoadedExecutable_Execute` and `PJRT_Buffer_Destroy`) alternate with
//! `Exe::call` and `Exe::call_into` in one process. With `HLOOM_BENCH_JAX=1`, and a `python3` that
//! has JAX (or `HLOOM_PYTHON`), JAX's jitted call is also measured.

mod common;
#[path = "common/raw_call.rs"]
mod raw_call;

use common::Measurement;
use hloom::prelude::*;
use hloom_test_support::{CountingAllocator, allocations};
use raw_call::RawCall;
use std::{collections::BTreeMap, process::Command, time::Instant};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const ROUNDS: usize = 61;
const WARM_UP: usize = 8;

fn main() -> hloom::Result<()> {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let platform = Platform::load(plugin)?;
    let jax = std::env::var_os("HLOOM_BENCH_JAX").map(|_| jax_microseconds());
    let jax = |i: usize| jax.as_ref().and_then(|values| values.get(i).copied());
    measure(&platform, 0, 2_000, 1.15, jax(0), 0.5)?;
    measure(&platform, 200, 200, 1.08, jax(1), 0.4)?;
    measure_jit(&platform)?;
    measure_trees(&platform)
}

/// Microseconds of JAX's call with 2 and with 202 arguments.
fn jax_microseconds() -> Vec<f64> {
    let python = std::env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/dispatch_jax.py");
    let output = Command::new(python).arg(script).output().expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let values: Vec<f64> = text.split_whitespace().filter_map(|value| value.parse().ok()).collect();
    assert_eq!(values.len(), 2, "{}", String::from_utf8_lossy(&output.stderr));
    values
}

fn add(_weights: Vec<Tensor>, x: Tensor, y: Tensor) -> Tensor {
    x + y
}

fn measure(
    platform: &Platform,
    weights: usize,
    calls: usize,
    target: f64,
    jax: Option<f64>,
    jax_target: f64,
) -> hloom::Result<()> {
    let spec = Spec::f32([2]);
    let exe = platform.compile(add, (vec![spec.clone(); weights], spec.clone(), spec.clone()))?;
    let bound = Buffer::tree(platform, vec![spec; weights], |_, _| vec![1f32, 2.0])?;
    let exe = exe.bind(&bound)?;
    let x = Buffer::from_slice(platform, &[1f32, 2.0], [2])?;
    let y = Buffer::from_slice(platform, &[3f32, 4.0], [2])?;
    let mut result = exe.call((&x, &y))?;
    assert_eq!(result.to_vec::<f32>()?, [4.0, 6.0]);
    let all = bound.iter().chain([&x, &y]).map(|buffer| &**buffer.as_pjrt());
    let mut raw = RawCall::new(exe.any().as_pjrt(), all);

    let mut times: [Vec<f64>; 3] = Default::default();
    let mut counts = [0u64; 3];
    for round in 0..ROUNDS + WARM_UP {
        for turn in 0..3 {
            let which = (round + turn) % 3;
            let before = allocations();
            let start = Instant::now();
            match which {
                0 => (0..calls).for_each(|_| raw.call()),
                1 => {
                    for _ in 0..calls {
                        drop(exe.call((&x, &y))?);
                    }
                }
                _ => {
                    for _ in 0..calls {
                        exe.call_into((&x, &y), &mut result)?;
                    }
                }
            }
            let (elapsed, allocated) = (start.elapsed(), allocations() - before);
            if round >= WARM_UP {
                times[which].push(elapsed.as_secs_f64() * 1e6 / calls as f64);
                counts[which] += allocated;
            }
        }
    }
    let [raw, call, call_into] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let per_call = counts.map(|count| count as f64 / (ROUNDS * calls) as f64);
    let name = |what: &str| format!("{what}, {weights} bound and 2 arguments");
    Measurement::new(&name("exe.call"), call, "us").reference(raw).target(target).report();
    Measurement::new(&name("exe.call_into"), call_into, "us")
        .reference(raw)
        .target(target)
        .report();
    Measurement::new(&name("exe.call allocations"), per_call[1], "per call").target(1.0).report();
    Measurement::new(&name("exe.call_into allocations"), per_call[2], "per call")
        .target(0.0)
        .report();
    if let Some(jax) = jax {
        Measurement::new(&name("exe.call beside jax.jit"), call, "us")
            .reference(jax)
            .target(jax_target)
            .report();
    }
    Ok(())
}

#[derive(Tree, Clone)]
struct Affine<T = Tensor> {
    weight: T,
    bias: Option<T>,
    epsilon: f64,
}

/// A part of a tree with lists, maps, options and values.
#[derive(Tree, Clone)]
struct Block<T = Tensor> {
    layers: Vec<Affine<T>>,
    scales: BTreeMap<String, T>,
    gate: Option<T>,
    is_causal: bool,
}

fn block() -> Block<Spec> {
    let spec = || Spec::f32([2]);
    let layer = || Affine { weight: spec(), bias: Some(spec()), epsilon: 0.5 };
    Block {
        layers: vec![layer(), layer(), layer()],
        scales: ["key", "query", "value"].map(|name| (name.to_owned(), spec())).into(),
        gate: Some(spec()),
        is_causal: true,
    }
}

/// Calls with a tree of 200 buffers that are not bound, and through `jit`; next to those of the
/// executable that visit the same buffers and compare no structure.
fn measure_trees(platform: &Platform) -> hloom::Result<()> {
    const CALLS: usize = 200;
    let run = |blocks: Vec<Block>| blocks[0].layers[0].weight + 1.0;
    let specs = vec![block(); 20];
    assert_eq!(specs.count(), 200);
    let blocks = Buffer::tree(platform, specs.clone(), |_, _| vec![1f32, 2.0])?;
    let exe = platform.compile(run, (specs,))?;
    let jit = platform.jit(run);
    let mut times: [Vec<f64>; 3] = Default::default();
    for round in 0..ROUNDS + WARM_UP {
        for turn in 0..3 {
            let which = (round + turn) % 3;
            let start = Instant::now();
            for _ in 0..CALLS {
                match which {
                    0 => drop(exe.call_with(|each| blocks.visit(&mut |_, buffer| each(buffer)))?),
                    1 => drop(exe.call((&blocks,))?),
                    _ => drop(jit.call((&blocks,))?),
                }
            }
            if round >= WARM_UP {
                times[which].push(start.elapsed().as_secs_f64() * 1e6 / CALLS as f64);
            }
        }
    }
    assert_eq!(jit.compilations(), 1);
    let [visited, call, jitted] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    Measurement::new("exe.call, tree of 200", call, "us").reference(visited).target(1.03).report();
    Measurement::new("jit.call, tree of 200", jitted, "us").reference(visited).target(1.3).report();
    Ok(())
}

/// A jitted call with a tree of 4 buffers and one more, compared with the same call of its
/// executable.
fn measure_jit(platform: &Platform) -> hloom::Result<()> {
    const CALLS: usize = 1_000;
    let run = |layers: [Affine; 2], x: Tensor| {
        layers.into_iter().fold(x, |x, layer| match layer.bias {
            Some(bias) => x * layer.weight + bias + layer.epsilon as f32,
            None => x * layer.weight,
        })
    };
    let spec = || Spec::f32([2]);
    let layer = || Affine { weight: spec(), bias: Some(spec()), epsilon: 0.5 };
    let layers = Buffer::tree(platform, [layer(), layer()], |_, _| vec![1f32, 2.0])?;
    let x = Buffer::from_slice(platform, &[1f32, 2.0], [2])?;
    let exe = platform.compile(run, ([layer(), layer()], spec()))?;
    let jit = platform.jit(run);
    let expected = exe.call((&layers, &x))?.to_vec::<f32>()?;
    assert_eq!(jit.call((&layers, &x))?.to_vec::<f32>()?, expected);
    let mut times: [Vec<f64>; 2] = Default::default();
    let mut counts = [0u64; 2];
    for round in 0..ROUNDS + WARM_UP {
        for turn in 0..2 {
            let which = (round + turn) % 2;
            let before = allocations();
            let start = Instant::now();
            for _ in 0..CALLS {
                match which {
                    0 => drop(exe.call((&layers, &x))?),
                    _ => drop(jit.call((&layers, &x))?),
                }
            }
            let (elapsed, allocated) = (start.elapsed(), allocations() - before);
            if round >= WARM_UP {
                times[which].push(elapsed.as_secs_f64() * 1e6 / CALLS as f64);
                counts[which] += allocated;
            }
        }
    }
    assert_eq!(jit.compilations(), 1);
    let [call, jitted] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let [of_call, of_jit] = counts.map(|count| count as f64 / (ROUNDS * CALLS) as f64);
    // Each buffer's shape is hashed and compared once more than `call` does.
    Measurement::new("jit.call, 5 arguments", jitted, "us").reference(call).target(1.15).report();
    let name = "jit.call allocations, 5 arguments";
    Measurement::new(name, of_jit - of_call, "more per call than exe.call").target(0.0).report();
    Ok(())
}
