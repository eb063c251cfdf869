//! Host memory aligned for use by devices without a copy.

use crate::{Element, Error, Result, as_bytes};
use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    ops::{Deref, DerefMut},
    ptr::NonNull,
};

/// The alignment that plugins need to use host memory without a copy, in bytes.
pub const ALIGNMENT: usize = 64;

/// A fixed number of elements at a multiple of [`ALIGNMENT`] (or of more), zeros at first.
///
/// ```
/// use hloom_pjrt::{ALIGNMENT, AlignedVec};
/// let mut values = AlignedVec::<f32>::zeroed(3)?;
/// values.copy_from_slice(&[1.0, 2.0, 3.0]);
/// assert_eq!(values.as_ptr() as usize % ALIGNMENT, 0);
/// # Ok::<(), hloom_pjrt::Error>(())
/// ```
pub struct AlignedVec<T: Element> {
    start: NonNull<T>,
    len: usize,
    layout: Layout,
}

// SAFETY: owns its memory like a vector.
unsafe impl<T: Element> Send for AlignedVec<T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for AlignedVec<T> {}

impl<T: Element> AlignedVec<T> {
    /// `len` zeros.
    ///
    /// # Errors
    /// The size overflows, or the host lacks the memory.
    pub fn zeroed(len: usize) -> Result<Self> {
        Self::with_alignment(len, ALIGNMENT)
    }

    /// `len` zeros at a multiple of `alignment` bytes: the page size for memory that is pinned for
    /// DMA.
    ///
    /// # Errors
    /// The size overflows, the alignment is not a power of two, or the host lacks the memory.
    pub fn with_alignment(len: usize, alignment: usize) -> Result<Self> {
        let wrong = || Error::argument(format!("{len} elements aligned to {alignment} bytes"));
        let size = len.checked_mul(size_of::<T>()).ok_or_else(wrong)?;
        // Never empty, so that there is always memory to point to.
        let layout = Layout::from_size_align(size.max(1), alignment.max(align_of::<T>()))
            .map_err(|_| wrong())?;
        // SAFETY: the size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        match NonNull::new(start.cast::<T>()) {
            Some(start) => Ok(Self { start, len, layout }),
            None => {
                let what = format!("{len} elements of {} bytes", size_of::<T>());
                Err(Error::host_memory(what, size))
            }
        }
    }

    /// A copy of a slice.
    ///
    /// # Errors
    /// The host lacks the memory.
    pub fn from_slice(values: &[T]) -> Result<Self> {
        let mut copy = Self::zeroed(values.len())?;
        copy.copy_from_slice(values);
        Ok(copy)
    }

    /// The start of the elements, whether or not they may be read at this moment.
    pub(crate) fn start(&self) -> NonNull<T> {
        self.start
    }
}

impl<T: Element> Deref for AlignedVec<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `len` elements; zeros are a value of every element type.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Element> DerefMut for AlignedVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: Element> AsRef<[u8]> for AlignedVec<T> {
    fn as_ref(&self) -> &[u8] {
        as_bytes(self)
    }
}

impl AsMut<[u8]> for AlignedVec<u8> {
    fn as_mut(&mut self) -> &mut [u8] {
        self
    }
}

/// Typed memory as bytes: every bit pattern of these types is a value.
macro_rules! as_mut_bytes {
    ($($ty:ty),* $(,)?) => {$(
        impl AsMut<[u8]> for AlignedVec<$ty> {
            fn as_mut(&mut self) -> &mut [u8] {
                let bytes = size_of_val::<[$ty]>(self);
                // SAFETY: the same memory, borrowed exclusively; every bit pattern is a value.
                unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), bytes) }
            }
        }
    )*};
}

as_mut_bytes!(
    i8,
    i16,
    i32,
    i64,
    u16,
    u32,
    u64,
    f32,
    f64,
    half::f16,
    half::bf16,
    [f32; 2],
    [f64; 2]
);

impl<T: Element> Drop for AlignedVec<T> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; elements need no drop.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
    }
}

impl<T: Element> Clone for AlignedVec<T> {
    fn clone(&self) -> Self {
        // The layout is known to be valid, so only memory can be lacking, as when a `Vec` is
        // cloned.
        let copy = Self::with_alignment(self.len, self.layout.align());
        let mut copy = copy.unwrap_or_else(|_| handle_alloc_error(self.layout));
        copy.copy_from_slice(self);
        copy
    }
}

impl<T: Element + std::fmt::Debug> std::fmt::Debug for AlignedVec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_zero() {
        for len in [0, 1, 5, 1000] {
            let values = AlignedVec::<u16>::zeroed(len).unwrap();
            assert_eq!(values.as_ptr() as usize % ALIGNMENT, 0);
            assert_eq!(values.len(), len);
            assert!(values.iter().all(|&v| v == 0));
        }
        let page = AlignedVec::<u8>::with_alignment(10, 4096).unwrap();
        assert_eq!(page.as_ptr() as usize % 4096, 0);
        assert_eq!(page.clone().as_ptr() as usize % 4096, 0);
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(AlignedVec::<u64>::zeroed(usize::MAX).is_err());
        let error = AlignedVec::<f32>::zeroed(1 << 60).unwrap_err();
        assert!(matches!(error, Error::HostMemory { bytes, .. } if bytes == 1 << 62), "{error}");
        assert!(AlignedVec::<u8>::with_alignment(1, 3).is_err());
        assert!(AlignedVec::<u8>::with_alignment(1, 0).is_ok(), "at least that of the type");
    }
}
