//! Arguments and results of a handler that is called without a plugin.

use super::HandlerError;
use super::buffer::{Array, Input, Output};
use crate::{AlignedVec, DType, Result};
use std::marker::PhantomData;

/// Arguments and results in memory of their own, for code that is made for handlers and called by the host itself.
#[derive(Default)]
pub struct HostArrays {
    arguments: Vec<HostArray>,
    results: Vec<HostArray>,
}

struct HostArray {
    dtype: DType,
    dims: Box<[i64]>,
    memory: AlignedVec<u8>,
}

impl HostArray {
    fn array(&mut self) -> std::result::Result<Array<'_>, HandlerError> {
        let (dtype, start, len) = (self.dtype, self.memory.as_mut_ptr(), self.memory.len());
        let array = Array::new(dtype, &self.dims, start)?;
        match array.byte_len() <= len {
            true => Ok(array),
            false => Err(HandlerError::invalid(format!(
                "{len} bytes do not fill an array of {}",
                array.byte_len()
            ))),
        }
    }
}

impl HostArrays {
    /// Adds an argument, with its bytes as programs have them: elements below a byte are packed.
    ///
    /// # Errors
    /// There is no memory left.
    pub fn argument(&mut self, dtype: DType, dims: &[i64], bytes: &[u8]) -> Result<()> {
        let mut memory = AlignedVec::zeroed(bytes.len())?;
        memory.copy_from_slice(bytes);
        self.arguments.push(HostArray {
            dtype,
            dims: dims.into(),
            memory,
        });
        Ok(())
    }

    /// Adds a result of so many bytes, all 0.
    ///
    /// # Errors
    /// There is no memory left.
    pub fn result(&mut self, dtype: DType, dims: &[i64], bytes: usize) -> Result<()> {
        self.results.push(HostArray {
            dtype,
            dims: dims.into(),
            memory: AlignedVec::zeroed(bytes)?,
        });
        Ok(())
    }

    /// The arguments and the results.
    ///
    /// # Errors
    /// The bytes of one are fewer than its elements need.
    pub fn arrays(&mut self) -> std::result::Result<(Vec<Input<'_>>, Vec<Output<'_>>), HandlerError> {
        let arguments = self.arguments.iter_mut().enumerate().map(|(index, host)| {
            Ok::<_, HandlerError>(Input {
                array: host.array()?,
                index,
                aliased: None,
            })
        });
        let arguments = arguments.collect::<std::result::Result<_, _>>()?;
        let results = self.results.iter_mut().enumerate().map(|(index, host)| {
            Ok::<_, HandlerError>(Output {
                array: host.array()?,
                index,
                unique: PhantomData,
            })
        });
        Ok((arguments, results.collect::<std::result::Result<_, _>>()?))
    }

    /// The bytes of the results.
    pub fn into_results(self) -> impl Iterator<Item = AlignedVec<u8>> {
        self.results.into_iter().map(|host| host.memory)
    }
}
