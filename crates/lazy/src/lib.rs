//! Lazy tensors on the graph of traced functions: write eagerly, run compiled.
//!
//! # Design
//! - **A [`Lazy`] is a handle of a node**: realized (it holds a buffer) or pending (an op on other
//!   handles). Cloning it is cloning an `Arc`.
//! - **An op is recorded by the method of [`Tensor`](hloom_graph::Tensor)**, in a small trace of
//!   its own whose arguments are the operands: this gives the result's shape, the error, and a
//!   piece of graph. Pieces are shared: an op that was recorded before for operands of the same
//!   shapes is looked up instead.
//! - **Realizing** walks the pending nodes, and looks up their structure among the programs of the
//!   platform. Only a new structure is built as a graph, by replaying the pieces, and compiled.
//! - **Value semantics**: an op never changes its operands. The memory of a realized operand is
//!   reused only if the program holds its last handle, which `Arc::try_unwrap` decides.
//! - **Errors are recorded** as in traced functions: the handle of a failed op is poisoned, and
//!   realizing it returns the error with the user's line.
//! - **Threads**: one lock, held while nodes are selected and never while a program is compiled or
//!   called. A selected node is claimed; another thread that needs it waits for its value.

#![forbid(unsafe_code)]

mod at;
mod call;
mod call_lazy;
mod cut;
mod failure;
mod functions;
mod handle;
mod job;
mod memo;
mod methods;
mod node;
mod number;
mod operators;
mod piece;
mod place;
mod programs;
mod realize;
mod record;
mod schedule;
mod waits;

pub use at::{LazyAt, LazySelection};
pub use call::call;
pub use call_lazy::CallLazy;
pub use functions::{
    case, concatenate, cond, einsum, for_loop, reduce_by, scan, sort_together, stack, while_loop,
};
pub use handle::{Lazy, LazyState};
pub use number::LazyOperand;
pub use place::{LazyStats, Limits, clear_programs, forget, limits, set_limits, stats};
pub use realize::realize_all;
pub use schedule::{Schedule, ScheduleInput, ScheduleStep, schedule, schedule_lifted};
