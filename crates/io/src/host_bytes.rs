//! Host memory that a device can use as it is.

use crate::ALIGNMENT;
use memmap2::MmapMut;

/// Bytes that begin at a multiple of [`ALIGNMENT`], zero at first.
///
/// None of them is touched here: the pages of large ones come from the system when the threads that fill them touch them, in
/// huge pages where there are some.
pub enum HostBytes {
    /// Pages of their own.
    Pages(MmapMut),
    /// A part of an allocation.
    Part {
        /// The allocation.
        memory: Vec<u8>,
        /// Where the bytes begin in it.
        start: usize,
        /// How many they are.
        len: usize,
    },
}

/// From here on, bytes get pages of their own.
const LARGE: usize = 1 << 20;

impl HostBytes {
    /// `len` zeros.
    pub fn zeroed(len: usize) -> HostBytes {
        // Where the system has no pages to give, neither has the allocator, which says so as it always does.
        if len >= LARGE
            && let Ok(pages) = MmapMut::map_anon(len)
        {
            #[cfg(target_os = "linux")]
            if let Err(error) = pages.advise(memmap2::Advice::HugePage) {
                tracing::trace!(%error, "no huge pages");
            }
            return HostBytes::Pages(pages);
        }
        let memory = vec![0u8; len + ALIGNMENT - 1];
        let address = memory.as_ptr().addr();
        HostBytes::Part {
            start: address.next_multiple_of(ALIGNMENT) - address,
            memory,
            len,
        }
    }
}

impl AsRef<[u8]> for HostBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            HostBytes::Pages(pages) => pages,
            HostBytes::Part { memory, start, len } => &memory[*start..][..*len],
        }
    }
}

impl AsMut<[u8]> for HostBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        match self {
            HostBytes::Pages(pages) => pages,
            HostBytes::Part { memory, start, len } => &mut memory[*start..][..*len],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_aligned_zero_and_as_many_as_asked_for() {
        for len in [0, 1, 63, 64, 65, LARGE - 1, LARGE, 10_000_001] {
            let mut bytes = HostBytes::zeroed(len);
            assert!(bytes.as_ref().as_ptr().addr().is_multiple_of(ALIGNMENT));
            assert_eq!(bytes.as_mut().len(), len);
            assert!(bytes.as_ref().iter().all(|&byte| byte == 0));
        }
    }
}
