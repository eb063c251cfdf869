//! Checks before the tests: format, links, generated pages, lints, feature sets, snapshots.

mod features;
mod links;
mod markdown;
mod pages;
mod programs;

use crate::steps::Steps;
use crate::{Result, cargo, format};

/// Runs every check, the cheapest first, and stops at the first that fails. With `fix`, writes what
/// a tool can write: the format, pages and snapshots.
///
/// # Errors
/// The check's.
pub fn run(fix: bool) -> Result {
    let mut steps = Steps::default();
    let outcome = each(fix, &mut steps);
    print!("\n{}", steps.table());
    outcome
}

/// Each check as a step.
///
/// # Errors
/// The first check's that fails.
pub fn each(fix: bool, steps: &mut Steps) -> Result {
    let root = cargo::workspace();
    steps.begin("format");
    format::run(fix)?;
    steps.begin("links");
    links::check(&root)?;
    steps.begin("pages");
    pages::check(&root, fix)?;
    steps.begin("lints");
    let lints = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    cargo::run(cargo::command(&lints))?;
    steps.begin("feature sets");
    features::check()?;
    steps.begin("snapshots");
    programs::check(fix)
}
