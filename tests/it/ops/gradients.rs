//! Gradients of ops, against `jax.vjp`.

use super::table::{check_rows, rows_of};
use crate::reference::load;
use std::collections::BTreeSet;

/// X8: derivatives of ops, alone and of control flow, are those of `jax.grad`.
#[test]
fn gradients_match() {
    check_smooth("gradients", 480);
}

/// Tests the rows of a family, with second derivatives of those that are smooth: which have cases,
/// of which there are at least so many.
pub fn check_smooth(family: &str, least: usize) {
    let cases = load(family);
    println!("{family}: {} gradients", cases.len());
    assert!(cases.len() >= least, "{family} has {} cases, fewer than {least}", cases.len());
    let tested: BTreeSet<&str> = cases.iter().map(|case| &*case.row).collect();
    let mut rows = rows_of(family);
    rows.retain(|row| !row.name.ends_with(" twice") || tested.contains(row.name));
    check_rows(family, &rows, &cases);
}
