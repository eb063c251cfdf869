//! Linear algebra of one 512 x 512 matrix of `f32`, with the same functions under `jax.jit` in the
//! same run with `HLOOM_BENCH_JAX=1`, by a `python3` that has JAX (or `HLOOM_PYTHON`).
//!
//! ```sh
//! HLOOM_BENCH_JAX=1 cargo bench --bench linalg
//! ```

mod common;

use common::{Better, median, report};
use hloom::prelude::*;
use std::{env, process::Command};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const SIZE: usize = 512;

/// A function of a positive definite matrix.
type Function = fn(Tensor) -> Tensor;

const FUNCTIONS: [(&str, Function); 7] = [
    ("cholesky", |a| a.cholesky()),
    ("solve", |a| a.solve(a.slice(-1, ..64))),
    ("triangular_solve", |a| a.solve_triangular(a, true)),
    ("qr", |a| a.qr().0),
    ("svd", |a| a.svd().0),
    ("eigh", |a| a.eigh().1),
    ("fft", |a| a.fft(-1).real()),
];

fn main() -> Result<()> {
    pjrt_plugins::ensure("cpu")?;
    let platform = Platform::cpu()?;
    let matrix = positive();
    let shape = Shape::new(DType::F32, [SIZE, SIZE])?;
    let bytes: Vec<u8> = matrix.iter().flat_map(|x| x.to_le_bytes()).collect();
    let matrix = Buffer::from_bytes(&platform, shape, &bytes)?;
    for (name, function) in FUNCTIONS {
        let exe = platform.compile(function, (Spec::of(shape),))?;
        let run = || exe.call((&matrix,)).and_then(|y| y.ready()).expect("it runs");
        let before = median(9, run).as_secs_f64();
        let jax = jax_seconds(name);
        // JAX ran between both.
        let ours = before.min(median(9, run).as_secs_f64());
        let ratio = jax.map(|jax| ours / jax);
        report(&format!("linalg/{name}"), ours * 1e3, "ms", ratio, None, Better::Lower);
    }
    Ok(())
}

/// A symmetric matrix with a large diagonal.
fn positive() -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut all = vec![0.0; SIZE * SIZE];
    for row in 0..SIZE {
        for column in 0..=row {
            let value = random.f32() - 0.5;
            all[row * SIZE + column] = value;
            all[column * SIZE + row] = value;
        }
        all[row * SIZE + row] += SIZE as f32;
    }
    all
}

/// Seconds of JAX for a function, if requested.
fn jax_seconds(name: &str) -> Option<f64> {
    env::var_os("HLOOM_BENCH_JAX")?;
    let python = env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/linalg_jax.py");
    let output = Command::new(python).args([script, name]).output().expect("python3 runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let milliseconds: f64 = text
        .trim()
        .parse()
        .unwrap_or_else(|_| panic!("no time: {}", String::from_utf8_lossy(&output.stderr)));
    Some(milliseconds / 1e3)
}
