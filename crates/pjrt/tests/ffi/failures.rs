//! Handlers that fail.

use crate::{Outcome, call, client, ffi, run};
use hloom_pjrt::{
    ErrorCode,
    extension::ffi::{CallFrame, Handler, HandlerError, Handlers},
};

/// Fails in the way that its attribute selects.
struct Fails;

impl Handler for Fails {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        match frame.attributes().string("how")? {
            "error" => Err(HandlerError::new(ErrorCode::ResourceExhausted, "no more \0 patience")),
            "panic" => panic!("at argument {}", 3),
            "argument" => frame.argument(7).map(drop),
            "result" => frame.result(1).map(drop),
            "twice" => {
                let _first = frame.result(0)?;
                frame.result(0).map(drop)
            }
            "dtype" => frame.argument(0)?.as_slice::<i32>().map(drop),
            "stream" => match frame.stream() {
                None => frame.allocate(64, 16).map(drop),
                Some(_) => Ok(()),
            },
            other => Err(HandlerError::invalid(other)),
        }
    }
}

#[test]
fn errors_and_panics_become_the_error_of_the_execution() {
    ffi().register("test.fails", &Handlers::new::<Fails>()).expect("a new name");
    let client = client();
    let input = client.buffer(&[1.0f32], &[1]).expect("a buffer");
    let cases = [
        ("error", Some(ErrorCode::ResourceExhausted), "no more \u{fffd} patience"),
        ("panic", Some(ErrorCode::Internal), "Fails panicked: at argument 3"),
        ("argument", Some(ErrorCode::InvalidArgument), "no argument 7: the call has 1"),
        ("result", Some(ErrorCode::InvalidArgument), "no result 1: the call has 1"),
        ("twice", Some(ErrorCode::InvalidArgument), "result 0 was given out before"),
        (
            "dtype",
            Some(ErrorCode::InvalidArgument),
            "argument 0: expected elements of s32, found f32",
        ),
        ("stream", None, ""),
    ];
    for (how, code, text) in cases {
        let config = format!("how = \"{how}\"");
        let executable = call(&client, "test.fails", &["tensor<1xf32>"], "tensor<1xf32>", &config)
            .expect("it compiles");
        for _ in 0..3 {
            let error = run(&executable, &[&input]).expect_err(how);
            assert!(error.to_string().contains(text), "{how}: {error}");
            assert!(code.is_none_or(|code| error.code() == code), "{how}: {error:?}");
        }
    }
    assert_eq!(input.to_vec::<f32>().expect("untouched"), [1.0]);
    drop(input);
    assert_eq!(client.alive().buffers, 0);
}
