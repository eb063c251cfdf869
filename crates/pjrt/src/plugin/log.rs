//! Logs that plugins write to the standard error stream.

use crate::plugin::environment;
use std::ffi::CStr;

#[cfg(doc)]
use crate::Plugin;

/// The minimum severity of the messages that a plugin writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LogLevel {
    /// Everything.
    Info = 0,
    /// Warnings and errors.
    Warning = 1,
    /// Errors.
    Error = 2,
    /// Only errors that end the process.
    Fatal = 3,
}

impl LogLevel {
    fn variable(self) -> &'static CStr {
        match self {
            Self::Info => c"TF_CPP_MIN_LOG_LEVEL=0",
            Self::Warning => c"TF_CPP_MIN_LOG_LEVEL=1",
            Self::Error => c"TF_CPP_MIN_LOG_LEVEL=2",
            Self::Fatal => c"TF_CPP_MIN_LOG_LEVEL=3",
        }
    }
}

/// The variables by which users ask plugins for logs.
const VARIABLES: [&str; 3] = ["TF_CPP_MIN_LOG_LEVEL", "TF_CPP_MAX_VLOG_LEVEL", "TF_CPP_VMODULE"];

/// Loads a plugin with `level` as the least level of its logs, unless the user asked for another.
pub(crate) fn while_loading<R>(level: Option<LogLevel>, load: impl FnOnce() -> R) -> R {
    match level {
        Some(level) if VARIABLES.iter().all(|name| std::env::var_os(name).is_none()) => {
            environment::with_variable(level.variable(), load)
        }
        _ => load(),
    }
}

/// Sets the level for plugins that are loaded from now on, through the variable
/// `TF_CPP_MIN_LOG_LEVEL`. [`Plugin::load_with_log_level`] does it for one plugin, and leaves the
/// environment as it is. Setting the variable before the program starts does the same.
///
/// # Safety
/// No other thread reads or writes the environment at the same time, by whatever means: call it
/// at the start of `main`.
pub unsafe fn set_log_level(level: LogLevel) {
    // SAFETY: by the contract of this function.
    unsafe { std::env::set_var("TF_CPP_MIN_LOG_LEVEL", (level as u8).to_string()) };
}

/// Captures the standard error stream while `body` runs, for calls of plugins that write there
/// whatever the level. The output is passed to `tracing` afterwards, at level debug, line by line.
///
/// The stream belongs to the process: the output of other threads is captured with it. One such
/// call runs at a time, and one within another captures nothing of its own. Prefer
/// [`Plugin::load_with_log_level`] where it is enough: it loses no warnings. Outside of Unix,
/// nothing is captured.
pub fn quiet<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(unix)]
    {
        let (outcome, lines) = capture::capture(body);
        for line in lines.lines().filter(|line| !line.is_empty()) {
            tracing::debug!(target: "pjrt", "{line}");
        }
        match outcome {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    #[cfg(not(unix))]
    body()
}

#[cfg(unix)]
mod capture {
    use std::{
        cell::Cell,
        fs::File,
        io::{Read, Write},
        os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{Mutex, MutexGuard, PoisonError},
        thread::JoinHandle,
    };

    /// The maximum number of bytes that are kept; the rest is read and dropped.
    const MAX_KEPT: usize = 1 << 20;

    static STREAM: Mutex<()> = Mutex::new(());

    thread_local! {
        /// Whether this thread has the stream for itself.
        static CAPTURES: Cell<bool> = const { Cell::new(false) };
    }

    struct Alone(#[expect(dead_code, reason = "held until it is dropped")] MutexGuard<'static, ()>);

    impl Alone {
        /// Waits until nobody else has the stream; `None` if this thread has.
        fn begin() -> Option<Alone> {
            if CAPTURES.get() {
                return None;
            }
            let guard = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
            CAPTURES.set(true);
            Some(Alone(guard))
        }
    }

    impl Drop for Alone {
        fn drop(&mut self) {
            CAPTURES.set(false);
        }
    }

    /// Runs `body`, and returns what was written meanwhile.
    pub(super) fn capture<R>(
        body: impl FnOnce() -> R,
    ) -> (Result<R, Box<dyn std::any::Any + Send>>, String) {
        let Some(_alone) = Alone::begin() else {
            return (catch_unwind(AssertUnwindSafe(body)), String::new());
        };
        let redirected = redirect_stream(|read| {
            let reader = std::thread::Builder::new().name("pjrt-quiet".to_owned());
            reader.spawn(move || read_all(read)).ok()
        });
        let outcome = catch_unwind(AssertUnwindSafe(body));
        let written = redirected.map(|(original, reader): (OwnedFd, JoinHandle<String>)| {
            restore_stream(&original);
            reader.join().unwrap_or_default()
        });
        (outcome, written.unwrap_or_default())
    }

    /// Redirects the stream into a pipe, which `read` has a thread read. Returns the stream as it
    /// was, and the thread; `None` if the system has no pipe or thread.
    fn redirect_stream<T>(
        read: impl FnOnce(OwnedFd) -> Option<JoinHandle<T>>,
    ) -> Option<(OwnedFd, JoinHandle<T>)> {
        let _ = std::io::stderr().flush();
        let (reader, writer) = pipe()?;
        // SAFETY: copies a descriptor; the copy is ours.
        let original =
            unsafe { owned(libc::fcntl(libc::STDERR_FILENO, libc::F_DUPFD_CLOEXEC, 3)) }?;
        let thread = read(reader)?;
        // SAFETY: both descriptors are open.
        if unsafe { libc::dup2(writer.as_raw_fd(), libc::STDERR_FILENO) } < 0 {
            // Closing the last writer ends the reader.
            drop(writer);
            let _ = thread.join();
            return None;
        }
        Some((original, thread))
    }

    /// Restores the stream, which closes this process's writer of the pipe.
    fn restore_stream(original: &OwnedFd) {
        let _ = std::io::stderr().flush();
        // SAFETY: both descriptors are open.
        unsafe { libc::dup2(original.as_raw_fd(), libc::STDERR_FILENO) };
    }

    fn read_all(read: OwnedFd) -> String {
        let mut file = File::from(read);
        let mut kept = Vec::new();
        let mut chunk = [0; 4096];
        while let Ok(len) = file.read(&mut chunk)
            && len > 0
        {
            let room = MAX_KEPT.saturating_sub(kept.len());
            kept.extend_from_slice(&chunk[..len.min(room)]);
        }
        String::from_utf8_lossy(&kept).into_owned()
    }

    fn pipe() -> Option<(OwnedFd, OwnedFd)> {
        let (read, write) = std::io::pipe().ok()?;
        Some((read.into(), write.into()))
    }

    /// # Safety
    /// `descriptor` is negative, or open and owned by nobody.
    unsafe fn owned(descriptor: RawFd) -> Option<OwnedFd> {
        // SAFETY: by the contract of this function.
        (descriptor >= 0).then(|| unsafe { OwnedFd::from_raw_fd(descriptor) })
    }
}
