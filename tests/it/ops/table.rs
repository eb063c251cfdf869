//! Rows, and the selection of their cases for testing.

use super::{
    interpreted,
    mapped::mapped,
    survey::Survey,
    trial::{Report, Trial, meshes, run, run_lazily},
};
use crate::{
    platforms::{cpu, cpus, platforms},
    reference::{Case, Tolerance, load},
};
use hloom::prelude::*;
use std::collections::BTreeMap;

/// The cases that a sample has besides one of each row: those whose number is a multiple of this.
const EVERY: usize = 10;

/// An op as a user writes it.
pub struct Row {
    pub name: &'static str,
    pub tolerance: Tolerance,
    /// The op's results for the inputs of a case; empty when it takes a different number of
    /// inputs.
    pub op: fn(&[Tensor]) -> Vec<Tensor>,
}

/// The results of an op: one tensor or several.
pub trait Outputs {
    fn outputs(self) -> Vec<Tensor>;
}

impl<T: Tree<Leaf = Tensor>> Outputs for T {
    fn outputs(self) -> Vec<Tensor> {
        let mut all = Vec::new();
        self.visit(&mut |_, &tensor| all.push(tensor));
        all
    }
}

/// A table of rows: `"name", tolerance, [operands] => the op as a user writes it;`
macro_rules! rows {
    ($($name:expr, $tolerance:expr, [$($x:ident),*] => $result:expr;)*) => {
        [$($crate::ops::table::Row {
            name: $name,
            tolerance: $tolerance,
            op: |inputs: &[hloom::Tensor]| match *inputs {
                [$($x),*] => $crate::ops::table::Outputs::outputs($result),
                _ => Vec::new(),
            },
        }),*]
    };
}
pub(crate) use rows;

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

/// Tests every row with its cases: through the interpreter, on every platform and over meshes of
/// virtual devices, and a part of them under `vmap` and through lazy tensors; or reports to a survey.
pub fn check(family: &str, rows: &[Row]) {
    let by_name: BTreeMap<&str, &Row> = rows.iter().map(|row| (row.name, row)).collect();
    assert_eq!(by_name.len(), rows.len(), "two rows of one name");
    let cases = load(family);
    let mut untested = by_name.clone();
    let mut pairs = Vec::with_capacity(cases.len());
    for case in &cases {
        let row = by_name
            .get(case.row.as_str())
            .unwrap_or_else(|| panic!("there is no row `{}`", case.row));
        untested.remove(row.name);
        pairs.push((*row, case));
    }
    assert!(untested.is_empty(), "rows without a case: {:?}", untested.keys());
    if family == "dot" {
        pairs.sort_by_key(|(_, case)| case.inputs[0].shape.dtype());
    }
    if let Some(survey) = Survey::asked_for() {
        return survey.tell(family, &pairs);
    }
    let mut report = Report::default();
    interpreted::run(family, &pairs, &mut report);
    report.finish(&format!("{family} through the interpreter"));
    for platform in platforms() {
        let is_cpu = platform.name() == "cpu";
        let whole = |&(row, case): &(_, _)| match Trial::new(row, case) {
            trial if is_cpu => trial.optimized(family),
            trial => trial,
        };
        let trials: Vec<Trial> = pairs.iter().map(whole).collect();
        let mut report = Report::default();
        run(platform.into(), family, &trials, &mut report);
        report.finish(&format!("{family} on {}", platform.name()));
    }
    let mut report = Report::default();
    for (mesh, trials) in meshes(cpus(), &pairs) {
        let trials: Vec<Trial> = trials.into_iter().map(|trial| trial.optimized(family)).collect();
        run((&mesh).into(), family, &trials, &mut report);
    }
    report.finish(&format!("{family} over meshes"));
    let trials: Vec<Trial> = mapped(&pairs)
        .into_iter()
        .map(|(row, case, place)| Trial { mapped: Some(place), ..Trial::new(row, case) })
        .map(|trial| trial.optimized(family))
        .collect();
    let mut report = Report::default();
    run(cpu().into(), family, &trials, &mut report);
    report.finish(&format!("{family} under vmap"));
    let trials: Vec<Trial> =
        sample(&pairs).into_iter().map(|(_, row, case)| Trial::new(row, case)).collect();
    let mut report = Report::default();
    run_lazily(cpu(), &trials, &mut report);
    report.finish(&format!("{family} through lazy tensors"));
}
