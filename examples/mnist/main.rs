//! Recognises handwritten digits with a small network whose weights are loaded from a file.
//!
//! ```sh
//! cargo run --example mnist            # all twenty pictures
//! cargo run --example mnist -- 3 17    # two of them
//! cargo run --release --example mnist -- train    # trains a network, into target/mnist
//! ```
//! The pictures are drawn by a program, which `train` does too. `HLOOM_LOG=debug` shows what is
//! traced, compiled and loaded.

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;

mod drawing;
mod glyphs;
mod train;

use hloom::prelude::*;
use std::{fmt::Write, path::Path};

/// Pixels along each side of a picture.
const SIDE: usize = 28;

/// Ink from none to full, two characters per pixel because characters are tall.
const INK: [&str; 5] = ["  ", "░░", "▒▒", "▓▓", "██"];

#[derive(Tree, Clone)]
struct Linear<T = Tensor> {
    #[axes(out, in)]
    weight: T,
    #[axes(out)]
    bias: Option<T>,
}

#[derive(Tree, Clone)]
struct Mlp<T = Tensor> {
    fc1: Linear<T>,
    fc2: Linear<T>,
}

impl Linear {
    fn forward(self, x: Tensor) -> Tensor {
        let y = x.dot(self.weight, "in");
        match self.bias {
            Some(bias) => y + bias,
            None => y,
        }
    }
}

impl Mlp {
    /// Probabilities of the ten digits, from bytes of ink.
    fn forward(self, images: Tensor) -> Tensor {
        self.logits(images).softmax("out")
    }

    /// A number for each digit, the largest for the most probable one.
    fn logits(self, images: Tensor) -> Tensor {
        let x = images.convert(DType::F32) / 255.0;
        // The first layer's output is the second one's input.
        let hidden = self.fc1.forward(x).relu().rename("out", "in");
        self.fc2.forward(hidden)
    }

    /// The most probable digits.
    fn best(self, images: Tensor) -> Tensor {
        self.logits(images).argmax("out")
    }
}

impl Mlp<Spec> {
    fn new(inputs: usize, hidden: usize, outputs: usize) -> Mlp<Spec> {
        let linear = |inputs, outputs| Linear {
            weight: Spec::f32([("out", outputs), ("in", inputs)]),
            bias: Some(Spec::f32([("out", outputs)])),
        };
        Mlp { fc1: linear(inputs, hidden), fc2: linear(hidden, outputs) }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("HLOOM_LOG"))
        .with_writer(std::io::stderr)
        .init();
    if std::env::args().nth(1).as_deref() == Some("train") {
        return train::train(&Platform::auto()?, Path::new("target/mnist/mnist.safetensors"));
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/mnist");
    let digits = Checkpoint::open(format!("{folder}/digits.safetensors"))?;
    let images = digits.root().tensor("images")?;
    let pixels = images.bytes()?;
    let labels: Vec<u8> = digits.root().tensor("labels")?.to_vec()?;
    let chosen = chosen(labels.len())?;

    let platform = Platform::auto()?;
    let weights = Checkpoint::open(format!("{folder}/mnist.safetensors"))?;
    let batch = Spec::u8([("batch", labels.len()), ("in", SIDE * SIDE)]);
    let exe = platform.load_and_compile(Mlp::forward, &weights, (batch.clone(),))?;

    let x = digits.at("images").load(&platform, &batch)?;
    let probabilities: Vec<f32> = exe.call((&x,))?.to_vec()?;

    let mut right = 0;
    for &i in &chosen {
        let picture = &pixels[i * SIDE * SIDE..][..SIDE * SIDE];
        let probabilities = &probabilities[i * 10..][..10];
        println!("{}", drawn(picture, probabilities)?);
        right += usize::from(best(probabilities) == usize::from(labels[i]));
    }
    println!("{right} of {} read as they were drawn", chosen.len());
    Ok(())
}

/// The pictures named on the command line, or all.
fn chosen(count: usize) -> Result<Vec<usize>, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        return Ok((0..count).collect());
    }
    let parse = |argument: &String| match argument.parse() {
        Ok(index) if index < count => Ok(index),
        _ => Err(format!("`{argument}` is not a picture: there are 0 to {}", count - 1)),
    };
    arguments.iter().map(parse).collect()
}

fn best(probabilities: &[f32]) -> usize {
    (0..probabilities.len()).fold(
        0,
        |best, i| {
            if probabilities[i] > probabilities[best] { i } else { best }
        },
    )
}

/// A picture next to the probability of each digit.
fn drawn(picture: &[u8], probabilities: &[f32]) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let best = best(probabilities);
    // Digits are on every second row from the fourth on.
    let digit_of =
        |row: usize| (row >= 4 && row.is_multiple_of(2) && row < 24).then(|| (row - 4) / 2);
    for (row, pixels) in picture.chunks(SIDE).enumerate() {
        for &ink in pixels {
            write!(out, "{}", INK[(usize::from(ink) * 4 + 127) / 255])?;
        }
        if let Some(digit) = digit_of(row) {
            let probability = probabilities[digit];
            let bar = "█".repeat((probability * 20.0).round() as usize);
            let mark = if digit == best { "◀" } else { "" };
            write!(out, "  {digit} {:5.1} %  {bar} {mark}", probability * 100.0)?;
        }
        writeln!(out)?;
    }
    Ok(out)
}
