//! callbacks

use crate::{Result, Settings, results::Results};

pub fn run(_settings: &Settings, _results: &mut Results) -> Result {
    Ok(())
}
