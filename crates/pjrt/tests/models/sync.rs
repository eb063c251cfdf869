//! In place of the module of this name in the crate: what the checker watches.

pub(crate) use loom::sync::atomic::AtomicPtr;
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
