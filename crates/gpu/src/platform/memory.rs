//! The statistics of the device's allocator.

use crate::{
    Result, Settings,
    attempt::{attempt, ensure, skip},
    results::Results,
};
use hloom::{Buffer, Platform, Spec};
use hloom_pjrt::{Device, MemoryStats};
use std::time::{Duration, Instant};

/// How long a freed buffer may count as used: the device frees it after the work that uses it.
const FREED_WITHIN: Duration = Duration::from_secs(2);

pub fn run(settings: &Settings, platform: &Platform, results: &mut Results) -> Result {
    let bench = "gpu/platform/memory";
    let device = first(platform)?;
    if device.memory_stats()?.is_none() && platform.name() == "cpu" {
        skip(bench, "the plugin keeps no statistics");
        return Ok(());
    }
    attempt(results, bench, || {
        let before = stats(&device)?;
        println!("memory: {before:?}");
        let limit = before.bytes_limit.ok_or("there is no bytes_limit")?;
        ensure((1 << 30..1 << 38).contains(&limit), || format!("bytes_limit is {limit}"))?;
        ensure((0..=limit).contains(&before.bytes_in_use), || {
            format!("{} bytes of {limit} are in use", before.bytes_in_use)
        })?;
        let size = settings.size(256 << 20, 4 << 20);
        let buffer = Buffer::zeros(platform, Spec::u8([size]))?;
        buffer.ready()?;
        let grown = stats(&device)?.bytes_in_use - before.bytes_in_use;
        ensure((size as i64..=size as i64 + (1 << 20)).contains(&grown), || {
            format!("a buffer of {size} bytes adds {grown} to bytes_in_use")
        })?;
        drop(buffer);
        let left = settled(&device, before.bytes_in_use)? - before.bytes_in_use;
        ensure(left <= 0, || format!("{left} bytes of a dropped buffer are still in use"))
    })?;
    Ok(())
}

/// The first device.
pub fn first(platform: &Platform) -> Result<Device> {
    Ok(platform.devices().into_iter().next().ok_or("there is no device")?)
}

/// The statistics of a device.
///
/// # Errors
/// The plugin keeps none.
pub fn stats(device: &Device) -> Result<MemoryStats> {
    Ok(device.memory_stats()?.ok_or("the plugin keeps no statistics of memory")?)
}

/// The bytes in use once they are at most `expected`, or after a while.
pub fn settled(device: &Device, expected: i64) -> Result<i64> {
    let start = Instant::now();
    loop {
        let used = stats(device)?.bytes_in_use;
        if used <= expected || start.elapsed() > FREED_WITHIN {
            return Ok(used);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
