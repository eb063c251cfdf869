//! Errors of functions of complex numbers, by parts, on both sides of the cuts.

use super::{
    functions::{ONE, TWO, Two, UnaryFunction},
    is_taken,
    measure::{Oracle, TOGETHER, Worst},
};
use crate::{platforms::cpu, reference::ulp};
use hloom::{prelude::*, vjp};
use std::collections::BTreeMap;

/// Column `at` of rows of `width` numbers.
fn column(rows: &[f64], width: usize, at: usize) -> Vec<f64> {
    rows.iter().skip(at).step_by(width).copied().collect()
}

/// Both parts, as doubles.
fn parts(z: Tensor) -> [Tensor; 2] {
    [z.real(), z.imag()].map(|part| part.convert(DType::F64))
}

/// The parts of a function that have exact results, and are compared in this run.
fn known<'a>(oracle: &Oracle, function: &str, parts: &[&'a str]) -> Vec<&'a str> {
    if !is_taken(function.rsplit('/').next().unwrap_or(function)) {
        return Vec::new();
    }
    parts
        .iter()
        .copied()
        .filter(|part| oracle.contains_key(&format!("{function}/{part}")))
        .collect()
}

/// The largest errors by type, function and part: of each part in units of the larger one.
pub fn complex_errors(oracle: &Oracle) -> BTreeMap<String, Worst> {
    let mut all = BTreeMap::new();
    for (name, real) in [("c128", DType::F64), ("c64", DType::F32)] {
        let (x, pairs) = (&oracle[&format!("{name}/x")], &oracle[&format!("{name}/pairs")]);
        let key = |function: &str| format!("{name}/{function}");
        let of_one = |function: &str| known(oracle, &key(function), &["value", "slope"]);
        let one: Vec<_> = ONE.iter().filter(|(function, _)| !of_one(function).is_empty()).collect();
        for functions in one.chunks(TOGETHER) {
            let results = |re: Tensor, im: Tensor| -> Vec<[Tensor; 2]> {
                let z = re.convert(real).complex(im.convert(real));
                let result =
                    |(function, apply): &&(&str, UnaryFunction)| match of_one(function).len() {
                        1 => vec![parts(apply(z))],
                        _ => {
                            let (y, pullback) = vjp(z, apply);
                            vec![parts(y), parts(pullback.apply(y.ones_like()))]
                        }
                    };
                functions.iter().flat_map(result).collect()
            };
            let found = run(results, &[column(x, 2, 0), column(x, 2, 1)]);
            let keys = functions.iter().flat_map(|(function, _)| {
                of_one(function).into_iter().map(|part| format!("{}/{part}", key(function)))
            });
            for (key, found) in keys.zip(found) {
                let worst = worst(real, &oracle[&key], &found, |i| [x[2 * i], x[2 * i + 1]]);
                all.insert(key, worst);
            }
        }
        let slopes = ["value", "slope_x", "slope_y"];
        let of_two = |function: &str| known(oracle, &key(function), &slopes).len() == slopes.len();
        let two: Vec<_> = TWO.iter().filter(|(function, _)| of_two(function)).collect();
        let results = |[a, b, c, d]: [Tensor; 4]| -> Vec<[Tensor; 2]> {
            let (z, w) = (a.complex(b), c.complex(d));
            let result = |(_, apply): &&(&str, Two)| {
                let (y, pullback) = vjp((z, w), |(z, w)| apply(z, w));
                let (dz, dw) = pullback.apply(y.ones_like());
                [y, dz, dw].map(parts)
            };
            two.iter().flat_map(result).collect()
        };
        let columns = [0, 1, 2, 3].map(|at| column(pairs, 4, at));
        let results = |a: Tensor, b: Tensor, c: Tensor, d: Tensor| {
            results([a, b, c, d].map(|part| part.convert(real)))
        };
        if two.is_empty() {
            continue;
        }
        let found = run_pairs(results, &columns);
        let keys = two
            .iter()
            .flat_map(|(function, _)| slopes.map(|part| format!("{}/{part}", key(function))));
        for (key, found) in keys.zip(found) {
            let at = |i: usize| [pairs[4 * i], pairs[4 * i + 1]];
            all.insert(key.clone(), worst(real, &oracle[&key], &found, at));
        }
    }
    all
}

fn buffers<const N: usize>(columns: &[Vec<f64>; N]) -> [Buffer; N] {
    let buffer = |column: &Vec<f64>| Buffer::from_slice(cpu(), column, [column.len()]);
    columns.each_ref().map(|column| buffer(column).expect("it fits"))
}

type Found = Vec<[Vec<f64>; 2]>;

fn read(results: Vec<[Buffer; 2]>) -> Found {
    let read = |parts: [Buffer; 2]| parts.map(|part| part.to_vec::<f64>().expect("it is f64"));
    results.into_iter().map(read).collect()
}

fn run(function: impl Fn(Tensor, Tensor) -> Vec<[Tensor; 2]>, columns: &[Vec<f64>; 2]) -> Found {
    let [a, b] = buffers(columns);
    let spec = || Spec::of(a.shape());
    let exe = cpu().compile(function, (spec(), spec())).expect("it compiles");
    read(exe.call((&a, &b)).expect("it runs"))
}

fn run_pairs(
    function: impl Fn(Tensor, Tensor, Tensor, Tensor) -> Vec<[Tensor; 2]>,
    columns: &[Vec<f64>; 4],
) -> Found {
    let [a, b, c, d] = buffers(columns);
    let spec = || Spec::of(a.shape());
    let exe = cpu().compile(function, (spec(), spec(), spec(), spec())).expect("it compiles");
    read(exe.call((&a, &b, &c, &d)).expect("it runs"))
}

fn worst(
    real: DType,
    expected: &[f64],
    found: &[Vec<f64>; 2],
    at: impl Fn(usize) -> [f64; 2],
) -> Worst {
    let mut worst = Worst::NONE;
    for (i, expected) in expected.as_chunks::<2>().0.iter().enumerate() {
        if expected[0].is_nan() {
            continue;
        }
        let unit = ulp(real, expected[0].abs().max(expected[1].abs()));
        for (expected, found) in expected.iter().zip([found[0][i], found[1][i]]) {
            let units = (expected - found).abs() / unit;
            let units = if units.is_nan() { f64::INFINITY } else { units };
            if units > worst.units {
                worst = Worst { units, at: at(i), expected: *expected, found };
            }
        }
    }
    worst
}
