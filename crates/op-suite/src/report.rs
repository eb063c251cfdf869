//! The outcome of trials.

use crate::{Found, Trial};
use std::{collections::BTreeMap, fmt};

/// The outcome of trials.
#[derive(Default)]
pub struct Report {
    failures: Vec<String>,
    worst: BTreeMap<&'static str, (f64, String)>,
}

impl Report {
    /// The failures.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// By row, the largest distance in units in the last place, and its case.
    pub fn worst(&self) -> &BTreeMap<&'static str, (f64, String)> {
        &self.worst
    }

    /// Adds a failure.
    pub fn fail(&mut self, trial: &Trial<'_>, why: impl fmt::Display) {
        let Trial { row, case, split, .. } = trial;
        self.failures.push(format!("{}/{}{split}: {why}", row.name, case.name));
    }
}

/// Compares the results of trials with their cases.
pub fn compare(trials: &[Trial<'_>], results: Vec<Vec<Found>>, report: &mut Report) {
    for (trial, results) in trials.iter().zip(results) {
        match trial.check(&results) {
            Ok(distance) => {
                let worst = report.worst.entry(trial.row.name).or_default();
                if distance > worst.0 {
                    *worst = (distance, trial.case.name.clone());
                }
            }
            Err(wrong) => report.fail(trial, wrong),
        }
    }
}
