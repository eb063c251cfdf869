//! Call frames of handlers.

use crate::{
    Attributes, Deferred, ErrorCode, HandlerError, ThreadPool,
    buffer::{Array, Input, Output},
    deferred::Shared,
    scratch::Scratch,
    sys,
    table::{Table, entry},
};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    ffi::c_void,
    marker::PhantomData,
    ptr::{NonNull, null_mut},
    sync::Arc,
};

/// The stage of an executable's life at which a handler is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Once for each executable, when it is compiled or loaded; without arguments and results.
    Instantiate,
    /// Before each execution, on devices: the contents of memory are undefined.
    Prepare,
    /// Before each execution, on devices, with a stream.
    Initialize,
    /// The call itself.
    Execute,
    /// A stage that this crate does not know.
    Other(u32),
}

/// A call of a handler: arguments, results, attributes, and services of the runtime.
pub struct CallFrame<'a> {
    raw: NonNull<sys::XLA_FFI_CallFrame>,
    table: Table,
    /// One bit for each of the first results that were given out, and the indices of the others.
    taken: Cell<u128>,
    taken_beyond: RefCell<Vec<usize>>,
    pub(crate) deferred: RefCell<Option<Arc<Shared>>>,
    scratch: Scratch,
    frame: PhantomData<&'a mut sys::XLA_FFI_CallFrame>,
}

impl<'a> CallFrame<'a> {
    /// `is_replayed` is whether a command buffer may replay the work of the call.
    ///
    /// # Safety
    /// `raw` is the frame of a call that lasts for `'a`, with this table.
    pub(crate) unsafe fn new(
        raw: NonNull<sys::XLA_FFI_CallFrame>,
        table: Table,
        is_replayed: bool,
    ) -> Self {
        // SAFETY: the frame and its context are those of the call.
        let scratch = unsafe { Scratch::new(table, raw.as_ref().ctx, is_replayed) };
        Self {
            raw,
            table,
            taken: Cell::new(0),
            taken_beyond: RefCell::default(),
            deferred: RefCell::default(),
            scratch,
            frame: PhantomData,
        }
    }

    fn raw(&self) -> &sys::XLA_FFI_CallFrame {
        // SAFETY: the frame lives as long as the call. Nobody writes to it but `hand_over`.
        unsafe { self.raw.as_ref() }
    }

    pub(crate) fn table(&self) -> Table {
        self.table
    }

    pub(crate) fn context(&self) -> *mut sys::XLA_FFI_ExecutionContext {
        self.raw().ctx
    }

    /// The stage.
    pub fn stage(&self) -> Stage {
        match self.raw().stage {
            sys::XLA_FFI_ExecutionStage_INSTANTIATE => Stage::Instantiate,
            sys::XLA_FFI_ExecutionStage_PREPARE => Stage::Prepare,
            sys::XLA_FFI_ExecutionStage_INITIALIZE => Stage::Initialize,
            sys::XLA_FFI_ExecutionStage_EXECUTE => Stage::Execute,
            other => Stage::Other(other),
        }
    }

    /// The number of arguments.
    pub fn num_arguments(&self) -> usize {
        usize::try_from(self.raw().args.size).unwrap_or(0)
    }

    /// The number of results.
    pub fn num_results(&self) -> usize {
        usize::try_from(self.raw().rets.size).unwrap_or(0)
    }

    /// The argument at this index.
    ///
    /// # Errors
    /// The index is out of range, or it is not an array.
    pub fn argument(&self, index: usize) -> Result<Input<'_>, HandlerError> {
        let array = self.argument_array(index)?;
        let aliased = (0..self.num_results())
            .find(|&result| self.result_array(result).is_ok_and(|r| r.overlaps(&array)));
        if self.deferred.borrow().is_some() {
            return Err(deferred());
        }
        // SAFETY: the frame's memory lives during the call; aliases were looked for.
        Ok(unsafe { Input::new(array, index, aliased) })
    }

    /// The arguments, in order.
    ///
    /// # Errors
    /// As for [`CallFrame::argument`].
    pub fn arguments(&self) -> Result<Vec<Input<'_>>, HandlerError> {
        (0..self.num_arguments()).map(|index| self.argument(index)).collect()
    }

    /// The result at this index, which is given out once.
    ///
    /// # Errors
    /// The index is out of range, it is not an array, or it was given out before.
    pub fn result(&self, index: usize) -> Result<Output<'_>, HandlerError> {
        let array = self.result_array(index)?;
        if self.deferred.borrow().is_some() {
            return Err(deferred());
        }
        let fresh = match 1u128.checked_shl(index as u32).filter(|_| index < 128) {
            Some(bit) => self.taken.replace(self.taken.get() | bit) & bit == 0,
            None => {
                let mut beyond = self.taken_beyond.borrow_mut();
                let fresh = !beyond.contains(&index);
                beyond.push(index);
                fresh
            }
        };
        if !fresh {
            return Err(HandlerError::invalid(format!("result {index} was given out before")));
        }
        // SAFETY: the frame's memory lives during the call, and was not given out before.
        Ok(unsafe { Output::new(array, index) })
    }

    /// The results, in order, each of which is given out once.
    ///
    /// # Errors
    /// As for [`CallFrame::result`].
    pub fn results(&self) -> Result<Vec<Output<'_>>, HandlerError> {
        (0..self.num_results()).map(|index| self.result(index)).collect()
    }

    /// Sets the results to zeros, but for those that share an argument's memory: what the program's
    /// memory held before is not to be read. For programs on the host, before any result is given
    /// out.
    pub fn clear_results(&mut self) {
        let arguments = || (0..self.num_arguments()).filter_map(|i| self.argument_array(i).ok());
        let results = (0..self.num_results()).filter_map(|index| self.result_array(index).ok());
        for result in results {
            if !arguments().any(|argument| argument.overlaps(&result)) {
                let (_, _, start) = result.parts();
                // SAFETY: the frame provides memory of this size; nobody else has it, since no
                // result was given out.
                unsafe { start.write_bytes(0, result.byte_len()) };
            }
        }
    }

    /// The description of the argument at this index, without its contents.
    ///
    /// # Errors
    /// The index is out of range, or it is not an array.
    pub fn argument_array(&self, index: usize) -> Result<Array<'_>, HandlerError> {
        let args = &self.raw().args;
        if index >= self.num_arguments() {
            let message = format!("no argument {index}: the call has {}", self.num_arguments());
            return Err(HandlerError::invalid(message));
        }
        // SAFETY: both arrays have as many entries as the frame reports.
        unsafe {
            if *args.types.add(index) != sys::XLA_FFI_ArgType_BUFFER {
                return Err(HandlerError::invalid(format!("argument {index} is not an array")));
            }
            Array::read((*args.args.add(index)).cast())
        }
    }

    /// The description of the result at this index, which is not given out by this.
    ///
    /// # Errors
    /// The index is out of range, or it is not an array.
    pub fn result_array(&self, index: usize) -> Result<Array<'_>, HandlerError> {
        let rets = &self.raw().rets;
        if index >= self.num_results() {
            let message = format!("no result {index}: the call has {}", self.num_results());
            return Err(HandlerError::invalid(message));
        }
        // SAFETY: both arrays have as many entries as the frame reports.
        unsafe {
            if *rets.types.add(index) != sys::XLA_FFI_RetType_BUFFER {
                return Err(HandlerError::invalid(format!("result {index} is not an array")));
            }
            Array::read((*rets.rets.add(index)).cast())
        }
    }

    /// The attributes: the `backend_config` dictionary of the custom call.
    pub fn attributes(&self) -> Attributes<'_> {
        // SAFETY: the dictionary is a part of the frame.
        unsafe { Attributes::new(&self.raw().attrs) }
    }

    /// The execution's user data of type `T`.
    ///
    /// # Errors
    /// The execution's context has no `T`, or this is not the execute stage.
    pub fn user_data<T: Any + Send + Sync>(&self) -> Result<&'a T, HandlerError> {
        let id = self
            .table
            .known_type_id::<T>()
            .ok_or_else(|| no_user_data::<T>("was never passed to any execution"))?;
        let mut type_id = sys::XLA_FFI_TypeId { type_id: id };
        let mut args = sys::XLA_FFI_ExecutionContext_Get_Args {
            struct_size: sys::XLA_FFI_ExecutionContext_Get_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            ctx: self.context(),
            type_id: &mut type_id,
            data: null_mut(),
        };
        // SAFETY: the context is the call's.
        unsafe { self.table.call(entry!(XLA_FFI_ExecutionContext_Get), &mut args) }
            .map_err(|error| no_user_data::<T>(&error.message))?;
        // SAFETY: only `ExecuteContext::insert::<T>` adds data of this type id; the context keeps
        // it until the execution has completed, which lasts longer than this call of it.
        unsafe { args.data.cast::<T>().as_ref() }.ok_or_else(|| no_user_data::<T>("is null"))
    }

    /// The stream of the call, such as a `CUstream`; `None` on the host.
    pub fn stream(&self) -> Option<NonNull<c_void>> {
        let mut args = sys::XLA_FFI_Stream_Get_Args {
            struct_size: sys::XLA_FFI_Stream_Get_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            ctx: self.context(),
            stream: null_mut(),
        };
        // SAFETY: the context is the call's.
        unsafe { self.table.call(entry!(XLA_FFI_Stream_Get), &mut args) }.ok()?;
        NonNull::new(args.stream)
    }

    /// A number that all calls of one execution share. Some plugins use the same for all
    /// executions.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn run_id(&self) -> Result<i64, HandlerError> {
        let mut args = sys::XLA_FFI_RunId_Get_Args {
            struct_size: sys::XLA_FFI_RunId_Get_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            ctx: self.context(),
            run_id: 0,
        };
        // SAFETY: the context is the call's.
        unsafe { self.table.call(entry!(XLA_FFI_RunId_Get), &mut args) }?;
        Ok(args.run_id)
    }

    /// The index of the device among the client's addressable devices.
    ///
    /// # Errors
    /// The plugin's error, or the plugin lacks the function.
    pub fn device_ordinal(&self) -> Result<i32, HandlerError> {
        let mut args = sys::XLA_FFI_DeviceOrdinal_Get_Args {
            struct_size: sys::XLA_FFI_DeviceOrdinal_Get_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            ctx: self.context(),
            device_ordinal: 0,
        };
        // SAFETY: the context is the call's.
        unsafe { self.table.call(entry!(XLA_FFI_DeviceOrdinal_Get), &mut args) }?;
        Ok(args.device_ordinal)
    }

    /// Scratch memory of the device, freed when the handler has returned; work that it has queued
    /// on the call's stream may use it. GPUs only; alignment up to 16.
    ///
    /// # Errors
    /// The handler is compatible with command buffers, which replay its work after the memory was
    /// freed; or the plugin's error: out of memory, or this is no GPU.
    pub fn allocate(&self, size: usize, alignment: usize) -> Result<*mut c_void, HandlerError> {
        self.scratch.allocate(size, alignment)
    }

    /// The runtime's thread pool. CPUs only.
    pub fn thread_pool(&self) -> ThreadPool<'_> {
        // SAFETY: the pool borrows the frame, which lives as long as the call.
        unsafe { ThreadPool::new(self.table, self.context()) }
    }

    /// Completes the call later, from any thread: returning `Ok` then only means that it has begun.
    ///
    /// Arguments and results move to the [`Deferred`]; this frame gives out no
    /// more of them.
    ///
    /// # Errors
    /// It was deferred before, an argument or result is not an array, or the plugin's own error.
    pub fn defer(&mut self) -> Result<Deferred, HandlerError> {
        if self.deferred.borrow().is_some() {
            return Err(deferred());
        }
        let arguments = (0..self.num_arguments())
            .map(|i| self.argument_array(i))
            .collect::<Result<Vec<_>, _>>()?;
        let results =
            (0..self.num_results()).map(|i| self.result_array(i)).collect::<Result<Vec<_>, _>>()?;
        let shared = Shared::new(self.table)?;
        let deferred = Deferred::new(Arc::clone(&shared), &arguments, &results);
        *self.deferred.borrow_mut() = Some(shared);
        Ok(deferred)
    }

    /// Passes the future of a deferred call to the plugin.
    pub(crate) fn hand_over(&self, future: *mut sys::XLA_FFI_Future) {
        // SAFETY: the frame lives; the field exists for handlers to write.
        unsafe { (&raw mut (*self.raw.as_ptr()).future).write(future) };
    }
}

fn deferred() -> HandlerError {
    HandlerError::new(
        ErrorCode::FailedPrecondition,
        "the call was deferred: use what `defer` returned",
    )
}

fn no_user_data<T>(why: &str) -> HandlerError {
    let message = format!("the execution carries no {}: {why}", std::any::type_name::<T>());
    HandlerError::new(ErrorCode::FailedPrecondition, message)
}

impl std::fmt::Debug for CallFrame<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallFrame")
            .field("stage", &self.stage())
            .field("arguments", &self.num_arguments())
            .field("results", &self.num_results())
            .field("attributes", &self.attributes())
            .finish_non_exhaustive()
    }
}
