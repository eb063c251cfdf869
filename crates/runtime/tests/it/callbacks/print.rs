//! Printing, assertions and functions of scalars.

use super::compile;
use crate::CPU;
use hloom_graph::{DType, Shape, Spec, Tensor, for_loop};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{
    Buffer, Error, PrintOptions, TensorAssert, TensorPrint, host_fn, set_print_sink,
};
use std::sync::{LazyLock, Mutex};

static PRINTED: LazyLock<Mutex<Vec<String>>> = LazyLock::new(|| {
    set_print_sink(|text| PRINTED.lock().unwrap().push(text.into()));
    Mutex::default()
});

/// Takes the printed lines whose name has this prefix: other tests print too.
pub fn printed(name: &str) -> Vec<String> {
    let mut all = PRINTED.lock().unwrap();
    let (ours, others) = all.drain(..).partition(|text: &String| text.starts_with(name));
    *all = others;
    ours
}

/// C12: `print` prints a tensor in the middle of a program and returns it.
#[test]
fn tensors_are_printed_as_numpy_does_also_inside_of_loops() {
    LazyLock::force(&PRINTED);
    let program = |x: Tensor| {
        let y = (x * 2.5).print("doubled");
        for_loop(2, y.sum(..), |i, sum| sum + i.print("doubled.i").convert(DType::F32));
        y
    };
    let exe = compile(program, (Spec::f32([("row", 2), ("column", 2)]),));
    let x =
        Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0, -40.0], [("row", 2), ("column", 2)]).unwrap();
    exe.call((&x,)).unwrap().ready().unwrap();
    let expected = [
        "doubled: f32[row=2, column=2] = [[   2.5    5. ]\n [   7.5 -100. ]]",
        "doubled.i: i32[] = 0",
        "doubled.i: i32[] = 1",
    ];
    assert_eq!(printed("doubled"), expected);
}

/// C18: the number format of `print` is chosen as in NumPy's `array2string`; the texts are NumPy's.
#[test]
fn tensors_are_printed_in_the_given_number_format() {
    LazyLock::force(&PRINTED);
    let options = PrintOptions::default;
    for (name, options, text) in [
        (
            "format.default",
            options(),
            "[ 3.3333334e-01 -2.5000000e+00  1.2345679e+03  1.0000000e-06]",
        ),
        (
            "format.precision",
            options().precision(3),
            "[ 3.333e-01 -2.500e+00  1.235e+03  1.000e-06]",
        ),
        (
            "format.suppressed",
            options().precision(3).suppress_small(true),
            "[   0.333   -2.5   1234.568    0.   ]",
        ),
        (
            "format.edges",
            options().precision(1).threshold(3).edge_items(1),
            "[3.3e-01 ... 1.0e-06]",
        ),
        (
            "format.lines",
            options().precision(3).line_width(25),
            "[ 3.333e-01 -2.500e+00\n  1.235e+03  1.000e-06]",
        ),
    ] {
        let exe = compile(move |x: Tensor| x.print_with(name, options), (Spec::f32([4]),));
        let x = Buffer::from_slice(&CPU, &[1.0 / 3.0, -2.5, 1_234.567_9_f32, 1e-6], [4]).unwrap();
        exe.call((&x,)).unwrap().ready().unwrap();
        assert_eq!(printed(name), [format!("{name}: f32[4] = {text}")]);
    }
}

#[test]
fn elements_of_every_type_are_printed() {
    LazyLock::force(&PRINTED);
    for dtype in DType::ALL {
        let exe =
            compile(|x: Tensor| x.print(&format!("typed {}", x.dtype())), (Spec::new(dtype, [3]),));
        let shape = Shape::new(dtype, [3]).unwrap();
        let bytes: Vec<u8> = (0..shape.byte_size()).map(|i| u8::from(i == 0)).collect();
        let x = Buffer::from_bytes(&CPU, shape, &bytes).unwrap();
        exe.call((&x,)).unwrap().ready().unwrap();
        assert_eq!(printed(&format!("typed {dtype}:")), [format!("typed {dtype}: {shape} = {x}")]);
    }
}

#[test]
fn statistics_leave_nans_out_and_count_them() {
    LazyLock::force(&PRINTED);
    let floats = |x: Tensor| x.print_stats("stats.floats");
    let exe = compile(floats, (Spec::bf16([2, 2]),));
    let values = [1.0, f32::NAN, -3.0, 0.5].map(half::bf16::from_f32);
    exe.call((&Buffer::from_slice(&CPU, &values, [2, 2]).unwrap(),)).unwrap().ready().unwrap();
    assert_eq!(
        printed("stats.floats"),
        ["stats.floats: bf16[2, 2]: min -3, max 1, mean -0.5, 1 NaN"]
    );
    let exe = compile(|x: Tensor| x.print_stats("stats.ints"), (Spec::i64([("n", 2)]),));
    exe.call((&Buffer::from_slice(&CPU, &[i64::from(i32::MAX), 1], [("n", 2)]).unwrap(),))
        .unwrap()
        .ready()
        .unwrap();
    assert_eq!(
        printed("stats.ints"),
        ["stats.ints: i64[n=2]: min 1, max 2147483647, mean 1073741824, 0 NaN"]
    );
    for (count, values) in [(0, vec![]), (1, vec![f64::NAN])] {
        let exe = compile(|x: Tensor| x.print_stats("stats.none"), (Spec::f64([count]),));
        exe.call((&Buffer::from_slice(&CPU, &values, [count]).unwrap(),)).unwrap().ready().unwrap();
        assert_eq!(
            printed("stats.none"),
            [format!("stats.none: f64[{count}]: no other elements, {count} NaN")]
        );
    }
    let complex =
        CPU.compile(|x: Tensor| x.print_stats("x"), (Spec::new(DType::C64, [1]),)).map(drop);
    let error = complex.expect_err("complex numbers have no order").to_string();
    assert!(
        error.contains("print_stats: c64 has no smallest") && error.contains("print.rs"),
        "{error}"
    );
}

#[test]
fn an_assertion_fails_the_program_that_breaks_it() {
    let line = line!() + 1;
    let root = |x: Tensor| x.assert(|x| x.ge(0), "roots are for what is not negative").sqrt();
    let exe = compile(root, (Spec::f32([2, 3]),));
    let call = |values: [f32; 6]| {
        let x = Buffer::from_slice(&CPU, &values, [2, 3]).unwrap();
        exe.call((&x,)).and_then(|y| y.to_vec::<f32>())
    };
    assert_eq!(call([0.0, 1.0, 4.0, 9.0, 16.0, 25.0]).unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let Err(Error::Callback(failure)) = call([0.0, 1.0, 4.0, 9.0, -16.0, f32::NAN]) else {
        panic!("-16 has no root");
    };
    assert_eq!(failure.code, ErrorCode::FailedPrecondition);
    let message =
        "roots are for what is not negative: false for 2 of 6 elements, the first at [1, 1]";
    assert_eq!(failure.message, message);
    assert_eq!((failure.location.line(), failure.location.file()), (line, file!()));

    let scalar = compile(|x: Tensor| x.assert(|x| x.is_finite(), "lost"), (Spec::f32([0; 0]),));
    let Err(Error::Callback(failure)) =
        scalar.call((&Buffer::scalar(&CPU, f32::NAN).unwrap(),)).and_then(|y| y.ready())
    else {
        panic!("NaN is not finite");
    };
    assert_eq!(failure.message, "lost");
    let none = compile(|x: Tensor| x.assert(|x| x.is_finite(), "lost"), (Spec::f32([0]),));
    none.call((&Buffer::from_slice(&CPU, &[0f32; 0], [0]).unwrap(),)).unwrap().ready().unwrap();
    let error = CPU.compile(|x: Tensor| x.assert(|x| x + 1, "what"), (Spec::f32([1]),)).map(drop);
    let error = error.expect_err("numbers are no truth").to_string();
    assert!(error.contains("assert: the predicate returns f32, not bool"), "{error}");
}

#[test]
fn functions_of_scalars_are_applied_to_every_element() {
    let program = |x: Tensor, shift: Tensor| {
        let scaled = host_fn("scaled", |x: f32, shift: i32| x * 2f32.powi(shift));
        let rounded = host_fn("rounded", |x: f32| x.round() as i64);
        let pick = host_fn("pick", |take: bool, a: f32, b: f32| if take { a } else { b });
        let y = scaled((x, shift));
        (rounded(y), pick((y.gt(x), x, y)))
    };
    for count in [0, 1, 7, 100_000] {
        let exe = compile(program, (Spec::f32([("n", count)]), Spec::i32([0; 0])));
        let values: Vec<f32> = (0..count).map(|i| i as f32 - 3.25).collect();
        let x = Buffer::from_slice(&CPU, &values, [("n", count)]).unwrap();
        let (rounded, picked) = exe.call((&x, &Buffer::scalar(&CPU, 2i32).unwrap())).unwrap();
        let expected: Vec<i64> = values.iter().map(|x| (4.0 * x).round() as i64).collect();
        assert_eq!(rounded.to_vec::<i64>().unwrap(), expected);
        let expected: Vec<f32> =
            values.iter().map(|&x| if x > 0.0 { x } else { 4.0 * x }).collect();
        assert_eq!(picked.to_vec::<f32>().unwrap(), expected);
        assert_eq!(picked.shape(), Shape::new(DType::F32, [("n", count)]).unwrap());
    }
}

/// C13: element types that a function does not take are refused while tracing.
#[test]
fn functions_of_scalars_refuse_other_types_and_keep_their_panics() {
    let wrong = |x: Tensor| host_fn("half", |x: f64| x / 2.0)(x);
    let error =
        CPU.compile(wrong, (Spec::f32([3]),)).map(drop).expect_err("it takes f64").to_string();
    assert!(
        error.contains("host_fn: `half` takes elements of type f64") && error.contains("f32[3]"),
        "{error}"
    );
    let shapes = |x: Tensor, y: Tensor| host_fn("add", |x: f32, y: f32| x + y)((x, y));
    let error =
        CPU.compile(shapes, (Spec::f32([3]), Spec::f32([4]))).map(drop).expect_err("3 is not 4");
    assert!(error.to_string().contains("broadcast_to"), "{error}");
    let exe = compile(
        |x: Tensor| {
            host_fn("picky", |x: f32| if x < 99_999.0 { x } else { panic!("{x} is too much") })(x)
        },
        (Spec::f32([100_000]),),
    );
    let values: Vec<f32> = (0..100_000).map(|i| i as f32).collect();
    let x = Buffer::from_slice(&CPU, &values, [100_000]).unwrap();
    let error = exe.call((&x,)).and_then(|y| y.ready()).expect_err("one is too much").to_string();
    assert!(
        error.contains("callback `picky` panicked") && error.contains("99999 is too much"),
        "{error}"
    );
}
