//! Products and sums that are rounded one by one.

use crate::platforms::cpu;
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
