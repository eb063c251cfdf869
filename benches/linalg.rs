//! Linear algebra of one 512 x 512 matrix of `f32`, with the same functions under `jax.jit` in the
//! same run with `HLOOM_BENCH_JAX=1`, by a `python3` that has JAX (or `HLOOM_PYTHON`).
//!
//! ```sh
//! HLOOM_BENCH_JAX=1 cargo bench --bench linalg
//! ```

mod common;
#[path = "common/jax.rs"]
mod jax;

use common::{Measurement, median};
use hloom::prelude::*;
use jax::Jax;

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
    let mut jax = Jax::asked_for("linalg_jax.py");
    for (name, function) in FUNCTIONS {
        let exe = platform.compile(function, (Spec::of(shape),))?;
        let run = || exe.call((&matrix,)).and_then(|y| y.ready()).expect("it runs");
        let before = median(9, run).as_secs_f64();
        let beside = jax.as_mut().map(|jax| jax.measure::<1>(name)[0]);
        // JAX ran between the two measurements.
        let ours = before.min(median(9, run).as_secs_f64());
        Measurement::new(&format!("linalg/{name}"), ours * 1e3, "ms").reference(beside).report();
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
