//! One training step of the story model: `f32[batch=8, seq=256]` tokens, AdamW, clipped gradients.
//!
//! With `HLOOM_BENCH_JAX=1`, and a `python3` that has JAX and optax (or `HLOOM_PYTHON`), the same
//! step of JAX alternates with it, from the same weights; the losses of both must agree.

mod common;
#[path = "common/jax.rs"]
mod jax;
#[path = "common/peak_memory.rs"]
mod peak_memory;
#[path = "common/train_step.rs"]
mod train_step;

use common::{Measurement, median_of};
use hloom::{optim::Optimizer, prelude::*};
use hloom_models::llama::{Config, Llama};
use jax::Jax;
use peak_memory::peak_memory;
use std::{path::Path, time::Instant};
use train_step::{optimizer, step, weights};

const BATCH: usize = 8;
const LENGTH: usize = 256;
const ROUNDS: usize = 30;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let platform = Platform::cpu()?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/llama/story");
    let config = Config::read(folder.join("config.json"))?;
    let specs = Llama::new(&config, DType::F32);
    let state = (specs.clone(), optimizer().state_spec(&specs));
    let ids = Spec::i32([("batch", BATCH), ("seq", LENGTH)]);
    let arguments = (config.rope_spec(LENGTH), Donated(state.clone()), ids.clone(), ids.clone());
    let exe = platform.compile(step, arguments)?;
    println!("kernels: {:?}", exe.any().kernels());
    let temporaries = exe.any().memory()?.temporaries as f64 / 1e6;
    let exe = exe.bind(&config.rope_buffers(&platform, LENGTH)?)?;

    let id = |at: usize| (at * 7919 % config.vocab_size) as i32;
    let row = |shift: usize| {
        let at = move |i: usize| i / LENGTH * (LENGTH + 1) + i % LENGTH + shift;
        let row: Vec<i32> = (0..BATCH * LENGTH).map(|i| id(at(i))).collect();
        Buffer::from_slice(&platform, &row, [("batch", BATCH), ("seq", LENGTH)])
    };
    let (tokens, targets) = (row(0)?, row(1)?);
    let moments = Buffer::zeros_tree(&platform, state.1)?;
    let mut state = (weights(&platform, &specs)?, moments);
    let mut losses = Vec::new();
    for _ in 0..11 {
        let loss;
        (state, loss) = exe.call((state, &tokens, &targets))?;
        losses.push(f64::from(loss.item::<f32>()?));
    }
    let mut jax = Jax::asked_for("train_jax.py");
    let mut times = [Vec::new(), Vec::new()];
    if let Some(jax) = &mut jax {
        let [first, later] = jax.measure("first");
        Measurement::new("train_first_loss", losses[0], "nats").reference(first).report();
        Measurement::new("train_loss_after_10_steps", losses[10], "nats").reference(later).report();
        assert!((losses[0] / first - 1.0).abs() < 1e-5, "{losses:?} {first}");
        assert!((losses[10] / later - 1.0).abs() < 1e-2, "{losses:?} {later}");
    }
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let loss;
        (state, loss) = exe.call((state, &tokens, &targets))?;
        loss.ready()?;
        times[0].push(start.elapsed().as_secs_f64() * 1e3);
        if let Some(jax) = &mut jax {
            let [time] = jax.measure("step");
            times[1].push(time);
        }
    }
    let [own, other] = times.map(|times| (!times.is_empty()).then(|| median_of(times)));
    let [memory, other_temporaries] = match &mut jax {
        Some(jax) => jax.measure("memory").map(Some),
        None => [None; 2],
    };
    let own = own.expect("there are rounds");
    Measurement::new("train_step", own, "ms").reference(other).target(1.05).report();
    let peak = peak_memory().map_or(f64::NAN, |bytes| bytes as f64 / 1048576.0);
    Measurement::new("train_peak_memory", peak, "MB").reference(memory).target(1.05).report();
    Measurement::new("train_temporaries", temporaries, "MB").reference(other_temporaries).report();
    Ok(())
}
