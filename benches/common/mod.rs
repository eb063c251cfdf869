//! The output of every bench: one JSON object per line, the first of which names the processor.

use std::{
    sync::Once,
    time::{Duration, Instant},
};

/// Whether a smaller or a larger value is better.
#[allow(dead_code, reason = "not every bench has both")]
#[derive(Clone, Copy)]
pub enum Better {
    Lower,
    Higher,
}

/// Prints a measurement with a reference of the same run: `ratio` is value by reference, and
/// `holds` is whether it meets `target`.
pub fn report(
    bench: &str,
    value: f64,
    unit: &str,
    reference: Option<f64>,
    target: Option<f64>,
    better: Better,
) {
    static PROCESSOR: Once = Once::new();
    PROCESSOR.call_once(print_processor);
    let ratio = reference.map(|reference| value / reference);
    let judged = ratio.unwrap_or(value);
    let holds = target.map(|target| match better {
        Better::Lower => judged <= target,
        Better::Higher => judged >= target,
    });
    let number =
        |n: Option<f64>| n.filter(|n| n.is_finite()).map_or("null".into(), |n| format!("{n:.6}"));
    println!(
        r#"{{"bench":"{bench}","value":{},"unit":"{unit}","reference":{},"ratio":{},"target":{},"holds":{}}}"#,
        number(Some(value)),
        number(reference),
        number(ratio),
        number(target),
        holds.map_or("null".into(), |h| h.to_string())
    );
}

fn print_processor() {
    let listed = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = listed.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or(std::env::consts::ARCH, |(_, model)| model.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(r#"{{"processor":"{}","cores":{cores}}}"#, model.replace(['"', '\\'], " "));
}

/// The median time of `samples` runs of `f`, after one warm-up run.
#[allow(dead_code, reason = "not every bench measures whole runs")]
pub fn median(samples: usize, mut f: impl FnMut()) -> Duration {
    f();
    let mut times: Vec<Duration> = (0..samples)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// The median times of two alternating programs, so that both run under the same conditions.
#[allow(dead_code, reason = "not every bench compares two programs")]
pub fn interleaved(
    samples: usize,
    mut a: impl FnMut(),
    mut b: impl FnMut(),
) -> (Duration, Duration) {
    let (mut first, mut second) = (Vec::with_capacity(samples), Vec::with_capacity(samples));
    for i in 0..=samples {
        let start = Instant::now();
        a();
        let between = Instant::now();
        b();
        if i > 0 {
            first.push(between - start);
            second.push(between.elapsed());
        }
    }
    first.sort_unstable();
    second.sort_unstable();
    (first[samples / 2], second[samples / 2])
}
