//! Rust functions called from programs.
//!
//! # How it works
//! A callback is a custom call with a target of this crate, whose attribute `slot` is the index of
//! the function in the executable's table. A call of the executable takes a snapshot of the table,
//! in a [`CallState`](call_state::CallState) that the execution passes to the handler, with a
//! [`Record`](record::Record) that collects failures; the result buffers keep the failures and
//! report them. The executable, its clones and the calls in flight own the functions, so none is
//! dropped while it can be called.
//!
//! Callbacks have effects unless they are marked pure. Those with effects are ordered calls of the
//! graph: each waits for the one before it.
//!
//! In a program over a mesh, only the first device calls a callback with effects. When it fails,
//! the program continues there, because the other devices may wait for its outputs. The results
//! report the failure, and no more callbacks are called.

mod assert;
mod bind;
mod builder;
mod call_owner;
mod call_sites;
mod call_state;
mod closure;
mod context;
mod deferred;
mod device;
mod direct_call;
mod emit;
mod handler;
mod host_fn;
mod host_function;
mod launch;
mod over_mesh;
mod print;
mod record;
mod register;
mod stateful;
mod structure;
mod table;
mod targets;
mod views;

pub use assert::TensorAssert;
pub use builder::{CallbackBuilder, NO_RESULTS, callback};
pub use call_owner::{call_owner, with_call_owner};
pub use context::CallbackContext;
pub use deferred::DeferredCall;
pub use host_fn::{HostFn, host_fn};
pub use print::{TensorPrint, reset_print_sink, set_print_sink};
pub use register::register_callback_targets;
pub use stateful::Callback;
pub use structure::ViewTree;
pub use views::{InputView, Inputs, OutputView, Outputs, ViewElement};

pub(crate) use direct_call::DirectCall;
pub(crate) use launch::{Callbacks, Launch};
pub(crate) use record::Outcome;
pub(crate) use register::are_callable;
pub(crate) use views::unpacked;

use crate::error::{CallbackError, CallbackFailure};
