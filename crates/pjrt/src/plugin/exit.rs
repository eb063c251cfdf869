//! The end of the process while a plugin still works.
//!
//! `exit` destroys a plugin's static objects. A thread of the plugin that still needs them, for
//! instance to destroy the executable of the last call, then ends the process with a signal.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// The time that the end of the process waits for pending work.
const LIMIT: Duration = Duration::from_secs(2);

/// The time that it waits for work in the background, which may be the compilation of a large
/// program.
const BACKGROUND_LIMIT: Duration = Duration::from_secs(10);

/// The time for what the CPU plugin does on its threads after it has reported the end of an
/// execution: tens of microseconds of work, if the system lets the thread run.
const SETTLE: Duration = Duration::from_millis(10);

/// The time between two registrations of the handler during work in the background.
#[cfg(unix)]
const TURN: Duration = Duration::from_millis(1);

static CLIENTS: AtomicUsize = AtomicUsize::new(0);
static PENDING: AtomicUsize = AtomicUsize::new(0);
static BACKGROUND: AtomicUsize = AtomicUsize::new(0);
/// Whether `exit` was called.
static ENDING: AtomicBool = AtomicBool::new(false);

/// One of several things that the end of the process considers, counted while it exists.
pub(crate) struct Awaited(&'static AtomicUsize);

impl Awaited {
    /// A client, with its threads.
    pub(crate) fn client() -> Awaited {
        Awaited::new(&CLIENTS)
    }

    /// Work on another thread that uses a plugin.
    pub(crate) fn pending() -> Awaited {
        Awaited::new(&PENDING)
    }

    fn new(count: &'static AtomicUsize) -> Awaited {
        count.fetch_add(1, Ordering::SeqCst);
        Awaited(count)
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

/// Work that a thread does with a plugin while nobody waits for its result. While it exists, the
/// end of the process waits, at most ten seconds: a plugin that still works when `exit` destroys
/// its static objects ends the process with a signal.
pub struct BackgroundWork(#[expect(dead_code, reason = "held for its drop")] Awaited);

impl BackgroundWork {
    /// Begins such work; `None` once the process is ending, when nothing may use a plugin any more.
    pub fn begin() -> Option<BackgroundWork> {
        let work = BackgroundWork(Awaited::new(&BACKGROUND));
        if BackgroundWork::is_awaited() {
            return None;
        }
        watch_background();
        Some(work)
    }

    /// Whether the process is ending, and waits for such work: end it as soon as possible.
    pub fn is_awaited() -> bool {
        // Either this thread sees that the process ends, or the end sees the work.
        ENDING.load(Ordering::SeqCst)
    }
}

impl std::fmt::Debug for BackgroundWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BackgroundWork")
    }
}

/// Makes `exit` wait for plugins before it destroys the static objects that exist by now.
///
/// To be called again when a plugin may have made new ones: handlers run in reverse order.
#[cfg(unix)]
pub(crate) fn watch() {
    extern "C" fn at_exit() {
        // A forked child has none of the threads, and a callback that calls `exit` would wait for
        // itself.
        let is_alone = crate::plugin::fork::is_child() || hloom_ffi::callback::is_running();
        if !ENDING.swap(true, Ordering::SeqCst) && !is_alone {
            wait();
        }
    }
    // SAFETY: the handler uses nothing that `exit` destroys.
    if unsafe { libc::atexit(at_exit) } != 0 {
        tracing::warn!("the end of the process will not wait for plugins");
    }
}

/// Static objects live until the process ends.
#[cfg(not(unix))]
pub(crate) fn watch() {}

/// Calls [`watch`] every millisecond while there is work in the background. Plugins also make static
/// objects in the middle of a first execution: `exit` would destroy them before it waits.
#[cfg(unix)]
fn watch_background() {
    static IS_RUNNING: AtomicBool = AtomicBool::new(false);
    let is_needed = || BACKGROUND.load(Ordering::SeqCst) > 0 && !BackgroundWork::is_awaited();
    let run = move || {
        loop {
            while is_needed() {
                watch();
                std::thread::sleep(TURN);
            }
            IS_RUNNING.store(false, Ordering::SeqCst);
            // Work that began meanwhile saw this thread running.
            if !is_needed() || IS_RUNNING.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    };
    if IS_RUNNING.swap(true, Ordering::SeqCst) {
        return;
    }
    let thread = std::thread::Builder::new().name("hloom-exit".into()).spawn(run);
    if let Err(error) = thread {
        IS_RUNNING.store(false, Ordering::SeqCst);
        tracing::warn!(%error, "the end of the process may not wait for work in the background");
    }
}

#[cfg(not(unix))]
fn watch_background() {}

#[cfg(unix)]
fn wait() {
    let start = Instant::now();
    let waits_for =
        |count: &AtomicUsize, limit| count.load(Ordering::SeqCst) > 0 && start.elapsed() < limit;
    while waits_for(&PENDING, LIMIT) || waits_for(&BACKGROUND, BACKGROUND_LIMIT) {
        std::thread::sleep(Duration::from_micros(100));
    }
    if CLIENTS.load(Ordering::Acquire) > 0 {
        std::thread::sleep(SETTLE);
    }
}
