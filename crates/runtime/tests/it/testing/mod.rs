//! Comparisons of tensors, and their reports.

use half::bf16;
use hloom_runtime::{
    Buffer,
    testing::{Tolerance, assert_close, assert_close_within, difference},
};
use hloom_test_support::CPU;
use num_complex::Complex;

fn report(actual: &Buffer, expected: &Buffer, tolerance: Tolerance) -> String {
    difference(actual, expected, tolerance).unwrap().map_or_else(String::new, |d| d.to_string())
}

#[test]
fn close_tensors_pass() {
    let x = Buffer::array(&*CPU, [[1.0f32, 2.0], [f32::NAN, f32::INFINITY]]).unwrap();
    assert_close(&x, &x);
    assert_close(&x, &[1.000001f32, 2.0, f32::NAN, f32::INFINITY]);
    let named = x.duplicate(&CPU).unwrap().named([("a", 2), ("b", 2)]).unwrap();
    assert_close(&named, &x);
    assert_close(&Buffer::array(&*CPU, [bf16::ONE]).unwrap(), &[bf16::from_f32(1.01)]);
    assert_close(&Buffer::array(&*CPU, [true]).unwrap(), &[true]);
    assert_close(&Buffer::array(&*CPU, u64::MAX).unwrap(), &[u64::MAX]);
    assert_close(&Buffer::array(&*CPU, [[0i8; 0]; 3]).unwrap(), &Vec::<i8>::new());
    let c = Complex::new(1.0f64, -2.0);
    assert_close(&Buffer::array(&*CPU, [c]).unwrap(), &[c * 1.00000001]);
    assert_close_within(&x, &[3.0f32, 4.0, f32::NAN, f32::INFINITY], Tolerance::new(1.0, 0.0));
}

#[test]
fn the_worst_element_is_reported() {
    let x = Buffer::array(&*CPU, [[1.0f32, 2.0, 3.0], [4.0, 5.5, 6.0]]).unwrap();
    let y = Buffer::array(&*CPU, [[1.0f32, 2.001, 3.0], [4.0, 5.0, 6.0]]).unwrap();
    assert_eq!(
        report(&x, &y, Tolerance::of(x.dtype())),
        "2 of 6 elements of f32[2, 3] (33.333 %) are not close\n  \
         worst:     at [1, 1]: 5.5, expected 5.0, which is 5e-1 away\n  \
         tolerance: 1e-5 + 1.3e-6 of the expected element"
    );
    let large = Buffer::array(&*CPU, [u64::MAX, 7]).unwrap();
    let other = Buffer::array(&*CPU, [u64::MAX - 1, 7]).unwrap();
    let exact = report(&large, &other, Tolerance::EXACT);
    assert!(exact.contains("18446744073709551615, expected 18446744073709551614"), "{exact}");
}

#[test]
fn what_is_no_number_is_only_close_to_itself() {
    let one = |value: f32| Buffer::array(&*CPU, [value]).unwrap();
    let wide = Tolerance::new(10.0, 10.0);
    for (a, b) in [
        (f32::NAN, 1.0),
        (1.0, f32::NAN),
        (f32::INFINITY, f32::NEG_INFINITY),
        (1.0, f32::INFINITY),
        (f32::INFINITY, 1.0),
    ] {
        assert!(!report(&one(a), &one(b), wide).is_empty(), "{a} and {b}");
    }
    let strict = Tolerance { equal_nan: false, ..wide };
    assert!(report(&one(f32::NAN), &one(f32::NAN), strict).contains("NaN is not close to NaN"));
    assert_eq!(report(&one(f32::INFINITY), &one(f32::INFINITY), strict), "");
}

#[test]
fn other_shapes_are_reported() {
    let x = Buffer::array(&*CPU, [1.0f32, 2.0]).unwrap();
    let y = Buffer::array(&*CPU, [[1.0f32, 2.0]]).unwrap();
    assert_eq!(report(&x, &y, Tolerance::EXACT), "found f32[2], expected f32[1, 2]");
    let found = difference(&x, &[1.0f64, 2.0], Tolerance::EXACT).unwrap().unwrap();
    assert_eq!(found.to_string(), "found f32[2], expected 2 elements of f64");
    let found = difference(&x, &[1.0f32], Tolerance::EXACT).unwrap().unwrap();
    assert_eq!(found.to_string(), "found f32[2], expected 1 elements of f32");
}

#[test]
#[should_panic(expected = "1 of 2 elements of f32[2] (50.000 %) are not close")]
fn a_failed_assertion_panics_with_the_report() {
    assert_close(&Buffer::array(&*CPU, [1.0f32, 2.0]).unwrap(), &[1.0f32, 3.0]);
}
