//! The synchronization primitives of this crate's state machine. `tests/models` compiles it again
//! with the `sync` module of a model checker.

pub(crate) use std::sync::Mutex;
