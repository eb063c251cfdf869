//! The runtime's thread pool, for handlers that share their work among threads.

use crate::{
    ErrorCode, HandlerError, callback,
    float_environment::DefaultRules,
    sys,
    table::{Table, entry},
};
use std::{
    ffi::c_void,
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr::null_mut,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The threads that the program itself runs on. CPUs only.
#[derive(Clone, Copy)]
pub struct ThreadPool<'a> {
    table: Table,
    context: *mut sys::XLA_FFI_ExecutionContext,
    frame: PhantomData<&'a ()>,
}

// SAFETY: the pool's own functions are thread-safe, and the context lives as long as the frame.
unsafe impl Send for ThreadPool<'_> {}
// SAFETY: as above.
unsafe impl Sync for ThreadPool<'_> {}

/// Work that threads share: a free thread takes the next piece.
struct Job {
    work: *const (dyn Fn(usize) + Sync),
    count: usize,
    next: AtomicUsize,
    state: Mutex<JobState>,
    idle: Condvar,
}

struct JobState {
    /// Whether `work` still lives: a thread that comes later has nothing to do.
    open: bool,
    /// Threads of the pool that are at work.
    active: usize,
    panicked: bool,
}

// SAFETY: `work` is only called while the job is open, during which it lives; it is `Sync`.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl<'a> ThreadPool<'a> {
    /// # Safety
    /// `context` is that of a call which lasts for `'a`, with this table.
    pub(crate) unsafe fn new(table: Table, context: *mut sys::XLA_FFI_ExecutionContext) -> Self {
        Self { table, context, frame: PhantomData }
    }

    /// The number of threads.
    ///
    /// # Errors
    /// The plugin has no pool, or cannot report this.
    pub fn num_threads(&self) -> Result<usize, HandlerError> {
        let mut num_threads = 0i64;
        let mut args = sys::XLA_FFI_ThreadPool_NumThreads_Args {
            struct_size: sys::XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            ctx: self.context,
            num_threads: &mut num_threads,
        };
        // SAFETY: the context is the call's.
        unsafe { self.table.call(entry!(XLA_FFI_ThreadPool_NumThreads), &mut args) }?;
        Ok(usize::try_from(num_threads).unwrap_or(0))
    }

    /// Calls `work` with every number below `count`, on this thread and on those of the pool that
    /// are free, and returns when all is done.
    ///
    /// This thread does its share, and all of it if no other is free: it never waits for a thread
    /// that has not begun, so a busy pool cannot block it.
    ///
    /// # Errors
    /// A call of `work` panicked.
    pub fn for_each(&self, count: usize, work: impl Fn(usize) + Sync) -> Result<(), HandlerError> {
        let helpers = self.num_threads().unwrap_or(0).min(count).saturating_sub(1);
        let work: &(dyn Fn(usize) + Sync) = &work;
        // SAFETY: only extends the lifetime: the job is closed before this function returns, and
        // a closed job does not call its work.
        let work: *const (dyn Fn(usize) + Sync) = unsafe { std::mem::transmute(work) };
        let state = Mutex::new(JobState { open: true, active: 0, panicked: false });
        let job =
            Arc::new(Job { work, count, next: AtomicUsize::new(0), state, idle: Condvar::new() });
        for _ in 0..helpers {
            if self.schedule(&job).is_err() {
                break;
            }
        }
        let panicked = job.work();
        let mut state = job.lock();
        state.open = false;
        while state.active > 0 {
            state = job.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if panicked || state.panicked {
            Err(HandlerError::new(ErrorCode::Internal, "a piece of work panicked"))
        } else {
            Ok(())
        }
    }

    /// Schedules `task` on a thread of the pool; it may run after the call has ended. A panic in it
    /// is logged.
    ///
    /// # Errors
    /// The plugin has no pool; the task is then dropped.
    pub fn spawn(&self, task: impl FnOnce() + Send + 'static) -> Result<(), HandlerError> {
        unsafe extern "C" fn run<F: FnOnce()>(data: *mut c_void) {
            // SAFETY: the box that was given to this one call.
            let task = unsafe { Box::from_raw(data.cast::<F>()) };
            let _rules = DefaultRules::set();
            callback::run("a task of a thread pool", *task);
        }
        fn entry_of<F: FnOnce()>(_: &F) -> unsafe extern "C" fn(*mut c_void) {
            run::<F>
        }
        let (entry, data) = (entry_of(&task), Box::into_raw(Box::new(task)));
        // SAFETY: the task frees its box, and is run once.
        unsafe { self.schedule_raw(entry, data.cast()) }.inspect_err(|_| {
            // SAFETY: a task that was refused is never run.
            drop(unsafe { Box::from_raw(data) });
        })
    }

    fn schedule(&self, job: &Arc<Job>) -> Result<(), HandlerError> {
        let data = Arc::into_raw(Arc::clone(job));
        // SAFETY: the task frees its share of the job, and is run once.
        unsafe { self.schedule_raw(run, data.cast_mut().cast()) }.inspect_err(|_| {
            // SAFETY: a task that was refused is never run.
            drop(unsafe { Arc::from_raw(data) });
        })
    }

    /// # Safety
    /// `task` may be called once, on any thread, with `data`.
    unsafe fn schedule_raw(
        &self,
        task: unsafe extern "C" fn(*mut c_void),
        data: *mut c_void,
    ) -> Result<(), HandlerError> {
        let mut args = sys::XLA_FFI_ThreadPool_Schedule_Args {
            struct_size: sys::XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            ctx: self.context,
            task: Some(task),
            data,
        };
        // SAFETY: the context is the call's; the caller answers for the task.
        unsafe { self.table.call(entry!(XLA_FFI_ThreadPool_Schedule), &mut args) }
    }
}

impl Job {
    fn lock(&self) -> std::sync::MutexGuard<'_, JobState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does pieces until none is left; true if one panicked, which ends this thread's share.
    fn work(&self) -> bool {
        catch_unwind(AssertUnwindSafe(|| {
            loop {
                let piece = self.next.fetch_add(1, Ordering::Relaxed);
                if piece >= self.count {
                    break;
                }
                // SAFETY: whoever is here holds the job open.
                unsafe { (*self.work)(piece) };
            }
        }))
        // Dropping the panic's payload could panic again.
        .map_err(std::mem::forget)
        .is_err()
    }
}

unsafe extern "C" fn run(data: *mut c_void) {
    // SAFETY: one share of the job, given to this one call.
    let job = unsafe { Arc::from_raw(data.cast_const().cast::<Job>()) };
    {
        let mut state = job.lock();
        if !state.open {
            return;
        }
        state.active += 1;
    }
    let _rules = DefaultRules::set();
    let panicked = job.work();
    let mut state = job.lock();
    state.active -= 1;
    state.panicked |= panicked;
    job.idle.notify_all();
}
