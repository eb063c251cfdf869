//! The oracle: a Python process that computes expected values with NumPy.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread::JoinHandle,
};

/// The packages of the oracle.
const PACKAGES: [&str; 2] = ["numpy==2.4.6", "ml_dtypes==0.6.0"];

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
        let mut child = python()
            .arg(script)
            .env("PYTHONPATH", packages())
            .env("PYTHONDONTWRITEBYTECODE", "1")
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
                    // It has exited; the missing answer reports that.
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

fn python() -> Command {
    Command::new(std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()))
}

/// The folder of the packages.
fn packages() -> PathBuf {
    let cache = pjrt_plugins::cache_root().expect("there is a cache folder");
    let folder = cache.join("oracle").join(PACKAGES.join("-"));
    if folder.exists() {
        return folder;
    }
    let parent = folder.parent().expect("it is in the cache folder");
    std::fs::create_dir_all(parent).expect("the cache folder can be written");
    let scratch = tempfile::tempdir_in(parent).expect("the cache folder can be written");
    let mut pip = python();
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]);
    let status = pip.arg(scratch.path()).args(PACKAGES).status().expect("pip runs");
    assert!(status.success(), "pip cannot install {PACKAGES:?}");
    let scratch = scratch.keep();
    if std::fs::rename(&scratch, &folder).is_err() {
        // Another process was faster, with the same result.
        let _ = std::fs::remove_dir_all(&scratch);
    }
    assert!(folder.exists(), "{} cannot be made", folder.display());
    folder
}
