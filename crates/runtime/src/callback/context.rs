//! The context of a callback.

use super::{CallbackError, call_owner::with_call_owner, call_sites::CallSite, record::Record};
use hloom_graph::Attributes;
use hloom_pjrt::{
    AlignedVec, Device, ErrorCode,
    extension::ffi::{CallFrame, HandlerThread, ThreadPool},
};
use std::{cell::RefCell, ffi::c_void, fmt, panic::Location, ptr::NonNull};

/// The context of a callback: everything except its inputs and outputs.
///
/// Callbacks run on the plugin's threads, or on the calling thread of a small program.
///
/// # Uses of the same platform
/// A callback can use another platform as any code can. A call on the platform of its own program
/// works, or is refused at once with an error ([`hloom_pjrt::Error::NestedLaunch`]); it does not
/// deadlock. The plugin runs large programs of a device one after the other, and programs over
/// several devices too, and a program that waits in the queue of the one whose callback called it
/// would never begin:
///
/// | the callback's program | calls a program on one device | over several devices |
/// |---|---|---|
/// | on one device, small enough to run on the calling thread | works | works |
/// | on one device, larger | refused | refused |
/// | over some devices of the platform | works | refused |
/// | over all devices of the platform | refused | refused |
///
/// That is the CPU. On devices (CUDA) calls, compilations and copies to the host are refused: the
/// device is locked while a program calls its callbacks.
///
/// The CPU plugin runs programs of up to about a thousand operations on the calling thread, if
/// their arguments are ready. Donating to a program is refused in all callbacks. Where calls are
/// refused, so is compiling; buffers that are ready can be read, and waiting for others is refused.
/// In [`for_each`](Self::for_each) and in tasks of [`spawn`](Self::spawn) all calls are refused.
/// While a [`DeferredCall`](crate::DeferredCall) shows its views, the same holds on any thread as in
/// the function that received it.
///
/// Work of other threads that the callback waits for is not detected, and may deadlock. At most ten
/// threads run programs with callbacks on themselves at the same time; others wait.
pub struct CallbackContext<'a> {
    /// `None` between two steps of a program, where no plugin is running.
    frame: Option<&'a CallFrame<'a>>,
    record: &'a Record,
    slot: usize,
    /// Host memory that lives as long as the call.
    scratch: RefCell<Vec<AlignedVec<u8>>>,
}

impl<'a> CallbackContext<'a> {
    pub(super) fn new(
        frame: Option<&'a CallFrame<'_>>,
        record: &'a Record,
        slot: usize,
    ) -> CallbackContext<'a> {
        CallbackContext { frame, record, slot, scratch: RefCell::default() }
    }

    fn site(&self) -> &'a CallSite {
        &self.record.sites.all[self.slot]
    }

    /// The name of the callback.
    pub fn name(&self) -> &'a str {
        &self.site().name
    }

    /// The source line that added it to the program.
    pub fn location(&self) -> &'static Location<'static> {
        self.site().location
    }

    /// The name of the executable.
    pub fn executable(&self) -> &'a str {
        &self.record.sites.executable
    }

    /// The attributes of the callback.
    pub fn attributes(&self) -> &'a Attributes {
        &self.site().attributes
    }

    /// An id of the call of the executable, unique in the process and shared by the callbacks of
    /// the call.
    pub fn run_id(&self) -> u64 {
        self.record.run_id
    }

    /// The device that the program runs on.
    ///
    /// # Errors
    /// The plugin does not report it.
    pub fn device(&self) -> Result<Device, CallbackError> {
        let ordinal = self.frame.map_or(Ok(0), CallFrame::device_ordinal)?;
        let devices = self.record.sites.platform.client().addressable_devices();
        let device =
            usize::try_from(ordinal).ok().and_then(|ordinal| devices.get(ordinal).cloned());
        device.ok_or_else(|| {
            CallbackError::new(format!("the plugin names device {ordinal} of {}", devices.len()))
        })
    }

    /// The stream that the program runs on, such as a `CUstream`; `None` on the CPU.
    ///
    /// The callback returns before the work that it queues there is done; the program continues
    /// after that work on the same stream.
    pub fn stream(&self) -> Option<NonNull<c_void>> {
        self.frame?.stream()
    }

    /// Uninitialized memory of the device that lives until the callback returns; work that it has
    /// queued on the stream may use it. `alignment` is at most 64 on the CPU and 16 on devices.
    ///
    /// # Errors
    /// Out of memory, the alignment is too large, or, on a device, the callback is
    /// [`command_buffer_compatible`](crate::CallbackBuilder::command_buffer_compatible).
    pub fn scratch(
        &self,
        bytes: usize,
        alignment: usize,
    ) -> Result<NonNull<c_void>, CallbackError> {
        let most = if self.stream().is_some() { 16 } else { hloom_pjrt::ALIGNMENT };
        if !alignment.is_power_of_two() || alignment > most {
            return Err(CallbackError::invalid(format!(
                "scratch memory is aligned to powers of two up to {most}, not to {alignment}"
            )));
        }
        if let Some(frame) = self.frame.filter(|frame| frame.stream().is_some()) {
            let memory = NonNull::new(frame.allocate(bytes, alignment)?);
            return memory.ok_or_else(|| {
                CallbackError::with_code(ErrorCode::ResourceExhausted, "no scratch memory")
            });
        }
        let mut memory = AlignedVec::zeroed(bytes.max(1))?;
        let start = NonNull::from(&mut memory[..]).cast();
        self.scratch.borrow_mut().push(memory);
        Ok(start)
    }

    /// The thread pool of the program; `None` where it does not run on host threads.
    fn thread_pool(&self) -> Option<ThreadPool<'_>> {
        let pool = self.frame?.thread_pool();
        pool.num_threads().is_ok_and(|threads| threads > 0).then_some(pool)
    }

    /// Calls `work` with every number below `count`, on this thread and on free threads of the
    /// runtime, and returns when all calls have returned.
    ///
    /// # Errors
    /// A call of `work` panicked.
    pub fn for_each(&self, count: usize, work: impl Fn(usize) + Sync) -> Result<(), CallbackError> {
        let (record, site) = (self.record, self.site());
        match self.thread_pool() {
            Some(pool) => {
                let thread = HandlerThread::Worker;
                let work = |index| record.working(site, thread, || work(index));
                Ok(pool.for_each(count, work)?)
            }
            None => {
                (0..count).for_each(work);
                Ok(())
            }
        }
    }

    /// Runs `task` on a thread of the runtime, possibly after the callback has returned: the way to
    /// complete a [deferred call](crate::DeferredCall). Where the runtime has no thread pool, a new
    /// thread is started.
    ///
    /// # Errors
    /// No thread could be started.
    pub fn spawn(&self, task: impl FnOnce() + Send + 'static) -> Result<(), CallbackError> {
        if let Some(pool) = self.thread_pool() {
            let (record, slot) = (self.record.clone(), self.slot);
            return Ok(pool.spawn(move || {
                record.working(&record.sites.all[slot], HandlerThread::Worker, task)
            })?);
        }
        let owner = self.record.owner;
        let task = move || with_call_owner(owner, task);
        std::thread::Builder::new().name(self.name().into()).spawn(task)?;
        Ok(())
    }

    /// Whether the program has failed elsewhere, so that the outputs will not be read.
    pub fn cancelled(&self) -> bool {
        self.record.has_failed()
    }
}

impl fmt::Debug for CallbackContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackContext")
            .field("callback", &self.name())
            .field("executable", &self.executable())
            .field("run_id", &self.run_id())
            .finish_non_exhaustive()
    }
}
