//! A plugin that works: two devices in host memory, programs that add, and a register of every live
//! object.
//!
//! Handles are numbers that are never reused, so a use after destruction or a double destruction is
//! found in the register and reported by [`Session::misuse`], never dereferenced. A test injects
//! faults through its [`Session`]: the n-th call fails ([`Fault`]), events complete later or never
//! ([`Session::hold`]), results contradict each other ([`Lie`]).
//!
//! Programs are lines such as `add(f32[2], f32[2]) -> f32[2] alias 0 on 2`: see
//! [`Session::program`].

mod buffer;
mod call;
mod client;
mod event;
mod executable;
mod execute;
mod expected;
mod failure;
mod fault;
mod happening;
mod host;
mod manager;
mod object;
mod program;
mod promise;
mod session;
mod state;
mod storage;
mod table;
mod topology;
mod trial;

pub use expected::may_be_silent;
pub use fault::{Fault, Lie};
pub use session::Session;
pub use storage::UNWRITTEN;
