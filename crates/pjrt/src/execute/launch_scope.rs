//! Handlers that run, and the launches that they belong to.
//!
//! [`LaunchScope::enter`] notes a handler on its thread; [`nested`](super::nested) decides what the
//! handler may do with the client of its program.

use crate::{Client, Error, client::core::ClientInner, error::LaunchConflict};
use std::{
    cell::{Cell, RefCell},
    mem::ManuallyDrop,
    rc::Rc,
    sync::Arc,
};

thread_local! {
    /// The innermost handler that this thread runs.
    ///
    /// Has no destructor, so that the destructors of other thread-local values can launch. Nothing
    /// is lost with the thread: it is `None` outside of handlers.
    static CURRENT: ManuallyDrop<RefCell<Option<Rc<Active>>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
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

/// The thread that a handler runs on. A program that a later one waits for blocks more.
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
        if EXECUTES.get() { HandlerThread::Caller } else { HandlerThread::Plugin }
    }
}

/// A handler that runs. Devices and thread are the larger ones of its own launch and of the
/// handlers of the same client that called its program on this thread.
pub(crate) struct Active {
    /// The address of the client, which the program keeps alive.
    client: *const ClientInner,
    caller: Arc<str>,
    pub devices: usize,
    pub thread: HandlerThread,
    outer: Option<Rc<Active>>,
}

impl Active {
    /// The innermost handler of a program of this client that this thread runs.
    #[inline]
    pub fn of(client: &ClientInner) -> Option<Rc<Active>> {
        let mut active = CURRENT.with(|current| current.borrow().clone())?;
        while !std::ptr::eq(active.client, client) {
            active = active.outer.clone()?;
        }
        Some(active)
    }

    /// The error for an operation that would wait for the launch.
    #[cold]
    pub fn refuse(&self, operation: String, conflict: LaunchConflict) -> Error {
        Error::NestedLaunch { operation, caller: self.caller.to_string(), conflict }
    }
}

impl Client {
    /// Whether this thread runs a handler of one of the client's programs, as
    /// [`LaunchScope::enter`] notes it: calls that it makes donate nothing.
    pub fn runs_handler(&self) -> bool {
        Active::of(&self.inner).is_some()
    }
}

impl LaunchScope<'_> {
    /// Runs code of a handler. Until it returns, operations of this thread on the client that would
    /// wait for the launch are refused with [`Error::NestedLaunch`], which names the caller.
    ///
    /// Operations on other threads, which the handler waits for, are not detected.
    pub fn enter<R>(&self, body: impl FnOnce() -> R) -> R {
        struct Restore(Option<Rc<Active>>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.with(|current| current.replace(self.0.take()));
            }
        }
        let same = Active::of(&self.client.inner);
        let (devices, thread) = same.map_or((1, HandlerThread::Caller), |s| (s.devices, s.thread));
        let outer = CURRENT.with(|current| current.borrow().clone());
        // Where no program can be called, a handler holds what a thread of the plugin would.
        let own = if self.client.platform_kind().runs_nested_programs() {
            self.thread
        } else {
            self.thread.max(HandlerThread::Plugin)
        };
        let active = Active {
            client: Arc::as_ptr(&self.client.inner),
            caller: Arc::clone(self.caller),
            devices: devices.max(self.devices),
            thread: thread.max(own),
            outer: outer.clone(),
        };
        CURRENT.with(|current| current.replace(Some(Rc::new(active))));
        let _restore = Restore(outer);
        body()
    }
}

/// Executes a program on this thread, on which the plugin may call its handlers.
#[inline]
pub(crate) fn executing<R>(body: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            EXECUTES.set(self.0);
        }
    }
    let _restore = Restore(EXECUTES.replace(true));
    body()
}
