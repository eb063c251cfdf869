//! Extensions that no published header carries, and the older forms of those that have changed.
