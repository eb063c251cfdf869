//! Compiles, binds and calls graphs on PJRT plugins.
//!
//! # Design
//! - **Who checks what.** The types check the structure of arguments and results, and that a
//!   donated buffer is used once. A call checks shapes, element types and devices, and reports
//!   every mismatch by path. PJRT receives checked arguments only.
//! - **Slots.** An executable keeps tables of the buffer pointers that the plugin reads and writes.
//!   Bound arguments stay in them; a call fills in the others. Each concurrent call uses a table of
//!   its own.
//! - **Buffers are futures.** A call returns when the work is queued. Later errors are reported by
//!   the result buffers.
//! - **Callbacks are owned.** An executable keeps the Rust functions that its program calls, and so
//!   does each call in flight; see `callback` for how a program finds them.
//! - **Lifetimes.** Handles keep what they need alive: a buffer its client, an executable its bound
//!   buffers.

#![deny(unsafe_code)]

mod any_exe;
mod args;
mod arguments;
mod blocks;
mod buffer;
mod buffer_read;
mod call_named;
mod callback;
mod compile;
mod display;
mod dump;
mod element_types;
mod error;
mod exe;
mod heap;
mod kernels;
mod legalize;
mod mesh;
mod placement;
mod platform;
mod read_back;
mod reshard;
mod results;
mod returned;
mod sharding;
mod shards;
mod signature;
mod statistics;
mod trace;

pub use any_exe::{AnyExe, Given};
pub use args::{Arg, Args, BindFirst, Borrowed, Donated, Function};
pub use buffer::Buffer;
pub use callback::{
    Callback, CallbackBuilder, CallbackContext, CallbackError, CallbackFailure, DeferredCall,
    HostFn, InputView, Inputs, NOTHING, OutputView, Outputs, Split, TensorAssert, TensorPrint,
    ViewElement, ViewTree, callback, host_fn, register_callback_targets, reset_print_sink,
    set_print_sink, split,
};
pub use compile::Compiler;
pub use error::{CallError, Error, NoPlatform, Problem, Result};
pub use exe::Exe;
pub use hloom_stablehlo::{ModuleForm, Partitioner};
pub use kernels::{AttendKernel, KernelUse, Kernels, LinearKernel, PlatformKernel};
pub use legalize::legalize;
pub use mesh::{Mesh, MeshError};
pub use placement::Placement;
pub use platform::{Platform, PlatformBuilder};
pub use returned::Ret;
pub use sharding::{Picture, Sharding};
pub use signature::{Input, Output, Signature};
pub use trace::trace_function;
