//! Reductions and cumulative reductions.

use super::gradients::{gradients, pulled, twice};
use crate::{EXACT, Row, rows, ulps};

const NONE: [usize; 0] = [];

pub fn rows() -> Vec<Row> {
    // The order of summation is the platform's choice: errors are relative to the largest result.
    let sums = ulps(8).of_largest();
    // Which of the two zeros is larger is the platform's choice.
    let zeros = EXACT.either_zero();
    let mut all = Vec::from(rows![
        "sum -1", sums, [x] => x.sum(-1);
        "sum 0", sums, [x] => x.sum(0);
        "sum 1 3", sums, [x] => x.named(["a", "b", "c", "d"]).sum(["d", "b"]);
        "sum 0 2", sums, [x] => x.sum([0, 2]);
        "sum 2 1 0", sums, [x] => x.sum(vec![2, 1, 0]);
        "sum all", sums, [x] => x.sum(..);
        "sum none", EXACT, [x] => x.sum(NONE);
        "sum_keep 1 3", sums, [x] => x.sum_keep([1, 3]);
        "sum_keep all", sums, [x] => x.sum_keep(..);
        "prod -1", ulps(8), [x] => x.prod(-1);
        "prod 0", ulps(8), [x] => x.prod(0);
        "prod 1 3", ulps(16), [x] => x.prod([1, 3]);
        "prod 0 2", ulps(8), [x] => x.prod([0, 2]);
        "prod 2 1 0", ulps(16), [x] => x.prod([2, 1, 0]);
        "prod all", ulps(64), [x] => x.prod(..);
        "prod none", EXACT, [x] => x.prod(NONE);
        "prod_keep 1 3", ulps(16), [x] => x.prod_keep([1, 3]);
        "prod_keep all", ulps(64), [x] => x.prod_keep(..);
        "max -1", zeros, [x] => x.max(-1);
        "max 0", zeros, [x] => x.max(0);
        "max 1 3", zeros, [x] => x.max([1, 3]);
        "max 0 2", zeros, [x] => x.max([0, 2]);
        "max 2 1 0", zeros, [x] => x.max([2, 1, 0]);
        "max all", zeros, [x] => x.max(..);
        "max none", zeros, [x] => x.max(NONE);
        "max_keep 1 3", zeros, [x] => x.max_keep([1, 3]);
        "max_keep all", zeros, [x] => x.max_keep(..);
        "min -1", zeros, [x] => x.min(-1);
        "min 0", zeros, [x] => x.min(0);
        "min 1 3", zeros, [x] => x.min([1, 3]);
        "min 0 2", zeros, [x] => x.min([0, 2]);
        "min 2 1 0", zeros, [x] => x.min([2, 1, 0]);
        "min all", zeros, [x] => x.min(..);
        "min none", zeros, [x] => x.min(NONE);
        "min_keep 1 3", zeros, [x] => x.min_keep([1, 3]);
        "min_keep all", zeros, [x] => x.min_keep(..);
        "any -1", EXACT, [x] => x.any(-1);
        "any_keep 0", EXACT, [x] => x.any_keep(0);
        "any all", EXACT, [x] => x.any(..);
        "all -1", EXACT, [x] => x.all(-1);
        "all_keep 0", EXACT, [x] => x.all_keep(0);
        "all all", EXACT, [x] => x.all(..);
        "mean -1", sums, [x] => x.mean(-1);
        "mean all", sums, [x] => x.mean(..);
        "mean_keep 0 2", sums, [x] => x.mean_keep([0, 2]);
        "var -1", sums.narrow(4), [x] => x.var(-1);
        "var all", sums, [x] => x.var(..);
        "log_sum_exp -1", ulps(8).narrow(4), [x] => x.log_sum_exp(-1);
        "log_sum_exp all", ulps(8), [x] => x.log_sum_exp(..);
        "argmax -1", EXACT, [x] => x.argmax(-1);
        "argmax 1", EXACT, [x] => x.argmax(1);
        "argmin -1", EXACT, [x] => x.argmin(-1);
        "argmin 1", EXACT, [x] => x.argmin(1);
        "cumsum 1", sums.narrow(4), [x] => x.cumsum(1);
        "cumprod 1", ulps(16).narrow(4), [x] => x.cumprod(1);
        "cummax 1", zeros, [x] => x.cummax(1);
        "cummin 1", zeros, [x] => x.cummin(1);
        "cumlogsumexp 1", ulps(16).narrow(4).of_largest(), [x] => x.cumlogsumexp(1);
    ]);
    all.extend(gradients!["cumlogsumexp gradient", [x] => x.cumlogsumexp(1);]);
    all
}
