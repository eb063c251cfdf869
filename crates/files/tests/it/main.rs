//! Files that are written as a whole, by writers that live and that were killed.

mod killed;
mod replaced;
