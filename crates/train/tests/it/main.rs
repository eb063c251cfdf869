//! Training on the CPU plugin.

mod resume;
mod step;
