//! The MLIR context.

#[cfg(feature = "mlir")]
use melior::dialect::DialectHandle;

/// Owns the types, attributes and locations of modules. It only grows, including large constants,
/// until it is dropped. It is cheap to create, so use one per program.
#[derive(Debug)]
pub struct Context(#[cfg(feature = "mlir")] pub(crate) melior::Context);

impl Context {
    /// A context with the `func` dialect that allows unregistered ops. Empty without the feature
    /// `mlir`.
    #[cfg(not(feature = "mlir"))]
    pub fn new() -> Context {
        Context()
    }

    /// A context with the `func` dialect that allows unregistered ops.
    #[cfg(feature = "mlir")]
    pub fn new() -> Context {
        // One thread lowers a module; a thread pool would only cost time.
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
