//! Searches in sorted elements, counts and positions.

use crate::{EXACT, Row, rows};

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "searchsorted left", EXACT, [x, y] => x.searchsorted(y, false);
        "searchsorted right", EXACT, [x, y] => x.searchsorted(y, true);
        "isin", EXACT, [x, y] => x.isin(y);
        "bincount 6", EXACT, [x] => x.bincount("bin", 6);
        "histogram", EXACT, [x, edges] => x.histogram(edges);
        "nonzero 5", EXACT, [x] => x.nonzero("_", 5, -7);
        "unique 5", EXACT.either_zero(), [x] => x.unique("_", 5, 1);
    ])
}
