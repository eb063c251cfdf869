//! saved

use crate::{Result, Settings, results::Results};

#[derive(clap::Args)]
pub struct Options {}

pub fn run(_settings: &Settings, _options: &Options, _results: &mut Results) -> Result {
    Ok(())
}
