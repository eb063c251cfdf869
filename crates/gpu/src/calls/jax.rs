//! JAX in a process of its own, which alternates with this one.

use crate::Result;
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

/// The script, which is passed on the command line so that it need not be a file.
const SCRIPT: &str = include_str!("../../peers/calls_jax.py");

/// How long an answer may take; the first one includes the start of JAX.
const PATIENCE: Duration = Duration::from_secs(12);

/// The process, which ends with this value.
pub struct Jax {
    process: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
}

impl Jax {
    /// Starts the process.
    ///
    /// # Errors
    /// There is no such program.
    pub fn start(python: &Path) -> Result<Jax> {
        let mut command = Command::new(python);
        command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
        // The process that it alternates with has most of the memory.
        command.env("XLA_PYTHON_CLIENT_PREALLOCATE", "false");
        let process = command.spawn();
        let mut process = process.map_err(|error| format!("{}: {error}", python.display()))?;
        let requests = process.stdin.take().ok_or("JAX has no standard input")?;
        let output = process.stdout.take().ok_or("JAX has no standard output")?;
        let (sender, answers) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(|line| line.ok());
            // Other lines are those of libraries.
            for line in lines.filter(|line| line.starts_with('{')) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Jax { process, requests, answers })
    }

    /// Waits until the process has its devices.
    ///
    /// # Errors
    /// It has ended, or takes too long.
    pub fn ready(self) -> Result<Jax> {
        let version = self.answer("ready")?;
        eprintln!("jax: {version}");
        Ok(self)
    }

    /// The seconds of so many calls with `count` arguments.
    ///
    /// # Errors
    /// The process has ended, or does not answer.
    pub fn measure(&mut self, count: usize, kind: &str, calls: usize) -> Result<f64> {
        writeln!(self.requests, "{count} {kind} {calls}")?;
        let seconds = self.answer("seconds")?;
        Ok(seconds.as_f64().ok_or_else(|| format!("JAX answers {seconds}"))?)
    }

    fn answer(&self, key: &str) -> Result<Value> {
        let line = self.answers.recv_timeout(PATIENCE);
        let line = line.map_err(|error| format!("JAX does not answer: {error}"))?;
        let mut answer: Value = serde_json::from_str(&line)?;
        let value = answer.get_mut(key).map(Value::take);
        Ok(value.ok_or_else(|| format!("JAX answers {line}"))?)
    }
}

impl Drop for Jax {
    fn drop(&mut self) {
        // It ends by itself when nothing more can be asked.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
