//! Rust (or C, or CUDA) code inside a program: typed custom calls through the XLA FFI.
//!
//! A program names a handler with `stablehlo.custom_call @name(..) {api_version = 4 : i32,
//! backend_config = {..}}`. [`Plugin::ffi`] registers handlers, which are plain functions made of a
//! type by [`Handlers::new`]. A handler sees its [`CallFrame`]: arguments, results, attributes, and
//! the data that the execution's [`ExecuteContext`](crate::ExecuteContext) carries for it.
//!
//! ```no_run
//! use hloom_pjrt::Plugin;
//! use hloom_pjrt::extension::ffi::{CallFrame, Handler, HandlerError, Handlers};
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
//! Plugin::load("cpu")?.ffi()?.register("double", &Handlers::new::<Double>())?;
//! # Ok::<(), hloom_pjrt::Error>(())
//! ```
//!
//! Handlers run on the plugin's threads, or on the thread that executes a small program. They
//! should not wait for the plugin. `Err` and panics become the error of the execution. A handler
//! that launches a program on its own client, and waits for it, may deadlock: [`LaunchScope`] turns
//! that into an error.
//!
//! There are three ways to register, and [`Ffi::register`] takes the best that the plugin has: the
//! FFI's own registry, which takes all stages and reports what is wrong; the slot of the PJRT
//! extension, which takes the execute stage only and reports nothing; and the older GPU extension.
//! Only handlers receive the registry, so a probe is registered first to obtain it.

mod device_copies;
mod host_arrays;
mod pinned;
mod registry;
mod user_data;

pub use crate::execute::launch_scope::{HandlerThread, LaunchScope};
pub use device_copies::HostCopies;
pub use hloom_ffi::{
    Array, Attribute, Attributes, CallFrame, Deferred, Handler, HandlerError, HandlerTraits,
    Handlers, Input, Output, RawHandler, Stage, StatefulHandler, ThreadPool,
};
pub use host_arrays::HostArrays;
pub use registry::Ffi;

#[cfg(doc)]
use crate::Plugin;
