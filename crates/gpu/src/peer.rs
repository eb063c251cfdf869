//! A process of another framework, which alternates with this one.

use crate::Result;
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// A process that reads a request per line, and answers each with a line of JSON.
pub struct Peer {
    process: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
}

impl Peer {
    /// Starts a script, which prepares itself until the first request.
    ///
    /// # Errors
    /// The process cannot be started.
    pub fn start(
        python: &Path,
        script: &Path,
        arguments: &[String],
        variables: &[(&str, &str)],
    ) -> Result<Peer> {
        let mut command = Command::new(python);
        command.arg(script).args(arguments).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let process = command.spawn();
        let mut process =
            process.map_err(|error| format!("{} does not start: {error}", python.display()))?;
        let requests = process.stdin.take().ok_or("the peer has no standard input")?;
        let lines = BufReader::new(process.stdout.take().ok_or("the peer has no output")?).lines();
        let (sender, answers) = channel();
        thread::spawn(move || {
            // Lines that a library prints are not answers.
            for line in lines.map_while(std::result::Result::ok) {
                if !line.starts_with('{') {
                    println!("peer: {line}");
                } else if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Peer { process, requests, answers })
    }

    /// The answer to a request, within a time limit.
    ///
    /// # Errors
    /// The process has ended, does not answer in time, or answers with an error.
    pub fn ask(&mut self, request: &str, limit: Duration) -> Result<Value> {
        let started = Instant::now();
        writeln!(self.requests, "{request}")
            .map_err(|error| format!("the peer does not read `{request}`: {error}"))?;
        let line = self.answers.recv_timeout(limit).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                format!("the peer did not answer `{request}` in {limit:?}")
            }
            RecvTimeoutError::Disconnected => {
                let status = self.process.try_wait();
                format!("the peer ended before it answered `{request}`: {status:?}")
            }
        })?;
        println!("peer: {request}: {line} ({:.1} s)", started.elapsed().as_secs_f64());
        let answer: Value = serde_json::from_str(&line)?;
        match answer.get("error") {
            Some(error) => Err(format!("the peer failed at `{request}`: {error}").into()),
            None => Ok(answer),
        }
    }

    /// A number of the answer to a request.
    ///
    /// # Errors
    /// As [`ask`](Self::ask), or the answer has no such number.
    pub fn number(&mut self, request: &str, name: &str, limit: Duration) -> Result<f64> {
        let answer = self.ask(request, limit)?;
        let number = answer.get(name).and_then(Value::as_f64);
        number.ok_or_else(|| format!("the answer to `{request}` has no number `{name}`").into())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It has nothing to save.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
