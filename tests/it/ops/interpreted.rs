//! Every case through the interpreter, which shares no code with lowering and plugins.

use crate::reference::{Case, Tolerance, Values, ulps};
use hloom::{
    Spec, Tensor,
    graph::{Graph, TraceScope},
    interpret::{Array, interpret},
    runtime::legalize,
};
use hloom_op_suite::{Report, Row, Trial, compare};
use std::borrow::Cow;

/// Rows, by family and beginning of the name, whose references are not the nearest numbers: those
/// of JAX, whose `log1p` of `f64` is up to 49 units off. A draw is the logarithm of one, or an
/// inverse error function of it. Others round a product and a sum once, and cancel.
const COARSE: [(&str, &str, Tolerance); 9] = [
    ("unary", "log1p", ulps(64)),
    ("unary", "tanh", ulps(8)),
    ("gradients", "scan counting", ulps(1024).of_largest()),
    ("random", "uniform_between", ulps(2).of_largest()),
    ("random", "exponential", ulps(64).narrow(8).of_largest()),
    ("random", "gumbel", ulps(64).narrow(8).of_largest()),
    ("random", "gamma", ulps(64).narrow(8).of_largest()),
    ("random", "normal", ulps(64).narrow(8).of_largest()),
    ("random", "truncated_normal", ulps(64).narrow(8).of_largest()),
];

/// The case whose reference takes a subnormal number for 0.
const FLUSHED: (&str, &str) = ("convert bool", "f8e8m0fnu[256]");

fn tolerance(family: &str, row: &Row) -> Tolerance {
    let is_for =
        |&&(of, start, _): &&(&str, &str, Tolerance)| of == family && row.name.starts_with(start);
    COARSE.iter().find(is_for).map_or(row.tolerance, |coarse| coarse.2)
}

/// Compares the interpreter's results of each case with the reference.
pub fn run(family: &str, pairs: &[(&Row, &Case)], report: &mut Report) {
    let cases = pairs.iter().filter(|(row, case)| (row.name, &*case.name) != FLUSHED);
    for &(row, case) in cases {
        let row = &Row { tolerance: tolerance(family, row), ..*row };
        let trial = Trial::new(row, case);
        match results(row, case) {
            Ok(forms) => {
                for results in forms {
                    let found = results.iter().map(|x| (x.shape(), x.to_bytes())).collect();
                    compare(&[trial], vec![found], report);
                }
            }
            Err(error) => report.fail(&trial, error),
        }
    }
}

/// The platforms whose work-arounds are interpreted too: their plugins run on other machines.
const ELSEWHERE: [&str; 1] = ["cuda"];

/// The results of a case, and those of each other form that a platform elsewhere compiles.
fn results(row: &Row, case: &Case) -> Result<Vec<Vec<Array>>, String> {
    let trace = TraceScope::begin("interpreted");
    let input =
        |(i, x): (usize, &Values)| trace.parameter(format!("x{i}"), &Spec::of(x.shape), false);
    let inputs: Vec<Tensor> = case.inputs.iter().enumerate().map(input).collect();
    let outputs = (row.op)(&inputs).into_iter().enumerate();
    let outputs = outputs.map(|(i, output)| (format!("y{i}"), output)).collect();
    let graph = trace.finish(outputs).map_err(|error| error.to_string())?;
    let bytes = |x: &Values| Array::from_bytes(x.shape, &x.bytes);
    let inputs: Result<Vec<Array>, _> = case.inputs.iter().map(bytes).collect();
    let inputs = inputs.map_err(|error| error.to_string())?;
    let mut forms = vec![Cow::Borrowed(&graph)];
    for platform in ELSEWHERE {
        let form = legalize(&graph, platform, None).map_err(|error| error.to_string())?;
        forms.extend(matches!(form, Cow::Owned(_)).then_some(form));
    }
    let run = |form: Cow<'_, Graph>| interpret(&form, &inputs).map_err(|error| error.to_string());
    forms.into_iter().map(run).collect()
}
