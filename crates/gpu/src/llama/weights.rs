//! Random weights, made on the device by a formula that the peer computes as well.

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
    /// The distribution of a weight of the model: a variance of 1 for an embedding that is not the
    /// output layer too, of 1 divided by the number of inputs for other matrices, and values near 1
    /// for norms.
    fn of(path: &str, spec: &Spec, tied: bool) -> Distribution {
        let shape = spec.shape();
        match *shape.sizes() {
            [_, inputs] => {
                let inputs = if path.contains("embed_tokens") && !tied { 1 } else { inputs };
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

/// The distinct shapes of weights, with one spec of each.
pub fn shapes(specs: &Llama<Spec>) -> BTreeMap<String, Spec> {
    let mut shapes = BTreeMap::new();
    specs.visit(&mut |_, spec: &Spec| {
        shapes.entry(spec.shape().to_string()).or_insert_with(|| spec.clone());
    });
    shapes
}

/// Weights of these specs. The seed of a tensor is its position in the tree.
///
/// # Errors
/// A program does not compile or fails, or the plugin is out of memory.
pub fn random(platform: &Platform, specs: &Llama<Spec>) -> Result<Llama<Buffer>> {
    let mut programs = BTreeMap::new();
    for (shape, spec) in shapes(specs) {
        let compiler = platform.compiler().name(format!("fill {shape}"));
        programs.insert(shape, compiler.compile(fill(&spec), fill_arguments())?);
    }
    let tied = specs.lm_head.is_none();
    let mut buffers: Vec<hloom::Result<Buffer>> = Vec::new();
    specs.visit(&mut |path, spec: &Spec| {
        let Distribution { scale, offset } = Distribution::of(&path.to_string(), spec, tied);
        let seed = buffers.len() as u32;
        let make = || {
            let seed = Buffer::scalar(platform, seed)?;
            let scale = Buffer::scalar(platform, scale)?;
            let offset = Buffer::scalar(platform, offset)?;
            let buffer = programs[&spec.shape().to_string()].call((&seed, &scale, &offset))?;
            buffer.ready()?;
            Ok(buffer)
        };
        buffers.push(make());
    });
    let buffers: hloom::Result<Vec<Buffer>> = buffers.into_iter().collect();
    let mut buffers = buffers?.into_iter();
    Ok(specs.clone().map(&mut |_, _| buffers.next().expect("one was made for each leaf")))
}
