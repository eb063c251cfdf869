//! The command `cargo xtask`, and pages that follow from the sources.

mod campaign_miri;
mod environment;
mod gpu_parts;
mod guide;
mod programs;
mod setup;
mod working_folder;
