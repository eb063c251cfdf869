//! Events: the completion of asynchronous operations.

use crate::{
    Client, ErrorCode, Result,
    client::core::ClientInner,
    error::error_number,
    execute::nested,
    plugin::{api::Api, exit::Awaited},
    sys,
};
use hloom_ffi::callback;
use std::{
    ffi::c_void,
    future::Future,
    pin::Pin,
    ptr::NonNull,
    sync::{Arc, Condvar, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

/// The completion of an asynchronous operation that may fail: a transfer, or a buffer becoming
/// ready.
///
/// Wait for it with [`Event::wait`], poll it with [`Event::is_ready`], register a callback with
/// [`Event::on_ready`], or `.await` it. It may be dropped at any time, ready or not: that cancels
/// neither the operation nor the callbacks.
#[must_use = "errors are lost unless the event is waited for"]
pub struct Event {
    client: Arc<ClientInner>,
    raw: NonNull<sys::PJRT_Event>,
    waker: Option<Arc<Mutex<Option<Waker>>>>,
}

// SAFETY: the C API's events are thread-safe.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// Takes ownership of an event.
    ///
    /// # Safety
    /// `raw` is an event of the client's plugin that nobody else destroys.
    pub(crate) unsafe fn new(client: Arc<ClientInner>, raw: NonNull<sys::PJRT_Event>) -> Self {
        client.counters.events.add();
        Self { client, raw, waker: None }
    }

    /// Takes ownership of an event that a call returned.
    ///
    /// # Errors
    /// The plugin returned null.
    ///
    /// # Safety
    /// As for [`Event::new`], except that `raw` may be null.
    pub(crate) unsafe fn from_call(
        client: &Arc<ClientInner>,
        raw: *mut sys::PJRT_Event,
        function: &'static str,
    ) -> Result<Self> {
        let raw = client.api.handle(raw, function)?;
        // SAFETY: by the contract of this function.
        Ok(unsafe { Self::new(Arc::clone(client), raw) })
    }

    /// Returns the pointer without destroying the event.
    pub(crate) fn into_raw(self) -> *mut sys::PJRT_Event {
        let this = std::mem::ManuallyDrop::new(self);
        this.client.counters.events.remove();
        // SAFETY: `this` is never dropped or used again; each field is moved out once.
        unsafe {
            drop(std::ptr::read(&this.waker));
            drop(std::ptr::read(&this.client));
        }
        this.raw.as_ptr()
    }

    /// Blocks until the event happens.
    ///
    /// Not to be called in a callback or an FFI handler: those run on the threads that complete
    /// events.
    ///
    /// # Errors
    /// The error with which it happened, or the plugin's error if it cannot wait; the event has
    /// happened even then, unless the plugin cannot report that either. Or
    /// [`Error::NestedLaunch`](crate::Error::NestedLaunch), at once.
    pub fn wait(&self) -> Result<()> {
        nested::check_wait(&self.client, || "an event".to_owned(), || self.is_ready())?;
        self.wait_for_end()
    }

    /// Blocks until the event happens, where memory is in use until then.
    pub(crate) fn wait_for_end(&self) -> Result<()> {
        let mut args: sys::PJRT_Event_Await_Args = self.api().zeroed();
        args.event = self.raw.as_ptr();
        // SAFETY: the event is alive.
        let outcome = unsafe { self.api().call(&mut args) };
        if outcome.is_err() {
            // The wait itself may have failed. The caller may free memory that is in use until the
            // event.
            while let Ok(false) = self.is_ready() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        outcome
    }

    /// Blocks until the event happens or the timeout expires; `Ok(false)` after the timeout.
    ///
    /// # Errors
    /// The error with which it happened.
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        if self.is_ready()? {
            return self.error().map(|()| true);
        }
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let signal = Arc::clone(&shared);
        self.on_ready(move |_| {
            *signal.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            signal.1.notify_all();
        })?;
        let guard = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (guard, _) = shared
            .1
            .wait_timeout_while(guard, timeout, |ready| !*ready)
            .unwrap_or_else(PoisonError::into_inner);
        if *guard { self.error().map(|()| true) } else { Ok(false) }
    }

    /// Whether the event has happened, with success or not.
    ///
    /// # Errors
    /// The plugin's error, if it cannot report this.
    pub fn is_ready(&self) -> Result<bool> {
        let mut args: sys::PJRT_Event_IsReady_Args = self.api().zeroed();
        args.event = self.raw.as_ptr();
        // SAFETY: the event is alive.
        unsafe { self.api().call(&mut args) }?;
        Ok(args.is_ready)
    }

    /// Calls `function` with the outcome as soon as the event happens: at once, on this thread, if
    /// it has happened, else on a thread of the plugin.
    ///
    /// The function should be short and must not wait for the plugin. A panic in it is logged.
    ///
    /// # Errors
    /// The plugin's error, if it cannot register the callback; the function is then dropped.
    pub fn on_ready(&self, function: impl FnOnce(Result<()>) + Send + 'static) -> Result<()> {
        struct Call<F> {
            // Keeps the client alive until the callback has run, whatever is dropped before.
            client: Arc<ClientInner>,
            function: F,
            pending: Awaited,
        }
        unsafe extern "C" fn run<F: FnOnce(Result<()>)>(
            error: *mut sys::PJRT_Error,
            user_arg: *mut c_void,
        ) {
            callback::run("on_ready", || {
                // SAFETY: `user_arg` is the box made below, given to exactly one call.
                let call = unsafe { Box::from_raw(user_arg.cast::<Call<F>>()) };
                let Call { client, function, pending } = *call;
                let outcome = if error.is_null() {
                    Ok(())
                } else {
                    // SAFETY: the callback owns the error.
                    Err(unsafe { client.api.take_error("PJRT_Event_OnReady", error) })
                };
                function(outcome);
                drop(client);
                drop(pending);
            });
        }
        fn entry<F: FnOnce(Result<()>)>(_: &F) -> sys::PJRT_Event_OnReadyCallback {
            Some(run::<F>)
        }
        let callback = entry(&function);
        let client = Arc::clone(&self.client);
        let call = Box::into_raw(Box::new(Call { client, function, pending: Awaited::pending() }));
        let mut args: sys::PJRT_Event_OnReady_Args = self.api().zeroed();
        args.event = self.raw.as_ptr();
        args.callback = callback;
        args.user_arg = call.cast();
        // SAFETY: the event is alive; the callback frees the box once.
        unsafe { self.api().call(&mut args) }.inspect_err(|_| {
            // SAFETY: a registration that failed never calls back, so the box is still ours.
            drop(unsafe { Box::from_raw(call) });
        })
    }

    /// The pointer, for calls that this crate does not wrap. Valid while the event lives.
    pub fn as_ptr(&self) -> *mut sys::PJRT_Event {
        self.raw.as_ptr()
    }

    /// The outcome of an event that has happened.
    fn error(&self) -> Result<()> {
        let mut args: sys::PJRT_Event_Error_Args = self.api().zeroed();
        args.event = self.raw.as_ptr();
        // SAFETY: the event is alive and ready (asking before that would abort).
        unsafe { self.api().call(&mut args) }
    }

    fn api(&self) -> &'static Api {
        self.client.api
    }

    pub(crate) fn client_inner(&self) -> &Arc<ClientInner> {
        &self.client
    }
}

impl Future for Event {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.is_ready()? {
            return Poll::Ready(self.error());
        }
        match &self.waker {
            Some(waker) => {
                *waker.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(context.waker().clone());
            }
            None => {
                let waker = Arc::new(Mutex::new(Some(context.waker().clone())));
                self.waker = Some(Arc::clone(&waker));
                self.on_ready(move |_| {
                    let waker = waker.lock().unwrap_or_else(PoisonError::into_inner).take();
                    if let Some(waker) = waker {
                        waker.wake();
                    }
                })?;
            }
        }
        // It may have happened between the check and the new waker.
        if self.is_ready()? { Poll::Ready(self.error()) } else { Poll::Pending }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let mut args: sys::PJRT_Event_Destroy_Args = self.api().zeroed();
        args.event = self.raw.as_ptr();
        // SAFETY: this handle owns the event, which is not used again.
        unsafe { self.api().release(&mut args) };
        self.client.counters.events.remove();
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Event").field("is_ready", &self.is_ready().ok()).finish()
    }
}

/// An event that the host program completes (API 0.89 and later).
#[derive(Debug)]
pub struct HostEvent {
    event: Event,
}

impl Client {
    /// An event that the host program completes (API 0.89 and later).
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn host_event(&self) -> Result<HostEvent> {
        HostEvent::new(&self.inner)
    }
}

impl HostEvent {
    fn new(client: &Arc<ClientInner>) -> Result<Self> {
        let mut args: sys::PJRT_Event_Create_Args = client.api.zeroed();
        // SAFETY: no inputs.
        unsafe { client.api.call(&mut args) }?;
        // SAFETY: a new event that belongs to us.
        let event = unsafe { Event::from_call(client, args.event, "PJRT_Event_Create") }?;
        Ok(Self { event })
    }

    /// Completes the event, with success or with an error.
    ///
    /// # Errors
    /// The code of the error is 0, or the plugin's error, for instance if the event has happened.
    pub fn set(self, outcome: Result<(), (ErrorCode, &str)>) -> Result<Event> {
        let api = self.event.api();
        let (code, message) = match outcome {
            Ok(()) => (0, ""),
            Err((code, message)) => (error_number(code)?, message),
        };
        let mut args: sys::PJRT_Event_Set_Args = api.zeroed();
        args.event = self.event.raw.as_ptr();
        args.error_code = code;
        args.error_message = message.as_ptr().cast();
        args.error_message_size = message.len();
        // SAFETY: the event is alive, the message outlives the call.
        unsafe { api.call(&mut args) }?;
        Ok(self.event)
    }

    /// The event, for waiting.
    pub fn event(&self) -> &Event {
        &self.event
    }
}
