//! The errors of every function of one or two numbers, and of its derivative, against mpmath
//! (`tests/oracle/sweep.py`): the table of `docs/numerics.md`.
//!
//! `HLOOM_WRITE_DOCS=1 cargo xtask campaign accuracy` writes the table.

mod complex;
mod functions;
mod measure;
mod page;

use crate::platforms::cpu;
use complex::complex_errors;
use functions::{ONE, TWO, UnaryFunction};
use hloom::{graph::Unary, prelude::*, vjp};
use hloom_test_support::Optimization;
use measure::{Worst, errors, oracle};
use std::collections::BTreeMap;

/// Whether a run compares a function: the campaign and the table have all, a test run the third that
/// it compiles with the default options.
fn is_taken(function: &str) -> bool {
    is_campaign()
        || std::env::var_os("HLOOM_WRITE_DOCS").is_some()
        || Optimization::of(&format!("sweep/{function}")) == Optimization::Full
}

/// Whether the file of exact results is another one than that of the tests.
fn is_campaign() -> bool {
    std::env::var_os("HLOOM_TEST_SWEEP").is_some()
}

/// The largest error in units in the last place: 1 in short types.
fn limit(dtype: &str) -> f64 {
    if matches!(dtype, "bf16" | "f16") { 1.0 } else { 8.0 }
}

/// A part of a function whose errors are larger in some types, and the reason.
pub struct Exception {
    pub dtypes: &'static [&'static str],
    pub part: &'static str,
    pub reason: &'static str,
}

/// Parts of functions with larger errors.
pub const EXCEPTIONS: &[Exception] = &[
    Exception { dtypes: &["f64", "f32"], part: "gelu_tanh/value", reason: APPROXIMATION },
    Exception { dtypes: &["f64", "f32"], part: "gelu_tanh/slope", reason: APPROXIMATION },
    Exception { dtypes: &["f64", "f32"], part: "quick_gelu/value", reason: APPROXIMATION },
    Exception { dtypes: &["f64", "f32"], part: "quick_gelu/slope", reason: APPROXIMATION },
    Exception { dtypes: &["c128", "c64"], part: "pow/value", reason: POWER },
    Exception { dtypes: &["c128", "c64"], part: "pow/slope_x", reason: POWER },
    Exception { dtypes: &["c128", "c64"], part: "pow/slope_y", reason: POWER },
];

/// The reason of approximations of `gelu`, which have no right digit there.
const APPROXIMATION: &str = "far below 0 the exponential multiplies the rounding error of its \
     argument; next to 0 and above, the error is a few units";

/// The reason of powers, which the plugin computes.
const POWER: &str = "the plugin computes `exp(y log x)`, where the exponential multiplies the \
     rounding error of its argument";

fn is_exception(key: &str) -> bool {
    let (dtype, part) = key.split_once('/').expect("a key begins with a type");
    EXCEPTIONS.iter().any(|one| one.part == part && one.dtypes.contains(&dtype))
}

fn shown(key: &str, worst: &Worst, allowed: f64) -> String {
    let Worst { units, at: [x, y], expected, found } = worst;
    format!(
        "{key}: {units:.1} units at ({x:e}, {y:e}): {found:e}, not {expected:e}; allowed {allowed}"
    )
}

/// Every error is at most 1.5 times that on the page, which is at most 8 units in `f64` and `f32`,
/// and 1 in `bf16` and `f16`, unless an exception gives a reason. Another processor may round
/// within one unit where the page has less.
#[test]
fn errors_are_those_of_the_page() {
    let oracle = oracle();
    let mut errors = errors(&oracle);
    errors.extend(complex_errors(&oracle));
    if std::env::var_os("HLOOM_WRITE_DOCS").is_some() {
        page::write(&errors);
    }
    let page = page::read();
    let mut failures = Vec::new();
    for (key, worst) in &errors {
        let dtype = key.split('/').next().expect("a key begins with a type");
        let listed = *page.get(key).unwrap_or_else(|| panic!("the page lacks {key}"));
        let allowed = (1.5 * listed).max(1.0);
        if worst.units > allowed {
            failures.push(shown(key, worst, allowed));
        }
        if listed > limit(dtype) && !is_exception(key) {
            failures.push(shown(key, worst, limit(dtype)));
        }
    }
    assert!(failures.is_empty(), "{} errors\n{}", failures.len(), failures.join("\n"));
    for Exception { dtypes, part, .. } in EXCEPTIONS {
        for dtype in *dtypes {
            let listed = page.get(&format!("{dtype}/{part}"));
            let is_needed = listed.is_some_and(|units| *units > limit(dtype));
            assert!(is_needed, "{part} needs no exception in {dtype}: {listed:?}");
        }
    }
}

/// The short floats of a test run; the campaign takes all.
const SHORT: [DType; 3] = [DType::F8E4M3FN, DType::F8E5M2, DType::F4E2M1FN];

/// Floats of 8 bits and fewer have the values of `f32`, rounded once: all bit patterns.
#[test]
fn short_floats_are_rounded_from_f32() {
    let mut failures = Vec::new();
    let is_signed = |dtype: &DType| dtype.bits() <= 8 && *dtype != DType::F8E8M0FNU;
    let all = DType::ALL.into_iter().filter(|dtype| dtype.is_float() && is_signed(dtype));
    for dtype in all.filter(|dtype| is_campaign() || SHORT.contains(dtype)) {
        let patterns: Vec<u8> = (0..=u8::MAX).filter(|i| i >> (dtype.bits() - 1) <= 1).collect();
        let shape = Shape::new(dtype, [patterns.len()]).expect("it is one");
        let x = Buffer::from_bytes(cpu(), shape, &patterns).expect("it fits");
        let one: Vec<_> = ONE.iter().filter(|(function, _)| is_taken(function)).collect();
        for functions in one.chunks(8) {
            let both = |function: UnaryFunction, x: Tensor| {
                let (y, pullback) = vjp(x, function);
                [y, pullback.apply(y.ones_like())]
            };
            let results = |x: Tensor| -> Vec<(Tensor, Tensor)> {
                let wide = x.convert(DType::F32);
                let result = |(_, function): &&(&str, UnaryFunction)| {
                    let (short, wide) = (both(*function, x), both(*function, wide));
                    let wide = wide.map(|y| y.convert(dtype).convert(DType::F32));
                    let short = short.map(|y| y.convert(DType::F32));
                    [(short[0], wide[0]), (short[1], wide[1])]
                };
                functions.iter().flat_map(result).collect()
            };
            let exe = cpu().compile(results, (Spec::of(shape),)).expect("it compiles");
            let results = exe.call((&x,)).expect("it runs");
            let names = functions.iter().flat_map(|(name, _)| [(name, "value"), (name, "slope")]);
            for ((name, part), (short, wide)) in names.zip(results) {
                let [short, wide] = [short, wide].map(|y| y.to_vec::<f32>().expect("it is f32"));
                let differs =
                    |i: &usize| short[*i] != wide[*i] && !(short[*i].is_nan() && wide[*i].is_nan());
                let wrong: Vec<usize> = (0..patterns.len()).filter(differs).collect();
                if let Some(&i) = wrong.first() {
                    let count = wrong.len();
                    failures.push(format!(
                        "{dtype}/{name}/{part}: {count}, such as {} for {} at pattern {:#x}",
                        short[i], wide[i], patterns[i]
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_function_of_one_float_is_in_the_sweep() {
    // Roundings to even are tested with ties in `unary`, and the parts of complex numbers are exact.
    let elsewhere = ["round", "round_even", "is_finite", "real", "imag", "not"];
    let integers = ["count_leading_zeros", "population_count"];
    for op in Unary::ALL {
        let name = op.name();
        let known = ONE.iter().any(|(one, _)| *one == name);
        assert!(known || elsewhere.contains(&name) || integers.contains(&name), "{name}");
    }
    let names: BTreeMap<&str, ()> = page::names().map(|name| (name, ())).collect();
    assert_eq!(names.len(), ONE.len() + TWO.len());
}
