//! Training on the CPU plugin.

#![deny(clippy::match_bool)]

mod corpus;
mod resume;
mod step;
