//! Products and sums that are rounded one by one.

use crate::platforms::cpu;
use half::{bf16, f16};
use hloom::prelude::*;

/// `a a - b b` of equal numbers, and `a x + b x` where b is -a, are 0 unless one of the products is
/// not rounded.
#[test]
#[cfg(target_arch = "x86_64")]
fn products_are_rounded_without_contraction() {
    let number = |x: f32| Buffer::scalar(cpu(), x).expect("it fits");
    let spec = || Spec::scalar(DType::F32);
    let compiler = || cpu().compiler().without_contraction();
    let squares = compiler().compile(|a: Tensor, b: Tensor| a * a - b * b, (spec(), spec()));
    let squares = squares.expect("it compiles").call((&number(0.1), &number(0.1)));
    assert_eq!(squares.and_then(|x| x.item::<f32>()).expect("it runs"), 0.0);
    let sum = |a: Tensor, b: Tensor, x: Tensor| a * x + b * x;
    let sum = compiler().compile(sum, (spec(), spec(), spec())).expect("it compiles");
    let sum = sum.call((&number(1.1e20), &number(-1.1e20), &number(3.3e15)));
    assert_eq!(sum.and_then(|x| x.item::<f32>()).expect("it runs"), 0.0);
}

/// Sums of products as in polynomials, differences and loops, of every float type: the bits of the
/// interpreter, which rounds each op.
#[test]
#[cfg(target_arch = "x86_64")]
fn every_op_is_rounded_without_contraction() {
    type Form = (&'static str, fn([Tensor; 4]) -> Tensor);
    let forms: [Form; 9] = [
        ("a product and a sum", |[a, b, c, _]| a * b + c),
        ("a difference from a product", |[a, b, c, _]| a * b - c),
        ("a difference to a product", |[a, b, c, _]| c - a * b),
        ("two products", |[a, b, c, d]| a * b + c * d),
        ("a difference of products", |[a, b, c, d]| a * b - c * d),
        ("a negated product", |[a, b, c, _]| -(a * b) + c),
        ("a polynomial", |[a, b, c, d]| ((a * b + c) * b + d) * b + a),
        ("a loop", |[a, b, c, _]| for_loop(3, a, |_, x| x * b + c)),
        ("a broadcast row", |[a, b, c, d]| {
            let rows = a.insert_axis(0, "_").broadcast_to([3, a.size(0)]);
            (rows * b + c) * d - rows
        }),
    ];
    let mut rng = fastrand::Rng::with_seed(7);
    let mut wrong = Vec::new();
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        for count in [1usize, 5, 37, 4099] {
            let mut bytes = || -> Vec<u8> {
                let numbers = (0..count).map(|_| rng.f64() * 4.0 - 2.0);
                let bytes = |x: f64| match dtype {
                    DType::F32 => (x as f32).to_le_bytes().to_vec(),
                    DType::F64 => x.to_le_bytes().to_vec(),
                    DType::F16 => f16::from_f64(x).to_le_bytes().to_vec(),
                    _ => bf16::from_f64(x).to_le_bytes().to_vec(),
                };
                numbers.flat_map(bytes).collect()
            };
            let shape = Shape::new(dtype, [count]).expect("it is small");
            let mut buffer = || Buffer::from_bytes(cpu(), shape, &bytes()).expect("it fits");
            let inputs = [buffer(), buffer(), buffer(), buffer()];
            let spec = || Spec::of(shape);
            let all = |x: [Tensor; 4]| forms.iter().map(|(_, form)| form(x)).collect::<Vec<_>>();
            // A value may be used before it is rounded to a type below 32 bits.
            let compiler = cpu().compiler().without_contraction().keep_graph(true);
            let compiler = compiler.xla_option("xla_allow_excess_precision", false);
            let exe = compiler.compile(all, ([spec(), spec(), spec(), spec()],));
            let exe = exe.expect("it compiles");
            let found = exe.call((&inputs,)).expect("it runs");
            let expected = exe.interpret((&inputs,)).expect("it is evaluated");
            for ((name, _), (found, expected)) in forms.iter().zip(found.iter().zip(&expected)) {
                let bytes = |x: &Buffer| x.to_bytes().expect("it is read");
                if bytes(found) != bytes(expected) {
                    wrong.push(format!("{name} of {dtype}[{count}]"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
