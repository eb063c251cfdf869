//! Sorting.

use crate::{EXACT, Row, rows};
use hloom::ops::sort_together;

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "sort 0", EXACT, [x] => x.sort(0, false);
        "sort 0 descending", EXACT, [x] => x.sort(0, true);
        "sort 1", EXACT, [x] => x.sort(1, false);
        "sort 1 descending", EXACT, [x] => x.sort(1, true);
        "argsort 0", EXACT, [x] => x.argsort(0, false);
        "argsort 0 descending", EXACT, [x] => x.argsort(0, true);
        "argsort 1", EXACT, [x] => x.argsort(1, false);
        "argsort 1 descending", EXACT, [x] => x.argsort(1, true);
        "top_k 0", EXACT, [x] => x.top_k(0, -1);
        "top_k 1", EXACT, [x] => x.top_k(1, -1);
        "top_k 3", EXACT, [x] => x.top_k(3, -1);
        "top_k 9", EXACT, [x] => x.top_k(9, -1);
        "sort_together", EXACT, [x, y, z] => sort_together(&[x, y, z], 0, false);
    ])
}
