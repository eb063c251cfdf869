//! The cases that are tried under `vmap`.

use super::table::sample;
use crate::reference::Case;
use hloom_op_suite::{LANES, Mapped, Row};

/// Rows whose loops are rounded in another order for several elements at once.
const REORDERED: &str = "gamma";

/// The cases to map, each with its place.
pub fn mapped<'a>(pairs: &[(&'a Row, &'a Case)]) -> Vec<(&'a Row, &'a Case, Mapped)> {
    let is_mapped = |&(_, row, case): &(usize, &Row, &Case)| {
        let has_room = case.inputs.iter().chain(&case.outputs).all(|x| x.shape.rank() < 6);
        has_room && !case.inputs.is_empty() && !row.name.starts_with(REORDERED)
    };
    let place = |i: usize| Mapped { own: i % LANES, only_first: i % 2 == 1 };
    sample(pairs)
        .into_iter()
        .filter(is_mapped)
        .map(|(i, row, case)| (row, case, place(i)))
        .collect()
}
