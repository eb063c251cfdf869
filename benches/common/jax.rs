//! Measurements of JAX in a process of its own, which alternates with this one.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// A process that reads the name of a measurement per line, and answers each with a line of
/// numbers.
pub struct Jax {
    process: Child,
    names: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Jax {
    /// The process of a script of `benches`, if `HLOOM_BENCH_JAX` is set, by a `python3` that has
    /// JAX (or `HLOOM_PYTHON`).
    pub fn asked_for(script: &str) -> Option<Jax> {
        env::var_os("HLOOM_BENCH_JAX")?;
        let python = env::var("HLOOM_PYTHON").unwrap_or_else(|_| "python3".into());
        let script = format!("{}/benches/{script}", env!("CARGO_MANIFEST_DIR"));
        let mut command = Command::new(python);
        command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("python3 runs");
        let names = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Some(Jax { process, names, answers })
    }

    /// The numbers of a measurement.
    pub fn measure<const N: usize>(&mut self, name: &str) -> [f64; N] {
        writeln!(self.names, "{name}").expect("the process reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the process answers");
        let numbers = line.split_whitespace().map(|n| n.parse().expect("it is a number"));
        let numbers: Vec<f64> = numbers.collect();
        numbers.try_into().expect("as many as are asked for")
    }
}

impl Drop for Jax {
    fn drop(&mut self) {
        // The process also ends by itself when its input is closed.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
