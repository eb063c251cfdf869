//! Replaces the crate's module of this name with the primitives of the checker.

pub(crate) use loom::sync::Mutex;
