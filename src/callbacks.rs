//! Rust code in programs: functions that are called with views of the program's memory, prints and
//! assertions.

#[doc(inline)]
pub use hloom_runtime::{
    Callback, CallbackBuilder, CallbackContext, CallbackError, CallbackFailure, DeferredCall,
    HostFn, InputView, Inputs, NO_RESULTS, OutputView, Outputs, TensorAssert, TensorPrint,
    ViewElement, ViewTree, callback, host_fn, reset_print_sink, set_print_sink,
};
