//! Handlers of custom calls: the part of the XLA FFI that a
//! [`PlatformKernel`](crate::PlatformKernel) needs.
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
