//! Two trees of one structure, leaf by leaf.

use crate::{LeafProblem, Mismatch};
use std::collections::BTreeSet;

/// Checks that two trees have leaves at the same paths.
pub(super) fn check(left: &[String], right: &[String]) -> Result<(), Mismatch> {
    if left == right {
        return Ok(());
    }
    let is_in = |paths: &[String]| paths.iter().cloned().collect::<BTreeSet<String>>();
    let (in_left, in_right) = (is_in(left), is_in(right));
    let missing = left.iter().filter(|path| !in_right.contains(*path));
    let missing = missing.map(|path| (path.clone(), LeafProblem::Missing { note: String::new() }));
    let unused = right.iter().filter(|path| !in_left.contains(*path));
    let unused = unused.map(|path| (path.clone(), LeafProblem::Unused { note: String::new() }));
    let problems = missing.chain(unused).collect();
    Err(Mismatch { origin: "the second tree".to_owned(), problems, reason: None })
}
