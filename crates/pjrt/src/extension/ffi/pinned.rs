//! Pinned memory of the host, which devices copy at full speed.

use std::{
    ffi::c_void,
    ops::{Deref, DerefMut},
    ptr::{NonNull, null_mut},
    sync::{Mutex, PoisonError},
};

/// Allocates pinned memory, as `cuMemHostAlloc` does.
pub(super) type Allocate = unsafe extern "C" fn(*mut *mut c_void, usize, u32) -> i32;

/// Memory that is pinned for all contexts.
const PORTABLE: u32 = 1;

/// Pinned memory, allocated as needed and kept for later calls: pinning is slow, and unpinning
/// waits for the device. It is never returned to the driver, so its size is limited.
pub(super) struct PinnedPool {
    allocate: Allocate,
    state: Mutex<PoolState>,
}

#[derive(Default)]
struct PoolState {
    free: Vec<Block>,
    /// The bytes of all blocks, free ones and others.
    total: usize,
}

/// Memory from a pool.
pub(super) struct Pinned {
    pool: &'static PinnedPool,
    block: Block,
    len: usize,
}

struct Block {
    start: NonNull<u8>,
    capacity: usize,
}

// SAFETY: plain memory, of which each block has one owner.
unsafe impl Send for Block {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Block {}

impl PinnedPool {
    /// The maximum number of bytes that are pinned.
    const MAX_BYTES: usize = 256 << 20;
    /// The size of the smallest block.
    const MIN_BLOCK: usize = 4096;

    /// An empty pool.
    ///
    /// # Safety
    /// `allocate` sets the pointer to memory of so many bytes, which is never freed, aligned for
    /// every element, and returns 0; or it returns another number.
    pub unsafe fn new(allocate: Allocate) -> PinnedPool {
        PinnedPool { allocate, state: Mutex::default() }
    }

    /// Memory of any contents, of zeros or of an earlier use; `None` when so much cannot be pinned.
    pub fn take(&'static self, len: usize) -> Option<Pinned> {
        let capacity = len.max(Self::MIN_BLOCK).checked_next_power_of_two()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // A larger block if need be: the pool may have reached its limit.
        let fitting = state.free.iter().enumerate().filter(|(_, block)| block.capacity >= capacity);
        let is_full = capacity > Self::MAX_BYTES - state.total;
        let free = fitting
            .min_by_key(|(_, block)| block.capacity)
            .filter(|(_, block)| is_full || block.capacity == capacity)
            .map(|(at, _)| at);
        let block = match free {
            Some(at) => state.free.swap_remove(at),
            None if is_full => return None,
            None => {
                let mut start = null_mut();
                // SAFETY: the place of the pointer is valid.
                let status = unsafe { (self.allocate)(&mut start, capacity, PORTABLE) };
                let start = NonNull::new(start.cast::<u8>()).filter(|_| status == 0)?;
                // SAFETY: new memory of so many bytes, whose contents are undefined so far.
                unsafe { start.as_ptr().write_bytes(0, capacity) };
                state.total += capacity;
                Block { start, capacity }
            }
        };
        Some(Pinned { pool: self, block, len })
    }
}

impl Deref for Pinned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the block has at least so many bytes, which were initialized when it was made.
        unsafe { std::slice::from_raw_parts(self.block.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Pinned {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and this is the only owner.
        unsafe { std::slice::from_raw_parts_mut(self.block.start.as_ptr(), self.len) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let block = Block { start: self.block.start, capacity: self.block.capacity };
        let mut state = self.pool.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.free.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AlignedVec;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

    /// Memory of the host, as a driver returns it.
    unsafe extern "C" fn allocate(start: *mut *mut c_void, bytes: usize, flags: u32) -> i32 {
        if flags != PORTABLE {
            return 1;
        }
        ALLOCATED.fetch_add(bytes, Ordering::Relaxed);
        let mut memory = AlignedVec::<u8>::zeroed(bytes).expect("there is memory");
        memory.fill(0xff);
        // SAFETY: the place of the pointer, by the contract of the caller.
        unsafe { *start = memory.as_mut_ptr().cast() };
        std::mem::forget(memory);
        0
    }

    /// As [`allocate`], without writing so much.
    unsafe extern "C" fn allocate_untouched(start: *mut *mut c_void, bytes: usize, _: u32) -> i32 {
        let mut memory = AlignedVec::<u8>::zeroed(bytes).expect("there is memory");
        // SAFETY: the place of the pointer, by the contract of the caller.
        unsafe { *start = memory.as_mut_ptr().cast() };
        std::mem::forget(memory);
        0
    }

    unsafe extern "C" fn refuse(_: *mut *mut c_void, _: usize, _: u32) -> i32 {
        2
    }

    fn pool(allocate: Allocate) -> &'static PinnedPool {
        // SAFETY: the functions above.
        Box::leak(Box::new(unsafe { PinnedPool::new(allocate) }))
    }

    /// C6: host copies of a device's arrays are in pinned memory of the driver, which is pinned
    /// once and used again; when there is no more, they are in other memory.
    #[test]
    fn pinned_memory_is_used_again_and_limited() {
        let pool = pool(allocate);
        let before = ALLOCATED.load(Ordering::Relaxed);
        let mut first = pool.take(5000).unwrap();
        assert_eq!((first.len(), first.iter().any(|&byte| byte != 0)), (5000, false));
        first.fill(7);
        let start = first.as_ptr();
        let second = pool.take(5000).unwrap();
        assert_ne!(second.as_ptr(), start);
        drop(first);
        // The same block, with what it had.
        let third = pool.take(8192).unwrap();
        assert_eq!((third.as_ptr(), &third[..5000]), (start, &[7; 5000][..]));
        assert!(third[5000..].iter().all(|&byte| byte == 0));
        assert_eq!(ALLOCATED.load(Ordering::Relaxed) - before, 2 * 8192);
        assert_eq!(pool.take(0).unwrap().len(), 0);
        assert!(pool.take(PinnedPool::MAX_BYTES).is_none());
        assert!(pool.take(usize::MAX).is_none());
        assert!(self::pool(refuse).take(1).is_none());
    }

    /// C6: a pool that has reached its limit uses the blocks that it has, also larger ones.
    #[test]
    fn a_full_pool_uses_larger_blocks() {
        let pool = pool(allocate_untouched);
        let half = PinnedPool::MAX_BYTES / 2;
        let (first, second) = (pool.take(half).unwrap(), pool.take(half).unwrap());
        let start = first.as_ptr();
        assert!(pool.take(1).is_none());
        drop(first);
        let small = pool.take(1).expect("there is a free block");
        assert_eq!((small.as_ptr(), small.len()), (start, 1));
        assert!(pool.take(1).is_none());
        drop((small, second));
        assert_eq!(pool.take(half).unwrap().len(), half);
    }
}
