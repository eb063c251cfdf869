//! Comparisons of logits.

use super::runner::Runner;
use crate::{Result, peer::Peer};
use std::time::Duration;

/// The largest root mean square of the differences between two programs' logits, divided by that
/// of the logits: sums of bf16 products in another order differ by about 0.01 after 32 layers.
pub const TOLERANCE: f64 = 0.05;

/// Compares the logits of prefill with those of decode for the same token, which other kernels
/// compute.
///
/// # Errors
/// They differ, or a call fails.
pub fn with_itself(runner: &mut Runner) -> Result {
    let whole = runner.logits()?;
    let again = runner.logits_of_last_token()?;
    let outcome = near(&again, &whole, TOLERANCE, "the prompt, by prefill and by decode");
    outcome.map_err(|error| format!("the logits differ: {error}").into())
}

/// Compares the logits after the prompt and after the last step with the peer's.
///
/// # Errors
/// They differ, or a call or the peer fails.
pub fn with_peer(runner: &mut Runner, peer: &mut Peer, tolerance: f64, limit: Duration) -> Result {
    let first = runner.logits()?;
    let (tokens, last) = runner.tokens()?;
    let file = std::env::temp_dir().join(format!("hloom-gpu-logits-{}", std::process::id()));
    std::fs::write(&file, serde_json::to_string(&tokens)?)?;
    let answer = peer.ask(&format!("logits {}", file.display()), limit);
    let bytes = std::fs::read(&file);
    drop(std::fs::remove_file(&file));
    answer?;
    let bytes = bytes?;
    let numbers = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let numbers: Vec<f32> = numbers.collect();
    if numbers.len() != first.len() + last.len() {
        let (expected, found) = (first.len() + last.len(), numbers.len());
        return Err(format!("the peer wrote {found} logits, expected {expected}").into());
    }
    let (after_prompt, after_steps) = numbers.split_at(first.len());
    let pairs = [(&first, after_prompt, "the prompt"), (&last, after_steps, "the last step")];
    let outcomes = pairs.map(|(own, other, name)| near(own, other, tolerance, name));
    let problems: Vec<String> = outcomes.into_iter().filter_map(|outcome| outcome.err()).collect();
    if problems.is_empty() {
        Ok(())
    } else {
        Err(format!("the logits differ: {}", problems.join("; ")).into())
    }
}

fn near(own: &[f32], other: &[f32], tolerance: f64, name: &str) -> Result<(), String> {
    let square = |x: f32| f64::from(x) * f64::from(x);
    let difference: f64 = own.iter().zip(other).map(|(a, b)| square(a - b)).sum();
    let whole: f64 = other.iter().map(|b| square(*b)).sum();
    let relative = (difference / whole).sqrt();
    let shown = &own[..own.len().min(4)];
    println!("logits after {name}: relative difference {relative:.5}, {shown:?}");
    // NaN is not near.
    if own.len() == other.len() && relative <= tolerance {
        Ok(())
    } else {
        Err(format!("{relative:.4} after {name}, expected at most {tolerance}"))
    }
}
