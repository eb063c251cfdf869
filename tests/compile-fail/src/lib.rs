//! Programs that must not compile.
//!
//! They are in a package of their own so that all are checked in one build, which needs the
//! features of none of their crates.
