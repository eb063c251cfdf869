//! Compiling: names, options and what a platform can do.

mod capabilities;
mod environment;
mod lines;
mod names;
mod nesting;
mod repeated;
