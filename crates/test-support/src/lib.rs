//! Code that the tests of several crates share.
//!
//! Crates depend on it only for their integration tests, by path and without a version: it depends
//! on some of them, and is not published.

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "an allocator is unsafe to implement")]
mod allocations;
mod child;
#[cfg(feature = "pjrt")]
#[allow(unsafe_code, reason = "compiling is unsafe")]
mod compile_own;
mod corpus;
mod examples;
#[cfg(feature = "pjrt")]
#[allow(unsafe_code, reason = "a handler is code that was compiled elsewhere")]
mod foreign_handler;
#[cfg(feature = "runtime")]
#[allow(unsafe_code, reason = "loading is unsafe")]
mod load_own;
mod memory;
mod mutations;
#[cfg(feature = "runtime")]
mod optimization;
#[cfg(feature = "runtime")]
mod platform;
#[cfg(feature = "pjrt")]
mod plugin;
#[cfg(feature = "pjrt")]
mod python;

pub use allocations::{CountingAllocator, allocations};
pub use child::{Child, Ended, is_alone, is_child};
#[cfg(feature = "pjrt")]
pub use compile_own::CompileOwn;
pub use corpus::run_corpus;
pub use examples::{examples, sandbox_program};
#[cfg(feature = "pjrt")]
pub use foreign_handler::register_foreign_handler;
#[cfg(feature = "runtime")]
pub use load_own::LoadOwn;
pub use memory::resident_kib;
pub use mutations::mutations;
#[cfg(feature = "runtime")]
pub use optimization::{CPU_BY_TEST, CpuByTest, Optimization};
#[cfg(feature = "runtime")]
pub use platform::{CPU, CPUS, cpus};
#[cfg(feature = "pjrt")]
pub use plugin::{client, plugin, plugin_path, unless_unimplemented};
#[cfg(feature = "pjrt")]
pub use python::python_with_numpy;
