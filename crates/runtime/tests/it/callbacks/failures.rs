//! Callbacks that fail.

use crate::CPU;
use hloom_graph::{Spec, Tensor};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{Buffer, CallbackError, CallbackFailure, Error, ErrorContext, callback};

/// The failure in an error.
fn failure<T: std::fmt::Debug>(outcome: Result<T, Error>) -> CallbackFailure {
    match outcome {
        Err(Error::Callback(failure)) => *failure,
        other => panic!("a callback's failure was expected, not {other:?}"),
    }
}

/// C10: errors and panics of callbacks keep their code, message and line up to the caller.
#[test]
fn an_error_and_a_panic_keep_their_words_and_the_executable_stays_usable() {
    let line = line!() + 2;
    let picky = |x: Tensor| {
        callback("picky", x, Spec::of(x.shape()), |_, x, mut y| {
            match x.as_slice::<i32>()?[0] {
                0 => {
                    return Err(CallbackError::with_code(
                        ErrorCode::OutOfRange,
                        "zero is not taken",
                    ));
                }
                1 => panic!("one at {}", 1),
                2 => drop(std::fs::read("/no/such/file")?),
                3 => drop(x.as_slice::<f32>()?),
                _ => {}
            }
            y.as_slice_mut::<i32>()?.copy_from_slice(x.as_slice()?);
            Ok(())
        })
    };
    let exe = CPU.compiler().name("program").compile(picky, (Spec::i32([1]),)).unwrap();
    let call = |value: i32| {
        let x = Buffer::from_slice(&CPU, &[value], [1]).unwrap();
        exe.call((&x,)).and_then(|y| y.to_vec::<i32>())
    };
    let cases = [
        (0, ErrorCode::OutOfRange, "zero is not taken", false),
        (1, ErrorCode::Internal, "one at 1", true),
        (2, ErrorCode::Internal, "No such file", false),
        (3, ErrorCode::InvalidArgument, "an input of i32[1] has no elements of type f32", false),
    ];
    for _ in 0..3 {
        for (value, code, message, panicked) in cases {
            let failure = failure(call(value));
            assert_eq!((failure.code, failure.panicked, failure.others), (code, panicked, 0));
            assert!(failure.message.contains(message), "{failure}");
            assert_eq!((&*failure.callback, &*failure.executable), ("picky", "program"));
            assert_eq!((failure.location.line(), failure.location.file()), (line, file!()));
            assert_eq!(call(4).unwrap(), [4]);
        }
    }
}

/// Words before an error keep its code; a missing value is an error of them.
#[test]
fn context_adds_words_and_keeps_the_code() {
    let rows = |x: Tensor| {
        callback("rows", x, Spec::of(x.shape()), |_, x, mut y| {
            let value = x.as_slice::<i32>()?[0];
            match value {
                0 => drop(x.as_slice::<f32>().context("the first row")?),
                1 => drop(std::fs::read("/no/such/file").context(format_args!("row {value}"))?),
                2 => None.context("no row 2")?,
                3 => Err(CallbackError::with_code(ErrorCode::OutOfRange, "3")).context("a row")?,
                _ => {}
            }
            y.as_slice_mut::<i32>()?.copy_from_slice(x.as_slice()?);
            Ok(())
        })
    };
    let exe = CPU.compile(rows, (Spec::i32([1]),)).unwrap();
    let call = |value: i32| {
        let x = Buffer::from_slice(&CPU, &[value], [1]).unwrap();
        exe.call((&x,)).and_then(|y| y.to_vec::<i32>())
    };
    let cases = [
        (0, ErrorCode::InvalidArgument, "the first row: an input of i32[1] has no elements"),
        (1, ErrorCode::Internal, "row 1: No such file"),
        (2, ErrorCode::Internal, "no row 2"),
        (3, ErrorCode::OutOfRange, "a row: 3"),
    ];
    for (value, code, message) in cases {
        let failure = failure(call(value));
        assert_eq!((failure.code, failure.panicked), (code, false));
        assert!(failure.message.starts_with(message), "{failure}");
    }
    assert_eq!(call(4).unwrap(), [4]);
}
