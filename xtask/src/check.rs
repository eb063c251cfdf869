//! Checks before the tests: format, links, generated pages, lints, feature sets, snapshots,
//! documentation, public interfaces.

mod features;
mod interface;
mod links;
mod markdown;
mod methods;
mod pages;
mod programs;

use crate::{Result, cargo, format, steps::Steps};

/// Runs every check, the cheapest first, and stops at the first that fails. With `fix`, writes what
/// a tool can write: the format, pages, snapshots and listings of interfaces.
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
    programs::check(fix)?;
    // The methods in the interface are compared with their page, which the snapshots' tests write.
    steps.begin("documentation and interface");
    interface::check(fix)
}
