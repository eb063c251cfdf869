//! Handlers of typed custom calls through the XLA FFI, in Rust.
//!
//! A handler is a type that implements [`Handler`] (or [`StatefulHandler`]), of which
//! [`Handlers::new`] makes the C functions that a plugin calls. A call is a [`CallFrame`]:
//! arguments, results, attributes, and services of the runtime.
//!
//! ```
//! use hloom_ffi::{CallFrame, Handler, HandlerError, Handlers};
//!
//! struct Double;
//! impl Handler for Double {
//!     fn call(frame: &mut CallFrame<'_>) -> Result<(), HandlerError> {
//!         let input = frame.argument(0)?;
//!         let mut output = frame.result(0)?;
//!         for (y, x) in output.as_mut_slice::<f32>()?.iter_mut().zip(input.as_slice::<f32>()?) {
//!             *y = 2.0 * x;
//!         }
//!         Ok(())
//!     }
//! }
//! let handlers = Handlers::new::<Double>();
//! ```
//!
//! The crate `hloom-pjrt` registers handlers with a plugin, and has this crate's items too, in
//! `hloom_pjrt::extension::ffi`. For other crates that drive plugins, [`registry`] registers
//! handlers and [`callback`] runs their callbacks. [`DType`], [`Element`] and [`ErrorCode`] are
//! those of the PJRT C API, whose numbers the FFI shares.
//!
//! # Design
//!
//! **Panics** never unwind into the plugin: a handler's panic is the error of its call.
//!
//! **Floats.** Plugins set their threads to flush subnormal floats to 0; handlers run under Rust's
//! rules.
//!
//! **Memory.** A view of an argument or result is for programs on the host. On devices only its
//! address counts, so registering a handler there is unsafe. A result is given out once, and an
//! argument that shares a result's memory has no view.
//!
//! **Versions.** The FFI's function table is never read beyond its size: a missing function is an
//! error that names it.

pub use hloom_pjrt_sys as sys;

mod attribute;
mod buffer;
pub mod callback;
mod deferred;
mod dtype;
mod element;
mod error;
mod error_code;
mod float_environment;
mod frame;
mod handler;
mod lookup;
pub mod registry;
mod scratch;
mod settlement;
mod state;
mod sync;
mod table;
mod thread_pool;
mod types;

pub use attribute::{Attribute, Attributes};
pub use buffer::{Array, Input, Output};
pub use deferred::Deferred;
pub use dtype::DType;
pub use element::{
    Element, Elements, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FN,
    F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, I1, I2, I4, U1, U2, U4, as_bytes, normalize,
};
pub use error::HandlerError;
pub use error_code::ErrorCode;
pub use frame::{CallFrame, Stage};
pub use handler::{Handler, HandlerTraits, Handlers, RawHandler};
pub use state::StatefulHandler;
pub use thread_pool::ThreadPool;
