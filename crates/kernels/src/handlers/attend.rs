//! The handler of attention to a cache.

use super::{sizes, unknown};
use crate::{Attention, Element, Isa, Workers, attend};
use half::{bf16, f16};
use hloom_ffi::{CallFrame, DType, Element as HostElement, Handler, HandlerError, Input};

/// The handler `hloom.attend.v1`.
///
/// Operands: scaled queries, `[seq, kv_head, group, dim]`; keys and values, both `[kv_head,
/// position, dim]`; then, optionally, the mask, `pred[seq, position]`. Queries, keys and values are
/// of one type: `f32`, `bf16` or `f16`. Result: `f32[kv_head, seq, group, dim]`.
pub struct AttendHandler;

impl AttendHandler {
    /// The target name of custom calls.
    pub const TARGET: &str = "hloom.attend.v1";
}

impl Handler for AttendHandler {
    fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
        match frame.argument(0)?.dtype() {
            DType::F32 => call::<f32>(frame),
            DType::BF16 => call::<bf16>(frame),
            DType::F16 => call::<f16>(frame),
            other => Err(unknown("the query", other)),
        }
    }
}

/// The dimensions of an operand of rank `N`.
fn dims<const N: usize>(input: &Input<'_>) -> Result<[usize; N], HandlerError> {
    let dims: Vec<usize> = sizes(input.dims()).collect();
    dims.try_into().map_err(|_| HandlerError::invalid(format!("expected {N} axes: {input:?}")))
}

fn call<T: Element + HostElement>(frame: &CallFrame<'_>) -> Result<(), HandlerError> {
    let (query, key, value) = (frame.argument(0)?, frame.argument(1)?, frame.argument(2)?);
    let mask = match frame.num_arguments() {
        3 => None,
        4 => Some(frame.argument(3)?),
        found => {
            return Err(HandlerError::invalid(format!("expected 3 or 4 operands, found {found}")));
        }
    };
    let [seq, kv_heads, group, dim] = dims(&query)?;
    let [_, positions, _] = dims(&key)?;
    let mut out = frame.result(0)?;
    let attention = Attention {
        seq,
        kv_heads,
        group,
        positions,
        dim,
        query: query.as_slice::<T>()?,
        key: key.as_slice::<T>()?,
        value: value.as_slice::<T>()?,
        mask: mask.as_ref().map(Input::as_bytes).transpose()?,
        out: out.as_mut_slice()?,
    };
    attend(Isa::selected()?, &Workers::get(), attention)?;
    Ok(())
}
