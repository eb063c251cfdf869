//! Reports of programs that the CPU plugin compiled.

mod browser;
