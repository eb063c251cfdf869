//! Handlers of custom calls, for kernels: what a [`PlatformKernel`](crate::PlatformKernel) needs of
//! the XLA FFI.
//!
//! A kernel's [`register`](crate::PlatformKernel::register) passes the [`Handlers`] of a type that
//! implements [`Handler`] to [`Ffi::register`]. `hloom_pjrt::extension::ffi` has the rest: handlers
//! on devices, and registering them without a kernel.

pub use hloom_pjrt::{
    Error, ErrorCode, Result,
    extension::ffi::{
        Array, Attribute, Attributes, CallFrame, Deferred, Ffi, Handler, HandlerError,
        HandlerTraits, Handlers, Input, Output, StatefulHandler, ThreadPool,
    },
};
