//! The command `cargo xtask`, and pages that follow from the sources.

#![deny(clippy::match_bool)]

mod campaign_miri;
mod environment;
mod gpu_parts;
mod guide;
mod programs;
mod setup;
mod working_folder;
