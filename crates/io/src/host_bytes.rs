//! Host memory that a device can use as it is.

use crate::ALIGNMENT;

/// Bytes that begin at a multiple of [`ALIGNMENT`], zero at first.
///
/// None of them is touched here, which an allocation of that alignment would: the system's zero pages come when the threads
/// that fill them touch them. Huge pages are not asked for: where memory is that of a virtual machine, they came at anything
/// between half and twice the time of plain ones.
pub struct HostBytes {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl HostBytes {
    /// `len` zeros.
    pub fn zeroed(len: usize) -> HostBytes {
        let memory = vec![0u8; len + ALIGNMENT - 1];
        let address = memory.as_ptr().addr();
        HostBytes {
            start: address.next_multiple_of(ALIGNMENT) - address,
            memory,
            len,
        }
    }
}

impl AsRef<[u8]> for HostBytes {
    fn as_ref(&self) -> &[u8] {
        &self.memory[self.start..][..self.len]
    }
}

impl AsMut<[u8]> for HostBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_aligned_zero_and_as_many_as_asked_for() {
        for len in [0, 1, 63, 64, 65, 10_000_001] {
            let mut bytes = HostBytes::zeroed(len);
            assert!(bytes.as_ref().as_ptr().addr().is_multiple_of(ALIGNMENT));
            assert_eq!(bytes.as_mut().len(), len);
            assert!(bytes.as_ref().iter().all(|&byte| byte == 0));
        }
    }
}
