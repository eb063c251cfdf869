//! Executables: binding, calling, and what is known about a compiled program.

mod any_exe;
mod argument_lists;
mod async_call;
mod bind;
mod bind_callback;
mod bind_named;
mod call_named;
mod call_results;
mod compiled_shardings;
mod input_states;
mod interface;
#[cfg(feature = "interpret")]
mod interpret;
mod mismatch;
mod output_lists;
mod program;
mod save;
mod signature;
mod statistics;
mod stepped_exe;
mod typed_exe;

pub use any_exe::{AnyExe, Argument};
pub use async_call::CallFuture;
pub use bind_named::BindNamed;
pub(crate) use compiled_shardings::{resolved_of, set_compiled_shardings, set_requested_shardings};
#[cfg(feature = "sandbox")]
pub(crate) use interface::{Interface, wanted_outputs};
pub(crate) use mismatch::shape_mismatch;
pub(crate) use output_lists::OutputLists;
pub(crate) use program::Program;
pub use signature::{Input, Output, Signature};
pub(crate) use statistics::cost;
pub use stepped_exe::SteppedExe;
pub use typed_exe::Exe;
