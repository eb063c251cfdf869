//! A training step of models of the Llama family next to JAX's with optax: AdamW, clipped
//! gradients, `f32`, from the same weights, on the same tokens.

#[path = "../../../benches/common/train_step.rs"]
mod train_step;

use crate::{
    Result, Settings,
    peer::Peer,
    results::{Better, Measurement, Results},
};
use hloom::{nn::Rope, optim::Optimizer, prelude::*};
use hloom_models::llama::{Config, Llama};
use serde_json::json;
use std::{
    path::Path,
    time::{Duration, Instant},
};
use train_step::{TrainState, optimizer, step, weights};

/// The longest time that JAX takes to compile, and to answer.
const LIMIT: Duration = Duration::from_secs(100);
const ROUNDS: usize = 20;

/// The sizes of a model, and of its batch of texts.
struct Sizes {
    name: &'static str,
    vocab: usize,
    hidden: usize,
    inner: usize,
    layers: usize,
    heads: usize,
    kv_heads: usize,
    batch: usize,
    length: usize,
}

const SIZES: [Sizes; 2] = [
    Sizes {
        name: "story",
        vocab: 1536,
        hidden: 256,
        inner: 512,
        layers: 4,
        heads: 4,
        kv_heads: 2,
        batch: 8,
        length: 256,
    },
    Sizes {
        name: "125m",
        vocab: 50_304,
        hidden: 768,
        inner: 2048,
        layers: 12,
        heads: 12,
        kv_heads: 12,
        batch: 8,
        length: 1024,
    },
];

/// Options of the part `train`.
#[derive(clap::Args)]
pub struct Options {
    /// Compile them for this target, such as `cuda:h200`, without a device.
    #[arg(long, value_name = "TARGET")]
    compile: Option<String>,
}

/// Angles, weights with the optimizer's state, tokens and targets.
type Arguments = (Rope<Spec>, Donated<TrainState<Spec>>, Spec, Spec);

pub fn run(settings: &Settings, options: &Options, results: &mut Results) -> Result {
    if let Some(target) = &options.compile {
        let topology = settings.topology(target)?;
        for sizes in &SIZES {
            let compiled = topology.compiler().name(sizes.name).compile(step, sizes.specs()?);
            results.check(&format!("gpu/train/{}/{target}", sizes.name), compiled)?;
        }
        return Ok(());
    }
    let platform = settings.open()?;
    results.set_card(&platform);
    let count = if settings.quick { 1 } else { SIZES.len() };
    for sizes in &SIZES[..count] {
        if let Err(error) = measure(settings, &platform, sizes, results) {
            results.check::<(), _>(&format!("gpu/train/{}", sizes.name), Err(error))?;
        }
    }
    Ok(())
}

fn measure(
    settings: &Settings,
    platform: &Platform,
    sizes: &Sizes,
    results: &mut Results,
) -> Result {
    let bench = |name: &str| format!("gpu/train/{}/{name}", sizes.name);
    let mut jax = settings.python.as_ref().map(|python| sizes.jax(python, &settings.bundle));
    let start = Instant::now();
    let config = sizes.config()?;
    let (rope, state, tokens, targets) = sizes.specs()?;
    let Donated((specs, moments)) = state.clone();
    let exe = platform.compile(step, (rope, state, tokens, targets))?;
    let exe = exe.bind(&config.rope_buffers(platform, sizes.length)?)?;
    println!("{}: compiled in {:.1} s", sizes.name, start.elapsed().as_secs_f64());

    let (tokens, targets) = (sizes.tokens(platform, 0)?, sizes.tokens(platform, 1)?);
    let mut state = (weights(platform, &specs)?, Buffer::zeros_tree(platform, moments)?);
    let mut losses = Vec::new();
    for _ in 0..11 {
        let loss;
        (state, loss) = exe.call((state, &tokens, &targets))?;
        losses.push(f64::from(loss.item::<f32>()?));
    }
    println!("{}: losses {losses:?}", sizes.name);
    if let Some(Ok(jax)) = &mut jax {
        let first = jax.number("first", "first", LIMIT);
        let first = first.and_then(|first| close(losses[0], first, 1e-3));
        results.check(&bench("first_loss"), first)?;
        let later = jax.number("later", "later", LIMIT);
        let later = later.and_then(|later| close(losses[10], later, 2e-2));
        results.check(&bench("loss_after_10_steps"), later)?;
    }
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let loss;
        (state, loss) = exe.call((state, &tokens, &targets))?;
        loss.ready()?;
        own.push(start.elapsed().as_secs_f64() * 1e3);
        if let Some(Ok(jax)) = &mut jax {
            others.push(jax.number("step", "ms", LIMIT)?);
        }
    }
    let tokens = (sizes.batch * sizes.length) as f64;
    let own = median(own).ok_or("there are no rounds")?;
    println!("{}: {:.0} tokens a second", sizes.name, tokens / own * 1e3);
    results.measure(&Measurement {
        bench: &bench("step"),
        value: own,
        unit: "ms",
        reference: median(others),
        target: Some((Better::Lower, 1.05)),
    })?;
    if let Some(Err(error)) = jax {
        println!("{}: without JAX: {error}", sizes.name);
    }
    Ok(())
}

/// # Errors
/// The distance is more than `limit` of the expected value.
fn close(found: f64, expected: f64, limit: f64) -> Result {
    if (found / expected - 1.0).abs() <= limit {
        return Ok(());
    }
    Err(format!("the loss is {found}, that of JAX {expected}").into())
}

/// The middle one.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

impl Sizes {
    fn config(&self) -> Result<Config> {
        let fields = json!({
            "model_type": "llama", "vocab_size": self.vocab, "hidden_size": self.hidden,
            "intermediate_size": self.inner, "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads, "num_key_value_heads": self.kv_heads,
            "max_position_embeddings": self.length, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
            "tie_word_embeddings": true, "hidden_act": "silu",
        });
        Ok(Config::parse(&fields.to_string(), Path::new(self.name))?)
    }

    /// The arguments of a step.
    fn specs(&self) -> Result<Arguments> {
        let config = self.config()?;
        let params = Llama::new(&config, DType::F32);
        let moments = optimizer().state_spec(&params);
        let ids = Spec::i32([("batch", self.batch), ("seq", self.length)]);
        Ok((config.rope_spec(self.length), Donated((params, moments)), ids.clone(), ids))
    }

    /// JAX's step, which is compiled while this process compiles its own.
    fn jax(&self, python: &Path, bundle: &Path) -> Result<Peer> {
        let dim = self.hidden / self.heads;
        let sizes = [self.vocab, self.hidden, self.inner, self.layers, self.heads, self.kv_heads];
        let sizes = sizes.into_iter().chain([dim, self.batch, self.length]);
        let arguments: Vec<String> = sizes.map(|size| size.to_string()).collect();
        let variables = [("XLA_PYTHON_CLIENT_PREALLOCATE", "false")];
        Peer::start(python, &bundle.join("peers/train_jax.py"), &arguments, &variables)
    }

    /// The tokens of texts that are one token longer, from this place in each.
    fn tokens(&self, platform: &Platform, first: usize) -> Result<Buffer> {
        let at = |i: usize| i / self.length * (self.length + 1) + i % self.length + first;
        let id = |i: usize| (at(i) * 7919 % self.vocab) as i32;
        let ids: Vec<i32> = (0..self.batch * self.length).map(id).collect();
        Ok(Buffer::from_slice(platform, &ids, [("batch", self.batch), ("seq", self.length)])?)
    }
}
