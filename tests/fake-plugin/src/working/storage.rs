//! Buffer memory.

use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;
use std::sync::Arc;

use super::happening::Happening;

/// The alignment of memory that devices can use in place.
pub(crate) const ALIGNMENT: usize = 64;

/// The bytes of memory that nothing has written.
pub const UNWRITTEN: u8 = 0xAA;

/// A piece of memory. Dropping it may run callbacks: the register must not be locked.
pub(crate) struct Storage {
    start: *mut u8,
    len: usize,
    owner: Owner,
}

/// The owner to notify when the memory is no longer used.
pub(crate) enum Owner {
    Plugin(Layout),
    Lender { done: Arc<Happening>, writable: bool },
    View { free: OnDelete, argument: *mut c_void },
}

pub(crate) type OnDelete = unsafe extern "C" fn(*mut c_void, *mut c_void);

// SAFETY: the memory is used by one piece of work at a time, in an order that events keep.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// New memory, filled with [`UNWRITTEN`].
    pub(crate) fn new(len: usize) -> Arc<Self> {
        let layout =
            Layout::from_size_align(len.max(1), ALIGNMENT).expect("sizes of tests are small");
        // SAFETY: the size is not zero.
        let start = unsafe { alloc(layout) };
        assert!(!start.is_null(), "tests need little memory");
        // SAFETY: the memory is that long.
        unsafe { start.write_bytes(UNWRITTEN, len) };
        Arc::new(Self { start, len, owner: Owner::Plugin(layout) })
    }

    pub(crate) fn of(start: *mut u8, len: usize, owner: Owner) -> Arc<Self> {
        Arc::new(Self { start, len, owner })
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether a program may write its result here.
    pub(crate) fn is_writable(&self) -> bool {
        !matches!(self.owner, Owner::Lender { writable: false, .. })
    }

    /// Copies the common length.
    pub(crate) fn copy_from(&self, other: &Self) {
        let len = self.len.min(other.len);
        // SAFETY: both pieces are that long; overlapping ones are allowed.
        unsafe { std::ptr::copy(other.start, self.start, len) };
    }

    /// The `f32` at an index within the memory.
    pub(crate) fn read(&self, index: usize) -> f32 {
        assert!((index + 1) * 4 <= self.len);
        // SAFETY: within the memory, as was checked.
        unsafe { self.start.add(index * 4).cast::<f32>().read_unaligned() }
    }

    pub(crate) fn write(&self, index: usize, value: f32) {
        assert!((index + 1) * 4 <= self.len);
        // SAFETY: within the memory, as was checked.
        unsafe { self.start.add(index * 4).cast::<f32>().write_unaligned(value) };
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        match &self.owner {
            // SAFETY: allocated with this layout.
            Owner::Plugin(layout) => unsafe { dealloc(self.start, *layout) },
            Owner::Lender { done, .. } => {
                done.happen(Ok(()));
            }
            // SAFETY: the caller's function with the caller's argument, called once.
            Owner::View { free, argument } => unsafe { free(self.start.cast(), *argument) },
        }
    }
}

/// A pointer into the caller's memory, passed to the work that uses it.
#[derive(Clone, Copy)]
pub(crate) struct Lent(pub(crate) *mut u8);

// SAFETY: the caller keeps the memory until the event of the transfer.
unsafe impl Send for Lent {}

impl Lent {
    /// The pointer; a method, so that closures capture the whole of this.
    pub(crate) fn start(self) -> *mut u8 {
        self.0
    }
}
