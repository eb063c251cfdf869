//! Safe PJRT bindings, usable alone: they find, load and drive plugins from Rust, with nothing
//! linked.
//!
//! A PJRT plugin is a shared library that compiles StableHLO for a kind of device (CPU, GPU, TPU)
//! and runs it. This crate wraps the C API that such a library exports.
//!
//! ```no_run
//! use hloom_pjrt::{CompileOptions, ExecuteOptions, Plugin, Program};
//!
//! let client = Plugin::load("cpu")?.client()?;
//! let program = Program::mlir(
//!     "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
//!        %0 = stablehlo.add %a, %b : tensor<2xf32>
//!        return %0 : tensor<2xf32>
//!      }",
//! );
//! // SAFETY: the program is this one, which adds.
//! let executable = unsafe { client.compile(&program, &CompileOptions::new())? };
//! let a = client.buffer(&[1.0f32, 2.0], &[2])?;
//! let b = client.buffer(&[10.0f32, 20.0], &[2])?;
//! let results = executable.execute(&[&a, &b], &ExecuteOptions::new())?;
//! assert_eq!(results[0].to_vec::<f32>()?, [11.0, 22.0]);
//! # Ok::<(), hloom_pjrt::Error>(())
//! ```
//!
//! `cargo run -p hloom-pjrt --example stablehlo` runs a program like this.
//!
//! # Design
//!
//! **Who validates.** This crate, once, before the call: sizes, types, dimensions, owners, and
//! whether a buffer is still alive. Plugins check little: the CPU plugin reads beyond the end of
//! short host memory, takes an `i32` buffer for an `f32` parameter, and aborts the process on
//! several wrong options. What a plugin does check (the program, the placement) is left to it, and
//! its message is returned whole. Nothing that safe code can do panics, aborts or reads memory that
//! it should not, as long as the plugin follows the C API.
//!
//! **Versions.** Plugins of API 0.54 and later are accepted, except the broken 0.56. The function
//! table is never read beyond its size, and structures are sent with the size that the plugin's
//! version expects. A missing function is [`Error::Unsupported`], which names function, plugin and
//! version. Numbers that this crate does not know (dtypes, error codes) are kept as such.
//!
//! **Lifetimes.** Handles keep what they need alive by reference counts: buffers and events keep
//! their client, in whatever order they are dropped. A plugin is never unloaded, so [`Plugin`] is a
//! plain reference. Dropping is releasing: there is no `close`, except [`Buffer::delete`] and
//! [`Client::shutdown`] for those who want it now. A client whose last handle is dropped on one of
//! its own threads (in a callback) is destroyed on another one.
//!
//! **Host memory.** Starting a transfer moves the memory's owner into a [`HostLease`], which
//! returns it when the plugin has released the memory. Reads into memory that the caller may drop
//! go through [`HostTransfer`], which keeps it. [`SharedBuffer`] is memory that host and device
//! share; its guards exclude simultaneous use.
//!
//! **Plugins that fail.** Any call may fail: the error names the function, nothing leaks, and the
//! donation of an execution that did not start is reverted. A handle that is null although the call
//! succeeded is an error too. No drop waits for an event: what an event that never happens would
//! free (host memory that is lent, the memory of a read, callbacks, and the client that they keep)
//! stays, and [`Client::shutdown`] returns the client. These wait without a limit: [`Event::wait`]
//! and what is built on it, writing to a [`SharedBuffer`], and an execution on several devices
//! whose predecessors have not ended. Host memory is leaked where it is unknown whether the plugin
//! has released it: the plugin returned no event for its transfer, or it cannot call back or unmap
//! it. Three things are trusted, since the C API has no way to check them: that a callback is
//! called once, that an array is as long as the plugin reports, and that a read into a borrowed
//! slice which returned no event has not begun.
//!
//! **Donation.** Chosen for each execution ([`Donation`]); nothing is donated by default. A donated
//! buffer is [`Error::Donated`] afterwards, whether or not the compiler made use of it. So is the
//! source of an alias ([`AliasPromise::fulfill`]) and of a bitcast ([`Buffer::bitcast`]).
//!
//! **Types and dimensions** of arguments are compared with what the program was compiled for. The C
//! API does not report that, so it is read from the optimized program once, or set by
//! [`LoadedExecutable::set_signature`]. Without either, only the plugin checks sizes. Layouts are
//! not compared: a program that asks for one by `mhlo.layout_mode` has to be given buffers of that
//! layout, or reads their elements in another order.
//!
//! **Threads.** All handles are `Send` and `Sync`, as the C API allows; external references, which
//! it does not lock, are locked here. Callbacks and FFI handlers run on the plugin's threads: they
//! must not wait for the plugin, and a panic in them is caught and logged.
//!
//! **Speed.** An execution adds little to the plugin's call: one comparison for each argument, one
//! allocation for the vector of results. [`LoadedExecutable::execute_into`] does not need even
//! that. `cargo bench -p hloom-pjrt` measures it.
//!
//! # What is not wrapped
//!
//! [`Api::call`] takes any structure of [`sys`], and every handle returns its pointer. Left to
//! that:
//! - send and receive callbacks of executions, and the streams that they receive
//!   (`PJRT_CopyToDeviceStream_*`): superseded by custom calls through the XLA FFI
//!   ([`extension::ffi`]), which all platforms have;
//! - `PJRT_Buffer_CopyRawToHostFuture`: [`Buffer::read_raw_async`] does the same for memory that
//!   exists when the read starts;
//! - `PJRT_Client_UpdateGlobalProcessInfo`, and the task and incarnation ids of an execution: for
//!   jobs that survive the loss of a process, which need a coordination service outside of PJRT;
//! - `PJRT_LoadedExecutable_Fingerprint`: plugins return an error for it, and
//!   [`Executable::fingerprint`] has replaced it;
//! - `PJRT_Client_LookupDevice` and `PJRT_Client_LookupAddressableDevice`: the client's list of
//!   devices is searched instead;
//! - multi-slice configurations and output callbacks of `PJRT_ExecuteOptions`, and load options:
//!   opaque types that only other functions of the same plugin make.

pub use hloom_pjrt_sys as sys;

mod aligned;
mod buffer;
mod client;
mod device;
mod error;
mod event;
mod execute;
pub mod extension;
pub mod hlo;
mod layout;
mod named_value;
mod platform_kind;
mod plugin;
mod program;
mod spec;
mod sync;
mod transfer;

pub use aligned::{ALIGNMENT, AlignedVec};
pub use buffer::{
    Buffer,
    copy::ControlDependency,
    device_buffer::{AliasPromise, DeviceBuffer},
    from_host::{BufferFromHost, HostBufferSemantics},
    host_array::HostArray,
    host_view::{ExternalReference, HostView},
    memory_view::MemoryPlace,
    shared::{SharedBuffer, SharedMemory, SharedRead, SharedWrite},
};
pub use client::{
    Client,
    alive::alive,
    builder::ClientBuilder,
    counters::Alive,
    key_value::{KeyValueStore, LocalKeyValueStore},
};
pub use device::{
    AsyncTracking, Device, MemoryStats, description::DeviceDescription, memory::Memory,
    topology::Topology,
};
pub use error::{Error, LaunchConflict, PluginProblem, Result};
pub use event::{Event, HostEvent};
pub use execute::{
    Execution,
    context::ExecuteContext,
    options::{Donation, ExecuteOptions},
};
pub use hloom_ffi::{
    DType, Element, Elements, ErrorCode, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3,
    F8E4M3B11FNUZ, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, I1, I2, I4, U1, U2, U4,
    as_bytes,
};
pub use layout::Layout;
pub use named_value::{NamedValue, NamedValues};
#[cfg(unix)]
pub use platform_kind::PlatformKind;
pub use plugin::cache::belongs_to_user;
pub use plugin::ending_thread::check_thread;
pub use plugin::{
    Plugin,
    api::Api,
    cache::cache_folder,
    discovery::{Candidate, PluginSource},
    exit::BackgroundWork,
    extension_list::Extension,
    extension_type::ExtensionType,
    log::{LogLevel, quiet, set_log_level},
};
pub use program::{
    Program, ProgramCode,
    compile_options::{CompileOptions, EffortLevel, xla_option::XlaOption},
    executable::Executable,
    interface::{ProgramInterface, ProgramParameter},
    kernels::{CompiledKernel, CompiledKernels},
    loaded_executable::{LoadedExecutable, LogicalDeviceId},
    memory_stats::CompiledMemoryStats,
    signature::Signature,
    tiling::{Tiling, Tilings},
};
pub use spec::Spec;
pub use transfer::{
    dma::DmaMapping, host_lease::HostLease, host_transfer::HostTransfer, manager::TransferManager,
};
