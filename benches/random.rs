//! The time to draw a million random numbers, and to compile the program that does.
//!
//! With `HLOOM_BENCH_JAX=1` compared with the same draws of `jax.jit` in a `python3` that has JAX
//! (or `HLOOM_PYTHON`), which alternates with this process.

mod common;
#[path = "common/jax.rs"]
mod jax;

use common::{Measurement, median};
use hloom::prelude::*;
use jax::Jax;
use std::time::Instant;

const COUNT: usize = 1_000_000;

type Draw = fn(Key) -> Tensor;

const DRAWS: [(&str, Draw); 7] = [
    ("bits", |key| key.bits(DType::U32, [COUNT])),
    ("uniform", |key| key.uniform(DType::F32, [COUNT])),
    ("normal", |key| key.normal(DType::F32, [COUNT])),
    ("gumbel", |key| key.gumbel(DType::F32, [COUNT])),
    ("randint", |key| key.randint(DType::I32, [COUNT], 0, 1000)),
    ("permutation", |key| key.permutation([COUNT])),
    ("gamma", |key| key.gamma(DType::F32, [COUNT], 2.5)),
];

fn main() -> hloom::Result<()> {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let platform = Platform::load(plugin)?;
    let key = Key(Buffer::from_slice(&platform, &Key::words(7), [2])?);
    // The first compilation of a process starts threads.
    platform.compile(|x: Tensor| x + 1, (Spec::f32([1]),))?;
    let mut jax = Jax::asked_for("random_jax.py");
    for (name, draw) in DRAWS {
        let start = Instant::now();
        let exe = platform.compile(draw, (Key::spec(),))?;
        let compiled = start.elapsed().as_secs_f64() * 1e3;
        let run = median(7, || {
            let drawn = exe.call((&key,)).expect("it runs");
            drawn.ready().expect("it runs");
        });
        let beside = jax.as_mut().map(|jax| jax.measure::<2>(name));
        let [compile, time] = [0, 1].map(|i| beside.map(|times| times[i]));
        let milliseconds = run.as_secs_f64() * 1e3;
        Measurement::new(&format!("random/{name}/run"), milliseconds, "ms")
            .reference(time)
            .target(1.0)
            .report();
        Measurement::new(&format!("random/{name}/compile"), compiled, "ms")
            .reference(compile)
            .report();
    }
    Ok(())
}
