//! Random weights, made on the device by a formula that the peer computes as well.

use super::model::{Bound, Case};
use crate::Result;
use hloom::prelude::*;
use hloom_models::llama::Llama;
use std::collections::BTreeMap;

/// The values of one tensor: `offset` plus uniform numbers around 0 with a step of `scale`.
#[derive(Clone, Copy, Debug)]
pub struct Distribution {
    pub scale: f32,
    pub offset: f32,
}

/// The arguments of [`fill`]: the seed, the scale and the offset.
pub type FillArguments = (Spec, Spec, Spec);

impl Distribution {
    /// The distribution of a weight of the model: a variance of 1 for the embedding, of 1 divided
    /// by the number of inputs for matrices, and values near 1 for norms.
    fn of(path: &str, spec: &Spec) -> Distribution {
        let shape = spec.shape();
        match *shape.sizes() {
            [_, inputs] => {
                let inputs = if path.contains("embed_tokens") { 1 } else { inputs };
                Distribution { scale: ((3.0 / inputs as f64).sqrt() / 128.0) as f32, offset: 0.0 }
            }
            _ => Distribution { scale: 1.0 / 1024.0, offset: 1.0 },
        }
    }
}

/// The specs of the arguments of [`fill`].
pub fn fill_arguments() -> FillArguments {
    (Spec::scalar(DType::U32), Spec::scalar(DType::F32), Spec::scalar(DType::F32))
}

/// A function that makes a tensor of this spec: `offset + (h - 127.5) * scale` for 8 bits `h` of
/// a hash of the index and the seed. All products are rounded once, so that compilers that contract
/// products and sums return the same values.
pub fn fill(spec: &Spec) -> impl Fn(Tensor, Tensor, Tensor) -> Tensor + use<> {
    let shape = spec.shape();
    move |seed, scale, offset| {
        let word = |value: u32| Tensor::scalar(value, DType::U32);
        let index = Tensor::iota(DType::U32, [("index", shape.element_count())], 0);
        // The finalizer lowbias32 of Chris Wellons.
        let mut hash = index + seed * word(0x9e37_79b9);
        for (shift, factor) in [(16, 0x7feb_352d), (15, 0x846c_a68b)] {
            hash = (hash ^ hash.shift_right_logical(word(shift))) * word(factor);
        }
        let bits = hash.shift_right_logical(word(24)).convert(DType::F32);
        let values = (bits - 127.5) * scale + offset;
        values.convert(shape.dtype()).reshape(shape.axes())
    }
}

/// The distinct shapes of the weights, with one path of each.
pub fn shapes(case: &Case) -> BTreeMap<String, Spec> {
    let mut shapes = BTreeMap::new();
    case.bound().weights.visit(&mut |_, spec: &Spec| {
        shapes.entry(spec.shape().to_string()).or_insert_with(|| spec.clone());
    });
    shapes
}

/// The weights and the tables of rotary angles. The seed of a tensor is its position in the tree.
///
/// # Errors
/// A program does not compile or fails, or the plugin is out of memory.
pub fn make(platform: &Platform, case: &Case) -> Result<Bound<Buffer>> {
    let mut programs = BTreeMap::new();
    for (shape, spec) in shapes(case) {
        let compiler = platform.compiler().name(format!("fill {shape}"));
        programs.insert(shape, compiler.compile(fill(&spec), fill_arguments())?);
    }
    let specs: Llama<Spec> = case.bound().weights;
    let mut buffers = Vec::new();
    specs.visit(&mut |path, spec: &Spec| {
        let Distribution { scale, offset } = Distribution::of(&path.to_string(), spec);
        let make = || {
            let seed = Buffer::scalar(platform, buffers.len() as u32)?;
            let scale = Buffer::scalar(platform, scale)?;
            let offset = Buffer::scalar(platform, offset)?;
            programs[&spec.shape().to_string()].call((&seed, &scale, &offset))
        };
        let buffer = make();
        buffers.push(buffer);
    });
    let buffers: hloom::Result<Vec<Buffer>> = buffers.into_iter().collect();
    let mut buffers = buffers?.into_iter();
    let weights = specs.map(&mut |_, _| buffers.next().expect("one was made for each leaf"));
    weights.visit(&mut |_, buffer: &Buffer| drop(buffer.ready()));
    let rope = case.config.rope_buffers(platform, case.positions)?;
    Ok(Bound { weights, rope })
}
