//! The overhead of a callback in a program: with two arguments of 1 KiB, and with two of 64 MiB,
//! which are not copied.
//!
//! The programs with and without it alternate in one process.

mod common;
#[path = "common/raw_handler.rs"]
mod raw_handler;

use common::Measurement;
use hloom::{
    ops::{Effect, custom_call},
    prelude::*,
};
use hloom_pjrt::extension::ffi::HandlerTraits;
use std::time::Instant;

const ROUNDS: usize = 41;
const WARM_UP: usize = 5;
const CALLS: usize = 2_000;

fn main() -> hloom::Result<()> {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let platform = Platform::load(plugin)?;
    // SAFETY: a handler of this type in this program, which only the programs below call.
    let registered = unsafe {
        let plugin = platform.client().plugin();
        plugin.register_ffi_target(
            "bench.pick",
            "Host",
            raw_handler::pick(),
            HandlerTraits::default(),
        )
    };
    registered.expect("a new name");
    let small = |n: usize| {
        let spec = Spec::f32([n]);
        (spec.clone(), spec)
    };
    let plain = platform.compile(|x: Tensor, y: Tensor| x + y, small(256))?;
    let called = platform.compile(|x: Tensor, y: Tensor| x + picked(x, y), small(256))?;
    let x = Buffer::from_slice(&platform, &[1f32; 256], [256])?;
    let y = Buffer::from_slice(&platform, &[2f32; 256], [256])?;
    assert_eq!(called.call((&x, &y))?.to_vec::<f32>()?, [3.0; 256]);
    let raw = platform.compile(|x: Tensor, y: Tensor| x + picked_raw(x, y), small(256))?;
    assert_eq!(raw.call((&x, &y))?.to_vec::<f32>()?, [3.0; 256]);
    let [without, with, raw] = alternating([
        &mut || plain.call((&x, &y)).map(drop),
        &mut || called.call((&x, &y)).map(drop),
        &mut || raw.call((&x, &y)).map(drop),
    ])?;
    Measurement::new("a handler that the plugin calls directly adds", raw - without, "us").report();
    Measurement::new("a callback on two arguments of 1 KiB adds", with - without, "us")
        .target(1.5)
        .report();
    Measurement::new("the program without it", without, "us").report();

    let elements = (64 << 20) / size_of::<f32>();
    let first = |x: Tensor, y: Tensor| picked_first(x, y);
    let (narrow, wide) =
        (platform.compile(first, small(256))?, platform.compile(first, small(elements))?);
    let large = Buffer::from_slice(&platform, &vec![3f32; elements], [elements])?;
    assert_eq!(wide.call((&large, &large))?.item::<f32>()?, 6.0);
    let [narrow, wide] = alternating([&mut || narrow.call((&x, &y)).map(drop), &mut || {
        wide.call((&large, &large)).map(drop)
    }])?;
    Measurement::new("a callback on two arguments of 64 MiB beside 1 KiB", wide, "us")
        .reference(narrow)
        .target(2.0)
        .report();
    Ok(())
}

/// Returns the second operand, copied by a callback.
fn picked(x: Tensor, y: Tensor) -> Tensor {
    callback("pick", (x, y), Spec::of(x.shape()), |_, (x, y), mut out| {
        let (_, y) = (x.as_slice::<f32>()?, y.as_slice::<f32>()?);
        out.as_slice_mut::<f32>()?.copy_from_slice(y);
        Ok(())
    })
}

/// The same with a handler that bypasses the crates.
fn picked_raw(x: Tensor, y: Tensor) -> Tensor {
    custom_call("bench.pick", (x, y), Spec::of(x.shape())).effect(Effect::Unordered).call()
}

/// The sum of the first elements, read by a callback.
fn picked_first(x: Tensor, y: Tensor) -> Tensor {
    callback("first", (x, y), Spec::scalar(DType::F32), |_, (x, y), mut out| {
        out.as_slice_mut::<f32>()?[0] = x.as_slice::<f32>()?[0] + y.as_slice::<f32>()?[0];
        Ok(())
    })
}

/// The median times of calls in microseconds.
fn alternating<const N: usize>(
    calls: [&mut dyn FnMut() -> hloom::Result<()>; N],
) -> hloom::Result<[f64; N]> {
    let mut times: [Vec<f64>; N] = [const { Vec::new() }; N];
    for round in 0..ROUNDS + WARM_UP {
        for turn in 0..N {
            let which = (round + turn) % N;
            let start = Instant::now();
            for _ in 0..CALLS {
                calls[which]()?;
            }
            if round >= WARM_UP {
                times[which].push(start.elapsed().as_secs_f64() * 1e6 / CALLS as f64);
            }
        }
    }
    Ok(times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }))
}
