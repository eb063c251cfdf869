//! The facade on the CPU plugin and on others.
//!
//! Every test runs on the CPU plugin, and on the platforms that `HLOOM_TEST_PLATFORMS` names
//! (`cuda,tpu`).

mod aliasing;
mod attributes;
mod bisect;
mod collectives;
mod contraction;
mod cropped_convolutions;
mod derivatives;
mod errors;
mod exported;
mod foreign;
mod interpreted_exes;
mod near_defects;
mod numpy;
mod ops;
mod platforms;
mod random_programs;
mod reference;
mod row_major;
mod split_programs;
mod sweep;
mod windows;
