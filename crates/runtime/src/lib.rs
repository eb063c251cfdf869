//! Compiles, binds and calls graphs on PJRT plugins.
//!
//! # Design
//! - **Who checks what.** The types check which trees are arguments and results, and that a donated
//!   buffer is used once. A call checks the structure of the trees, shapes, element types and
//!   devices, and reports every mismatch by path. PJRT receives checked arguments only.
//! - **Slots.** An executable keeps tables of the buffer pointers that the plugin reads and writes.
//!   Bound arguments stay in them; a call fills in the others. Each concurrent call uses a table of
//!   its own.
//! - **Buffers are futures.** A call returns when the work is queued. Later errors are reported by
//!   the result buffers.
//! - **Callbacks are owned.** An executable keeps the Rust functions that its program calls, and so
//!   does each call in flight; see `callback` for how a program finds them.
//! - **Folders.** Data and names: `error`, `platform`, `mesh`, `buffer`, `function` (arguments and
//!   results as types) and `callback` (functions that programs call). `compile` traces, replaces
//!   patterns (`kernels`), avoids defects of plugins (`legalize`) and looks into the `cache`; it
//!   makes an `exe`. `jit` and `buckets` compile when they are called, `topology` for other
//!   devices, and `foreign` programs of other systems.
//! - **Lifetimes.** Handles keep what they need alive: a buffer its client, an executable its bound
//!   buffers.

#![deny(unsafe_code)]

#[cfg(feature = "sandbox")]
pub use hloom_sandbox as sandbox;

mod buckets;
mod buffer;
mod cache;
mod callback;
mod capability;
mod compile;
mod display;
mod dump;
mod error;
mod exe;
pub mod ffi;
mod foreign;
mod function;
mod heap;
mod jit;
mod kernels;
mod legalize;
mod linear_algebra;
mod mesh;
mod origin;
mod pjrt_types;
mod platform;
mod regular_file;
mod reshard;
mod row_major;
pub mod testing;
mod topology;

pub use buckets::{BucketFunction, BucketStats, BucketedExe, Buckets, OnePerAxis};
pub use buffer::{Buffer, Placement, SharedBuffer, UninitBuffer};
pub use cache::{CacheEntry, CacheStats, CompilationCache, LoadError, SavedProgram};
pub use callback::{
    Callback, CallbackBuilder, CallbackContext, DeferredCall, HostFn, InputView, Inputs,
    NO_RESULTS, OutputView, Outputs, TensorAssert, TensorPrint, ViewElement, ViewTree, call_owner,
    callback, host_fn, register_callback_targets, reset_print_sink, set_print_sink,
    with_call_owner,
};
pub use capability::Capability;
pub use compile::Compiler;
pub use display::PrintOptions;
pub use error::{
    BucketError, CallError, CallProblem, CallbackError, CallbackFailure, Error, ErrorContext,
    MeshError, NoPlatform, Result,
};
pub use exe::{AnyExe, Argument, BindNamed, CallFuture, Exe, Input, Output, Signature, SteppedExe};
#[cfg(feature = "sandbox")]
pub use foreign::ForeignExe;
pub use foreign::{ForeignError, StableHlo, StableHloValue};
pub use function::{
    Arg, Args, BindFirst, Borrowed, ByReference, ByValue, Donated, Function, KeepArg,
    ModelFunction, ResultTree, trace_function,
};
pub use hloom_pjrt::PlatformKind;
pub use hloom_stablehlo::{ModuleForm, Partitioner};
pub use jit::{Jit, JitArgument, JitArguments, JitFunction, JitLeaf, JitParameter, JitParameters};
pub use kernels::{
    AttendKernel, BlockDecodeKernel, BlockLinearKernel, CudaDecodeKernel, DotClass, DotStrategy,
    DotTable, KernelUse, Kernels, LinearAlgebraKernel, LinearKernel, PlatformKernel, UpdateKernel,
};
pub use legalize::legalize;
pub use mesh::{Mesh, NamedSharding, Picture};
pub use platform::{Platform, PlatformBuilder};
pub use topology::{CompiledProgram, Gpu, Topology};
