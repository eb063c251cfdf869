//! MLIR's storage.

#[cfg(feature = "mlir")]
use melior::dialect::DialectHandle;

/// What owns the types, attributes and locations of modules. It only grows, large constants included, until it is dropped; it
/// takes little time to make, so one for each program is the rule.
#[derive(Debug)]
pub struct Context(#[cfg(feature = "mlir")] pub(crate) melior::Context);

impl Context {
    /// A context that knows functions and lets all other ops pass. Without the feature `mlir` it is empty.
    #[cfg(not(feature = "mlir"))]
    pub fn new() -> Context {
        Context()
    }

    /// A context that knows functions and lets all other ops pass.
    #[cfg(feature = "mlir")]
    pub fn new() -> Context {
        // One module is lowered by one thread; a thread pool would only cost time.
        let context = melior::Context::new_with_threading(false);
        DialectHandle::func().load_dialect(&context);
        context.set_allow_unregistered_dialects(true);
        Context(context)
    }
}

impl Default for Context {
    fn default() -> Context {
        Context::new()
    }
}
