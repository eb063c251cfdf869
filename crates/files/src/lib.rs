//! Writes files as a whole: a reader finds the previous contents or all of the new ones.
//!
//! - **Names.** A file is written under a name of its own in the folder of its target, and renamed
//!   when it is complete.
//! - **Storage.** Contents are stored before the file is renamed, and the folder after that, so
//!   that a loss of power leaves one of the two as well.
//! - **Leftovers.** A process that is killed leaves its unfinished file. Each is locked as long as
//!   its writer lives, also for processes in other containers and on other machines, so the next
//!   writer in the folder removes those that nobody has locked.
//! - **Kinds.** A file of another format than expected is named by its first bytes.

#![forbid(unsafe_code)]

mod atomic_file;
mod file_kind;
mod storage;
mod unfinished;

pub use atomic_file::{AtomicFile, write};
pub use file_kind::{binary_kind, file_kind};
pub use storage::publish;
pub use unfinished::remove_abandoned;
