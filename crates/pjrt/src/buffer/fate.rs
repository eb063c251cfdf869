//! The bits of a buffer's state.

/// The memory is there.
pub(crate) const ALIVE: u32 = 0;
/// The host freed the memory.
pub(crate) const DELETED: u32 = 1;
/// An execution, an alias or a bitcast took the memory over.
pub(crate) const DONATED: u32 = 2;
/// The bits that hold one of these three.
pub(crate) const FATE: u32 = 3;
/// One view of the memory: the number of views is above the other bits.
pub(crate) const VIEW: u32 = 4;
