//! Gradients in `bf16` and `f16`, against those in `f32` of the same numbers.

use super::numbers;
use crate::platforms::cpu;
use hloom::{
    grad,
    ops::{PerAxis, Reduction, WindowDims, concatenate},
    prelude::*,
};

type Function = fn(Tensor, Tensor) -> Tensor;

/// Functions of two matrices, by name.
const FUNCTIONS: &[(&str, Function)] = &[
    ("add", |x, y| x + y),
    ("sub", |x, y| x - y),
    ("mul", |x, y| x * y),
    ("div", |x, y| x / (y * y + 1)),
    ("pow", |x, y| (x * x + 1).pow(y)),
    ("atan2", |x, y| x.atan2(y * y + 1)),
    ("maximum", |x, y| x.maximum(y)),
    ("minimum", |x, y| x.minimum(y)),
    ("select", |x, y| x.gt(y).select(x * x, y)),
    ("clamp", |x, y| x.clamp(-0.5, 0.5) * y),
    ("abs", |x, y| x.abs() * y),
    ("exp", |x, y| x.exp() * y),
    ("log", |x, y| (x * x + 1).log() * y),
    ("log1p", |x, y| (x * x).log1p() * y),
    ("sqrt", |x, y| (x * x + 1).sqrt() * y),
    ("rsqrt", |x, y| (x * x + 1).rsqrt() * y),
    ("cbrt", |x, y| (x * x + 1).cbrt() * y),
    ("sin", |x, y| x.sin() * y),
    ("cos", |x, y| x.cos() * y),
    ("tan", |x, y| x.tan() * y),
    ("tanh", |x, y| x.tanh() * y),
    ("sigmoid", |x, y| x.sigmoid() * y),
    ("erf", |x, y| x.erf() * y),
    ("gelu", |x, y| x.gelu() * y),
    ("silu", |x, y| x.silu() * y),
    ("convert", |x, y| x.convert(DType::F32).sin().convert(y.dtype()) * y),
    ("broadcast", |x, y| x * y.slice(0, 0..1)),
    ("transpose", |x, y| x.swap_axes(0, 1) * y),
    ("reverse", |x, y| x.reverse(0) * y),
    ("pad", |x, y| x.pad(0, 1, -1, 0.5) * y),
    ("concatenate", |x, y| concatenate(&[x, y], 0).slice(0, 2..6) * y),
    ("sum", |x, y| x.sum(0) * y),
    ("mean", |x, y| x.mean(1).insert_axis(1, "_") * y),
    ("max", |x, y| x.max(0) * y),
    ("min", |x, y| x.min(1).insert_axis(1, "_") * y),
    ("prod", |x, y| (x + 1).prod(0) * y),
    ("cumsum", |x, y| x.cumsum(0) * y),
    ("softmax", |x, y| x.softmax(1) * y),
    ("log_sum_exp", |x, y| x.log_sum_exp(0) * y),
    ("sort", |x, y| x.sort(0, false) * y),
    ("matmul", |x, y| x.matmul(y)),
    ("dynamic_slice", |x, y| x.dynamic_slice(0, 1, 2).sum(0) * y),
    ("take", |x, y| x.take(Tensor::constant(&[3i32, 0, 3, 1], [4]), 0) * y),
    ("index_add", |x, y| x.index_add(Tensor::constant(&[1i32, 1, 0, 2], [4]), y, 0)),
    ("window", |x, y| x.reduce_window(Reduction::Max, pool()) * y.slice(0, 0..1).slice(1, 0..1)),
    ("for_loop", |x, y| for_loop(2, x, |_, c| (c * y).tanh())),
    ("scan", |x, y| scan(x.index(0, 0), y, 0, |c, y| ((c * y).tanh(), c + y)).1),
];

fn pool() -> WindowDims {
    WindowDims::new(PerAxis::collect([2, 2]))
}

/// The gradients of every function, as `f32`. The numbers are those of `dtype` in both types.
fn gradients(dtype: DType, compute: DType) -> Vec<Vec<f32>> {
    let function = |xs: Vec<Tensor>| {
        let xs: Vec<Tensor> = xs.iter().map(|x| x.convert(dtype).convert(compute)).collect();
        let each = FUNCTIONS.iter().flat_map(|(name, f)| {
            let of = grad(xs[..2].to_vec(), |own| (f(own[0], own[1]) * 0.5).sum(..));
            assert!(of.iter().all(|x| x.dtype() == compute), "{name} changes the type");
            of
        });
        each.map(|x| x.convert(DType::F32)).collect::<Vec<Tensor>>()
    };
    let specs = vec![Spec::f32([4, 4]); 2];
    let exe = cpu().compile(function, (specs,)).expect("the gradients compile");
    let input = |seed| {
        let numbers: Vec<f32> = numbers(seed, 16).into_iter().map(|x| x as f32).collect();
        Buffer::from_slice(cpu(), &numbers, [4, 4]).expect("there is memory")
    };
    let results: Vec<Buffer> = exe.call((&vec![input(0), input(1)],)).expect("it runs");
    results.iter().map(|x| x.to_vec().expect("the result has f32")).collect()
}

/// Every rule is composed of few ops: the error is some units in the last place of the largest
/// element.
fn check(dtype: DType, unit: f32) {
    let (found, expected) = (gradients(dtype, dtype), gradients(dtype, DType::F32));
    let mut wrong = Vec::new();
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let largest = expected.iter().fold(0.25f32, |size, x| size.max(x.abs()));
        let error = found.iter().zip(expected).fold(0f32, |e, (a, b)| e.max((a - b).abs()));
        if error.is_nan() || error > 8.0 * unit * largest {
            wrong.push(format!(
                "{} input {}: {}",
                FUNCTIONS[i / 2].0,
                i % 2,
                error / largest / unit
            ));
        }
    }
    assert!(wrong.is_empty(), "units of {dtype}:\n{}", wrong.join("\n"));
}

#[test]
fn gradients_in_bf16_are_near_those_in_f32() {
    check(DType::BF16, 1.0 / 256.0);
}

#[test]
fn gradients_in_f16_are_near_those_in_f32() {
    check(DType::F16, 1.0 / 2048.0);
}
