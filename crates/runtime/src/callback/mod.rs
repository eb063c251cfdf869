//! Rust functions inside of programs.
//!
//! # How it works
//! A callback is a custom call of one target of ours, whose attribute `slot` counts to the function in the executable's table. A
//! call of the executable takes a snapshot of the table, in a [`Record`](record::Record) that the execution carries to the
//! handler and that collects what goes wrong; the result's buffers keep that part of it and tell. The executable, its clones and the calls
//! under way own the functions, so none is gone while it can be called.
//!
//! Callbacks with effects, which all are unless they are said to be pure, are ordered calls of the graph: each waits for the one
//! before it.
//!
//! In a program over a mesh a callback with effects is called by the first device alone. When it fails, the program goes on there:
//! the other devices may wait for what it is to send them. The results tell of the failure, and no more callbacks are called.

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
mod split;
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
pub use split::{Split, split};
pub use views::{InputView, Inputs, OutputView, Outputs, ViewElement};

pub(crate) use launch::{Callbacks, Launch};
pub(crate) use record::Outcome;
