//! One training step of the story model: `f32[batch=8, seq=256]` tokens, AdamW, clipped gradients.
//!
//! With `HLOOM_BENCH_JAX=1`, and a `python3` that has JAX and optax (or `HLOOM_PYTHON`), the same
//! step of JAX alternates with it, from the same weights; the losses of both must agree.

mod common;
#[path = "common/jax.rs"]
mod jax;
#[path = "common/peak_memory.rs"]
mod peak_memory;

use common::{Better, report};
use hloom::{
    nn::Rope,
    optim::{AdamState, AdamW, Mask, Optimizer, clip_by_global_norm},
    prelude::*,
    value_and_grad,
};
use hloom_models::llama::{Config, Llama};
use jax::Jax;
use peak_memory::peak_memory;
use std::{path::Path, time::Instant};

const BATCH: usize = 8;
const LENGTH: usize = 256;
const ROUNDS: usize = 30;

type State<T = Tensor> = (Llama<T>, AdamState<Llama<T>>);

fn optimizer() -> AdamW {
    let matrices = Mask::all().without("*norm.weight");
    AdamW::new().betas(0.9, 0.98).weight_decay(0.01).decayed(matrices)
}

fn step(rope: Rope, (params, state): State, tokens: Tensor, targets: Tensor) -> (State, Tensor) {
    let (loss, gradients) = value_and_grad(params.clone(), |params| {
        params.next_token_loss(tokens, targets, &rope).mean(..)
    });
    let (gradients, _) = clip_by_global_norm(gradients, 1.0);
    (optimizer().update(params, gradients, state, 1e-3), loss)
}

/// Values that both programs generate: small, and different for each weight.
fn weights(platform: &Platform, specs: &Llama<Spec>) -> Llama<Buffer> {
    let matrices = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"];
    specs.clone().map(&mut |path, spec| {
        let path = path.to_string();
        let shape = spec.shape();
        let place = matrices.iter().position(|name| path.contains(name));
        let layer = path.split('.').find_map(|part| part.parse::<usize>().ok());
        let index = place.map_or(0, |place| 1 + 7 * layer.unwrap_or(0) + place);
        let element = |i: usize| {
            if path.contains("norm") {
                1.0
            } else {
                let value = i as f64 * 0.754_877_666_246_692_7 + 0.1 * index as f64;
                ((value.fract() - 0.5) * 0.08) as f32
            }
        };
        let values: Vec<f32> = (0..shape.element_count()).map(element).collect();
        Buffer::from_slice(platform, &values, shape.axes()).expect("there is memory")
    })
}

/// The median.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

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
    let mut state = (weights(&platform, &specs), moments);
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
        report("train_first_loss", losses[0], "nats", Some(first), None, Better::Lower);
        report("train_loss_after_10_steps", losses[10], "nats", Some(later), None, Better::Lower);
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
    let [own, other] = times.map(|times| (!times.is_empty()).then(|| median(times)));
    let [memory, other_temporaries] = match &mut jax {
        Some(jax) => jax.measure("memory").map(Some),
        None => [None; 2],
    };
    let own = own.expect("there are rounds");
    report("train_step", own, "ms", other, Some(1.05), Better::Lower);
    let peak = peak_memory().map_or(f64::NAN, |bytes| bytes as f64 / 1048576.0);
    report("train_peak_memory", peak, "MB", memory, Some(1.05), Better::Lower);
    report("train_temporaries", temporaries, "MB", other_temporaries, None, Better::Lower);
    Ok(())
}
