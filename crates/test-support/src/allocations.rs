//! An allocator that counts.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, which counts the Rust allocations of each thread when a program declares
/// it as its `#[global_allocator]`.
#[derive(Debug)]
pub struct CountingAllocator;

// SAFETY: all calls are forwarded to the system's allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // The thread's counter may be destroyed while the thread ends.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: by the contract of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: by the contract of this function.
        unsafe { System.dealloc(start, layout) }
    }
}

/// The number of Rust allocations of this thread so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.get()
}
