//! The ops that are used most, each as a program of its own, with the same functions under
//! `jax.jit` in the same run with `HLOOM_BENCH_JAX=1`, by a `python3` that has JAX (or
//! `HLOOM_PYTHON`).
//!
//! ```sh
//! HLOOM_BENCH_JAX=1 cargo bench --bench ops               # all
//! HLOOM_BENCH_JAX=1 cargo bench --bench ops -- dot sort   # some
//! ```

mod common;
#[path = "common/jax.rs"]
mod jax;

use common::{Measurement, median};
use hloom::{
    nn::LayerNorm,
    ops::{ConvOptions, PoolOptions, concatenate},
    prelude::*,
};
use jax::Jax;
use std::env;

const SIZE: usize = 1024;

/// The arguments of every op, with the values that the script has.
#[derive(Tree, Clone)]
struct Arguments<T = Tensor> {
    /// `f32[row=1024, column=1024]`
    x: T,
    /// `f32[row=1024, column=1024]`
    y: T,
    /// `f32[column=1024]`
    v: T,
    /// `f32[batch=8, seq=128, in=64]`
    heads: T,
    /// `f32[batch=4, channel=16, h=64, w=64]`
    image: T,
    /// `f32[out=32, channel=16, h=3, w=3]`
    kernel: T,
    /// `i32[n=512]`, below 1024
    at: T,
}

type Op = fn(&Arguments) -> Tensor;

const OPS: [(&str, Op); 30] = [
    ("add", |a| a.x + a.y),
    ("broadcast_add", |a| a.x + a.v),
    ("mul_add", |a| a.x * a.y + a.v),
    ("exp", |a| a.x.exp()),
    ("tanh", |a| a.x.tanh()),
    ("sigmoid", |a| a.x.sigmoid()),
    ("gelu", |a| a.x.gelu()),
    ("rsqrt", |a| a.x.abs().rsqrt()),
    ("select", |a| a.x.gt(0).select(a.x, a.y)),
    ("clamp", |a| a.x.clamp(-0.5, 0.5)),
    ("convert", |a| a.x.convert(DType::BF16)),
    ("transpose", |a| a.x.transpose(["column", "row"])),
    ("concatenate", |a| concatenate(&[a.x, a.y], "row")),
    ("slice", |a| a.x.slice("column", 256..768)),
    ("pad", |a| a.x.pad("column", 3, 5, 0)),
    ("sum", |a| a.x.sum("column")),
    ("max", |a| a.x.max("row")),
    ("argmax", |a| a.x.argmax("column")),
    ("var", |a| a.x.var("column")),
    ("softmax", |a| a.x.softmax("column")),
    ("layer_norm", |a| {
        let norm = LayerNorm { weight: a.v, bias: Some(a.v), epsilon: 1e-5 };
        norm.forward(a.x.rename("column", "in")).rename("in", "column")
    }),
    ("cumsum", |a| a.x.cumsum("column")),
    ("sort", |a| a.x.sort("column", false)),
    ("top_k", |a| a.x.top_k(8, "column").0),
    ("take", |a| a.x.take(a.at, "row")),
    ("index_add", |a| a.x.index_add(a.at, a.y.slice("row", ..512).rename("row", "n"), "row")),
    ("dot", |a| a.x.dot(a.y.rename("row", "other"), "column")),
    ("batched_dot", |a| a.heads.dot(a.heads.rename("seq", "other"), "in")),
    ("conv2d", |a| a.image.conv2d(a.kernel, ConvOptions::new().padding(1))),
    ("max_pool", |a| a.image.max_pool(["h", "w"], PoolOptions::new(3).strides(2).padding(1))),
];

/// Numbers between -1 and 1, or row numbers.
fn buffer(platform: &Platform, spec: &Spec) -> hloom::Result<Buffer> {
    let count = spec.shape().element_count();
    if spec.shape().dtype() == DType::I32 {
        let rows: Vec<i32> = (0..count as i32).map(|i| i * 37 % SIZE as i32).collect();
        return Buffer::from_slice(platform, &rows, spec);
    }
    let mut random = fastrand::Rng::with_seed(count as u64);
    let values: Vec<f32> = (0..count).map(|_| random.f32() * 2.0 - 1.0).collect();
    Buffer::from_slice(platform, &values, spec)
}

fn main() -> hloom::Result<()> {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let platform = Platform::load(plugin)?;
    let square = || Spec::f32([("row", SIZE), ("column", SIZE)]);
    let specs = Arguments {
        x: square(),
        y: square(),
        v: Spec::f32([("column", SIZE)]),
        heads: Spec::f32([("batch", 8), ("seq", 128), ("in", 64)]),
        image: Spec::f32([("batch", 4), ("channel", 16), ("h", 64), ("w", 64)]),
        kernel: Spec::f32([("out", 32), ("channel", 16), ("h", 3), ("w", 3)]),
        at: Spec::i32([("n", 512)]),
    };
    let arguments =
        specs.clone().map(&mut |_, spec: Spec| buffer(&platform, &spec).expect("memory suffices"));
    let mut jax = Jax::asked_for("ops_jax.py");
    let asked: Vec<String> = env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    for (name, op) in OPS {
        if !asked.is_empty() && !asked.iter().any(|asked| asked == name) {
            continue;
        }
        let exe = platform.compile(op, (specs.clone(),))?;
        let run = || {
            let result = exe.call((&arguments,)).expect("it runs");
            result.ready().expect("it runs");
        };
        let before = median(15, run);
        let beside = jax.as_mut().map(|jax| jax.measure::<1>(name)[0]);
        // JAX ran between the two measurements.
        let milliseconds = before.min(median(15, run)).as_secs_f64() * 1e3;
        Measurement::new(&format!("ops/{name}"), milliseconds, "ms")
            .reference(beside)
            .target(1.1)
            .report();
    }
    Ok(())
}
