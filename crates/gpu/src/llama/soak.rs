//! The programs for a long time, with the same results and the same memory.

use super::runner::Runner;
use crate::Result;
use hloom::Platform;
use std::time::{Duration, Instant};

/// Prefill and decode again and again.
///
/// # Errors
/// A call fails, tokens differ from those of the first round, or the memory in use grows.
pub fn run(platform: &Platform, runner: &mut Runner, duration: Duration) -> Result {
    let started = Instant::now();
    runner.prefill()?;
    let (expected, _) = runner.tokens()?;
    let before = in_use(platform)?;
    let mut rounds = 0;
    while started.elapsed() < duration {
        runner.prefill()?;
        let (tokens, _) = runner.tokens()?;
        if tokens != expected {
            return Err(format!("round {rounds} made other tokens").into());
        }
        rounds += 1;
    }
    let after = in_use(platform)?;
    println!("{rounds} rounds, bytes in use before and after: {before:?} {after:?}");
    if after > before {
        Err(format!("{before:?} bytes were in use before, and {after:?} after").into())
    } else {
        Ok(())
    }
}

/// The bytes in use on the device; `None` where the plugin does not count them.
fn in_use(platform: &Platform) -> Result<Option<i64>> {
    let devices = platform.devices();
    let device = devices.first().ok_or("the platform has no device")?;
    Ok(device.memory_stats()?.map(|stats| stats.bytes_in_use))
}
