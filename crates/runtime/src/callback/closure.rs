//! Closures as host functions.

use super::{
    CallbackContext, CallbackError, DeferredCall, Inputs, Outputs, ViewTree,
    deferred::watch,
    host_function::{CallSource, HostFrame, HostFunction, Shapes},
    structure::Structure,
};

/// A closure that completes its work before it returns.
pub(crate) struct Closure<I, S, F> {
    pub structure: Structure<I, S>,
    pub function: F,
}

/// A closure that may complete the call later.
pub(crate) struct DeferredClosure<I, S, F> {
    pub structure: Structure<I, S>,
    pub function: F,
}

impl<I, S, F> HostFunction for Closure<I, S, F>
where
    I: ViewTree,
    S: ViewTree,
    F: for<'a> Fn(&CallbackContext<'a>, Inputs<'a, I>, Outputs<'a, S>) -> Result<(), CallbackError>
        + Send
        + Sync,
{
    fn shapes(&self) -> Shapes {
        self.structure.shapes()
    }

    fn call(&self, call: HostFrame<'_, '_>) -> Result<(), CallbackError> {
        self.structure.show(call, &self.function)
    }
}

impl<I, S, F> HostFunction for DeferredClosure<I, S, F>
where
    I: ViewTree,
    S: ViewTree,
    F: Fn(&CallbackContext<'_>, DeferredCall<I, S>) -> Result<(), CallbackError> + Send + Sync,
{
    fn shapes(&self) -> Shapes {
        self.structure.shapes()
    }

    fn call(&self, call: HostFrame<'_, '_>) -> Result<(), CallbackError> {
        let CallSource::Frame(frame) = call.source else {
            return Err(CallbackError::new(
                "a program that runs in steps waits for its callbacks: nothing can be deferred",
            ));
        };
        let deferred = frame.defer()?;
        let (structure, record) = (self.structure.clone(), call.record.clone());
        let deferred = DeferredCall::new(deferred, structure, record, call.slot, call.place);
        let progress = deferred.progress();
        let context = CallbackContext::new(Some(frame), call.record, call.slot);
        watch(&progress, || (self.function)(&context, deferred))
    }
}
