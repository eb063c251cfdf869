//! Rows, and how their cases are compiled and compared.

use crate::{
    platforms::platforms,
    reference::{Case, Tolerance, load},
};
use hloom::prelude::*;
use std::collections::BTreeMap;

/// An op as a user writes it.
pub struct Row {
    pub name: &'static str,
    pub tolerance: Tolerance,
    /// What it gives for the inputs of a case; nothing when it takes another number of them.
    pub op: fn(&[Tensor]) -> Vec<Tensor>,
}

/// What an op gives: one tensor or several.
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

/// A table of rows: `"name", tolerance, [operands] => what a user writes;`
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

/// Cases compiled as one program: enough to share the cost of a compilation, and few enough for compilations to overlap.
const TOGETHER: usize = 100;

/// Tests every row with its cases, on every platform.
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
    let together = |a: &Case, b: &Case| family != "dot" || a.inputs[0].shape.dtype() == b.inputs[0].shape.dtype();
    for platform in platforms() {
        let mut report = Report::default();
        for part in pairs
            .chunk_by(|a, b| together(a.1, b.1))
            .flat_map(|part| part.chunks(TOGETHER))
        {
            run(platform, family, part, &mut report);
        }
        report.finish(platform, family);
    }
}

/// What came out of the cases of a family.
#[derive(Default)]
struct Report {
    failures: Vec<String>,
    /// The largest distance of each row, in units in the last place.
    worst: BTreeMap<&'static str, (f64, String)>,
}

impl Report {
    fn finish(self, platform: &Platform, family: &str) {
        if std::env::var_os("HLOOM_TEST_REPORT").is_some() {
            for (row, (distance, case)) in &self.worst {
                eprintln!("{family}: {row}: {distance:.2} units at {case}");
            }
        }
        let count = self.failures.len();
        let shown = self.failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
        assert!(
            count == 0,
            "{family} on {}: {count} cases failed\n{shown}",
            platform.name()
        );
    }
}

/// Compiles cases as one program and compares its results. A program that does not compile is taken apart until the case that is
/// to blame stands alone.
fn run(platform: &Platform, family: &str, cases: &[(&Row, &Case)], report: &mut Report) {
    let specs: Vec<Vec<Spec>> = cases
        .iter()
        .map(|(_, case)| case.inputs.iter().map(|x| Spec::of(x.shape)).collect())
        .collect();
    let function = |inputs: Vec<Vec<Tensor>>| -> Vec<Vec<Tensor>> {
        cases
            .iter()
            .zip(inputs)
            .map(|((row, _), inputs)| (row.op)(&inputs))
            .collect()
    };
    let results = platform
        .compiler()
        .name(family)
        .compile(function, (specs,))
        .and_then(|exe| {
            let buffer = |x: &crate::reference::Values| Buffer::from_bytes(platform, x.shape, &x.bytes);
            let inputs = cases
                .iter()
                .map(|(_, case)| case.inputs.iter().map(buffer).collect())
                .collect::<hloom::Result<Vec<_>>>()?;
            let results = exe.call((&inputs,))?;
            results
                .into_iter()
                .map(|case| case.into_iter().map(|b| Ok((b.shape(), b.to_bytes()?))).collect())
                .collect::<hloom::Result<Vec<Vec<_>>>>()
        });
    let results = match (results, cases) {
        (Ok(results), _) => results,
        (Err(error), [(row, case)]) => return report.failures.push(format!("{}/{}: {error}", row.name, case.name)),
        (Err(_), _) => {
            let (left, right) = cases.split_at(cases.len() / 2);
            run(platform, family, left, report);
            return run(platform, family, right, report);
        }
    };
    for ((row, case), results) in cases.iter().zip(results) {
        if results.len() != case.outputs.len() {
            let (given, found) = (case.inputs.len(), results.len());
            let message = format!(
                "{}/{}: {given} operands give {found} results, expected {}",
                row.name,
                case.name,
                case.outputs.len()
            );
            report.failures.push(message);
            continue;
        }
        for (i, (expected, (shape, bytes))) in case.outputs.iter().zip(results).enumerate() {
            match row.tolerance.check(expected, shape, &bytes) {
                Ok(distance) => {
                    let worst = report.worst.entry(row.name).or_default();
                    if distance > worst.0 {
                        *worst = (distance, case.name.clone());
                    }
                }
                Err(wrong) => report
                    .failures
                    .push(format!("{}/{}: result {i}: {wrong}", row.name, case.name)),
            }
        }
    }
}
