//! Reference results: the cases written by `tests/oracle/ops.py`, and tolerances.

use std::path::Path;

pub use hloom_op_suite::{Case, EXACT, Tolerance, Values, smallest_normal, ulp, ulps};

/// All cases of a family.
pub fn load(family: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data");
    hloom_op_suite::load(&folder, family).unwrap_or_else(|error| panic!("{error}"))
}
