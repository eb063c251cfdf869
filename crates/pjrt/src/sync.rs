//! What the state machines of this crate are synchronized with. `tests/models` compiles them once more, with a `sync` module of a model
//! checker.

pub(crate) use std::sync::atomic::AtomicPtr;
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
