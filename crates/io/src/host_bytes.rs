//! Host memory that a device can use without a copy.

use crate::{ALIGNMENT, Error, Result};

/// Bytes that begin at a multiple of [`ALIGNMENT`], zero at first.
///
/// No byte is touched here (an aligned allocation would touch all): the system maps zero pages when
/// the threads that fill them first touch them. Huge pages are not requested: in a virtual machine,
/// they took between half and twice the time of plain pages.
pub struct HostBytes {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl HostBytes {
    /// `len` zeros for the tensor `name`.
    ///
    /// # Errors
    /// The host lacks the memory.
    pub fn zeroed(len: usize, name: &str) -> Result<HostBytes> {
        // Only `vec!` allocates pages that are zero and untouched, but it ends the process if there
        // is no memory: a sparse file can declare any size. So the memory is reserved first, and
        // freed again.
        let mut probe = Vec::<u8>::new();
        let wanted = len.saturating_add(ALIGNMENT - 1);
        if std::hint::black_box(&mut probe).try_reserve_exact(wanted).is_err() {
            return Err(Error::Tensor {
                name: name.to_owned(),
                message: format!("there is no memory for its {len} bytes"),
            });
        }
        drop(probe);
        let memory = vec![0u8; wanted];
        let address = memory.as_ptr().addr();
        Ok(HostBytes { start: address.next_multiple_of(ALIGNMENT) - address, memory, len })
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
            let mut bytes = HostBytes::zeroed(len, "w").unwrap();
            assert!(bytes.as_ref().as_ptr().addr().is_multiple_of(ALIGNMENT));
            assert_eq!(bytes.as_mut().len(), len);
            assert!(bytes.as_ref().iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn more_than_there_is_is_an_error_with_the_tensors_name() {
        for len in [1 << 60, usize::MAX] {
            let error = HostBytes::zeroed(len, "w").err().expect("no machine has it");
            assert_eq!(
                error.to_string(),
                format!("tensor `w`: there is no memory for its {len} bytes")
            );
        }
    }
}
