//! Arguments and results of a handler that is called without a plugin.

use super::pinned::{Pinned, PinnedPool};
use crate::{AlignedVec, DType, Error, Result};
use hloom_ffi::{Array, HandlerError, Input, Output};
use std::ops::{Deref, DerefMut};

/// Arguments and results in memory of their own, for handler code that the host itself calls.
#[derive(Default)]
pub struct HostArrays {
    arguments: Vec<HostArray>,
    results: Vec<HostArray>,
    /// The memory to take where there is some.
    pool: Option<&'static PinnedPool>,
}

/// The memory of an array.
enum Memory {
    Paged(AlignedVec<u8>),
    Pinned(Pinned),
}

impl Deref for Memory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Memory::Paged(memory) => memory,
            Memory::Pinned(memory) => memory,
        }
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Memory::Paged(memory) => memory,
            Memory::Pinned(memory) => memory,
        }
    }
}

struct HostArray {
    dtype: DType,
    dims: Box<[i64]>,
    memory: Memory,
    /// For an argument, the result that shares its memory.
    aliased: Option<usize>,
}

impl HostArray {
    fn array(&mut self) -> std::result::Result<Array<'_>, HandlerError> {
        let (dtype, start, len) = (self.dtype, self.memory.as_mut_ptr(), self.memory.len());
        let array = Array::new(dtype, &self.dims, start)?;
        if array.byte_len() <= len {
            Ok(array)
        } else {
            Err(HandlerError::invalid(format!(
                "{len} bytes do not fill an array of {}",
                array.byte_len()
            )))
        }
    }
}

impl HostArrays {
    /// Takes pinned memory for the arrays to come, as far as there is some.
    pub(super) fn pin(&mut self, pool: Option<&'static PinnedPool>) {
        self.pool = pool;
    }

    /// Memory of so many bytes, of any contents.
    fn allocate(&self, bytes: usize) -> Result<Memory> {
        match self.pool.and_then(|pool| pool.take(bytes)) {
            Some(memory) => Ok(Memory::Pinned(memory)),
            None => AlignedVec::zeroed(bytes).map(Memory::Paged),
        }
    }

    /// Adds an argument, with its bytes in the form of programs: elements below a byte are packed.
    ///
    /// # Errors
    /// There is no memory left.
    pub fn argument(&mut self, dtype: DType, dims: &[i64], bytes: &[u8]) -> Result<()> {
        self.add_argument(dtype, dims, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Adds an argument of so many bytes of any contents, to be overwritten.
    pub(super) fn add_argument(
        &mut self,
        dtype: DType,
        dims: &[i64],
        bytes: usize,
    ) -> Result<&mut [u8]> {
        let memory = self.allocate(bytes)?;
        self.arguments.push(HostArray { dtype, dims: dims.into(), memory, aliased: None });
        let added = self.arguments.last_mut().expect("it was added just now");
        Ok(&mut added.memory)
    }

    /// Adds a result of so many bytes, all 0.
    ///
    /// # Errors
    /// There is no memory left.
    pub fn result(&mut self, dtype: DType, dims: &[i64], bytes: usize) -> Result<()> {
        let mut memory = self.allocate(bytes)?;
        if let Memory::Pinned(memory) = &mut memory {
            memory.fill(0);
        }
        self.results.push(HostArray { dtype, dims: dims.into(), memory, aliased: None });
        Ok(())
    }

    /// Aliases a result with an argument: the result holds the argument's values, which are visible
    /// there alone.
    ///
    /// # Errors
    /// An index is out of range, or the sizes differ.
    pub fn alias(&mut self, result: usize, argument: usize) -> Result<()> {
        let (Some(to), Some(from)) =
            (self.results.get_mut(result), self.arguments.get_mut(argument))
        else {
            return Err(Error::argument(format!(
                "there is no result {result} or no argument {argument}"
            )));
        };
        if to.memory.len() != from.memory.len() {
            let what =
                format!("bytes of argument {argument}, whose memory result {result} is to have");
            return Err(Error::size(what, to.memory.len(), from.memory.len()));
        }
        to.memory.copy_from_slice(&from.memory);
        from.aliased = Some(result);
        Ok(())
    }

    /// The arguments and the results.
    ///
    /// # Errors
    /// One has fewer bytes than its elements need.
    pub fn arrays(
        &mut self,
    ) -> std::result::Result<(Vec<Input<'_>>, Vec<Output<'_>>), HandlerError> {
        let arguments = self.arguments.iter_mut().enumerate().map(|(index, host)| {
            let aliased = host.aliased;
            // SAFETY: the memory is borrowed exclusively; what is aliased shares no memory, only
            // its values.
            Ok::<_, HandlerError>(unsafe { Input::new(host.array()?, index, aliased) })
        });
        let arguments = arguments.collect::<std::result::Result<_, _>>()?;
        let results = self.results.iter_mut().enumerate().map(|(index, host)| {
            // SAFETY: as above.
            Ok::<_, HandlerError>(unsafe { Output::new(host.array()?, index) })
        });
        Ok((arguments, results.collect::<std::result::Result<_, _>>()?))
    }

    pub(super) fn results(&self) -> impl Iterator<Item = &[u8]> {
        self.results.iter().map(|host| &host.memory[..])
    }

    /// The bytes of the results.
    pub fn into_results(self) -> impl Iterator<Item = impl Deref<Target = [u8]>> {
        self.results.into_iter().map(|host| host.memory)
    }
}
