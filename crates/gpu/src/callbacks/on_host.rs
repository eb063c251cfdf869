//! Callbacks on copies in the host's memory.

use super::programs::{LOOP, copied, looped, scalars};
use crate::{
    Result, Settings,
    attempt::{attempt, ensure},
    results::{Measurement, Results},
};
use hloom::{Buffer, DType, Platform, Spec};
use std::{thread, time::Instant};

/// The rounds of a measurement.
const ROUNDS: usize = 5;

pub fn run(settings: &Settings, platform: &Platform, results: &mut Results) -> Result {
    for (name, bytes) in [
        ("1", 1),
        ("1M", 1 << 20),
        ("64M", settings.size(64 << 20, 1 << 18)),
        ("256M", settings.size(256 << 20, 1 << 19)),
    ] {
        let bench = format!("gpu/callbacks/on_host/{name}");
        let Some(seconds) = attempt(results, &bench, || copy(platform, bytes))? else { continue };
        results.measure(&Measurement {
            bench: &format!("{bench}/call"),
            value: seconds * 1e6,
            unit: "us",
            reference: None,
            target: None,
        })?;
        results.measure(&Measurement {
            bench: &format!("{bench}/bandwidth"),
            value: 2.0 * bytes as f64 / seconds / 1e9,
            unit: "GB/s",
            reference: None,
            target: None,
        })?;
    }
    attempt(results, "gpu/callbacks/host_fn", || host_functions(settings, platform))?;
    attempt(results, "gpu/callbacks/loop", || in_loop(platform))?;
    attempt(results, "gpu/callbacks/threads", || on_threads(platform))?;
    Ok(())
}

/// The seconds of a call that copies so many bytes to the host and back: the median of some.
fn copy(platform: &Platform, bytes: usize) -> Result<f64> {
    let exe = platform.compile(copied, (Spec::u8([bytes]),))?;
    let mut seconds = Vec::new();
    for round in 0..=ROUNDS {
        let values: Vec<u8> = (0..bytes).map(|at| ((at >> 9) + at + round) as u8).collect();
        let x = Buffer::from_slice(platform, &values, [bytes])?;
        x.ready()?;
        let start = Instant::now();
        let y = exe.call((&x,))?;
        y.ready()?;
        let elapsed = start.elapsed().as_secs_f64();
        // The first call pins the memory.
        if round > 0 {
            seconds.push(elapsed);
        }
        let found = y.to_vec::<u8>()?;
        ensure(found[0] == !values[0] && found[1..] == values[1..], || {
            format!("round {round}: the copy of {bytes} bytes differs")
        })?;
        ensure(x.to_vec::<u8>()? == values, || format!("round {round}: the input has changed"))?;
    }
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}

fn host_functions(settings: &Settings, platform: &Platform) -> Result {
    let count = settings.size(1 << 20, 1 << 10);
    let specs = (Spec::f32([count]), Spec::new(DType::I32, [count]));
    let exe = platform.compile(scalars, specs)?;
    let x: Vec<f32> = (0..count).map(|at| (at % 100) as f32).collect();
    let i: Vec<i32> = (0..count as i32).collect();
    let inputs =
        (Buffer::from_slice(platform, &x, [count])?, Buffer::from_slice(platform, &i, [count])?);
    let found = exe.call((&inputs.0, &inputs.1))?.to_vec::<f32>()?;
    let expected = |at: usize| if at.is_multiple_of(2) { x[at] * x[at] } else { x[at] + at as f32 };
    let wrong = (0..count).find(|&at| found[at] != expected(at));
    wrong.map_or(Ok(()), |at| {
        Err(format!("element {at}: {} expected, {} found", expected(at), found[at]).into())
    })
}

fn in_loop(platform: &Platform) -> Result {
    let exe = platform.compile(looped, (Spec::f32([3]),))?;
    let x = Buffer::from_slice(platform, &[0f32, 0.5, -4.0], [3])?;
    let found = exe.call((&x,))?.to_vec::<f32>()?;
    let expected = [0f32, 0.5, -4.0].map(|x| x + LOOP as f32);
    ensure(found == expected, || format!("{expected:?} expected, {found:?} found"))
}

/// Two threads call a program with a callback at the same time.
fn on_threads(platform: &Platform) -> Result {
    const COUNT: usize = 1 << 12;
    let exe = &platform.compile(copied, (Spec::u8([COUNT]),))?;
    let work = |number: u8| -> Result {
        for call in 0..50 {
            let values = vec![number * 50 + call; COUNT];
            let x = Buffer::from_slice(platform, &values, [COUNT])?;
            let found = exe.call((&x,))?.to_vec::<u8>()?;
            ensure(found[0] == !values[0] && found[1..] == values[1..], || {
                format!("thread {number}, call {call}: the copy differs")
            })?;
        }
        Ok(())
    };
    let work = &work;
    thread::scope(|scope| {
        let threads = [1, 2].map(|number| scope.spawn(move || work(number)));
        let outcomes = threads.map(|thread| thread.join());
        outcomes
            .into_iter()
            .try_for_each(|outcome| outcome.unwrap_or_else(|_| Err("a thread panicked".into())))
    })
}
