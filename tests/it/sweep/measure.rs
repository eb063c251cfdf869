//! Errors of all functions in units in the last place.

use super::{
    functions::{ONE, TWO, Two, UnaryFunction},
    is_taken,
};
use crate::{
    platforms::cpu,
    reference::{smallest_normal, ulp},
};
use half::{bf16, f16};
use hloom::{prelude::*, vjp};
use safetensors::SafeTensors;
use std::{collections::BTreeMap, path::Path};

/// The types of the sweep.
pub const TYPES: [DType; 4] = [DType::F64, DType::F32, DType::BF16, DType::F16];

/// Functions compiled as one program.
pub const TOGETHER: usize = 8;

/// The largest error of one result of one function in one type, and the arguments where it is.
#[derive(Clone, Copy, Debug)]
pub struct Worst {
    pub units: f64,
    pub at: [f64; 2],
    pub expected: f64,
    pub found: f64,
}

impl Worst {
    pub const NONE: Worst = Worst { units: 0.0, at: [0.0; 2], expected: 0.0, found: 0.0 };
}

/// Functions whose roots no type represents exactly, the intervals of arguments around the roots,
/// and the smallest result there that is measured in units.
const ROOTS: &[(&str, f64, f64, f64)] = &[
    ("gelu/slope", -1.0, -0.5, 0.25),
    ("gelu_tanh/slope", -1.0, -0.5, 0.25),
    ("quick_gelu/slope", -1.0, -0.5, 0.25),
    ("silu/slope", -1.6, -1.0, 0.25),
    ("mish/slope", -1.5, -0.5, 0.25),
    ("hard_swish/slope", -2.0, -1.0, 0.25),
    ("bessel_i1e/slope", 0.5, 8.0, 0.0625),
    ("bessel_i1e/slope", -8.0, -0.5, 0.0625),
    ("logaddexp/value", -0.7, 0.0, 0.25),
    ("digamma/value", 1.2, 1.8, 0.25),
    ("lgamma/slope", 1.2, 1.8, 0.25),
    // The roots at negative numbers are in each interval of length 1.
    ("digamma/value", f64::NEG_INFINITY, 0.0, 1.0),
    ("lgamma/slope", f64::NEG_INFINITY, 0.0, 1.0),
    ("lgamma/value", f64::NEG_INFINITY, 0.0, 1.0),
];

/// Functions with a factor, a term or an operand that the CPU plugin flushes to 0 where the result
/// is a normal number: there it may be any number down to 0.
const FLUSHED: [&str; 6] = ["silu", "mish", "gelu", "gelu_tanh", "softcap", "zeta"];

/// Whether a result is flushed: below 4,096 times the smallest normal number, or that of a sum below
/// where its last digit is one.
fn is_flushed(key: &str, dtype: DType, expected: f64, found: f64) -> bool {
    let function = key.split('/').nth(1).unwrap_or_default();
    // Floats below 32 bits are computed in `f32`.
    let dtype = if dtype == DType::F64 { dtype } else { DType::F32 };
    let factor = if function == "zeta" { 1.0 / ulp(dtype, 1.0) } else { 4096.0 };
    FLUSHED.contains(&function)
        && expected.abs() < factor * smallest_normal(dtype)
        && (0.0..=1.0).contains(&(found / expected))
}

/// The least result whose units count at an argument.
fn least(key: &str, x: f64) -> f64 {
    let is_there = |(end, low, high, _): &&(&str, f64, f64, f64)| {
        key.split_once('/').is_some_and(|(_, part)| part == *end) && (*low..=*high).contains(&x)
    };
    ROOTS.iter().find(is_there).map_or(0.0, |root| root.3)
}

/// Exact results by type, function and part, such as `f32/exp/value`.
pub type Oracle = BTreeMap<String, Vec<f64>>;

/// The file of the tests, or the one that `HLOOM_TEST_SWEEP` names.
pub fn oracle() -> Oracle {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data/sweep.safetensors");
    let path = std::env::var_os("HLOOM_TEST_SWEEP").map_or(own, Into::into);
    let file = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let tensors = SafeTensors::deserialize(&file).expect("the oracle writes safetensors");
    let read = |(key, bytes): (&str, &[u8])| {
        let (key, dtype) = key.rsplit_once(':').expect("a key ends with a type");
        (key.to_owned(), decoded(dtype, bytes))
    };
    tensors.iter().map(|(key, view)| read((key, view.data()))).collect()
}

fn decoded(dtype: &str, bytes: &[u8]) -> Vec<f64> {
    fn each<const N: usize>(bytes: &[u8], number: fn([u8; N]) -> f64) -> Vec<f64> {
        bytes.as_chunks().0.iter().map(|chunk| number(*chunk)).collect()
    }
    match dtype {
        "float64" => each(bytes, f64::from_le_bytes),
        "float32" => each(bytes, |bytes| f32::from_le_bytes(bytes).into()),
        "bfloat16" => each(bytes, |bytes| bf16::from_le_bytes(bytes).into()),
        "float16" => each(bytes, |bytes| f16::from_le_bytes(bytes).into()),
        other => panic!("there is no type {other}"),
    }
}

/// The largest errors by type, function and part.
pub fn errors(oracle: &Oracle) -> BTreeMap<String, Worst> {
    let mut all = BTreeMap::new();
    for dtype in TYPES {
        let x = &oracle[&format!("{dtype}/x")];
        let one: Vec<_> = ONE.iter().filter(|(function, _)| is_taken(function)).collect();
        for functions in one.chunks(TOGETHER) {
            let results = |x: Tensor| -> Vec<(Tensor, Tensor)> {
                let result = |(_, function): &&(&str, UnaryFunction)| {
                    let (y, pullback) = vjp(x, function);
                    (y.convert(DType::F64), pullback.apply(y.ones_like()).convert(DType::F64))
                };
                functions.iter().map(result).collect()
            };
            let exe = cpu().compile(results, (Spec::new(dtype, [x.len()]),)).expect("it compiles");
            let found = exe.call((&buffer(dtype, x),)).expect("it runs");
            for ((name, _), (value, slope)) in functions.iter().zip(found) {
                for (part, found) in [("value", value), ("slope", slope)] {
                    let key = format!("{dtype}/{name}/{part}");
                    let worst = worst(&key, dtype, &oracle[&key], &found, |i| [x[i], 0.0]);
                    all.insert(key, worst);
                }
            }
        }
        let [x, y] = ["x", "y"].map(|side| &oracle[&format!("{dtype}/pairs/{side}")]);
        let two: Vec<_> = TWO.iter().filter(|(function, _)| is_taken(function)).collect();
        for functions in two.chunks(TOGETHER) {
            let results = |x: Tensor, y: Tensor| -> Vec<(Tensor, Tensor, Tensor)> {
                let result = |(_, function): &&(&str, Two)| {
                    let (z, pullback) = vjp((x, y), |(x, y)| function(x, y));
                    let (dx, dy) = pullback.apply(z.ones_like());
                    (z.convert(DType::F64), dx.convert(DType::F64), dy.convert(DType::F64))
                };
                functions.iter().map(result).collect()
            };
            let spec = || Spec::new(dtype, [x.len()]);
            let exe = cpu().compile(results, (spec(), spec())).expect("it compiles");
            let found = exe.call((&buffer(dtype, x), &buffer(dtype, y))).expect("it runs");
            for ((name, _), (value, dx, dy)) in functions.iter().zip(found) {
                for (part, found) in [("value", value), ("slope_x", dx), ("slope_y", dy)] {
                    let key = format!("{dtype}/{name}/{part}");
                    let Some(expected) = oracle.get(&key) else { continue };
                    let worst = worst(&key, dtype, expected, &found, |i| [x[i], y[i]]);
                    all.insert(key, worst);
                }
            }
        }
    }
    all
}

/// A buffer of numbers that the type has.
fn buffer(dtype: DType, x: &[f64]) -> Buffer {
    let convert = move |x: Tensor| x.convert(dtype);
    let exe = cpu().compile(convert, (Spec::new(DType::F64, [x.len()]),)).expect("it compiles");
    let wide = Buffer::from_slice(cpu(), x, [x.len()]).expect("it fits");
    exe.call((&wide,)).expect("it runs")
}

/// The largest error where there is an exact result.
fn worst(
    key: &str,
    dtype: DType,
    expected: &[f64],
    found: &Buffer,
    at: impl Fn(usize) -> [f64; 2],
) -> Worst {
    let found = found.to_vec::<f64>().expect("it is f64");
    let mut worst = Worst::NONE;
    for (i, (&expected, &found)) in expected.iter().zip(&found).enumerate() {
        if expected.is_nan() || expected == found || is_flushed(key, dtype, expected, found) {
            continue;
        }
        let of = expected.abs().max(least(key, at(i)[0]));
        let units = (expected - found).abs() / ulp(dtype, of);
        if units.is_nan() || units > worst.units {
            let units = if units.is_nan() { f64::INFINITY } else { units };
            worst = Worst { units, at: at(i), expected, found };
        }
    }
    worst
}
