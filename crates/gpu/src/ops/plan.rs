//! The cases to try, the most valuable first.

use crate::Result;
use hloom::DType;
use hloom_op_suite::{Case, FAMILIES, Row, Trial, case_dtype, load, pair};
use std::{collections::HashSet, path::Path};

/// The label of cases of ops that have none in the requested types.
const OTHER: &str = "other";
/// The label of further cases.
const FURTHER: &str = "further";

/// The rows and cases of every family.
pub struct Suite {
    families: Vec<(&'static str, Vec<Row>, Vec<Case>)>,
}

/// A case to try.
pub struct Planned<'a> {
    /// `family/row/case`.
    pub id: String,
    /// The family.
    pub family: &'static str,
    /// The element type that it was chosen for.
    pub label: String,
    /// The case.
    pub trial: Trial<'a>,
}

impl Suite {
    /// Reads the cases in a folder.
    ///
    /// # Errors
    /// The file of a family cannot be read.
    pub fn load(folder: &Path) -> Result<Suite> {
        let load = |family: &hloom_op_suite::Family| {
            Ok((family.name, (family.rows)(), load(folder, family.name)?))
        };
        Ok(Suite { families: FAMILIES.iter().map(load).collect::<Result<_, String>>()? })
    }

    /// For each type, the case of each row with the most elements; then one of each row that has
    /// no case in these types; then, if asked for, all others.
    ///
    /// # Errors
    /// A case has no row.
    pub fn plan(&self, types: &[DType], all: bool, only: Option<&str>) -> Result<Vec<Planned<'_>>> {
        let mut by_row = Vec::new();
        for (family, rows, cases) in &self.families {
            let pairs = pair(family, rows, cases)?;
            for row in rows {
                let id = |case: &Case| format!("{family}/{}/{}", row.name, case.name);
                let is_asked = |case: &&Case| only.is_none_or(|only| id(case).contains(only));
                let of_row = pairs.iter().filter(|(of, _)| of.name == row.name);
                let cases: Vec<&Case> = of_row.map(|(_, case)| *case).filter(is_asked).collect();
                by_row.push((*family, row, cases));
            }
        }
        let mut plan = Vec::new();
        for &dtype in types {
            for (family, row, cases) in &mut by_row {
                let of_type = |case: &&Case| is_first(case, dtype) || has(case, dtype);
                let chosen = cases.iter().copied().filter(of_type);
                let chosen = chosen.max_by_key(|case| (is_first(case, dtype), elements(case)));
                if let Some(chosen) = chosen {
                    cases.retain(|case| case.name != chosen.name);
                    plan.push(Planned::new(family, row, chosen, dtype.name()));
                }
            }
        }
        let known: HashSet<(&str, &str)> =
            plan.iter().map(|planned| (planned.family, planned.trial.row.name)).collect();
        for (family, row, cases) in &mut by_row {
            if known.contains(&(*family, row.name)) {
                continue;
            }
            if let Some(chosen) = cases.iter().copied().max_by_key(|case| elements(case)) {
                cases.retain(|case| case.name != chosen.name);
                plan.push(Planned::new(family, row, chosen, OTHER));
            }
        }
        if all {
            for (family, row, cases) in by_row {
                plan.extend(cases.iter().map(|case| Planned::new(family, row, case, FURTHER)));
            }
        }
        Ok(plan)
    }
}

impl<'a> Planned<'a> {
    fn new(family: &'static str, row: &'a Row, case: &'a Case, label: &str) -> Planned<'a> {
        let id = format!("{family}/{}/{}", row.name, case.name);
        Planned { id, family, label: label.to_owned(), trial: Trial::new(row, case) }
    }
}

/// Whether the first operand has a type.
fn is_first(case: &Case, dtype: DType) -> bool {
    case_dtype(case) == dtype
}

/// Whether an operand or a result has a type.
fn has(case: &Case, dtype: DType) -> bool {
    case.inputs.iter().chain(&case.outputs).any(|x| x.shape.dtype() == dtype)
}

fn elements(case: &Case) -> usize {
    case.inputs.iter().map(|x| x.shape.element_count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn suite() -> Suite {
        Suite::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/it/data")).unwrap()
    }

    #[test]
    fn every_op_is_planned_once_a_type() {
        let suite = suite();
        let types = [DType::F32, DType::BF16];
        let plan = suite.plan(&types, false, None).unwrap();
        let ids: BTreeSet<&str> = plan.iter().map(|case| &*case.id).collect();
        assert_eq!(ids.len(), plan.len(), "a case is planned twice");
        let labels: Vec<&str> =
            plan.chunk_by(|a, b| a.label == b.label).map(|of| &*of[0].label).collect();
        assert_eq!(labels, ["f32", "bf16", OTHER]);
        let planned: BTreeSet<(&str, &str)> =
            plan.iter().map(|case| (case.family, case.trial.row.name)).collect();
        for (family, _, cases) in &suite.families {
            for case in cases {
                assert!(planned.contains(&(*family, &*case.row)), "{family}/{}", case.row);
            }
        }
        let sum = plan.iter().find(|case| case.id.starts_with("binary/add/")).unwrap();
        assert_eq!(case_dtype(sum.trial.case), DType::F32);
    }

    #[test]
    fn all_cases_follow_on_request() {
        let suite = suite();
        let plan = suite.plan(&[DType::F32], true, None).unwrap();
        let count: usize = suite.families.iter().map(|(.., cases)| cases.len()).sum();
        assert_eq!(plan.len(), count);
        assert_eq!(plan.last().unwrap().label, FURTHER);
        let only = suite.plan(&[DType::F32], true, Some("unary/abs/")).unwrap();
        assert!(!only.is_empty() && only.iter().all(|case| case.id.starts_with("unary/abs/")));
    }
}
