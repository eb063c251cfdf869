//! Functions that platforms approximate, at arguments across each type: the errors stated in their
//! documentation.

use crate::{Row, rows, ulps};

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "exp", ulps(5), [x] => x.exp();
        "tanh", ulps(6), [x] => x.tanh();
        "erf", ulps(6), [x] => x.erf();
        "sigmoid", ulps(3).narrow(2), [x] => x.sigmoid();
    ])
}
