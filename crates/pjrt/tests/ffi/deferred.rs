//! Handlers that fail after they have handed their deferred call to another thread.

use crate::{Outcome, call, client, ffi, run};
use hloom_pjrt::{
    ErrorCode,
    extension::ffi::{CallFrame, Deferred, Handler, HandlerError, Handlers},
};
use hloom_test_support::CompileOwn;
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Elements of the result, enough that freed memory goes back to the system at once.
const COUNT: usize = 1 << 20;

/// The time for which a thread keeps writing after its handler has failed.
const WRITING: Duration = Duration::from_millis(200);

/// Whether the thread that has the deferred call has released it.
static LET_GO: AtomicBool = AtomicBool::new(false);

/// The tests share what is above.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Passes its call to a thread that keeps writing, and fails as the first argument selects: 0 for
/// an error, 1 for a panic. The thread then ends the call as the second one selects: 0 drops it, 1
/// succeeds, 2 fails, 3 panics.
struct Fails;

fn keep_writing(deferred: &mut Deferred) {
    let (_, mut outputs) = deferred.arrays().expect("arrays of the program");
    let memory = outputs[0].as_mut_slice::<f32>().expect("f32");
    let start = Instant::now();
    let mut round = 0f32;
    while start.elapsed() < WRITING {
        round += 1.0;
        memory.fill(round);
        assert!(memory.iter().all(|&x| x == round), "somebody else writes there");
    }
    LET_GO.store(true, Ordering::SeqCst);
}

impl Handler for Fails {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let how = frame.argument(0)?.as_slice::<i32>()?;
        let (fail, end) = (how[0], how[1]);
        let mut deferred = frame.defer()?;
        std::thread::spawn(move || {
            keep_writing(&mut deferred);
            match end {
                0 => drop(deferred),
                1 => deferred.complete(Ok(())),
                2 => deferred.complete(Err("the thread failed".into())),
                _ => panic!("the thread panicked"),
            }
        });
        match fail {
            0 => Err(HandlerError::new(ErrorCode::OutOfRange, "the handler failed")),
            _ => panic!("the handler panicked"),
        }
    }
}

#[test]
fn memory_is_kept_for_a_thread_whose_handler_failed() {
    let _one = ONE_AT_A_TIME.lock().expect("no panic");
    ffi().register("test.deferred.fails", &Handlers::new::<Fails>()).expect("a new name");
    let client = client();
    let output = format!("tensor<{COUNT}xf32>");
    let executable =
        call(&client, "test.deferred.fails", &["tensor<2xi32>"], &output, "").expect("it compiles");
    for (fail, words) in [(0, "the handler failed"), (1, "the handler panicked")] {
        for end in 0..4 {
            LET_GO.store(false, Ordering::SeqCst);
            let input = client.buffer(&[fail, end], &[2]).expect("a buffer");
            let error = run(&executable, &[&input]).expect_err("the handler failed");
            assert!(LET_GO.load(Ordering::SeqCst), "{fail} {end}: the program ended before");
            assert!(error.to_string().contains(words), "{fail} {end}: {error}");
        }
    }
}

/// Passes its call to a thread that completes it before the handler fails.
struct FailsAfterwards;

impl Handler for FailsAfterwards {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let deferred = frame.defer()?;
        let completed = std::thread::spawn(move || deferred.complete(Ok(())));
        completed.join().expect("no panic");
        Err("too late".into())
    }
}

#[test]
fn a_handler_that_fails_after_its_call_was_completed_fails_the_program() {
    ffi()
        .register("test.deferred.fails_afterwards", &Handlers::new::<FailsAfterwards>())
        .expect("a new name");
    let client = client();
    let executable = call(&client, "test.deferred.fails_afterwards", &[], "tensor<f32>", "")
        .expect("it compiles");
    let error = run(&executable, &[]).expect_err("the handler failed");
    assert!(error.to_string().contains("too late"), "{error}");
}

/// One of two calls that do not wait for each other: fails at once, or keeps writing.
struct OneOfTwo;

impl Handler for OneOfTwo {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        if frame.attributes().scalar::<i64>("fails")? == 1 {
            return Err("the other call failed".into());
        }
        let mut deferred = frame.defer()?;
        LET_GO.store(false, Ordering::SeqCst);
        std::thread::spawn(move || {
            keep_writing(&mut deferred);
            deferred.complete(Ok(()));
        });
        Ok(())
    }
}

#[test]
fn memory_is_kept_for_a_thread_when_another_call_of_the_program_fails() {
    let _one = ONE_AT_A_TIME.lock().expect("no panic");
    ffi().register("test.deferred.one_of_two", &Handlers::new::<OneOfTwo>()).expect("a new name");
    let client = client();
    let one = |name: &str, fails: i64| {
        format!(
            "%{name} = stablehlo.custom_call @test.deferred.one_of_two(%a) {{api_version = 4 : \
             i32, has_side_effect = true, backend_config = {{fails = {fails} : i64}}}} : \
             (tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32>\n"
        )
    };
    for order in [[0, 1], [1, 0]] {
        let text = format!(
            "func.func @main(%a: tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32> {{\n{}{}%s = \
             stablehlo.add %x, %y : tensor<{COUNT}xf32>\n return %s : tensor<{COUNT}xf32>\n}}\n",
            one("x", order[0]),
            one("y", order[1])
        );
        let executable = client
            .compile_own(&hloom_pjrt::Program::mlir(text), &hloom_pjrt::CompileOptions::default())
            .expect("it compiles");
        for _ in 0..3 {
            let input = client.buffer(&vec![1f32; COUNT], &[COUNT as i64]).expect("a buffer");
            // The call that writes is not made when the other one fails before it.
            LET_GO.store(true, Ordering::SeqCst);
            let error = run(&executable, &[&input]).expect_err("a call failed");
            assert!(LET_GO.load(Ordering::SeqCst), "{order:?}: the program ended before");
            assert!(error.to_string().contains("the other call failed"), "{error}");
        }
    }
}
