//! The handler of blocks that are written into an array.

use super::sizes;
use crate::{Update, update};
use hloom_ffi::{CallFrame, Handler, HandlerError};

/// The handler `hloom.update.v1`.
///
/// Operands: an array, a block of the same type and rank, and for each axis the index of the
/// block's first element, `s32[]`. Result: the array with the block, in the array's memory or in
/// its own.
pub struct UpdateHandler;

impl UpdateHandler {
    /// The target name of custom calls.
    pub const TARGET: &str = "hloom.update.v1";
}

impl Handler for UpdateHandler {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        let (array, block) = (frame.argument(0)?, frame.argument(1)?);
        let mut result = frame.result(0)?;
        let dtype = result.dtype();
        if [array.dtype(), block.dtype()] != [dtype; 2] {
            let message = format!("{dtype} of {array:?} and {block:?}");
            return Err(HandlerError::invalid(message));
        }
        let element = match dtype.bits() {
            Some(bits) if bits >= 8 => bits / 8,
            _ => return Err(HandlerError::invalid(format!("{dtype} has no whole bytes"))),
        };
        let starts = (2..frame.num_arguments()).map(|index| {
            let start = frame.argument(index)?;
            match start.as_slice::<i32>()? {
                &[start] => Ok(i64::from(start)),
                _ => Err(HandlerError::invalid(format!("a start: {start:?}"))),
            }
        });
        let starts = starts.collect::<Result<Vec<i64>, HandlerError>>()?;
        match array.aliased() {
            Some(_) if array.as_ptr() == result.as_mut_ptr().cast_const() => {}
            Some(_) => return Err(HandlerError::invalid("the array overlaps the result")),
            None if array.byte_len() == result.byte_len() => {
                result.as_mut_bytes().copy_from_slice(array.as_bytes()?);
            }
            None => return Err(HandlerError::invalid(format!("{result:?} of {array:?}"))),
        }
        let [sizes, block_sizes]: [Vec<usize>; 2] =
            [result.dims(), block.dims()].map(|dims| sizes(dims).collect());
        update(Update {
            sizes: &sizes,
            array: result.as_mut_bytes(),
            block: block.as_bytes()?,
            block_sizes: &block_sizes,
            starts: &starts,
            element,
        })?;
        Ok(())
    }
}
