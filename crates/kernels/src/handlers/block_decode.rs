//! The handler of dequantisation.

use super::{matrix_of, unknown};
use crate::{BlockKind, BlockMatrix, Element, Isa, MatrixMut, Workers, decode};
use half::{bf16, f16};
use hloom_ffi::{CallFrame, DType, Element as HostElement, Handler, HandlerError, Output};

/// The handler `hloom.block_decode.v1`.
///
/// Operand: blocks, `ui8[.., bytes]`. Result: their values, `[.., k]`, of type `f32`, `bf16` or
/// `f16`. Attribute: `kind`, the [name](BlockKind::name) of the blocks' kind.
pub struct BlockDecodeHandler;

impl BlockDecodeHandler {
    /// The target name of custom calls.
    pub const TARGET: &str = "hloom.block_decode.v1";
}

impl Handler for BlockDecodeHandler {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        let result = frame.result(0)?;
        match result.dtype() {
            DType::F32 => call::<f32>(frame, result),
            DType::BF16 => call::<bf16>(frame, result),
            DType::F16 => call::<f16>(frame, result),
            other => Err(unknown("the result", other)),
        }
    }
}

fn call<T: Element + HostElement>(
    frame: &CallFrame<'_>,
    mut result: Output<'_>,
) -> Result<(), HandlerError> {
    let name = frame.attributes().string("kind")?;
    let kind = BlockKind::from_name(name)
        .ok_or_else(|| HandlerError::invalid(format!("unknown kind of blocks `{name}`")))?;
    let blocks = frame.argument(0)?;
    let (rows, columns) = matrix_of(result.dims())?;
    let blocks = BlockMatrix::new(kind, blocks.as_slice::<u8>()?, rows, columns)?;
    let mut out = MatrixMut::new(result.as_mut_slice::<T>()?, rows, columns)?;
    decode(Isa::selected()?, &Workers::get(), blocks, &mut out)?;
    Ok(())
}
