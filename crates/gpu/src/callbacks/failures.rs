//! Callbacks that fail or panic: an error of the call, after which the next call works.

use super::programs::{Work, failing, refused, watched};
use crate::{
    Result,
    attempt::{attempt, ensure},
    results::Results,
};
use hloom::{Buffer, Error, Exe, Platform, Spec, Tensor};
use std::{panic, sync::Arc};

pub fn run(platform: &Platform, results: &mut Results) -> Result {
    let spec = || (Spec::f32([2]),);
    attempt(results, "gpu/callbacks/failing", || {
        let exe = platform.compile(refused, spec())?;
        alternates(platform, &exe, -3.0, &["`refuse`", "failed", "-3 is negative", "programs.rs"])
    })?;
    attempt(results, "gpu/callbacks/panicking", || {
        let exe = platform.compile(refused, spec())?;
        // These panics are expected, and would fill the log.
        let hook = panic::take_hook();
        panic::set_hook(Box::new(|_| ()));
        let words = ["`refuse`", "panicked", "101 is large", "programs.rs"];
        let outcome = alternates(platform, &exe, 101.0, &words);
        panic::set_hook(hook);
        outcome
    })?;
    attempt(results, "gpu/callbacks/failing_on_device", || {
        let work: Work = Arc::new(|_, _, _| Ok(()));
        let exe = platform.compile(failing(work, &Arc::default()), spec())?;
        let x = Buffer::from_slice(platform, &[1f32, 2.0], [2])?;
        exe.call((&x,))?.ready()?;
        let outcome = exe.call((&x,)).and_then(|y| y.ready());
        is_failure(outcome, &["`fail`", "failed", "the second run fails"])?;
        exe.call((&x,))?.ready()?;
        Ok(())
    })?;
    attempt(results, "gpu/callbacks/failing_without_results", || {
        let exe = platform.compile(watched, spec())?;
        let call = |value: f32| -> hloom::Result<()> {
            let x = Buffer::from_slice(platform, &[value, 0.0], [2])?;
            exe.call((&x,)).map(drop)
        };
        call(1.0)?;
        is_failure(call(-3.0), &["`watch`", "failed", "-3 is seen"])?;
        Ok(call(2.0)?)
    })?;
    Ok(())
}

/// Calls that succeed before and after each that fails; also where nobody waits for the failed one.
fn alternates(
    platform: &Platform,
    exe: &Exe<(Spec,), Tensor>,
    wrong: f32,
    words: &[&str],
) -> Result {
    let call = |value: f32| -> hloom::Result<Buffer> {
        exe.call((&Buffer::from_slice(platform, &[value, 1.0], [2])?,))
    };
    for round in 0..3 {
        let value = round as f32;
        let found = call(value)?.to_vec::<f32>()?;
        ensure(found == [value, 1.0], || format!("round {round}: {found:?} found"))?;
        is_failure(call(wrong).and_then(|y| y.ready()), words)?;
        is_failure(call(wrong).and_then(|y| y.to_vec::<f32>()).map(drop), words)?;
        drop(call(wrong));
    }
    let found = call(7.0)?.to_vec::<f32>()?;
    ensure(found == [7.0, 1.0], || format!("after the errors: {found:?} found"))
}

pub fn is_failure(outcome: hloom::Result<()>, words: &[&str]) -> Result {
    match outcome {
        Ok(()) => Err("the call is no error".into()),
        Err(Error::Callback(failure)) => {
            let text = failure.to_string();
            let missing: Vec<_> = words.iter().filter(|word| !text.contains(**word)).collect();
            ensure(missing.is_empty(), || format!("{missing:?} are not in: {text}"))
        }
        Err(other) => Err(format!("not the callback's error: {other}").into()),
    }
}
