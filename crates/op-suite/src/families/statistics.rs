//! Statistics over axes.

use crate::{EXACT, Row, rows, ulps};

pub fn rows() -> Vec<Row> {
    let sums = ulps(8).of_largest();
    let spreads = ulps(16).narrow(4).of_largest();
    Vec::from(rows![
        "var_keep 0", spreads, [x] => x.var_keep(0);
        "var_keep 1", spreads, [x] => x.named(["a", "b"]).var_keep("b");
        "var_ddof 1 0", spreads, [x] => x.var_ddof(0, 1);
        "var_ddof 1 1", spreads, [x] => x.named(["a", "b"]).var_ddof("b", 1);
        "std 0", spreads, [x] => x.std(0);
        "std 1", spreads, [x] => x.std(1);
        "std_keep 0", spreads, [x] => x.std_keep(0);
        "std_keep 1", spreads, [x] => x.std_keep(1);
        "std_ddof 1 0", spreads, [x] => x.std_ddof(0, 1);
        "std_ddof 1 1", spreads, [x] => x.std_ddof(1, 1);
        "skewness 0", ulps(64).narrow(4).of_largest(), [x] => x.skewness(0);
        "skewness 1", ulps(64).narrow(4).of_largest(), [x] => x.skewness(1);
        "norm 0", sums, [x] => x.norm(0);
        "norm 1", sums, [x] => x.norm(1);
        "norm_keep 0", sums, [x] => x.norm_keep(0);
        "norm_keep 1", sums, [x] => x.norm_keep(1);
        "l1_norm 0", sums, [x] => x.l1_norm(0);
        "l1_norm 1", sums, [x] => x.l1_norm(1);
        "normalize 0", ulps(8), [x] => x.normalize(0, 1e-6);
        "normalize 1", ulps(8), [x] => x.normalize(1, 1e-6);
        "sum_where", sums, [x, m] => x.sum_where(m, 1);
        "mean_where", sums, [x, m] => x.mean_where(m, 1);
        "max_where", EXACT, [x, m] => x.max_where(m, 1);
        "min_where", EXACT, [x, m] => x.min_where(m, 1);
        "reduce_and", EXACT, [x] => x.reduce_and(0);
        "reduce_or", EXACT, [x] => x.reduce_or(0);
        "reduce_xor", EXACT, [x] => x.reduce_xor(0);
        "is_close", EXACT, [x, y] => x.is_close(y, 0.25, 0.5);
        "total_order_key", EXACT, [x] => x.total_order_key();
        "quantile 0.3 0", ulps(4), [x] => x.quantile(0.3, 0);
        "quantile 0.3 1", ulps(4), [x] => x.quantile(0.3, 1);
        "percentile 90 0", ulps(4), [x] => x.percentile(90.0, 0);
        "percentile 90 1", ulps(4), [x] => x.percentile(90.0, 1);
        "median 0", ulps(1), [x] => x.median(0);
        "median 1", ulps(1), [x] => x.named(["a", "b"]).median("b");
        "diff 0", ulps(1), [x] => x.diff(0);
        "diff 1", ulps(1), [x] => x.diff(1);
        "count_nonzero 1", EXACT, [x] => x.count_nonzero(1);
        "cosine_similarity 1", sums, [x, y] => x.cosine_similarity(y, 1, 1e-6);
    ])
}
