//! The oracle: a Python process that computes expected values with NumPy.

use hloom_test_support::python_with_numpy;
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdout, Stdio},
    sync::mpsc,
    thread::JoinHandle,
};

/// A frame to send: a line and the bytes after it.
pub struct Frame {
    pub line: String,
    pub payload: Vec<u8>,
}

/// A running oracle. It answers frames in order, while the next ones are prepared.
pub struct Oracle {
    child: Child,
    frames: Option<mpsc::SyncSender<Frame>>,
    writer: Option<JoinHandle<()>>,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts it; missing packages are installed into Hloom's cache folder.
    pub fn start() -> Oracle {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/random_programs.py");
        let mut child = python_with_numpy()
            // The script imports modules next to it.
            .env_remove("PYTHONSAFEPATH")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the oracle starts");
        let mut pipe = child.stdin.take().expect("its input is a pipe");
        let answers = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let (frames, next) = mpsc::sync_channel::<Frame>(4);
        let writer = std::thread::spawn(move || {
            for Frame { line, payload } in next {
                let sent = writeln!(pipe, "{line}").and_then(|()| pipe.write_all(&payload));
                if sent.is_err() {
                    // The oracle has exited; the missing answer reports that.
                    return;
                }
            }
        });
        Oracle { child, frames: Some(frames), writer: Some(writer), answers }
    }

    /// Sends a frame.
    pub fn send(&self, frame: Frame) {
        let frames = self.frames.as_ref().expect("it is there until the end");
        frames.send(frame).expect("the oracle has ended; its error is above");
    }

    /// The disagreements of the next frame that has no answer yet.
    pub fn answer(&mut self) -> Vec<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the oracle answers");
        serde_json::from_str(&line).expect("the oracle answers in JSON; its error is above")
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        drop(self.frames.take());
        if std::thread::panicking() {
            let _ = self.child.kill();
        }
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        let _ = self.child.wait();
    }
}
