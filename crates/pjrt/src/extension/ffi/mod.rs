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
//! should not wait for the plugin. `Err` and panics become the error of the execution. A handler of
//! a program over several devices that launches another one, and waits for it, deadlocks:
//! [`within_launch`] turns that into an error.
//!
//! There are three ways to register, and [`Ffi::register`] takes the best that the plugin has: the
//! FFI's own registry, which takes all stages and reports what is wrong; the slot of the PJRT
//! extension, which takes the execute stage only and reports nothing; and the older GPU extension.
//! Only handlers receive the registry, so a probe is registered first to obtain it.

mod attribute;
mod buffer;
mod deferred;
mod device_copies;
mod error;
mod float_environment;
mod frame;
mod handler;
mod host_arrays;
mod lookup;
mod registry;
mod settlement;
mod state;
mod table;
mod thread_pool;
mod user_data;

pub use attribute::{Attribute, Attributes};
pub use buffer::{Input, Output};
pub use deferred::Deferred;
pub use error::HandlerError;
pub use frame::{CallFrame, Stage};
pub use handler::{Handler, HandlerTraits, Handlers, RawHandler};
pub use host_arrays::HostArrays;
pub(crate) use lookup::Lookup;
pub use registry::Ffi;
pub use state::StatefulHandler;
pub use thread_pool::ThreadPool;

pub use crate::execute::launch_scope::within_launch;

#[cfg(doc)]
use crate::Plugin;
