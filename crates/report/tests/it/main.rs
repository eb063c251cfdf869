//! Reports of programs that the CPU plugin compiled.

#![deny(clippy::match_bool)]

mod browser;
