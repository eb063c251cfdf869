//! Device memory that lives as long as a call.

use crate::{
    ErrorCode, HandlerError, sys,
    table::{Table, entry},
};
use std::{cell::RefCell, ffi::c_void, ptr::null_mut};

/// The blocks that a call has allocated, which are freed with this value. The plugin does not free
/// them by itself.
pub(crate) struct Scratch {
    table: Table,
    context: *mut sys::XLA_FFI_ExecutionContext,
    /// Whether the call may be recorded and replayed.
    is_replayed: bool,
    blocks: RefCell<Vec<Block>>,
}

struct Block {
    start: *mut c_void,
    size: usize,
}

impl Scratch {
    /// No memory yet.
    ///
    /// # Safety
    /// The context is that of a call that lasts as long as this value, with this table.
    pub unsafe fn new(
        table: Table,
        context: *mut sys::XLA_FFI_ExecutionContext,
        is_replayed: bool,
    ) -> Scratch {
        Scratch { table, context, is_replayed, blocks: RefCell::default() }
    }

    /// Allocates memory, also for a size of 0.
    ///
    /// # Errors
    /// The call may be replayed, or the plugin's error.
    pub fn allocate(&self, size: usize, alignment: usize) -> Result<*mut c_void, HandlerError> {
        if self.is_replayed {
            let message = "scratch memory ends with the call, and a command buffer replays the \
                           call's work later: declare the memory as a result of the call";
            return Err(HandlerError::new(ErrorCode::FailedPrecondition, message));
        }
        // The plugin returns null for no bytes.
        let size = size.max(1);
        let mut args = sys::XLA_FFI_DeviceMemory_Allocate_Args {
            struct_size: sys::XLA_FFI_DeviceMemory_Allocate_Args_STRUCT_SIZE,
            extension_start: null_mut(),
            ctx: self.context,
            size,
            alignment,
            data: null_mut(),
        };
        // SAFETY: the context is the call's.
        unsafe { self.table.call(entry!(XLA_FFI_DeviceMemory_Allocate), &mut args) }?;
        self.blocks.borrow_mut().push(Block { start: args.data, size });
        Ok(args.data)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for Block { start, size } in self.blocks.take() {
            let mut args = sys::XLA_FFI_DeviceMemory_Free_Args {
                struct_size: sys::XLA_FFI_DeviceMemory_Free_Args_STRUCT_SIZE,
                extension_start: null_mut(),
                ctx: self.context,
                size,
                data: start,
            };
            // SAFETY: the memory was allocated with this context and is freed once. Work on the
            // stream of the call may still use it: what the allocator hands out next is used after
            // that work on the same stream.
            let freed = unsafe { self.table.call(entry!(XLA_FFI_DeviceMemory_Free), &mut args) };
            if let Err(error) = freed {
                tracing::warn!(%error, size, "scratch memory of a call is never freed");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// The bytes that are allocated, and the number of calls that free some.
        static ALLOCATED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    /// Memory of the host, as a plugin returns it.
    unsafe extern "C" fn allocate(
        args: *mut sys::XLA_FFI_DeviceMemory_Allocate_Args,
    ) -> *mut sys::XLA_FFI_Error {
        // SAFETY: the struct is valid during the call.
        let args = unsafe { &mut *args };
        let memory = vec![0u8; args.size].into_boxed_slice();
        args.data = Box::into_raw(memory).cast();
        let (bytes, freed) = ALLOCATED.get();
        ALLOCATED.set((bytes + args.size, freed));
        null_mut()
    }

    unsafe extern "C" fn free(
        args: *mut sys::XLA_FFI_DeviceMemory_Free_Args,
    ) -> *mut sys::XLA_FFI_Error {
        // SAFETY: the struct is valid during the call, and the memory is from `allocate`.
        let args = unsafe {
            drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(
                (*args).data.cast::<u8>(),
                (*args).size,
            )));
            &*args
        };
        let (bytes, freed) = ALLOCATED.get();
        ALLOCATED.set((bytes - args.size, freed + 1));
        null_mut()
    }

    fn scratch(is_replayed: bool) -> Scratch {
        // SAFETY: a table is numbers and functions that may be missing.
        let mut api: sys::XLA_FFI_Api = unsafe { std::mem::zeroed() };
        api.struct_size = size_of::<sys::XLA_FFI_Api>();
        api.XLA_FFI_DeviceMemory_Allocate = Some(allocate);
        api.XLA_FFI_DeviceMemory_Free = Some(free);
        // SAFETY: the table lives as long as the process, and its functions use no context.
        unsafe {
            let table = Table::new(Box::leak(Box::new(api))).expect("it is long enough");
            Scratch::new(table, null_mut(), is_replayed)
        }
    }

    /// C14: the scratch memory of a call on a device ends with the call.
    #[test]
    fn memory_is_freed_with_its_size() {
        let scratch = scratch(false);
        assert!(!scratch.allocate(1000, 16).unwrap().is_null());
        assert!(!scratch.allocate(0, 1).unwrap().is_null());
        assert_eq!(ALLOCATED.get(), (1001, 0));
        drop(scratch);
        assert_eq!(ALLOCATED.get(), (0, 2));
    }

    /// C7: a call that may be replayed has no memory that ends with it.
    #[test]
    fn a_call_that_may_be_replayed_has_none() {
        let error = scratch(true).allocate(8, 8).unwrap_err();
        assert_eq!(error.code, ErrorCode::FailedPrecondition);
        assert!(error.message.contains("a command buffer replays"), "{error}");
        assert_eq!(ALLOCATED.get(), (0, 0));
    }
}
