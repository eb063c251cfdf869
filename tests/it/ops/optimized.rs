//! The optimization of trials.

use crate::reference::Case;
use hloom::DType;
use hloom_op_suite::{Row, Trial};
use hloom_test_support::Optimization;

/// Compiled as this run compiles it: the trials of a case, which differ in their sharding or
/// their place under `vmap`, are fully optimized in different runs.
pub fn optimized<'a>(trial: Trial<'a>, family: &str) -> Trial<'a> {
    let Trial { row, case, split, mapped, .. } = trial;
    if needs_optimization(family, row, case) {
        return trial;
    }
    let form = mapped.map_or("", |_| " under vmap");
    let name = format!("{family}/{}/{}{split}{form}", row.name, case.name);
    Trial { options: Optimization::of(&name).options(), ..trial }
}

/// Rows, by family and beginning of the name, that are always fully optimized.
const FULL: [(&str, &str); 5] = [
    // Products and sums that cancel: 81 units from JAX, allowed are 64.
    ("gradients", "scan counting"),
    // Next to the smallest normal number, results are off by two hundredths of their value.
    ("special", "erfc"),
    // NaN becomes infinite in formats without a mantissa.
    ("special", "reduce_precision"),
    // A product and a sum are rounded one by one: 1 unit from JAX where none is allowed, 6 of 4.
    ("random", "uniform_between"),
    ("random", "gamma of a number"),
];

/// Whether a case holds only with full optimization: its row is one of [`FULL`], or it has floats
/// of 8 bits or fewer, whose zeros, NaN and subnormal numbers are others without the fusion
/// emitters.
fn needs_optimization(family: &str, row: &Row, case: &Case) -> bool {
    let is_narrow = |dtype: DType| dtype.is_float() && dtype.bits() <= 8;
    FULL.iter().any(|&(of, start)| of == family && row.name.starts_with(start))
        || case.inputs.iter().chain(&case.outputs).any(|x| is_narrow(x.shape.dtype()))
}
