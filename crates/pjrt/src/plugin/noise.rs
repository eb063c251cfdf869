//! Lines of plugins' logs that tell nothing, at a level at which errors are told too.

use super::log::Exclusion;
use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    os::fd::OwnedFd,
    sync::{Mutex, PoisonError},
    thread,
};

/// Whether a line tells nothing: a loaded program was compiled with a preference that is not a
/// feature of any processor, so that XLA never finds it among those of this one. The other line
/// stands before the first that a plugin writes.
fn is_noise(line: &str) -> bool {
    line.contains("Target machine feature +prefer-no-")
        || line.contains("All log messages before absl::InitializeLog() is called")
}

/// The calls that share the redirected stream.
struct Calls {
    count: usize,
    /// The stream as it was.
    original: Option<OwnedFd>,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls { count: 0, original: None });

/// One of the calls; the last one restores the stream.
struct Call;

/// Runs `body` without such lines in the standard error stream. Other lines, of any thread, pass
/// through, some time later.
pub(crate) fn without_noise<R>(body: impl FnOnce() -> R) -> R {
    // Where the stream is captured as a whole, nothing is to be left out of it.
    let Some(_shared) = Exclusion::shared() else { return body() };
    let _call = Call::begin();
    body()
}

impl Call {
    fn begin() -> Call {
        let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.count == 0 {
            calls.original = redirect();
        }
        calls.count += 1;
        Call
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        calls.count -= 1;
        if calls.count == 0
            && let Some(original) = calls.original.take()
        {
            // This closes the writer of the pipe, which ends the thread that reads it. Nobody
            // waits for it: a child process may have the writer too.
            super::log::restore_stream(&original);
        }
    }
}

/// Redirects the stream into a pipe, whose lines a thread passes on; `None` if the system has none.
fn redirect() -> Option<OwnedFd> {
    let redirected = super::log::redirect_stream(|read, original| {
        let mut original = File::from(original.try_clone().ok()?);
        let filter = thread::Builder::new().name("pjrt-noise".to_owned());
        filter
            .spawn(move || {
                let mut lines = BufReader::new(File::from(read));
                let mut line = Vec::new();
                while lines.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                    if !is_noise(&String::from_utf8_lossy(&line)) {
                        // Whoever closed the stream does not read it.
                        let _ = original.write_all(&line);
                    }
                    line.clear();
                }
            })
            .ok()
    });
    redirected.map(|(original, _)| original)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_preferences_are_noise() {
        let told = "E0000 00:00:1.1 7 cpu_aot_loader.cc:195] Loading XLA:CPU AOT result. Target \
                    machine feature ";
        assert!(is_noise(&format!("{told}+prefer-no-gather is not  supported on the host.")));
        assert!(is_noise(&format!("{told}+prefer-no-scatter is not  supported on the host.")));
        assert!(!is_noise(&format!("{told}+avx512f is not  supported on the host machine.")));
        assert!(is_noise(
            "WARNING: All log messages before absl::InitializeLog() is called are written to \
             STDERR"
        ));
        assert!(!is_noise("an error of the program"));
    }
}
