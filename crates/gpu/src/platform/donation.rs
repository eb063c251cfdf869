//! Donated arguments whose memory becomes the result's.

use super::memory::{first, stats};
use crate::{
    Result, Settings,
    attempt::{attempt, ensure, skip},
    results::Results,
};
use hloom::{Buffer, Donated, Exe, Platform, Spec, Tensor};

/// The number of calls in a row.
const CALLS: usize = 100;

type Step = Exe<(Donated<Spec>,), Tensor>;

pub fn run(settings: &Settings, platform: &Platform, results: &mut Results) -> Result {
    let count = settings.size(1 << 28, 1 << 18);
    let compiled = attempt(results, "gpu/platform/donation/compile", || {
        Ok(platform.compile(|x: Tensor| x + 1.0, (Donated(Spec::f32([count])),))?)
    })?;
    let Some(exe) = compiled else { return Ok(()) };
    attempt(results, "gpu/platform/donation/pointer", || pointer(platform, &exe, count))?;
    let bench = "gpu/platform/donation/memory";
    if first(platform)?.memory_stats()?.is_none() && platform.name() == "cpu" {
        skip(bench, "the plugin keeps no statistics");
        return Ok(());
    }
    attempt(results, bench, || memory(platform, &exe, count))?;
    Ok(())
}

/// The result is at the address of the argument.
fn pointer(platform: &Platform, exe: &Step, count: usize) -> Result {
    let x = Buffer::zeros(platform, Spec::f32([count]))?;
    x.ready()?;
    let before = x.as_pjrt().unsafe_pointer()?;
    let y = exe.call((x,))?;
    y.ready()?;
    let after = y.as_pjrt().unsafe_pointer()?;
    ensure(before == after, || format!("the argument is at {before:#x}, the result at {after:#x}"))
}

/// Many calls in a row, of which none is waited for, need the memory of one buffer.
fn memory(platform: &Platform, exe: &Step, count: usize) -> Result {
    let device = first(platform)?;
    let size = (count * size_of::<f32>()) as i64;
    let mut x = Buffer::zeros(platform, Spec::f32([count]))?;
    x.ready()?;
    let used = stats(&device)?.bytes_in_use;
    let mut highest = used;
    for _ in 0..CALLS {
        x = exe.call((x,))?;
        highest = highest.max(stats(&device)?.bytes_in_use);
    }
    x.ready()?;
    ensure(highest - used < size / 10, || {
        format!("{CALLS} calls that donate {size} bytes add {} to bytes_in_use", highest - used)
    })?;
    let mut last = [0; size_of::<f32>()];
    x.copy_to_host(size as usize - last.len(), &mut last)?;
    let last = f32::from_ne_bytes(last);
    ensure(last == CALLS as f32, || format!("{CALLS} times plus 1 is {last}"))
}
