//! Compiling: names, options and what a platform can do.

mod capabilities;
mod check_nan;
mod environment;
mod lines;
mod names;
mod nesting;
mod repeated;
