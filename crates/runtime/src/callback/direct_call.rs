//! Calls of callbacks that the host makes itself, without a program that runs.

use super::{
    call_state::CallState,
    host_function::{CallSource, HostFrame, call_in_span},
    launch::Callbacks,
    views::{ViewMemory, packed, unpacked},
};
use crate::{
    Error, Result,
    pjrt_types::{dims_i64, to_pjrt},
};
use hloom_graph::{DType, OutputAlias, Shape};
use hloom_pjrt::extension::ffi::HostArrays;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A call of a callback by the host.
pub(crate) struct DirectCall {
    /// The index of the callback in the table.
    pub slot: usize,
    pub outputs: Vec<Shape>,
    /// Outputs that share the memory of an input.
    pub aliases: Vec<OutputAlias>,
}

impl Callbacks {
    /// The state of a run whose callbacks the host calls.
    ///
    /// # Errors
    /// A callback is not bound.
    pub fn begin_direct(&self) -> Result<CallState> {
        let table = self.table();
        table.check_bound()?;
        Ok(CallState::new(table))
    }
}

impl DirectCall {
    /// Calls the callback on inputs in host layout, and passes its outputs to `each`, in order.
    ///
    /// # Errors
    /// Those of the inputs, of the callback and of `each`.
    pub fn run(
        &self,
        state: &CallState,
        inputs: impl Iterator<Item = Result<(Shape, Vec<u8>)>>,
        mut each: impl FnMut(Shape, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let (table, record) = (state.table(), &*state.record());
        let site = &record.sites.all[self.slot];
        let failed = || Error::plugin(format!("callback `{}`", site.name));
        let mut arrays = HostArrays::default();
        for input in inputs {
            let (shape, bytes) = input?;
            let bytes = packed(shape.dtype(), &bytes);
            let added = arrays.argument(to_pjrt(shape.dtype()), &dims_i64(shape), &bytes);
            added.map_err(failed())?;
        }
        for &shape in &self.outputs {
            let bytes = match shape.dtype() {
                DType::Bool => shape.element_count(),
                dtype => (shape.element_count() * dtype.bits()).div_ceil(8),
            };
            let added = arrays.result(to_pjrt(shape.dtype()), &dims_i64(shape), bytes);
            added.map_err(failed())?;
        }
        for alias in &self.aliases {
            arrays.alias(alias.result, alias.operand).map_err(failed())?;
        }
        let function = table.slots[self.slot].function.as_ref();
        let function = function.expect("what is not bound was refused before");
        let call = HostFrame {
            source: CallSource::Arrays(None, &mut arrays),
            record,
            slot: self.slot,
            place: ViewMemory::Host,
        };
        let called = || call_in_span(&**function, record, self.slot, || function.call(call));
        let failure = match catch_unwind(AssertUnwindSafe(called)) {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(record.fail(site, error, false)),
            Err(panic) => Some(record.panicked(site, panic)),
        };
        if let Some(failure) = failure {
            return Err(Error::Callback(Box::new(failure)));
        }
        for (bytes, &shape) in arrays.into_results().zip(&self.outputs) {
            let bytes = unpacked(shape.dtype(), shape.element_count(), &bytes);
            each(shape, &bytes)?;
        }
        Ok(())
    }
}
