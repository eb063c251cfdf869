//! Programs in a row, on several threads, and with checks of their values.

use crate::{
    Result, Settings,
    attempt::{attempt, ensure},
    results::{Measurement, Results},
};
use hloom::{Buffer, Error, Platform, Spec, Tensor};
use std::{thread, time::Instant};

/// The number of calls of a chain.
const CHAIN: usize = 1000;

/// The number of calls of each thread.
const CALLS: usize = 200;

pub fn run(settings: &Settings, platform: &Platform, results: &mut Results) -> Result {
    let chained = attempt(results, "gpu/platform/chain", || chain(platform))?;
    if let Some(value) = chained {
        results.measure(&Measurement {
            bench: "gpu/platform/chain/call",
            value,
            unit: "us",
            reference: None,
            target: None,
        })?;
    }
    attempt(results, "gpu/platform/threads", || threads(settings, platform))?;
    attempt(results, "gpu/platform/check_nan", || check_nan(platform))?;
    Ok(())
}

/// A chain of small calls computes the right values, and one that nobody waits for is dropped;
/// the microseconds of a call.
fn chain(platform: &Platform) -> Result<f64> {
    let spec = || Spec::f32([4]);
    let exe = platform.compile(|x: Tensor| x + 1.0, (spec(),))?;
    let called = |times: usize| -> Result<Buffer> {
        let mut x = Buffer::zeros(platform, spec())?;
        for _ in 0..times {
            x = exe.call((&x,))?;
        }
        Ok(x)
    };
    called(8)?.ready()?;
    let start = Instant::now();
    let found = called(CHAIN)?.to_vec::<f32>()?;
    let elapsed = start.elapsed();
    let expected = [CHAIN as f32; 4];
    ensure(found == expected, || format!("{expected:?} expected, {found:?} found"))?;
    drop(called(CHAIN)?);
    let found = called(1)?.to_vec::<f32>()?;
    ensure(found == [1.0; 4], || format!("after a dropped chain: {found:?} found"))?;
    Ok(elapsed.as_secs_f64() * 1e6 / CHAIN as f64)
}

/// Two threads with a program each, and with one program, at the same time.
fn threads(settings: &Settings, platform: &Platform) -> Result {
    let count = settings.size(1 << 16, 1 << 8);
    let shared = platform.compile(|x: Tensor| x * 2.0, (Spec::f32([count]),))?;
    let work = |number: f32| -> Result {
        let own = platform.compile(move |x: Tensor| x + number, (Spec::f32([count]),))?;
        for call in 0..CALLS {
            let start = call as f32 * 3.0 + number;
            let x = Buffer::from_slice(platform, &vec![start; count], [count])?;
            let y = shared.call((&own.call((&x,))?,))?;
            let found = y.to_vec::<f32>()?;
            let expected = (start + number) * 2.0;
            ensure(found.iter().all(|&value| value == expected), || {
                format!("thread {number}, call {call}: not all elements are {expected}")
            })?;
        }
        Ok(())
    };
    let work = &work;
    thread::scope(|scope| {
        let threads = [1.0, 2.0].map(|number| scope.spawn(move || work(number)));
        let outcomes = threads.map(|thread| thread.join());
        outcomes.into_iter().try_for_each(|outcome| match outcome {
            Ok(outcome) => outcome,
            Err(_) => Err("a thread panicked".into()),
        })
    })
}

/// Computes NaN for what is negative.
pub fn root(x: Tensor) -> Tensor {
    x.sqrt() + 1.0
}

/// A program that is checked for NaN fails where it computes one.
fn check_nan(platform: &Platform) -> Result {
    let exe = platform.compiler().check_nan(true).compile(root, (Spec::f32([3]),))?;
    let right = Buffer::from_slice(platform, &[4f32, 9.0, 0.0], [3])?;
    let wrong = Buffer::from_slice(platform, &[4f32, -9.0, 0.0], [3])?;
    let found = exe.call((&right,))?.to_vec::<f32>()?;
    ensure(found == [3.0, 4.0, 1.0], || format!("[3, 4, 1] expected, {found:?} found"))?;
    match exe.call((&wrong,)).and_then(|y| y.ready()) {
        Err(Error::Callback(failure)) => {
            let text = failure.to_string();
            ensure(text.contains("NaN") && text.contains("programs.rs"), || {
                format!("the error does not name the NaN and its line: {text}")
            })
        }
        Err(other) => Err(format!("the error is not that of the check: {other}").into()),
        Ok(()) => Err("the root of a negative number is no error".into()),
    }?;
    let found = exe.call((&right,))?.to_vec::<f32>()?;
    ensure(found == [3.0, 4.0, 1.0], || format!("after the error: {found:?} found"))
}
