//! Training on the CPU plugin.

mod corpus;
mod resume;
mod step;
