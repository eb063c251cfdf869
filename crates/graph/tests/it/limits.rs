//! Rejected inputs at the limits of sizes and types, and their error messages.

use crate::traced::traced;
use hloom_graph::*;

type Method = fn(Tensor) -> Tensor;

/// The error of a function of one argument.
fn trace_error(spec: Spec, f: impl FnOnce(Tensor) -> Tensor) -> String {
    match traced(TraceScope::begin("test"), [spec], |[x]| f(x)) {
        Ok(graph) => panic!("accepted:\n{graph}"),
        Err(error) => error.to_string(),
    }
}

/// The shape of the result of a function of one argument.
fn shape(spec: Spec, f: impl FnOnce(Tensor) -> Tensor) -> String {
    let graph = traced(TraceScope::begin("test"), [spec], |[x]| f(x))
        .unwrap_or_else(|error| panic!("{error}"));
    graph.shape(graph.root().results[0]).to_string()
}

#[track_caller]
fn says(message: &str, expected: &str) {
    assert!(message.starts_with(expected), "{message}\nexpected: {expected}");
}

#[test]
fn numbers_that_overflow_the_type_are_errors() {
    let unfit =
        |value: f64, dtype: DType| trace_error(Spec::f32([2]), |_| Tensor::full(value, dtype, [2]));
    says(&unfit(1e300, DType::F32), "full: 1e300 is not a value of type f32");
    says(&unfit(-1e300, DType::C64), "full: -1e300 is not a value of type c64");
    says(&unfit(65520.0, DType::F16), "full: 65520.0 is not a value of type f16");
    says(&unfit(3.4e38, DType::BF16), "full: 3.4e38 is not a value of type bf16");
    says(&unfit(500.0, DType::F8E4M3FN), "full: 500.0 is not a value of type f8e4m3fn");
    says(&unfit(7.5, DType::F4E2M1FN), "full: 7.5 is not a value of type f4e2m1fn");
    says(&trace_error(Spec::f32([2]), |x| x * 1e300), "constant: 1e300 is not a value of type f32");
    says(
        &trace_error(Spec::new(DType::F16, [2]), |x| x + u64::MAX),
        "constant: 18446744073709551615 is not a value of type f16",
    );
    let fits = [
        (f64::from(f32::MAX), DType::F32),
        (-f64::from(f32::MAX), DType::F32),
        (f64::INFINITY, DType::F32),
        (f64::NAN, DType::F16),
        (65519.0, DType::F16),
        (3.39e38, DType::BF16),
        (1e-300, DType::F32),
        (f64::MAX, DType::F64),
        (448.0, DType::F8E4M3FN),
        (57344.0, DType::F8E5M2),
        (15.5, DType::F8E3M4),
        (30.0, DType::F8E4M3B11FNUZ),
        (6.0, DType::F4E2M1FN),
    ];
    for (value, dtype) in fits {
        assert_eq!(
            shape(Spec::f32([2]), |_| Tensor::full(value, dtype, [2])),
            format!("{dtype}[2]")
        );
    }
}

#[test]
fn counting_stays_in_the_range_of_the_type() {
    let arange = |dtype: DType, size: usize| {
        trace_error(Spec::f32([2]), |_| Tensor::arange(dtype, "n", size))
    };
    says(&arange(DType::I8, 300), "arange: 299 is not a value of type i8 (in iota)");
    says(&arange(DType::I2, 3), "arange: 2 is not a value of type i2 (in iota)");
    says(&arange(DType::U8, 257), "arange: 256 is not a value of type u8 (in iota)");
    says(&arange(DType::F16, 70_000), "arange: 69999 is not a value of type f16 (in iota)");
    says(&arange(DType::F8E4M3FN, 1000), "arange: 999 is not a value of type f8e4m3fn (in iota)");
    let fits = [
        (DType::I8, 128),
        (DType::I2, 2),
        (DType::U8, 256),
        (DType::U2, 0),
        (DType::BF16, 1000),
        (DType::F16, 4096),
        (DType::I32, 1 << 31),
    ];
    for (dtype, size) in fits {
        assert_eq!(
            shape(Spec::f32([2]), |_| Tensor::iota(dtype, [size], 0)),
            format!("{dtype}[{size}]")
        );
    }
    // The other axes do not matter.
    assert_eq!(shape(Spec::f32([2]), |_| Tensor::iota(DType::I8, [300, 2], 1)), "i8[300, 2]");
}

#[test]
fn positions_are_i32() {
    let long = || Spec::new(DType::I8, [(1 << 31) + 1]);
    let beyond = "positions along an axis of 2147483649 elements are beyond i32";
    says(&trace_error(long(), |x| x.argmax(0)), &format!("argmax: {beyond}"));
    says(&trace_error(long(), |x| x.top_k(1, 0).1), &format!("top_k: {beyond}"));
    says(
        &trace_error(long(), |x| x.argsort(0, true)),
        "iota: 2147483648 is not a value of type i32",
    );
    assert_eq!(shape(Spec::new(DType::I8, [1 << 31]), |x| x.argmin(0)), "i32[]");
}

#[test]
fn padding_is_bounded_and_may_cut_everything_off() {
    let pad = |low, high, interior| move |x: Tensor| x.pad_interior("n", low, high, interior, 0);
    let x = || Spec::i32([("n", 3)]);
    let shape = |low, high, interior| shape(x(), pad(low, high, interior));
    assert_eq!(shape(isize::MIN, isize::MAX, 0), "i32[n=2]");
    assert_eq!(shape(isize::MAX, isize::MIN, 0), "i32[n=2]");
    assert_eq!(shape(-3, 5, 0), "i32[n=5]");
    assert_eq!(shape(-1, -1, 2), "i32[n=5]");
    for (low, high, interior) in [
        (isize::MAX, isize::MAX, usize::MAX),
        (0, 0, usize::MAX),
        (isize::MIN, 0, usize::MAX),
        (isize::MAX, 0, 0),
        (-(1 << 62), -(1 << 62), 1 << 62),
    ] {
        let message = trace_error(x(), pad(low, high, interior));
        assert!(
            message.contains("has more elements than memory can address"),
            "{low} {high} {interior}: {message}"
        );
    }
    says(
        &trace_error(x(), pad(isize::MIN, isize::MIN, 0)),
        "pad: padding axis `n` of size 3 by -9223372036854775808 and -9223372036854775808 leaves \
         less than nothing",
    );
    let one = |x: Tensor| x.pad_interior(0, 1, 0, usize::MAX, 0);
    assert_eq!(self::shape(Spec::i32([1]), one), "i32[2]");
    assert_eq!(self::shape(Spec::i32([0]), one), "i32[1]");
}

#[test]
fn indices_and_ranges_are_reported_as_they_were_given() {
    let start = 2;
    let x = || Spec::f32([("seq", 3)]);
    says(
        &trace_error(x(), |x| x.index(0, -5)),
        "index: index -5 is out of range for axis 0 of size 3",
    );
    says(
        &trace_error(x(), |x| x.index("seq", 3)),
        "index: index 3 is out of range for axis `seq` of size 3",
    );
    says(
        &trace_error(x(), |x| x.index(0, isize::MIN)),
        "index: index -9223372036854775808 is out of range for axis 0 of size 3",
    );
    says(
        &trace_error(x(), |x| x.slice("seq", -5..)),
        "slice: the range -5.. does not lie in axis `seq` of size 3",
    );
    says(
        &trace_error(x(), |x| x.slice(0, ..=9)),
        "slice: the range ..=9 does not lie in axis 0 of size 3",
    );
    says(
        &trace_error(x(), |x| x.slice(0, start..start - 1)),
        "slice: the range 2..1 does not lie in axis 0 of size 3",
    );
    assert_eq!(shape(x(), |x| x.index(0, -3)), "f32[]");
}

#[test]
fn axes_have_no_empty_names() {
    let named: [Method; 7] = [
        |x| x.insert_axis(0, ""),
        |x| x.rename(0, ""),
        |x| x.named([""]),
        |x| x.merge(0, ""),
        |x| x.unflatten(0, [("", 4)]),
        |x| stack(&[x], ""),
        |x| x.convert(DType::I32).one_hot("", 3, DType::F32),
    ];
    for (i, function) in named.into_iter().enumerate() {
        let message = trace_error(Spec::f32([4]), function);
        assert!(
            message.contains("an axis has an empty name; use `_` for no name"),
            "{i}: {message}"
        );
    }
    says(
        &trace_error(Spec::f32([4]), |x| x.insert_axis(0, "")),
        "insert_axis: an axis has an empty name; use `_` for no name",
    );
    assert!(Shape::new(DType::F32, [("", 2)]).is_err());
    assert!(Spec::f32([("", 2)]).error().is_some());
}

#[test]
fn what_bool_has_not_is_an_error_with_a_suggestion() {
    let x = || Spec::new(DType::Bool, [("n", 3)]);
    let refused: [(Method, &str); 14] = [
        (|x| x - x, "sub: takes numbers, not bool; use `^`"),
        (|x| -x, "neg: takes numbers, not bool; use `!`"),
        (|x| x / x, "div: takes numbers, not bool; use `.convert(..)`"),
        (|x| x % x, "rem: takes integers or floats, not bool; use `.convert(..)`"),
        (|x| x.pow(x), "pow: takes numbers, not bool; use `.convert(..)`"),
        (
            |x| x.abs(),
            "abs: takes signed integers, floats or complex numbers, not bool; use `.convert(..)`",
        ),
        (|x| x.exp(), "exp: takes floats or complex numbers, not bool; use `.convert(..)`"),
        (|x| x.sum(0), "sum: takes numbers, not bool; use `any`, `all` or `.convert(..)`"),
        (|x| x.prod(0), "prod: takes numbers, not bool; use `any`, `all` or `.convert(..)`"),
        (|x| x.cumsum(0), "cumsum: takes numbers, not bool; use `any`, `all` or `.convert(..)`"),
        (|x| x.cumprod(0), "cumprod: takes numbers, not bool; use `any`, `all` or `.convert(..)`"),
        (|x| x.dot(x, "n"), "dot: takes numbers, not bool; use `&` and `any`, or `.convert(..)`"),
        (|x| x.matmul(x), "matmul: takes numbers, not bool; use `&` and `any`, or `.convert(..)`"),
        (|x| x.mean(0), "mean: takes floats or complex numbers, not bool; use `.convert(..)`"),
    ];
    for (function, expected) in refused {
        says(&trace_error(x(), function), expected);
    }
    let taken: [Method; 5] =
        [|x| x + x, |x| x * true, |x| x.maximum(x), |x| x.cummax(0), |x| x.max(0)];
    for function in taken {
        assert!(shape(x(), function).starts_with("bool["));
    }
}

#[test]
fn the_pieces_of_an_axis_fill_it() {
    let error = |f: fn(Tensor) -> Vec<Tensor>| {
        trace_error(Spec::f32([("seq", 6), ("d", 0)]), |x| f(x).first().copied().unwrap_or(x))
    };
    says(
        &error(|x| x.split("seq", 4)),
        "split: axis `seq` of size 6 does not split into 4 pieces\n",
    );
    says(&error(|x| x.split(0, 0)), "split: axis 0 of size 6 does not split into 0 pieces\n");
    says(&error(|x| x.split("d", usize::MAX)), "split: axis `d` of size 0 does not split into");
    says(&error(|x| x.split("other", 2)), "split: there is no axis `other`");
    says(
        &error(|x| x.split_sizes("seq", &[1, 2, 2])),
        "split: axis `seq` of size 6 does not split into [1, 2, 2]\n",
    );
    says(
        &error(|x| x.split_sizes(0, &[usize::MAX, 7])),
        "split: axis 0 of size 6 does not split into [18446744073709551615, 7]\n",
    );
    says(&error(|x| x.split_sizes("d", &[])), "split: axis `d` of size 0 does not split into []\n");
    let shape = |f: fn(Tensor) -> Tensor| shape(Spec::f32([("seq", 6), ("d", 0)]), f);
    assert_eq!(shape(|x| x.split(0, 3)[2]), "f32[seq=2, d=0]");
    assert_eq!(shape(|x| x.split("d", 5)[4]), "f32[seq=6, d=0]");
    assert_eq!(shape(|x| x.split_sizes(-2, &[1, 0, 5])[2]), "f32[seq=5, d=0]");
    assert_eq!(shape(|x| x.split_sizes(0, &[1, 0, 5])[1]), "f32[seq=0, d=0]");
}
