//! Compiles, binds and calls graphs on PJRT plugins.
