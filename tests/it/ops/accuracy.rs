//! Functions that platforms approximate, at arguments across each type: the errors stated in their
//! documentation.

use super::table::check;
use crate::platforms::platforms;
use hloom::prelude::*;

type Function = fn(Tensor) -> Tensor;

#[test]
fn approximations_are_near_everywhere() {
    check("accuracy");
}

/// The number of arguments of the dense sweep.
const DENSE: usize = 1 << 20;

/// The functions of `f64` are compared with the references above; those of `f32` with the `f64`
/// functions, at a million arguments.
#[test]
fn single_precision_is_as_near_as_double_precision_tells() {
    let functions: [(&str, f64, Function); 4] = [
        ("exp", 5.0, Tensor::exp),
        ("tanh", 5.0, Tensor::tanh),
        ("erf", 6.0, Tensor::erf),
        ("sigmoid", 3.0, Tensor::sigmoid),
    ];
    let all = |x: Tensor| -> Vec<Tensor> { functions.iter().map(|(_, _, f)| f(x)).collect() };
    let step =
        u32::try_from((1u64 << 32) / DENSE as u64).expect("there are more floats than arguments");
    // An odd remainder, so that the lowest bits of the significands differ.
    let arguments: Vec<f32> =
        (0..DENSE as u32).map(|i| f32::from_bits(i * step + i % 4093 % step)).collect();
    for platform in platforms() {
        let function = |x: Tensor| (all(x), all(x.convert(DType::F64)));
        let exe = platform.compile(function, (Spec::f32([DENSE]),)).expect("it compiles");
        let x = Buffer::from_slice(platform, &arguments, [DENSE]).expect("the arguments fit");
        let (single, double) = exe.call((&x,)).expect("it runs");
        for ((single, double), (name, most, _)) in single.iter().zip(&double).zip(functions) {
            let single = single.to_vec::<f32>().expect("it is f32");
            let double = double.to_vec::<f64>().expect("it is f64");
            for ((&x, &found), &exact) in arguments.iter().zip(&single).zip(&double) {
                // Platforms may flush subnormal numbers to zero.
                if x != 0.0 && x.is_subnormal() || exact.abs() < f64::from(f32::MIN_POSITIVE) {
                    continue;
                }
                let nearest = exact as f32;
                let unit = 2f64.powi((exact.abs().log2().floor() as i32).max(-126) - 23);
                let same = found == nearest || found.is_nan() && nearest.is_nan();
                let error = (f64::from(found) - exact).abs() / unit;
                assert!(
                    same || error <= most,
                    "{name}({x:e}) is {found:e}, not {exact:e}: {error} units"
                );
            }
        }
    }
}

#[test]
fn limits_are_exact() {
    let arguments = [-20.0, 20.0, -4.0, 4.0, -1e30, 1e30, f32::NEG_INFINITY, f32::INFINITY];
    let function = |x: Tensor| (x.erf(), x.tanh(), x.gelu(), x.gelu_tanh(), x.silu());
    for platform in platforms() {
        // One element at a time and all of them: compilers use different code for vectors.
        for arguments in arguments.chunks(1).chain([&arguments[..]]) {
            let size = arguments.len();
            let exe = platform.compile(function, (Spec::f32([size]),)).expect("it compiles");
            let x = Buffer::from_slice(platform, arguments, [size]).expect("the arguments fit");
            let (erf, tanh, gelu, gelu_tanh, silu) = exe.call((&x,)).expect("it runs");
            let erf = erf.to_vec::<f32>().expect("it is f32");
            let signs: Vec<f32> = arguments.iter().map(|x| x.signum()).collect();
            assert_eq!(erf, signs, "erf of {arguments:?}");
            let tanh = tanh.to_vec::<f32>().expect("it is f32");
            for (found, x) in tanh.iter().zip(arguments).filter(|(_, x)| x.abs() >= 20.0) {
                assert_eq!(*found, x.signum(), "tanh({x})");
            }
            for (name, found) in [("gelu", gelu), ("gelu_tanh", gelu_tanh), ("silu", silu)] {
                let found = found.to_vec::<f32>().expect("it is f32");
                for (&found, &x) in found.iter().zip(arguments) {
                    match x {
                        f32::NEG_INFINITY => assert!(found.is_nan(), "{name}({x}) is {found}"),
                        x if x >= 20.0 => assert_eq!(found, x, "{name}({x})"),
                        x if x <= -1e30 => assert_eq!(found, 0.0, "{name}({x})"),
                        x => assert!((found - x.max(0.0)).abs() < 0.1, "{name}({x}) is {found}"),
                    }
                }
            }
        }
    }
}
