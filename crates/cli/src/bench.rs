//! `hloom bench`.

use crate::{
    failure::Outcome,
    inputs::{InputFiles, Inputs},
    memory::{self, size},
    program::ProgramFile,
    text::{safe, write_json},
};
use clap::Args;
use hloom_pjrt::CompiledMemoryStats;
use hloom_runtime::{Argument, Buffer, ForeignExe};
use serde_json::json;
use std::{
    io::Write,
    time::{Duration, Instant},
};

#[derive(Args)]
pub struct Bench {
    #[command(flatten)]
    program: ProgramFile,
    #[command(flatten)]
    inputs: InputFiles,
    /// The number of calls that are measured, after the first one
    #[arg(long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..))]
    iterations: u32,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// The measurements.
struct Measurement {
    /// The time of compiling the program, or of loading a saved one.
    compile: Duration,
    first: Duration,
    /// The durations of the calls, sorted.
    calls: Vec<Duration>,
    memory: Option<CompiledMemoryStats>,
}

impl Bench {
    pub fn run(self, out: &mut dyn Write) -> Outcome {
        let (program, compile) = self.program.load_afresh()?;
        let mut inputs = self.inputs.load(&program, false)?;
        for input in program.free_inputs() {
            if !inputs.contains_key(&input.name) {
                inputs.insert(input.name.clone(), program.zeros_for(&input.name)?);
            }
        }
        let first = call(&program, &inputs)?;
        let calls = (0..self.iterations).map(|_| call(&program, &inputs));
        let mut calls = calls.collect::<Outcome<Vec<Duration>>>()?;
        calls.sort();
        let memory = program.memory().ok();
        let measured = Measurement { compile, first, calls, memory };
        if self.json {
            write_json(out, &measured.json(&program))
        } else {
            measured.write(out, &program)
        }
    }
}

/// The time from a call until its results are available.
fn call(program: &ForeignExe, inputs: &Inputs) -> Outcome<Duration> {
    let mut given = Vec::with_capacity(inputs.len());
    for input in program.free_inputs() {
        let Some(buffer) = inputs.get(&input.name) else { continue };
        given.push(if input.donated {
            // The call consumes the buffer, and the next call needs it too.
            Argument::Donated(buffer.duplicate(program.platform())?)
        } else {
            Argument::Borrowed(buffer)
        });
    }
    for buffer in inputs.values() {
        buffer.ready()?;
    }
    let start = Instant::now();
    let results: Vec<Buffer> = program.call(given)?;
    for result in &results {
        result.ready()?;
    }
    Ok(start.elapsed())
}

impl Measurement {
    /// The middle call, or the mean of the two in the middle.
    fn median(&self) -> Duration {
        let (half, is_even) = (self.calls.len() / 2, self.calls.len().is_multiple_of(2));
        let at = |i: usize| self.calls.get(i).copied().unwrap_or_default();
        if is_even { (at(half.saturating_sub(1)) + at(half)) / 2 } else { at(half) }
    }

    fn min(&self) -> Duration {
        self.calls.first().copied().unwrap_or_default()
    }

    fn write(&self, out: &mut dyn Write, program: &ForeignExe) -> Outcome {
        writeln!(out, "{} on {}", safe(program.name()), program.platform())?;
        writeln!(out, "  compile     {}", duration(self.compile))?;
        writeln!(out, "  first call  {}", duration(self.first))?;
        writeln!(
            out,
            "  call        {} median, {} shortest of {}",
            duration(self.median()),
            duration(self.min()),
            self.calls.len()
        )?;
        if let Some(memory) = &self.memory {
            writeln!(
                out,
                "  memory      {}: arguments {}, outputs {}, intermediate values {}",
                size(memory.requirements()),
                size(memory.arguments),
                size(memory.outputs),
                size(memory.temporaries)
            )?;
        }
        Ok(())
    }

    fn json(&self, program: &ForeignExe) -> serde_json::Value {
        json!({
            "program": program.name(),
            "platform": program.platform().name(),
            "compile_seconds": self.compile.as_secs_f64(),
            "first_call_seconds": self.first.as_secs_f64(),
            "median_seconds": self.median().as_secs_f64(),
            "min_seconds": self.min().as_secs_f64(),
            "iterations": self.calls.len(),
            "memory": self.memory.map(|memory| memory::json(&memory)),
        })
    }
}

/// A duration with three digits.
fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (number, unit) = match seconds {
        seconds if seconds < 1e-3 => (seconds * 1e6, "µs"),
        seconds if seconds < 1.0 => (seconds * 1e3, "ms"),
        seconds => (seconds, "s"),
    };
    let digits = match number {
        number if number < 10.0 => 2,
        number if number < 100.0 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        for (nanoseconds, expected) in [
            (0, "0.00 µs"),
            (1_234, "1.23 µs"),
            (12_345, "12.3 µs"),
            (123_456, "123 µs"),
            (1_234_567, "1.23 ms"),
            (12_345_678_901, "12.3 s"),
        ] {
            assert_eq!(duration(Duration::from_nanos(nanoseconds)), expected);
        }
    }
}
