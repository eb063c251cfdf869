//! The bandwidth between host and device.

use crate::{
    Result, Settings,
    attempt::{attempt, ensure, skip},
    results::{Measurement, Results},
};
use hloom::{Buffer, DType, Platform, Shape};
use hloom_pjrt::AlignedVec;
use std::time::Instant;

const ROUNDS: usize = 2;

pub fn run(settings: &Settings, platform: &Platform, results: &mut Results) -> Result {
    let bytes = settings.size(1 << 30, 1 << 22);
    let measured = attempt(results, "gpu/platform/bandwidth", || measure(platform, bytes))?;
    let Some(seconds) = measured else { return Ok(()) };
    let names = ["to_device", "to_device_owned", "to_host"];
    for (name, seconds) in names.into_iter().zip(seconds) {
        results.measure(&Measurement {
            bench: &format!("gpu/platform/bandwidth/{name}"),
            value: bytes as f64 / seconds / 1e9,
            unit: "GB/s",
            reference: None,
            target: None,
        })?;
    }
    let bench = "gpu/platform/bandwidth/pinned";
    if platform.name() == "cpu" {
        skip(bench, "the plugin pins no memory");
        return Ok(());
    }
    if let Some(seconds) = attempt(results, bench, || pinned(platform, bytes))? {
        results.measure(&Measurement {
            bench: "gpu/platform/bandwidth/to_device_pinned",
            value: bytes as f64 / seconds / 1e9,
            unit: "GB/s",
            reference: None,
            target: None,
        })?;
    }
    Ok(())
}

/// The seconds of a copy of a slice to the device, of memory that the plugin takes over, and of one
/// into a slice of the host: each the best of some rounds.
fn measure(platform: &Platform, bytes: usize) -> Result<[f64; 3]> {
    let values = pattern(bytes)?;
    let shape = Shape::new(DType::U8, [bytes])?;
    let mut back = vec![0u8; bytes];
    let mut best = [f64::INFINITY; 3];
    let mut seconds = |which: usize, start: Instant| {
        best[which] = f64::min(best[which], start.elapsed().as_secs_f64());
    };
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let buffer = Buffer::from_bytes(platform, shape, &values)?;
        buffer.ready()?;
        seconds(0, start);
        back.fill(0);
        let start = Instant::now();
        buffer.read_into(&mut back)?;
        seconds(2, start);
        ensure(back == values[..], || format!("{bytes} bytes differ after a round trip"))?;
        drop(buffer);
        let owner = pattern(bytes)?;
        let start = Instant::now();
        let buffer = Buffer::from_owner(platform, shape, owner)?;
        buffer.ready()?;
        seconds(1, start);
    }
    Ok(best)
}

/// The seconds of a copy to the device of memory that was pinned for it before.
fn pinned(platform: &Platform, bytes: usize) -> Result<f64> {
    let client = platform.client();
    let mapped = client.dma_map(pattern(bytes)?)?;
    let (mut best, dims) = (f64::INFINITY, [bytes as i64]);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let buffer = client.host_buffer(hloom_pjrt::DType::U8, &dims).copy(&mapped)?;
        buffer.wait()?;
        best = best.min(start.elapsed().as_secs_f64());
        let back = buffer.to_bytes()?;
        ensure(back == mapped[..], || format!("{bytes} pinned bytes differ after a round trip"))?;
    }
    Ok(best)
}

fn pattern(bytes: usize) -> Result<AlignedVec<u8>> {
    let mut values = AlignedVec::<u8>::zeroed(bytes)?;
    for (at, chunk) in values.chunks_mut(4096).enumerate() {
        chunk.fill((at % 251) as u8);
        chunk[0] = 255;
    }
    Ok(values)
}
