//! Special functions, at arguments across each type: the errors stated in their documentation; and
//! functions of bits.

use crate::{EXACT, Row, rows, ulps};

pub fn rows() -> Vec<Row> {
    Vec::from(rows![
        "erfc", ulps(4), [x] => x.erfc();
        "erf_inv", ulps(5), [x] => x.erf_inv();
        "lgamma", ulps(4), [x] => x.lgamma();
        "lgamma below 0", ulps(4).of_largest(), [x] => x.lgamma();
        "digamma", ulps(4), [x] => x.digamma();
        "digamma below 0", ulps(4).of_largest(), [x] => x.digamma();
        "polygamma 1", ulps(6), [x] => x.polygamma(1);
        "polygamma 2", ulps(7), [x] => x.polygamma(2);
        "polygamma 3", ulps(8), [x] => x.polygamma(3);
        "polygamma 12", ulps(17), [x] => x.polygamma(12);
        "zeta", ulps(8), [x, q] => x.zeta(q);
        "bessel_i0e", ulps(4), [x] => x.bessel_i0e();
        "bessel_i1e", ulps(4), [x] => x.bessel_i1e();
        "reduce_precision 8 7", EXACT, [x] => x.reduce_precision(8, 7);
        "reduce_precision 5 10", EXACT, [x] => x.reduce_precision(5, 10);
        "reduce_precision 5 2", EXACT, [x] => x.reduce_precision(5, 2);
        "reduce_precision 4 3", EXACT, [x] => x.reduce_precision(4, 3);
        "reduce_precision 2 0", EXACT, [x] => x.reduce_precision(2, 0);
        "reduce_precision 11 52", EXACT, [x] => x.reduce_precision(11, 52);
        "reduce_precision 8 23", EXACT, [x] => x.reduce_precision(8, 23);
        "reduce_precision 1 1", EXACT, [x] => x.reduce_precision(1, 1);
        "mulhi", EXACT, [x, y] => x.mulhi(y);
    ])
}
