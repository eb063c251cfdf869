//! The time to draw a million random numbers, and to compile the program that does.
//!
//! With `HLOOM_BENCH_JAX=1` beside the same draws of `jax.jit` in a `python3` that has JAX (or
//! `HLOOM_PYTHON`), which takes turns with this process.

mod common;

use common::{Better, median, report};
use hloom::prelude::*;
use std::{
    env,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

const COUNT: usize = 1_000_000;

type Draw = fn(Key) -> Tensor;

const DRAWS: [(&str, Draw); 7] = [
    ("bits", |key| key.bits(DType::U32, [COUNT])),
    ("uniform", |key| key.uniform(DType::F32, [COUNT])),
    ("normal", |key| key.normal(DType::F32, [COUNT])),
    ("gumbel", |key| key.gumbel(DType::F32, [COUNT])),
    ("randint", |key| key.randint(DType::I32, [COUNT], 0, 1000)),
    ("permutation", |key| key.permutation([COUNT])),
    ("gamma", |key| key.gamma(DType::F32, [COUNT], 2.5)),
];

/// A process that measures JAX's draws.
struct Jax {
    process: Child,
    names: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Jax {
    fn asked_for() -> Option<Jax> {
        env::var_os("HLOOM_BENCH_JAX")?;
        let python = env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/random_jax.py");
        let mut command = Command::new(python);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("python3 runs");
        let names = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Some(Jax { process, names, answers })
    }

    /// Milliseconds to compile and to run.
    fn measure(&mut self, name: &str) -> [f64; 2] {
        writeln!(self.names, "{name}").expect("the process reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the process answers");
        let mut numbers = line.split_whitespace().map(|n| n.parse().expect("it is a number"));
        [(); 2].map(|()| numbers.next().expect("there are two numbers"))
    }
}

impl Drop for Jax {
    fn drop(&mut self) {
        // It ends by itself when nothing more can be asked.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn main() -> hloom::Result<()> {
    let plugin = pjrt_plugins::ensure("cpu").expect("the CPU plugin can be installed");
    let platform = Platform::load(plugin)?;
    let key = Key(Buffer::from_slice(&platform, &Key::words(7), [2])?);
    // The first compilation of a process starts threads.
    platform.compile(|x: Tensor| x + 1, (Spec::f32([1]),))?;
    let mut jax = Jax::asked_for();
    for (name, draw) in DRAWS {
        let start = Instant::now();
        let exe = platform.compile(draw, (Key::spec(),))?;
        let compiled = start.elapsed().as_secs_f64() * 1e3;
        let run = median(7, || {
            let drawn = exe.call((&key,)).expect("it runs");
            drawn.ready().expect("it runs");
        });
        let beside = jax.as_mut().map(|jax| jax.measure(name));
        let [compile, time] = [0, 1].map(|i| beside.map(|times| times[i]));
        let milliseconds = run.as_secs_f64() * 1e3;
        report(&format!("random/{name}/run"), milliseconds, "ms", time, Some(1.0), Better::Lower);
        report(&format!("random/{name}/compile"), compiled, "ms", compile, None, Better::Lower);
    }
    Ok(())
}
