//! Rust callbacks inside programs: one streams the activations of a network to a channel while it
//! runs, the other filters an image in the middle of a network.
//!
//! ```sh
//! cargo run --example callback
//! ```

#[macro_use]
#[path = "../common/stdout.rs"]
mod stdout;

use hloom::{callbacks::NO_RESULTS, prelude::*};
use std::{
    sync::mpsc::{self, Sender},
    thread,
};

fn main() -> hloom::Result<()> {
    let platform = Platform::auto()?;
    stream_activations(&platform)?;
    filter_an_image(&platform)
}

/// The output of a layer: its index, and the mean of its activations.
struct Activation {
    layer: i32,
    mean: f32,
}

/// Runs a few layers, each of which sends its activations to a listener.
fn stream_activations(platform: &Platform) -> hloom::Result<()> {
    let (sender, receiver) = mpsc::channel();
    let listener = thread::spawn(move || {
        for Activation { layer, mean } in receiver {
            println!("layer {layer}: mean activation {mean:.4}");
        }
    });
    let spec = Spec::f32([("layer", 4), ("out", 16), ("in", 16)]);
    let exe = platform.compile(
        |weights: Tensor, x: Tensor| layers(weights, x, &sender),
        (spec.clone(), Spec::f32([("in", 16)])),
    )?;
    let weights =
        Buffer::tree(platform, spec, |_, spec| waves(spec.shape().element_count(), 0.25))?;
    let x = Buffer::from_slice(platform, &waves(16, 1.0), [("in", 16)])?;
    let y = exe.call((&weights, &x))?;
    println!("the last layer returns {y}");
    // The program owns a sender of the channel: the listener ends when both are dropped.
    drop((exe, sender));
    listener.join().expect("the listener only prints");
    Ok(())
}

fn layers(weights: Tensor, x: Tensor, sender: &Sender<Activation>) -> Tensor {
    let start = (Tensor::scalar(0, DType::I32), x);
    let ((_, last), _) = scan(start, weights, "layer", |(layer, x), weight| {
        let x = x.dot(weight, "in").tanh().rename("out", "in");
        let sender = sender.clone();
        let [] = callback("activations", (layer, x), NO_RESULTS, move |_, (layer, x), _| {
            let (layer, x) = (layer.item::<i32>()?, x.as_slice::<f32>()?);
            let mean = x.iter().sum::<f32>() / x.len() as f32;
            Ok(sender.send(Activation { layer, mean })?)
        });
        ((layer + 1, x), x)
    });
    last
}

const SIZE: usize = 24;

/// Finds the edges of an image, ignoring single wrong pixels: a median filter in Rust removes
/// these, between two stages of tensor code.
fn filter_an_image(platform: &Platform) -> hloom::Result<()> {
    let axes = [("row", SIZE), ("column", SIZE)];
    let exe = platform.compile(edges, (Spec::f32(axes),))?;
    let pixels: Vec<f32> = (0..SIZE * SIZE)
        .map(|i| {
            let (row, column) = (i / SIZE, i % SIZE);
            let inside = row.abs_diff(SIZE / 2).pow(2) + column.abs_diff(SIZE / 2).pow(2) < 64;
            // A disc with some wrong pixels.
            if i % 61 == 7 { 1.0 } else { f32::from(u8::from(inside)) }
        })
        .collect();
    let edges = exe.call((&Buffer::from_slice(platform, &pixels, axes)?,))?.to_vec::<f32>()?;
    for row in edges.chunks(SIZE) {
        let line: String = row.iter().map(|&edge| if edge > 0.5 { "##" } else { "  " }).collect();
        println!("{}", line.trim_end());
    }
    Ok(())
}

fn edges(image: Tensor) -> Tensor {
    let image = (image * 2.0 - 1.0).assert(|x| x.abs().le(1), "pixels lie between 0 and 1");
    let clean = callback("median filter", image, Spec::of(image.shape()), |_, image, mut clean| {
        let image = image.as_slice::<f32>()?;
        for (i, pixel) in clean.as_slice_mut::<f32>()?.iter_mut().enumerate() {
            *pixel = median_around(image, i / SIZE, i % SIZE);
        }
        Ok(())
    });
    let next = |axis: &str| {
        let following = clean.slice(axis, 1..);
        (following - clean.slice(axis, ..-1)).abs().pad(axis, 0, 1, 0)
    };
    next("row").maximum(next("column")) / 2.0
}

/// The median of a pixel and its neighbours.
fn median_around(image: &[f32], row: usize, column: usize) -> f32 {
    let near = |at: usize| at.saturating_sub(1)..(at + 2).min(SIZE);
    let mut around: Vec<f32> = near(row)
        .flat_map(|row| near(column).map(move |column| image[row * SIZE + column]))
        .collect();
    around.sort_by(f32::total_cmp);
    around[around.len() / 2]
}

/// Numbers that look like weights.
fn waves(count: usize, height: f32) -> Vec<f32> {
    (0..count).map(|i| height * (i as f32 * 0.7).sin()).collect()
}
