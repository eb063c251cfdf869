//! Calls that complete after their handler has returned.

use crate::{
    DType, ErrorCode, HandlerError,
    buffer::{Array, Input, Output},
    settlement::{Settled, Settlement},
    sys,
    table::{Table, entry},
};
use std::{
    mem::size_of,
    ptr::{NonNull, null_mut},
    sync::Arc,
};

/// A call in progress: its arguments and results, and the obligation to complete it.
///
/// The runtime keeps the memory until it is completed or dropped, also when the handler that
/// deferred it fails meanwhile: the handler's error is then the outcome. Dropping it without
/// completing fails the execution. One that is neither completed nor dropped, for instance by
/// [`std::mem::forget`], blocks the execution, and all that wait for its results, forever.
pub struct Deferred {
    shared: Arc<Shared>,
    arguments: Vec<Owned>,
    results: Vec<Owned>,
    /// `None` until it is completed.
    outcome: Option<Result<(), HandlerError>>,
}

/// The plugin's future. It is completed when the handler has returned and the `Deferred` is
/// completed or dropped: from then on the memory is the plugin's again.
pub(crate) struct Shared {
    table: Table,
    pub(crate) future: NonNull<sys::XLA_FFI_Future>,
    settlement: Settlement<HandlerError>,
}

// SAFETY: a future may be completed on any thread; `settlement` lets only one do it.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// An array whose dimensions outlive the call's frame.
struct Owned {
    dtype: DType,
    dims: Box<[i64]>,
    data: *mut u8,
}

// SAFETY: a description of memory that the runtime keeps for the deferred call alone.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

impl Owned {
    fn new(array: &Array<'_>) -> Self {
        let (dtype, dims, data) = array.parts();
        Self { dtype, dims: dims.into(), data }
    }

    fn array(&self) -> Result<Array<'_>, HandlerError> {
        Array::new(self.dtype, &self.dims, self.data)
    }
}

impl Shared {
    pub(crate) fn new(table: Table) -> Result<Arc<Self>, HandlerError> {
        let mut args = sys::XLA_FFI_Future_Create_Args {
            // The header's own constant leaves out the last field.
            struct_size: size_of::<sys::XLA_FFI_Future_Create_Args>(),
            extension_start: null_mut(),
            future: null_mut(),
        };
        // SAFETY: no inputs.
        unsafe { table.call(entry!(XLA_FFI_Future_Create), &mut args) }?;
        let future = NonNull::new(args.future).ok_or_else(|| {
            HandlerError::new(ErrorCode::Internal, "the plugin made a null future")
        })?;
        Ok(Arc::new(Self { table, future, settlement: Settlement::new() }))
    }

    /// The handler has returned, or panicked.
    pub(crate) fn returned(&self, outcome: Result<(), HandlerError>) {
        self.complete(self.settlement.returned(outcome));
    }

    /// Completes the future, if the call is over.
    fn complete(&self, settled: Option<Settled<HandlerError>>) {
        let outcome = match settled {
            None => return,
            Some(Settled::Told(outcome)) => outcome,
            Some(Settled::Abandoned) => Err(abandoned()),
        };
        let result = match outcome {
            Ok(()) => {
                let mut args = sys::XLA_FFI_Future_SetAvailable_Args {
                    struct_size: sys::XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE,
                    extension_start: null_mut(),
                    future: self.future.as_ptr(),
                };
                // SAFETY: the future is completed once.
                unsafe { self.table.call(entry!(XLA_FFI_Future_SetAvailable), &mut args) }
            }
            Err(error) => {
                let mut args = sys::XLA_FFI_Future_SetError_Args {
                    struct_size: sys::XLA_FFI_Future_SetError_Args_STRUCT_SIZE,
                    extension_start: null_mut(),
                    future: self.future.as_ptr(),
                    error: self.table.make_error(&error),
                };
                // SAFETY: the future is completed once; the runtime takes over the error.
                unsafe { self.table.call(entry!(XLA_FFI_Future_SetError), &mut args) }
            }
        };
        if let Err(error) = result {
            tracing::error!(%error, "could not complete a deferred call");
        }
    }
}

impl Deferred {
    pub(crate) fn new(shared: Arc<Shared>, arguments: &[Array<'_>], results: &[Array<'_>]) -> Self {
        let owned = |arrays: &[Array<'_>]| arrays.iter().map(Owned::new).collect();
        Self { shared, arguments: owned(arguments), results: owned(results), outcome: None }
    }

    /// The argument at this index.
    ///
    /// # Errors
    /// The index is out of range.
    pub fn argument(&self, index: usize) -> Result<Input<'_>, HandlerError> {
        let owned = self.arguments.get(index);
        let array =
            owned.ok_or_else(|| HandlerError::invalid(format!("no argument {index}")))?.array()?;
        let aliased = self.results.iter().position(|r| r.array().is_ok_and(|r| r.overlaps(&array)));
        // SAFETY: the runtime keeps the memory of a deferred call; aliases were looked for.
        Ok(unsafe { Input::new(array, index, aliased) })
    }

    /// The arguments and the results.
    ///
    /// # Errors
    /// An array has impossible dimensions.
    pub fn arrays(&mut self) -> Result<(Vec<Input<'_>>, Vec<Output<'_>>), HandlerError> {
        let arguments = (0..self.arguments.len())
            .map(|index| self.argument(index))
            .collect::<Result<_, _>>()?;
        let results = self.results.iter().enumerate().map(|(index, owned)| {
            // SAFETY: as above; the results are borrowed exclusively from the call.
            Ok::<_, HandlerError>(unsafe { Output::new(owned.array()?, index) })
        });
        Ok((arguments, results.collect::<Result<_, _>>()?))
    }

    /// Ends the call with success or with an error. An error of the handler that comes before it
    /// remains the outcome.
    pub fn complete(mut self, outcome: Result<(), HandlerError>) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        self.shared.complete(self.shared.settlement.let_go(self.outcome.take()));
    }
}

fn abandoned() -> HandlerError {
    HandlerError::new(
        ErrorCode::Internal,
        "the handler dropped a deferred call without completing it",
    )
}

impl std::fmt::Debug for Deferred {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deferred")
            .field("arguments", &self.arguments.len())
            .field("results", &self.results.len())
            .finish_non_exhaustive()
    }
}
