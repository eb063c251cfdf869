//! Callbacks on the device's memory that launch a kernel on the program's stream.

use super::{
    nvcc,
    programs::{
        FACTORS, Work, deferred, host_scale, host_scale_in_place, in_place, replayed, scaled,
    },
    scratch,
};
use crate::{
    Result, Settings,
    attempt::{attempt, ensure, skip},
    cuda_driver::Kernel,
    results::{Measurement, Results},
};
use hloom::{Buffer, Donated, Platform, Spec};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The calls of the program whose callbacks may be replayed.
const CALLS: usize = 10;

pub fn run(settings: &Settings, platform: &Platform, results: &mut Results) -> Result {
    let count = settings.size(1 << 20, 1 << 10);
    let kernel = if platform.name() == "cpu" {
        skip("gpu/callbacks/kernel", "the program has no stream");
        None
    } else {
        let found = kernel(settings, platform, count, results)?;
        let Some(kernel) = found else { return Ok(()) };
        Some(kernel)
    };
    let scale = |factor| match &kernel {
        Some(kernel) => by_kernel(kernel, factor),
        None => host_scale(factor),
    };
    attempt(results, "gpu/callbacks/stream", || plain(platform, 2.5, scale(2.5), count))?;
    scratch::run(platform, kernel.as_ref(), count, results)?;
    let bench = "gpu/callbacks/command_buffer";
    if let Some(runs) = attempt(results, bench, || command_buffer(platform, scale, count))? {
        results.measure(&Measurement {
            bench: "gpu/callbacks/command_buffer/runs",
            value: runs as f64,
            unit: "runs of a callback in all calls",
            reference: Some((3 * CALLS * FACTORS.len()) as f64),
            target: None,
        })?;
    }
    let work: Work = match kernel.clone() {
        Some(kernel) => Arc::new(move |context, x, y| kernel.scale_in_place(context, x, y, 3.0)),
        None => host_scale_in_place(3.0),
    };
    attempt(results, "gpu/callbacks/alias", || alias(platform, work, count))?;
    attempt(results, "gpu/callbacks/deferred", || completed_later(platform, scale(2.0), count))?;
    Ok(())
}

fn by_kernel(kernel: &Arc<Kernel>, factor: f32) -> Work {
    let kernel = kernel.clone();
    Arc::new(move |context, x, y| kernel.scale(context, x, y, factor))
}

/// The kernel of `nvcc` if it works, or else the one of text; `None` without a driver.
fn kernel(
    settings: &Settings,
    platform: &Platform,
    count: usize,
    results: &mut Results,
) -> Result<Option<Arc<Kernel>>> {
    let opened = attempt(results, "gpu/callbacks/kernel/driver", || Ok(Arc::new(Kernel::ptx()?)))?;
    let Some(ptx) = opened else { return Ok(None) };
    attempt(results, "gpu/callbacks/kernel/ptx", || {
        plain(platform, 0.5, by_kernel(&ptx, 0.5), count)
    })?;
    let bench = "gpu/callbacks/kernel/nvcc";
    let file = match nvcc::cubin(&settings.bundle) {
        Ok(file) => file,
        Err(why) => {
            skip(bench, &why);
            return Ok(Some(ptx));
        }
    };
    let compiled = attempt(results, bench, || {
        let cubin = Arc::new(Kernel::cubin(&file)?);
        plain(platform, 2.5, by_kernel(&cubin, 2.5), count)?;
        Ok(cubin)
    })?;
    Ok(Some(compiled.unwrap_or(ptx)))
}

/// The argument of a program.
pub fn values(count: usize) -> Vec<f32> {
    (0..count).map(|at| (at % 1021) as f32 - 300.0).collect()
}

fn compare(found: &[f32], expected: impl Fn(f32) -> f32, of: &[f32]) -> Result {
    ensure(found.len() == of.len(), || format!("{} elements, not {}", found.len(), of.len()))?;
    let wrong = (0..of.len()).find(|&at| found[at] != expected(of[at]));
    wrong.map_or(Ok(()), |at| {
        Err(format!("element {at}: {} expected, {} found", expected(of[at]), found[at]).into())
    })
}

/// The callback's work is in order with the ops before and after it, also in calls in a row.
pub fn plain(platform: &Platform, factor: f32, work: Work, count: usize) -> Result {
    let exe = platform.compile(scaled(work), (Spec::f32([count]),))?;
    let first = values(count);
    let x = Buffer::from_slice(platform, &first, [count])?;
    let y = exe.call((&x,))?;
    let z = exe.call((&y,))?;
    let (y, z) = (y.to_vec::<f32>()?, z.to_vec::<f32>()?);
    let expected = |x: f32| factor * (x + 1.0) - 1.0;
    compare(&y, expected, &first)?;
    compare(&z, expected, &y)
}

/// Calls with the same and with other buffers; the number of times that the callbacks ran.
fn command_buffer(platform: &Platform, scale: impl Fn(f32) -> Work, count: usize) -> Result<usize> {
    let runs = Arc::new(AtomicUsize::new(0));
    let exe = platform.compile(replayed(scale, &runs), (Spec::f32([count]),))?;
    let factor: f32 = FACTORS.iter().product();
    let first = values(count);
    let x = Buffer::from_slice(platform, &first, [count])?;
    for call in 0..CALLS {
        let found = exe.call((&x,))?.to_vec::<f32>()?;
        compare(&found, |x| x * factor, &first).map_err(|error| format!("call {call}: {error}"))?;
    }
    for call in 0..CALLS {
        let shifted: Vec<f32> = first.iter().map(|x| x + call as f32).collect();
        let x = Buffer::from_slice(platform, &shifted, [count])?;
        // Results that live at the same time are in different memory.
        let found = [exe.call((&x,))?, exe.call((&x,))?];
        for found in found {
            let checked = compare(&found.to_vec::<f32>()?, |x| x * factor, &shifted);
            checked.map_err(|error| format!("call {call} with another buffer: {error}"))?;
        }
    }
    Ok(runs.load(Ordering::Relaxed))
}

/// A donated argument that a callback changes in place is the result.
fn alias(platform: &Platform, work: Work, count: usize) -> Result {
    let exe = platform.compile(in_place(work), (Donated(Spec::f32([count])),))?;
    let first = values(count);
    let x = Buffer::from_slice(platform, &first, [count])?;
    x.ready()?;
    let before = x.as_pjrt().unsafe_pointer()?;
    let y = exe.call((x,))?;
    compare(&y.to_vec::<f32>()?, |x| 3.0 * x, &first)?;
    let after = y.as_pjrt().unsafe_pointer()?;
    ensure(before == after, || format!("the argument is at {before:#x}, the result at {after:#x}"))
}

fn completed_later(platform: &Platform, work: Work, count: usize) -> Result {
    let exe = platform.compile(deferred(work), (Spec::f32([count]),))?;
    let first = values(count);
    let x = Buffer::from_slice(platform, &first, [count])?;
    for _ in 0..3 {
        compare(&exe.call((&x,))?.to_vec::<f32>()?, |x| 2.0 * x + 1.0, &first)?;
    }
    Ok(())
}
