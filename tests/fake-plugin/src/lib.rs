//! Two PJRT plugins for tests: one that lies to the loader in every way a plugin can, and one that works until it is told to
//! fail ([`working`]).
//!
//! # The one that lies
//! The lie is in the file's name: a test copies the plugin under the name that [`Lies::file_name`]
//! gives, and the copy reads its own name when it is loaded. Copies are separate plugins with
//! state of their own, so that tests in one process do not disturb each other.
//!
//! An honest copy answers every call with success and fills nothing in but the client, so that
//! a client without devices can be made from it.

mod ffi;
mod lies;
mod table;
pub mod working;

pub use lies::{FfiForm, Lies};
pub use table::{Count, GetPjrtApi, fake_plugin_count};
