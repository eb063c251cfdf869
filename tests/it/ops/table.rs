//! The test of a family, and the selection of its cases.

use super::{
    interpreted, lazily::run_lazily, mapped::mapped, meshes::meshes, optimized::optimized,
    survey::Survey,
};
use crate::{
    platforms::{cpu, cpus, platforms},
    reference::{Case, load},
};
use hloom::{Placement, runtime::ModuleForm};
use hloom_op_suite::{FAMILIES, Report, Row, Trial, pair};
use std::collections::BTreeSet;

/// The cases that a sample has in addition to one of each row: those whose number is a multiple of
/// this.
const EVERY: usize = 10;

/// One case of each row and a part of the others, or all with `HLOOM_TEST_MESHES=all`, each with
/// its number.
pub fn sample<'a>(pairs: &[(&'a Row, &'a Case)]) -> Vec<(usize, &'a Row, &'a Case)> {
    let all = std::env::var("HLOOM_TEST_MESHES").is_ok_and(|which| which == "all");
    let mut last = "";
    let mut chosen = Vec::new();
    for (i, &(row, case)) in pairs.iter().enumerate() {
        let is_first = std::mem::replace(&mut last, row.name) != row.name;
        if all || is_first || i % EVERY == 0 {
            chosen.push((i, row, case));
        }
    }
    chosen
}

/// Tests every row of a family with its cases: see [`check_rows`].
pub fn check(family: &str) {
    check_rows(family, &rows_of(family), &load(family));
}

/// The rows of a family.
pub fn rows_of(family: &str) -> Vec<Row> {
    let found = FAMILIES.iter().find(|of| of.name == family);
    (found.unwrap_or_else(|| panic!("there is no family `{family}`")).rows)()
}

/// Tests every row with its cases: through the interpreter, on every platform and over meshes of
/// virtual devices, and a part of them under `vmap` and through lazy tensors; or reports to a survey.
pub fn check_rows(family: &str, rows: &[Row], cases: &[Case]) {
    let pairs = pair(family, rows, cases).unwrap_or_else(|error| panic!("{error}"));
    let tested: BTreeSet<&str> = pairs.iter().map(|(row, _)| row.name).collect();
    let untested: Vec<&str> =
        rows.iter().map(|row| row.name).filter(|name| !tested.contains(name)).collect();
    assert!(untested.is_empty(), "rows without a case: {untested:?}");
    if let Some(survey) = Survey::asked_for() {
        return survey.tell(family, &pairs);
    }
    let mut report = Report::default();
    interpreted::run(family, &pairs, &mut report);
    finish(&report, &format!("{family} through the interpreter"));
    for platform in platforms() {
        let is_cpu = platform.name() == "cpu";
        let whole = |&(row, case): &(_, _)| match Trial::new(row, case) {
            trial if is_cpu => optimized(trial, family),
            trial => trial,
        };
        let trials: Vec<Trial> = pairs.iter().map(whole).collect();
        let mut report = Report::default();
        run(platform.into(), family, &trials, &mut report);
        finish(&report, &format!("{family} on {}", platform.name()));
    }
    let mut report = Report::default();
    for (mesh, trials) in meshes(cpus(), &pairs) {
        let trials: Vec<Trial> = trials.into_iter().map(|trial| optimized(trial, family)).collect();
        run((&mesh).into(), family, &trials, &mut report);
    }
    finish(&report, &format!("{family} over meshes"));
    let trials: Vec<Trial> = mapped(&pairs)
        .into_iter()
        .map(|(row, case, place)| Trial { mapped: Some(place), ..Trial::new(row, case) })
        .map(|trial| optimized(trial, family))
        .collect();
    let mut report = Report::default();
    run(cpu().into(), family, &trials, &mut report);
    finish(&report, &format!("{family} under vmap"));
    let trials: Vec<Trial> =
        sample(&pairs).into_iter().map(|(_, row, case)| Trial::new(row, case)).collect();
    let mut report = Report::default();
    run_lazily(cpu(), &trials, &mut report);
    finish(&report, &format!("{family} through lazy tensors"));
}

/// Compiles trials as a few programs, and compares their results.
pub fn run(place: Placement<'_>, family: &str, trials: &[Trial<'_>], report: &mut Report) {
    hloom_op_suite::run(place, family, trials, form, report);
}

/// The form in which a program is passed to the plugin: text for every second one, and for all with
/// `HLOOM_TEST_FORM=text`.
fn form(number: usize) -> ModuleForm {
    let all = std::env::var("HLOOM_TEST_FORM").is_ok_and(|form| form == "text");
    if all || number.is_multiple_of(2) { ModuleForm::Text } else { ModuleForm::default() }
}

/// Fails if a trial failed.
fn finish(report: &Report, what: &str) {
    if std::env::var_os("HLOOM_TEST_REPORT").is_some() {
        for (row, (distance, case)) in report.worst() {
            eprintln!("{what}: {row}: {distance:.2} units at {case}");
        }
    }
    let failures = report.failures();
    let shown = failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{what}: {} cases failed\n{shown}", failures.len());
}
