//! Calls that never block their caller.

use super::Exe;
use crate::{Args, Buffer, Error, Result, ResultTree};
use std::{
    any::Any,
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    thread,
};

/// The results of a call on a thread of its own: [`Exe::call_async`].
#[must_use = "the results and errors of the call are those of the future"]
pub struct CallFuture<T> {
    call: Arc<Mutex<Progress<T>>>,
}

/// The progress of a call.
enum Progress<T> {
    /// The call runs; holds the task to wake at its end.
    Running(Option<Waker>),
    /// The call ended: holds the results, or the panic of code of the plugin or the caller.
    Ended(thread::Result<Result<T>>),
    /// The results were taken.
    Taken,
}

fn lock<T>(call: &Mutex<Progress<T>>) -> MutexGuard<'_, Progress<T>> {
    // A panic cannot leave the state incomplete.
    call.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<A: Args, R: ResultTree> Exe<A, R> {
    /// Runs the program on a thread of its own. The future ends when the results are computed,
    /// with the errors of the execution too, so that reading them does not wait.
    ///
    /// [`call`](Self::call) returns when the work is queued, and a plugin may run the work before
    /// it returns: the CPU plugin runs small programs on the calling thread, also programs that run
    /// for long, since it counts each loop as one step. `call_async` starts a thread, which takes
    /// some ten microseconds. The call begins at once, and dropping the future does not cancel it.
    ///
    /// # Errors
    /// As [`call`](Self::call), by the future, and the errors of the execution; or the future was
    /// polled after its end.
    ///
    /// ```no_run
    /// # use hloom_runtime::*; use hloom_graph::*;
    /// # async fn example(exe: Exe<(Spec,), Tensor>, x: Buffer) -> Result<()> {
    /// let y = exe.call_async((&x,)).await?;
    /// println!("{y}"); // does not wait
    /// # Ok(()) }
    /// ```
    pub fn call_async(&self, arguments: A::Call<'_>) -> CallFuture<R::Buffers>
    where
        A: 'static,
        R: 'static,
        R::Buffers: Send + 'static,
    {
        // Handles of the buffers, so that the arguments can be dropped; the handle of a donated
        // buffer is then its only one.
        let mut inputs = Vec::new();
        A::visit(&arguments, &mut |buffer| inputs.push(buffer.shared()));
        drop(arguments);
        let exe = self.clone();
        let run = move || {
            let mut results = exe.call_with(|each| inputs.iter().for_each(each))?;
            drop(inputs);
            let mut ready = Ok(());
            R::each_mut(&mut results, &mut |buffer: &mut Buffer| {
                if ready.is_ok() {
                    ready = buffer.ready();
                }
            });
            ready.map(|()| results)
        };
        CallFuture::start(run)
    }
}

impl<T: Send + 'static> CallFuture<T> {
    fn start(run: impl FnOnce() -> Result<T> + Send + 'static) -> CallFuture<T> {
        let call = Arc::new(Mutex::new(Progress::Running(None)));
        let work = Arc::new(Mutex::new(Some(run)));
        let (ended, given) = (call.clone(), work.clone());
        let on_thread = move || {
            let run = given.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(run) = run {
                end(&ended, catch_unwind(AssertUnwindSafe(run)));
            }
        };
        let started = thread::Builder::new().name("hloom-call".to_owned()).spawn(on_thread);
        // Where no thread can be started, the caller waits.
        if started.is_err() {
            let run = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(run) = run {
                end(&call, catch_unwind(AssertUnwindSafe(run)));
            }
        }
        CallFuture { call }
    }
}

/// Stores the outcome and wakes the task that waits for it.
fn end<T>(call: &Mutex<Progress<T>>, outcome: Result<Result<T>, Box<dyn Any + Send>>) {
    let before = std::mem::replace(&mut *lock(call), Progress::Ended(outcome));
    if let Progress::Running(Some(waker)) = before {
        waker.wake();
    }
}

impl<T> Future for CallFuture<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        let mut progress = lock(&self.call);
        if let Progress::Running(waker) = &mut *progress {
            *waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        let ended = std::mem::replace(&mut *progress, Progress::Taken);
        drop(progress);
        match ended {
            Progress::Ended(Ok(outcome)) => Poll::Ready(outcome),
            Progress::Ended(Err(panic)) => resume_unwind(panic),
            Progress::Running(_) | Progress::Taken => Poll::Ready(Err(Error::PolledAfterEnd)),
        }
    }
}

impl<T> fmt::Debug for CallFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &*lock(&self.call) {
            Progress::Running(_) => "running",
            Progress::Ended(_) => "ended",
            Progress::Taken => "taken",
        };
        write!(f, "CallFuture({state})")
    }
}
