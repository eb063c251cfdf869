//! Handlers that use the client whose program called them.
//!
//! A handler holds a thread of the plugin, or the thread that called its program, and the plugin
//! bounds what may be in flight. The CPU plugin runs the larger programs of a device, and those over
//! several devices, one after the other; a program that is called by one of them and waits in the
//! same queue never begins. [`LaunchScope::enter`] notes the launch of a handler on its thread, and
//! what would wait for that launch is refused with [`Error::NestedLaunch`]:
//!
//! | called by a handler of a program | on one device | over several devices |
//! |---|---|---|
//! | on the thread that called it | runs | runs |
//! | on one device, on a thread of the plugin | refused | refused |
//! | over fewer devices than the client has | runs | refused |
//! | over all devices of the client | refused | refused |
//!
//! Programs called by handlers on threads of the plugin have ended when the call returns, so that
//! what is not ready there is waited for by none of them.

use crate::client::core::ClientInner;
use crate::error::LaunchConflict;
use crate::{Client, Error, Result};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

thread_local! {
    /// The handler that this thread runs.
    static CURRENT: RefCell<Option<Active>> = const { RefCell::new(None) };
    /// Whether this thread is executing a program.
    static EXECUTES: Cell<bool> = const { Cell::new(false) };
}

/// The launch that a handler belongs to.
#[derive(Clone, Copy, Debug)]
pub struct LaunchScope<'a> {
    /// The client of the program.
    pub client: &'a Client,
    /// The handler and its program, for errors.
    pub caller: &'a Arc<str>,
    /// The number of devices that the program runs on.
    pub devices: usize,
    /// The thread that the program waits for.
    pub thread: HandlerThread,
}

/// The thread that a handler runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HandlerThread {
    /// The one that called the program.
    Caller,
    /// One of the plugin's, which executes the program.
    Plugin,
    /// One of several that share the work of a handler. Programs need these threads as well, so
    /// none can be called.
    Worker,
}

impl HandlerThread {
    /// The thread of a handler, when it is called.
    pub fn current() -> HandlerThread {
        // A thread that is ending executes nothing.
        match EXECUTES.try_with(Cell::get) {
            Ok(true) => HandlerThread::Caller,
            _ => HandlerThread::Plugin,
        }
    }
}

/// A handler that runs, with what it inherits from those that called its program on this thread.
#[derive(Clone)]
struct Active {
    /// The address of the client, which the program keeps alive.
    client: *const ClientInner,
    caller: Arc<str>,
    devices: usize,
    thread: HandlerThread,
    outer: Option<Rc<Active>>,
}

impl Active {
    /// The innermost handler of a program of this client.
    fn find(&self, client: *const ClientInner) -> Option<&Active> {
        let mut active = self;
        while !std::ptr::eq(active.client, client) {
            active = active.outer.as_deref()?;
        }
        Some(active)
    }

    /// Whether the program does not hold all threads of the plugin, which has at least as many as
    /// the client has devices.
    fn leaves_threads(&self, client: &ClientInner) -> bool {
        self.devices < client.addressable.len()
    }
}

impl LaunchScope<'_> {
    /// Runs code of a handler. Until it returns, operations of this thread on the client that would
    /// wait for the launch are refused with [`Error::NestedLaunch`], which names the caller.
    ///
    /// Operations on other threads, which the handler waits for, are not detected.
    pub fn enter<R>(&self, body: impl FnOnce() -> R) -> R {
        struct Restore;
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.with_borrow_mut(|current| {
                    let outer = current.take().and_then(|active| active.outer);
                    *current = outer.map(Rc::unwrap_or_clone);
                });
            }
        }
        let client = Arc::as_ptr(&self.client.inner);
        CURRENT.with_borrow_mut(|current| {
            let outer = current.take().map(Rc::new);
            let same = outer.as_deref().and_then(|outer| outer.find(client));
            *current = Some(Active {
                client,
                caller: Arc::clone(self.caller),
                devices: same.map_or(1, |same| same.devices).max(self.devices),
                thread: same.map_or(HandlerThread::Caller, |same| same.thread).max(self.thread),
                outer,
            });
        });
        let _restore = Restore;
        body()
    }
}

/// A launch that a handler may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// No handler of the client makes it.
    Outermost,
    /// A handler on the thread that called its program makes it.
    Nested,
    /// A handler on a thread of the plugin makes it, and must not return to it before it has ended.
    NestedAndAwaited,
}

/// Checks that a launch does not wait for the one whose handler this thread runs.
#[inline]
pub(crate) fn admit(
    client: &ClientInner,
    devices: usize,
    donates: bool,
    program: &str,
) -> Result<Admitted> {
    with_active(client, |active| {
        let conflict = match (active.devices, active.thread) {
            (2.., _) if devices > 1 => LaunchConflict::Devices,
            (_, HandlerThread::Worker) => LaunchConflict::Workers,
            (1, HandlerThread::Plugin) => LaunchConflict::Queue,
            // The memory may be an argument of the program that waits for the handler.
            _ if donates => LaunchConflict::Donation,
            (_, HandlerThread::Caller) => return Ok(Admitted::Nested),
            (_, HandlerThread::Plugin) if active.leaves_threads(client) => {
                return Ok(Admitted::NestedAndAwaited);
            }
            (_, HandlerThread::Plugin) => LaunchConflict::Threads,
        };
        Err(active.refused(format!("calling `{program}`"), conflict))
    })
    .unwrap_or(Ok(Admitted::Outermost))
}

/// The error for a launch that a handler of the client makes.
#[cold]
pub(crate) fn refused(client: &ClientInner, program: &str, conflict: LaunchConflict) -> Error {
    let operation = format!("calling `{program}`");
    with_active(client, |active| active.refused(operation.clone(), conflict)).unwrap_or_else(|| {
        Error::NestedLaunch { operation: operation.clone(), caller: "a handler".into(), conflict }
    })
}

/// Checks that compiling does not wait for threads that handlers hold.
pub(crate) fn check_compile(client: &ClientInner) -> Result<()> {
    with_active(client, |active| match (active.devices, active.thread) {
        (_, HandlerThread::Caller) => Ok(()),
        (2.., HandlerThread::Plugin) if active.leaves_threads(client) => Ok(()),
        _ => Err(active.refused("compiling a program".to_owned(), LaunchConflict::Threads)),
    })
    .unwrap_or(Ok(()))
}

/// Whether this thread runs a handler of the client and is not the one that called its program, so
/// that it must not wait for threads of the plugin.
#[inline]
pub(crate) fn holds_thread(client: &ClientInner) -> bool {
    with_active(client, |active| active.thread != HandlerThread::Caller) == Some(true)
}

/// Checks that a copy does not wait for threads that handlers hold.
pub(crate) fn check_copy(client: &ClientInner, what: impl FnOnce() -> String) -> Result<()> {
    with_active(client, |active| match active.thread {
        HandlerThread::Caller => Ok(()),
        HandlerThread::Plugin if active.leaves_threads(client) && active.devices > 1 => Ok(()),
        _ => Err(active.refused(format!("copying {}", what()), LaunchConflict::Threads)),
    })
    .unwrap_or(Ok(()))
}

/// Checks that waiting for something, which is `ready` or not, ends before the handler does.
pub(crate) fn check_wait(
    client: &ClientInner,
    what: impl FnOnce() -> String,
    ready: impl FnOnce() -> Result<bool>,
) -> Result<()> {
    with_active(client, |active| {
        if active.thread == HandlerThread::Caller || ready()? {
            return Ok(());
        }
        Err(active.refused(format!("waiting for {}", what()), LaunchConflict::Pending))
    })
    .unwrap_or(Ok(()))
}

/// Checks that no handler of the client waits for the end of the uses of memory, one of which may
/// be its own program.
pub(crate) fn check_idle(client: &ClientInner, is_idle: impl FnOnce() -> bool) -> Result<()> {
    with_active(client, |active| match is_idle() {
        true => Ok(()),
        false => {
            let what = "waiting for the programs that use a buffer".to_owned();
            Err(active.refused(what, LaunchConflict::Pending))
        }
    })
    .unwrap_or(Ok(()))
}

/// Calls `check` with the innermost handler of this client that this thread runs; `None` if there
/// is none.
#[inline]
fn with_active<R>(client: &ClientInner, check: impl FnOnce(&Active) -> R) -> Option<R> {
    // A thread that is ending runs no handler.
    let active = CURRENT.try_with(|current| match &*current.borrow() {
        None => None,
        Some(active) => active.find(client).cloned(),
    });
    active.ok().flatten().map(|active| check(&active))
}

impl Active {
    #[cold]
    fn refused(&self, operation: String, conflict: LaunchConflict) -> Error {
        Error::NestedLaunch { operation, caller: self.caller.to_string(), conflict }
    }
}

/// Executes a program on this thread, on which the plugin may call its handlers.
#[inline]
pub(crate) fn executing<R>(body: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            let _ = EXECUTES.try_with(|executes| executes.set(self.0));
        }
    }
    let _restore = Restore(EXECUTES.try_with(|executes| executes.replace(true)).unwrap_or(false));
    body()
}
