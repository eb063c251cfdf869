//! Lazy tensors: the cost of recording an op, and a loop of a network compared with the traced
//! program and PyTorch's eager mode.
//!
//! The network has 12 layers of `tanh(x · w + b)` and a batch of 64; each step is realized. With
//! `HLOOM_BENCH_TORCH=1`, and a `python3` that has PyTorch (or `HLOOM_PYTHON`), PyTorch runs the
//! same loop. `HLOOM_BENCH_STEPS` is the number of steps, 10,000 by default.

#[path = "../../../benches/common/mod.rs"]
mod common;

use common::{Measurement, interleaved, median};
use hloom_graph::{DType, Spec, Tensor};
use hloom_lazy::{Lazy, Limits, limits, set_limits};
use hloom_runtime::{Buffer, Platform, Result};
use std::{process::Command, time::Duration};

const LAYERS: usize = 12;
const BATCH: usize = 64;
/// Steps in one sample.
const TOGETHER: usize = 50;

fn main() -> Result<()> {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let platform = Platform::load(plugin)?;
    record(&platform);
    let steps = std::env::var("HLOOM_BENCH_STEPS").ok().and_then(|steps| steps.parse().ok());
    for size in [256, 512] {
        network(&platform, size, steps.unwrap_or(10_000))?;
    }
    Ok(())
}

/// Records ops that are never computed.
fn record(platform: &Platform) {
    const OPS: usize = 20_000;
    let usual = limits(platform);
    set_limits(platform, Limits { nodes: usize::MAX, bytes: usize::MAX });
    let zeros = || Lazy::zeros(platform, DType::F32, [("batch", 64), ("in", 256)]);
    let (start, other) = (zeros(), zeros());
    let each = |time: Duration| time.as_secs_f64() * 1e9 / OPS as f64;
    let target = Some(300.0);
    let unary = median(15, || drop((0..OPS).fold(start.clone(), |x, _| x.tanh())));
    Measurement::new("lazy: record x.tanh()", each(unary), "ns").target(target).report();
    let binary = median(15, || drop((0..OPS).fold(start.clone(), |x, _| &x + &other)));
    Measurement::new("lazy: record x + y", each(binary), "ns").target(target).report();
    let number = median(15, || drop((0..OPS).fold(start.clone(), |x, _| &x * 0.5)));
    Measurement::new("lazy: record x * 0.5", each(number), "ns").target(target).report();
    set_limits(platform, usual);
}

fn layer(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor {
    (x.matmul(weight) + bias).tanh()
}

fn network(platform: &Platform, size: usize, steps: usize) -> Result<()> {
    let values = |count: usize, scale: f32| -> Vec<f32> {
        (0..count).map(|i| ((i * 7919 % 1000) as f32 / 500.0 - 1.0) * scale).collect()
    };
    let weight = values(size * size, 1.0 / (size as f32).sqrt());
    let bias = values(size, 0.1);
    let input = values(BATCH * size, 1.0);
    let specs = (Spec::f32([size, size]), Spec::f32([size]));
    let exe = platform.compile(
        |layers: Vec<(Tensor, Tensor)>, x: Tensor| {
            layers.into_iter().fold(x, |x, (weight, bias)| layer(x, weight, bias))
        },
        (vec![specs; LAYERS], Spec::f32([BATCH, size])),
    )?;
    let buffers = || -> Result<(Buffer, Buffer)> {
        let weight = Buffer::from_slice(platform, &weight, [size, size])?;
        Ok((weight, Buffer::from_slice(platform, &bias, [size])?))
    };
    let bound: Vec<(Buffer, Buffer)> = (0..LAYERS).map(|_| buffers()).collect::<Result<_>>()?;
    let exe = exe.bind(&bound)?;
    let lazy = |(weight, bias): (Buffer, Buffer)| {
        (Lazy::from_buffer(platform, weight), Lazy::from_buffer(platform, bias))
    };
    let layers: Vec<(Lazy, Lazy)> =
        (0..LAYERS).map(|_| buffers().map(lazy)).collect::<Result<_>>()?;

    let mut traced = Buffer::from_slice(platform, &input, [BATCH, size])?;
    let mut eager = Lazy::from_slice(platform, &input, [BATCH, size])?;
    let samples = (steps / TOGETHER).max(1);
    let (eager_time, traced_time) = interleaved(
        samples,
        || {
            for _ in 0..TOGETHER {
                for (weight, bias) in &layers {
                    eager = (eager.matmul(weight) + bias).tanh();
                }
                eager.realize().expect("the network runs");
            }
            let buffer = eager.realize().expect("the network runs");
            buffer.ready().expect("the network ran");
        },
        || {
            for _ in 0..TOGETHER {
                traced = exe.call((&traced,)).expect("the network runs");
            }
            traced.ready().expect("the network ran");
        },
    );
    assert_eq!(eager.to_vec::<f32>()?, traced.to_vec::<f32>()?, "the loops differ");
    let each = |time: Duration| time.as_secs_f64() * 1e6 / TOGETHER as f64;
    let (eager, traced) = (each(eager_time), each(traced_time));
    let name = format!("lazy: a step of {LAYERS} layers of {size} x {size}");
    Measurement::new(&name, eager, "us").reference(traced).target(1.3).report();
    if std::env::var_os("HLOOM_BENCH_TORCH").is_some() {
        match torch_microseconds(size, steps) {
            Ok(torch) => {
                let name = format!("{name} beside PyTorch");
                Measurement::new(&name, eager, "us").reference(torch).report();
            }
            Err(error) => eprintln!("PyTorch was not measured: {error}"),
        }
    }
    Ok(())
}

/// Microseconds of PyTorch's step.
fn torch_microseconds(size: usize, steps: usize) -> std::result::Result<f64, String> {
    let python = std::env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/lazy_torch.py");
    let numbers = [LAYERS, BATCH, size, steps, TOGETHER].map(|number| number.to_string());
    let output = Command::new(&python).arg(script).args(numbers).output();
    let output = output.map_err(|error| format!("{python}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let message = || format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    text.trim().parse().map_err(|_| message())
}
