//! The synchronization primitives of this crate's state machines. `tests/models` compiles the state
//! machines again with the `sync` module of a model checker.

pub(crate) use std::sync::atomic::AtomicPtr;
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
