//! The outcome of a case, and the lines of results.

use super::{journal::Ended, plan::Planned};
use crate::{
    Result, Settings,
    results::{Better, Measurement, Results},
};
use std::{collections::BTreeMap, fs, path::Path};

/// The most lines of single cases; the file of failures has all.
const MAX_LINES: usize = 200;

/// How a case ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// Its results are within the tolerance of its row.
    Holds,
    /// They are within the tolerance for operands rounded to `tf32`.
    HoldsInTf32,
    /// They are within four times the tolerance.
    Near,
    /// They are not.
    Wrong,
    /// Hloom names the op and the platform that lacks it.
    Refused,
    /// It does not compile, or it does not run.
    Fails,
    /// It ends or stops the process.
    Ends,
}

const ALL: [(Outcome, &str); 7] = [
    (Outcome::Holds, "holds"),
    (Outcome::HoldsInTf32, "holds_in_tf32"),
    (Outcome::Near, "near"),
    (Outcome::Wrong, "wrong"),
    (Outcome::Refused, "refused"),
    (Outcome::Fails, "fails"),
    (Outcome::Ends, "ends"),
];

impl Outcome {
    /// The name.
    pub fn name(self) -> &'static str {
        ALL.iter().find(|(outcome, _)| *outcome == self).map_or("", |(_, name)| name)
    }

    /// The outcome of a name.
    pub fn from_name(name: &str) -> Option<Outcome> {
        ALL.iter().find(|(_, of)| *of == name).map(|(outcome, _)| *outcome)
    }

    /// Whether the results are right.
    pub fn is_right(self) -> bool {
        matches!(self, Outcome::Holds | Outcome::HoldsInTf32)
    }
}

/// The cases of a label, by outcome.
#[derive(Default)]
struct Counts {
    by_outcome: BTreeMap<Outcome, usize>,
    not_reached: usize,
}

impl Counts {
    fn of(&self, wanted: impl Fn(Outcome) -> bool) -> usize {
        self.by_outcome.iter().filter(|(outcome, _)| wanted(**outcome)).map(|(_, n)| n).sum()
    }
}

/// Writes a line for each element type with the share of the cases that hold, its other outcomes,
/// and a line for each failing case; and a file of all failures next to the results.
///
/// # Errors
/// A file cannot be written.
pub fn report(
    settings: &Settings,
    planned: &[Planned<'_>],
    ended: &Ended,
    results: &mut Results,
) -> Result {
    results.set_card_name(ended.card.clone());
    let mut labels: Vec<&str> = Vec::new();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for case in planned {
        if !labels.contains(&&*case.label) {
            labels.push(&case.label);
        }
        let counts = counts.entry(&case.label).or_default();
        match ended.cases.get(&case.id) {
            Some((outcome, _)) => *counts.by_outcome.entry(*outcome).or_default() += 1,
            None => counts.not_reached += 1,
        }
    }
    for label in labels {
        let counts = &counts[label];
        let bench = format!("gpu/ops/{label}");
        let tried = counts.of(|outcome| outcome != Outcome::Refused);
        results.measure(&Measurement {
            bench: &bench,
            value: counts.of(Outcome::is_right) as f64,
            unit: "cases",
            reference: (tried > 0).then_some(tried as f64),
            target: Some((Better::Higher, 1.0)),
        })?;
        let mut count = |name: &str, count: usize, target| {
            let (bench, value) = (format!("{bench}/{name}"), count as f64);
            let (bench, unit, reference) = (bench.as_str(), "cases", None);
            results.measure(&Measurement { bench, value, unit, reference, target })
        };
        count("not_reached", counts.not_reached, Some((Better::Lower, 0.0)))?;
        for (outcome, name) in ALL.into_iter().skip(1) {
            count(name, counts.of(|of| of == outcome), None)?;
        }
    }
    let failures = failures(planned, ended, |outcome| !outcome.is_right());
    write_failures(&settings.results, &failures)?;
    for (id, outcome, why) in
        failures.iter().filter(|(_, of, _)| *of != Outcome::Refused).take(MAX_LINES)
    {
        let why = format!("{}: {why}", outcome.name());
        results.check::<(), _>(&format!("gpu/ops/case/{id}"), Err(why))?;
    }
    Ok(())
}

/// The cases with such an outcome, the worst first, each with the reason.
pub fn failures<'a>(
    planned: &'a [Planned<'_>],
    ended: &'a Ended,
    wanted: impl Fn(Outcome) -> bool,
) -> Vec<(&'a str, Outcome, &'a str)> {
    let of = |case: &'a Planned<'_>| {
        let (outcome, why) = ended.cases.get(&case.id)?;
        wanted(*outcome).then_some((&*case.id, *outcome, &**why))
    };
    let mut failures: Vec<_> = planned.iter().filter_map(of).collect();
    failures.sort_by_key(|(_, outcome, _)| std::cmp::Reverse(*outcome));
    failures
}

fn write_failures(results: &Path, failures: &[(&str, Outcome, &str)]) -> Result {
    let path = results.with_file_name("ops-failures.txt");
    let line = |(id, outcome, why): &(&str, Outcome, &str)| {
        format!("{}\t{id}\t{}\n", outcome.name(), why.replace('\n', " "))
    };
    let text: String = failures.iter().map(line).collect();
    Ok(fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?)
}
