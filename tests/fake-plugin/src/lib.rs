//! Two PJRT plugins for tests: one that violates the C API in many ways while it is loaded, and one
//! that works until a failure is injected ([`working`]).
//!
//! # The violating plugin
//! The violations are encoded in the file's name: a test copies the plugin under the name that
//! [`Lies::file_name`] returns, and the copy reads its own name when it is loaded. Copies are
//! separate plugins with state of their own, so that tests in one process do not affect each other.
//!
//! A copy without violations returns success from every call and fills in only the client, so that
//! a client without devices can be created.

mod ffi;
mod lies;
mod table;
pub mod working;

pub use lies::{FfiForm, Lies};
pub use table::{Count, GetPjrtApi, fake_plugin_count};
