//! Trains the network on digits that are drawn here.

use crate::{
    Mlp, SIDE,
    drawing::{draw, moved},
};
use fastrand::Rng;
use hloom::{
    Key,
    nn::{Distribution, Fan, Initializer, initialize, loss::cross_entropy_mean},
    optim::{AdamState, AdamW, Optimizer, Schedule},
    prelude::*,
    train::{Batches, Position, Smoothed},
    value_and_grad,
};
use std::{path::Path, sync::Arc, time::Instant};

const DIGITS: usize = 30_000;
const EPOCHS: u64 = 12;
const BATCH: usize = 128;
const HIDDEN: usize = 128;

type TrainState<T = Tensor> = (Mlp<T>, AdamState<Mlp<T>>);

/// Trains, prints how many new digits are recognised, and writes the weights.
pub fn train(platform: &Platform, file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let start = Instant::now();
    let specs = Mlp::new(SIDE * SIDE, HIDDEN, 10);
    let adamw = AdamW::new().weight_decay(1e-4);
    let batches = Batches::new(DIGITS, BATCH).shuffled(0);
    let schedule = Schedule::linear(2e-3, 0.0, EPOCHS * batches.per_epoch());

    let (own, optimizer) = (specs.clone(), adamw.clone());
    let init = move |key: Key| {
        let params = initialize(key, &own, |path, _| {
            if path.to_string().ends_with("bias") {
                Initializer::Zeros
            } else {
                Initializer::VarianceScaling {
                    scale: 2.0,
                    fan: Fan::In,
                    distribution: Distribution::Normal,
                }
            }
        });
        let state = optimizer.init(&params);
        (params, state)
    };
    let key = Key(Buffer::from_slice(platform, &Key::words(0), [2])?);
    let mut state: TrainState<Buffer> = platform.compile(init, (Key::spec(),))?.call((&key,))?;

    let state_specs = (specs.clone(), adamw.state_spec(&specs));
    let step = move |(params, state): TrainState, images: Tensor, labels: Tensor| {
        let (loss, gradients) = value_and_grad(params.clone(), |params| {
            cross_entropy_mean(params.logits(images), labels, "out")
        });
        (adamw.update(params, gradients, state, &schedule), loss)
    };
    let (images, labels) = batch_specs();
    let step = platform.compile(step, (Donated(state_specs), images, labels))?;

    println!("drawing {DIGITS} digits");
    let pictures = Arc::new(Pictures::drawn(1, DIGITS));
    let own = Arc::clone(&pictures);
    let mut loader = batches.load(Position::default(), 1, 4, move |indices| {
        let seed = indices.iter().fold(0u64, |seed, &i| seed.rotate_left(7) ^ i as u64);
        own.batch(indices, Some(&mut Rng::with_seed(seed)))
    })?;
    let mut smoothed = Smoothed::new(0.98);
    for epoch in 0..EPOCHS {
        for _ in 0..batches.per_epoch() {
            let (pixels, digits) = loader.next().ok_or("a loader never ends")?;
            let loss;
            (state, loss) = step.call((
                state,
                &Buffer::from_slice(platform, &pixels, images_dims())?,
                &Buffer::from_slice(platform, &digits, [("batch", BATCH)])?,
            ))?;
            smoothed.add(loss.item::<f32>()?.into());
        }
        println!("epoch {}: loss {:.4}", epoch + 1, smoothed.value().unwrap_or(f64::NAN));
    }

    let new = Pictures::drawn(2, 3000);
    let read = platform.compile(Mlp::best, (specs, batch_specs().0))?;
    let (mut right, mut count) = (0, 0);
    let all: Vec<usize> = (0..new.labels.len()).collect();
    for indices in all.chunks_exact(BATCH) {
        let (pixels, digits) = new.batch(indices, None);
        let pixels = Buffer::from_slice(platform, &pixels, images_dims())?;
        let best: Vec<i32> = read.call((&state.0, &pixels))?.to_vec()?;
        right += best.iter().zip(&digits).filter(|(found, digit)| found == digit).count();
        count += digits.len();
    }
    let share = 100.0 * right as f64 / count as f64;
    println!("{share:.2} % of {count} new digits are read, after {:.1?}", start.elapsed());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    hloom::io::save(file, &state.0)?;
    println!("the weights are in {}", file.display());
    Ok(())
}

fn images_dims() -> [(&'static str, usize); 2] {
    [("batch", BATCH), ("in", SIDE * SIDE)]
}

fn batch_specs() -> (Spec, Spec) {
    (Spec::u8(images_dims()), Spec::i32([("batch", BATCH)]))
}

/// Drawn digits.
struct Pictures {
    pixels: Vec<u8>,
    labels: Vec<i32>,
}

impl Pictures {
    fn drawn(seed: u64, count: usize) -> Pictures {
        let mut random = Rng::with_seed(seed);
        let labels: Vec<i32> = (0..count).map(|_| random.i32(0..10)).collect();
        let pixels = labels.iter().flat_map(|&digit| draw(&mut random, digit as usize)).collect();
        Pictures { pixels, labels }
    }

    /// Pixels and digits of these pictures, each moved a little if a random generator is passed.
    fn batch(&self, indices: &[usize], mut random: Option<&mut Rng>) -> (Vec<u8>, Vec<i32>) {
        let size = SIDE * SIDE;
        let picture = |&i: &usize| {
            let own = &self.pixels[i * size..][..size];
            match &mut random {
                Some(random) => moved(random, own),
                None => own.to_vec(),
            }
        };
        let pixels = indices.iter().flat_map(picture).collect();
        (pixels, indices.iter().map(|&i| self.labels[i]).collect())
    }
}
