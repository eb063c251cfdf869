//! The layers of a decoder unrolled in the program, or as one body in a loop over stacked weights:
//! compile time and tokens per second of each.

mod common;
#[path = "common/decoder.rs"]
mod decoder;

use common::{Measurement, interleaved};
use decoder::{Argument, Cache, Layer, Sizes, arguments, decode, rotation};
use hloom::prelude::*;
use std::time::Instant;

const LAYERS: usize = 12;
const SIZES: Sizes = Sizes { hidden: 768, heads: 12, kv_heads: 4, inner: 2048, context: 128 };

fn main() -> hloom::Result<()> {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let platform = Platform::load(plugin)?;
    let x = Spec::f32([("d", SIZES.hidden)]);
    let position = Spec::scalar(DType::I32);
    let (layers, caches) = arguments(SIZES, LAYERS);
    let (layer, cache) = (stacked(layers[0].clone()), stacked(caches[0].clone()));

    let start = Instant::now();
    let unrolled = platform.compile(
        |layers: Vec<Layer>, caches: Vec<Cache>, x: Tensor, position: Tensor| {
            decode(SIZES, layers, x, caches, position)
        },
        (layers.clone(), Donated(caches.clone()), x.clone(), position.clone()),
    )?;
    let unrolled_compile = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let looped = platform
        .compile(decode_in_a_loop, (layer.clone(), Donated(cache.clone()), x.clone(), position))?;
    let looped_compile = start.elapsed().as_secs_f64();

    let unrolled = unrolled.bind(&Buffer::tree(&platform, layers, weights)?)?;
    let looped = looped.bind(&Buffer::tree(&platform, layer, weights)?)?;
    let input = Buffer::from_slice(&platform, &vec![0.5f32; SIZES.hidden], x.shape().axes())?;
    let at = Buffer::scalar(&platform, 3i32)?;
    let mut each = Some(Buffer::zeros_tree(&platform, caches)?);
    let mut all = Some(Buffer::zeros_tree(&platform, cache)?);
    let (unrolled_step, looped_step) = interleaved(
        41,
        || {
            let (y, caches) =
                unrolled.call((each.take().expect("given back"), &input, &at)).expect("it runs");
            y.ready().expect("it runs");
            each = Some(caches);
        },
        || {
            let (y, caches) =
                looped.call((all.take().expect("given back"), &input, &at)).expect("it runs");
            y.ready().expect("it runs");
            all = Some(caches);
        },
    );
    let compile = |name, seconds, reference| {
        Measurement::new(name, seconds, "s").reference(reference).report()
    };
    compile("layers/unrolled/compile", unrolled_compile, Some(looped_compile));
    compile("layers/looped/compile", looped_compile, None);
    let (unrolled, looped) = (1.0 / unrolled_step.as_secs_f64(), 1.0 / looped_step.as_secs_f64());
    Measurement::new("layers/unrolled/decode", unrolled, "tokens/s")
        .reference(looped)
        .target(1.0)
        .higher_is_better()
        .report();
    Measurement::new("layers/looped/decode", looped, "tokens/s").higher_is_better().report();
    Ok(())
}

/// Small numbers that do not grow from layer to layer.
fn weights(_: &hloom::tree::Path<'_>, spec: &Spec) -> Vec<f32> {
    (0..spec.shape().element_count()).map(|i| ((i % 31) as f32 - 15.0) * 1e-3).collect()
}

/// The same tree with a first axis for the layers.
fn stacked<T: Tree<Leaf = Spec, With<Spec> = T>>(layer: T) -> T {
    layer.map(&mut |_, spec| {
        let axes = spec.shape().axes();
        let names = axes.names().iter().copied();
        let all = [(Some(Name::new("layer")), LAYERS)]
            .into_iter()
            .chain(names.zip(axes.sizes().iter().copied()));
        Spec::new(spec.shape().dtype(), hloom::ops::Dims::new(all))
    })
}

fn decode_in_a_loop(layers: Layer, caches: Cache, x: Tensor, position: Tensor) -> (Tensor, Cache) {
    let (cos, sin) = rotation(SIZES, position);
    let given = caches.clone();
    let (x, caches) = for_loop(LAYERS, (x, caches), |i, (x, caches)| {
        let pick = |_: &hloom::tree::Path<'_>, all: Tensor| {
            all.dynamic_slice("layer", i, 1).squeeze("layer")
        };
        let layer = layers.clone().map(&mut { pick });
        let (y, cache) =
            layer.forward(SIZES, x, caches.clone().map(&mut { pick }), position, cos, sin);
        let write = |all: Tensor, one: Tensor| {
            all.dynamic_update_slice(one.insert_axis(0, "layer"), "layer", i)
        };
        let caches = Cache { k: write(caches.k, cache.k), v: write(caches.v, cache.v) };
        (y, caches)
    });
    let caches = Cache { k: caches.k.reuse(given.k), v: caches.v.reuse(given.v) };
    (x, caches)
}

const _: fn(Sizes, usize) -> Argument = arguments;
