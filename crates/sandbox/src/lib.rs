//! Compiles and runs untrusted StableHLO programs in a child process with limits.
//!
//! A program in StableHLO can make a plugin read and write memory that is not its own, already
//! while it is compiled, and some never end. In a sandbox it does this in a process that has
//! nothing to lose: see [`Sandbox`].
//!
//! **Before** the child receives a byte of the program it loads the plugin, creates a client, and
//! compiles and runs a program of this crate, for which the plugin reads the files that it needs.
//! It has no environment, and no descriptor of its parent but a socket.
//!
//! **Then** a filter of system calls (seccomp) is applied to all its threads. All calls fail but
//! those on a short list, which has none that takes a path, creates a socket, starts a process or
//! signals another one. Private memory is limited, and shared memory is refused.
//! Without such a filter there is no sandbox: [`Error::Unsupported`].
//!
//! **The parent** gives each kind of work a limit of time, kills the child at a limit, and trusts
//! no answer: it knows the number of bytes of each result by itself and copies them. Large
//! arrays pass through shared memory of a fixed size, which it never maps: it copies each out once,
//! so that nothing changes after it was checked.
//! The kernel kills the child when its parent ends, however that ends.
//!
//! **A child that compiles ahead of time**, for GPUs and TPUs that need not be here, needs more: see
//! [`Sandbox::start_ahead`]. Landlock limits the files that it and the programs that it starts read
//! (the plugin's, its companions' and the system's libraries) and write (a folder of temporary files
//! of its own). These programs have the same filter and limits, cannot leave the child's group of
//! processes, and are killed with it.
//!
//! # Limits of the promise
//!
//! - Results may be anything, also those of another program in the same [`Session`]: programs of
//!   different authors need sessions of their own.
//! - A child that a program took over can use the processors until its session is dropped, and
//!   observe the machine as any process can through timing. Its threads are counted while the
//!   parent waits for it; between requests only the system limits them.
//! - The kernel is trusted, and so is the plugin up to the program's first byte.
//! - A child that compiles ahead of time also sees which files there are and their sizes. If its
//!   parent is killed, processes that it started end at their limit of the processor's time.
//! - Linux on x86-64 and AArch64. Programs run on the CPU only.

mod channel;
mod child;
mod error;
mod limits;
mod message;
mod parent;
mod process;
#[cfg(target_os = "linux")]
mod shared_memory;
#[cfg(target_os = "linux")]
mod socket;
mod target;

pub use child::enter;
pub use error::{Error, Result};
pub use limits::{Limits, Work};
pub use parent::{Argument, Bound, Description, Parameter, Program, Sandbox, Session};
pub use target::Target;
