//! The outcome of results.

use super::outcome::Outcome;
use hloom_op_suite::{Found, Row, Tolerance, Trial};

/// Results within so many times the tolerance are near: a GPU's functions round in other places
/// than those of a CPU, by which the tolerances were chosen.
const NEAR: f64 = 4.0;

/// Compares results with the expected ones; the reason if they are not within the tolerance.
///
/// `may_round` is whether the platform rounds operands of `f32` products to `tf32`.
pub fn judge(trial: &Trial<'_>, results: &[Found], may_round: bool) -> (Outcome, String) {
    let within = |tolerance: Tolerance| {
        let row = Row { tolerance, ..*trial.row };
        Trial { row: &row, ..*trial }.check(results)
    };
    let tolerance = trial.row.tolerance;
    let Err(why) = within(tolerance) else { return (Outcome::Holds, String::new()) };
    let may_round = may_round && trial.has_tf32_products();
    if may_round && within(tolerance.for_tf32()).is_ok() {
        return (Outcome::HoldsInTf32, why);
    }
    let widest = if may_round { tolerance.for_tf32() } else { tolerance };
    match within(widest.times(NEAR)) {
        Ok(_) => (Outcome::Near, why),
        Err(_) => (Outcome::Wrong, why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hloom::{DType, Shape, Tensor};
    use hloom_op_suite::{Case, Values, ulps};

    #[test]
    fn results_are_judged_by_their_distance() {
        let shape = Shape::new(DType::F32, [1]).unwrap();
        let values = |value: f32| Values { shape, bytes: value.to_le_bytes().to_vec() };
        let case = Case {
            row: "product".into(),
            name: "of one".into(),
            inputs: vec![values(1.0), values(1.0)],
            outputs: vec![values(1.0)],
        };
        let product = |xs: &[Tensor]| vec![xs[0].dot(xs[1], 0)];
        let product = Row { name: "product", tolerance: ulps(1), op: product };
        let sum = Row { name: "sum", op: |xs| vec![xs[0] * xs[1]], ..product };
        let outcome = |row: &Row, units: f32, may_round: bool| {
            let found = (shape, (1.0 + units * f32::EPSILON).to_le_bytes().to_vec());
            judge(&Trial::new(row, &case), &[found], may_round).0
        };
        assert_eq!(outcome(&product, 1.0, true), Outcome::Holds);
        assert_eq!(outcome(&product, 4.0, false), Outcome::Near);
        assert_eq!(outcome(&product, 5.0, false), Outcome::Wrong);
        assert_eq!(outcome(&product, 5.0, true), Outcome::HoldsInTf32);
        assert_eq!(outcome(&sum, 5.0, true), Outcome::Wrong, "a sum is not rounded");
    }
}
