//! The output of every bench: one JSON object per line, the first of which names the processor.

use std::{
    sync::Once,
    time::{Duration, Instant},
};

/// A measurement; a smaller value is better, unless it says otherwise.
#[must_use = "nothing is printed before `report`"]
pub struct Measurement<'a> {
    bench: &'a str,
    value: f64,
    unit: &'a str,
    reference: Option<f64>,
    target: Option<f64>,
    higher_is_better: bool,
}

impl<'a> Measurement<'a> {
    pub fn new(bench: &'a str, value: f64, unit: &'a str) -> Measurement<'a> {
        let (reference, target) = (None, None);
        Measurement { bench, value, unit, reference, target, higher_is_better: false }
    }

    /// The value of a reference of the same run, if there is one, in the same unit.
    #[allow(dead_code, reason = "not every bench has one")]
    pub fn reference(self, reference: impl Into<Option<f64>>) -> Measurement<'a> {
        Measurement { reference: reference.into(), ..self }
    }

    /// The limit of the ratio of the value to the reference, or else of the value.
    #[allow(dead_code, reason = "not every bench has one")]
    pub fn target(self, target: impl Into<Option<f64>>) -> Measurement<'a> {
        Measurement { target: target.into(), ..self }
    }

    /// Judges by the target as a lower limit.
    #[allow(dead_code, reason = "not every bench measures a rate")]
    pub fn higher_is_better(self) -> Measurement<'a> {
        Measurement { higher_is_better: true, ..self }
    }

    /// Prints the measurement: `ratio` is the value by the reference, and `holds` is whether it
    /// meets the target.
    pub fn report(self) {
        static PROCESSOR: Once = Once::new();
        PROCESSOR.call_once(print_processor);
        let Measurement { bench, value, unit, reference, target, higher_is_better } = self;
        let ratio = reference.map(|reference| value / reference);
        let judged = ratio.unwrap_or(value);
        let is_met =
            |target: f64| if higher_is_better { judged >= target } else { judged <= target };
        let number = |n: Option<f64>| {
            n.filter(|n| n.is_finite()).map_or("null".into(), |n| format!("{n:.6}"))
        };
        println!(
            r#"{{"bench":"{bench}","value":{},"unit":"{unit}","reference":{},"ratio":{},"target":{},"holds":{}}}"#,
            number(Some(value)),
            number(reference),
            number(ratio),
            number(target),
            target.map_or("null".into(), |target| is_met(target).to_string())
        );
    }
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

/// The median of measured values; NaN if there are none.
#[allow(dead_code, reason = "not every bench collects values")]
pub fn median_of(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
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
