//! Scratch memory of callbacks on the device.

use super::{
    device::{plain, values},
    failures::is_failure,
    programs::{Work, replayed, scaled},
};
use crate::{
    Result,
    attempt::{attempt, ensure, skip},
    cuda_driver::Kernel,
    results::Results,
};
use hloom::{Buffer, Platform, Spec};
use std::sync::Arc;

/// The calls that each would leave their memory if it were not freed.
const CALLS: usize = 50;

pub fn run(
    platform: &Platform,
    kernel: Option<&Arc<Kernel>>,
    count: usize,
    results: &mut Results,
) -> Result {
    let bench = "gpu/callbacks/scratch";
    let Some(kernel) = kernel else {
        skip(bench, "the program has no device memory");
        return Ok(());
    };
    let work = |factor| -> Work {
        let kernel = kernel.clone();
        Arc::new(move |context, x, y| kernel.scale_through_scratch(context, x, y, factor))
    };
    attempt(results, bench, || plain(platform, 2.5, work(2.5), count))?;
    attempt(results, "gpu/callbacks/scratch/freed", || freed(platform, work(2.5), count))?;
    attempt(results, "gpu/callbacks/scratch/replayed", || {
        // The memory would end before its work is replayed.
        let runs = Arc::default();
        let exe = platform.compile(replayed(work, &runs), (Spec::f32([count]),))?;
        let x = Buffer::from_slice(platform, &values(count), [count])?;
        let outcome = exe.call((&x,)).and_then(|y| y.ready());
        is_failure(outcome, &["scratch memory ends with the call"])
    })?;
    Ok(())
}

/// Calls in a row leave no memory in use.
fn freed(platform: &Platform, work: Work, count: usize) -> Result {
    let device = platform.devices().into_iter().next().ok_or("there is no device")?;
    let used = || -> Result<i64> {
        let stats = device.memory_stats()?.ok_or("the plugin keeps no statistics of memory")?;
        Ok(stats.bytes_in_use)
    };
    let exe = platform.compile(scaled(work), (Spec::f32([count]),))?;
    let x = Buffer::from_slice(platform, &values(count), [count])?;
    exe.call((&x,))?.ready()?;
    let before = used()?;
    for _ in 0..CALLS {
        exe.call((&x,))?.ready()?;
    }
    let grown = used()? - before;
    let size = (count * size_of::<f32>()) as i64;
    ensure(grown < 2 * size, || {
        format!("{CALLS} calls with {size} bytes of scratch memory leave {grown} in use")
    })
}
