//! Products with stored weights: the kernels beside the plugin's own code and the speed at which the machine reads memory.
//!
//! Rows 1 to 8 of the left side are told as the bytes of weights read in a second, beside what all cores read in the same run;
//! 32 and 512 as operations, beside the plugin without kernels.

mod common;
#[path = "common/read_bandwidth.rs"]
mod read_bandwidth;

use common::{Better, interleaved, report};
use hloom::{Kernels, prelude::*};
use read_bandwidth::read_bandwidth;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// The products of a layer and the output layer: their model, outputs and inputs.
const SHAPES: [(&str, usize, usize); 7] = [
    ("S/q_proj", 768, 768),
    ("S/up_proj", 2048, 768),
    ("S/lm_head", 32_000, 768),
    ("M/q_proj", 2048, 2048),
    ("M/up_proj", 5632, 2048),
    ("M/down_proj", 2048, 5632),
    ("M/lm_head", 32_000, 2048),
];

/// Bytes of weights from which on they cannot come from a cache.
const LARGE: usize = 8 << 20;

fn main() -> Result<()> {
    pjrt_plugins::ensure("cpu")?;
    let platform = Platform::cpu()?;
    for dtype in [DType::BF16, DType::F16, DType::F32] {
        for (name, n, k) in SHAPES {
            for rows in [1, 2, 4, 8, 32, 512] {
                measure(&platform, dtype, name, [rows, n, k])?;
            }
        }
    }
    Ok(())
}

fn measure(platform: &Platform, dtype: DType, name: &str, [rows, n, k]: [usize; 3]) -> Result<()> {
    let bytes = n * k * dtype.bits() / 8;
    // So many weights in turn that none is still in a cache when it is used again.
    let copies = ((512 << 20) / bytes).clamp(1, 64);
    let x = Buffer::zeros(platform, Spec::new(dtype, [("row", rows), ("in", k)]).shape())?;
    let weight = Spec::new(dtype, [("out", n), ("in", k)]);
    let weights = (0..copies)
        .map(|_| Buffer::zeros(platform, weight.shape()))
        .collect::<hloom::Result<Vec<_>>>()?;
    let product = |x: Tensor, w: Tensor| x.dot(w, "in");
    let compile = |kernels| {
        let arguments = (Spec::new(dtype, [("row", rows), ("in", k)]), weight.clone());
        platform.compiler().kernels(kernels).compile(product, arguments)
    };
    let (with, without) = (compile(Kernels::default())?, compile(Kernels::off())?);
    let run = |exe: &Exe<(Spec, Spec), Tensor>, turn: &mut usize| {
        *turn += 1;
        let y = exe.call((&x, &weights[*turn % copies])).and_then(|y| y.ready());
        y.expect("the product runs");
    };
    let samples = if rows > 8 { 5 } else { 21 };
    let (mut a, mut b) = (0, copies / 2);
    let (ours, plain) = interleaved(samples, || run(&with, &mut a), || run(&without, &mut b));
    let (ours, plain) = (ours.as_secs_f64(), plain.as_secs_f64());
    let bench = format!("kernels/{dtype}/{name}/{rows}");
    if rows <= 8 {
        let target = (rows <= 4 && bytes > LARGE && !with.kernels().is_empty()).then_some(0.9);
        let rate = bytes as f64 / 1e9;
        report(
            &bench,
            rate / ours,
            "GB/s",
            Some(read_bandwidth()),
            target,
            Better::Higher,
        );
        report(
            &format!("{bench}/plugin"),
            rate / plain,
            "GB/s",
            None,
            None,
            Better::Higher,
        );
    } else {
        let rate = 2.0 * (rows * n * k) as f64 / 1e9;
        report(
            &bench,
            rate / ours,
            "GFLOP/s",
            Some(rate / plain),
            Some(1.0),
            Better::Higher,
        );
    }
    Ok(())
}
