//! Rust functions called from programs.
//!
//! # How it works
//! A callback is a custom call with one target of ours, whose attribute `slot` is the index of the
//! function in the executable's table. A call of the executable takes a snapshot of the table, in a
//! [`Record`](record::Record) that the execution passes to the handler and that collects failures;
//! the result buffers keep the failures and report them. The executable, its clones and the calls
//! in flight own the functions, so none is dropped while it can be called.
//!
//! Callbacks have effects unless they are marked pure. Those with effects are ordered calls of the
//! graph: each waits for the one before it.
//!
//! In a program over a mesh, only the first device calls a callback with effects. When it fails,
//! the program continues there, because the other devices may wait for its outputs. The results
//! report the failure, and no more callbacks are called.

mod bind;
mod builder;
mod check;
mod context;
mod deferred;
mod device;
mod emit;
mod error;
mod function;
mod handler;
mod host_fn;
mod launch;
mod over_mesh;
mod print;
mod record;
mod stepped_exe;
mod table;
mod views;

pub use bind::Callback;
pub use builder::{CallbackBuilder, NOTHING, callback};
pub use check::TensorAssert;
pub use context::CallbackContext;
pub use deferred::DeferredCall;
pub use error::{CallbackError, CallbackFailure};
pub use function::ViewTree;
pub use handler::register_callback_targets;
pub use host_fn::{HostFn, host_fn};
pub use print::{TensorPrint, reset_print_sink, set_print_sink};
pub use stepped_exe::{SteppedExe, compile_in_steps};
pub use views::{InputView, Inputs, OutputView, Outputs, ViewElement};

pub(crate) use launch::{Callbacks, Launch};
pub(crate) use record::Outcome;
