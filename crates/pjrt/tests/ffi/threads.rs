//! Handlers and threads.

use crate::{Outcome, arrays::Double, call, client, ffi, run};
use hloom_pjrt::{
    Error, ErrorCode,
    extension::ffi::{CallFrame, Deferred, Handler, HandlerError, Handlers, StatefulHandler},
};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Sums;

impl Handler for Sums {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let pool = frame.thread_pool();
        assert!(pool.num_threads()? >= 1);
        let input = frame.argument(0)?.as_slice::<i64>()?;
        for count in [0, 1, 2, 3, input.len()] {
            let calls: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
            pool.for_each(count, |index| {
                calls[index].fetch_add(1, Ordering::SeqCst);
            })?;
            assert!(calls.iter().all(|calls| calls.load(Ordering::SeqCst) == 1), "each piece once");
        }
        let total = AtomicUsize::new(0);
        pool.for_each(input.len(), |index| {
            // A pool that is busy with the outer work cannot block the inner.
            let inner = pool.for_each(3, |_| {});
            assert!(inner.is_ok());
            total.fetch_add(input[index] as usize, Ordering::SeqCst);
        })?;
        let error = pool.for_each(100, |index| assert_ne!(index, 50)).expect_err("a piece panics");
        assert!(error.message.contains("panicked"), "{error}");
        frame.result(0)?.as_mut_slice::<i64>()?[0] = total.into_inner() as i64;
        Ok(())
    }
}

#[test]
fn work_is_shared_with_the_runtimes_threads() {
    ffi().register("test.sums", &Handlers::new::<Sums>()).expect("a new name");
    let client = client();
    let executable = call(&client, "test.sums", &["tensor<1000xi64>"], "tensor<1xi64>", "")
        .expect("it compiles");
    let values: Vec<i64> = (0..1000).collect();
    let input = client.buffer(&values, &[1000]).expect("a buffer");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let output = run(&executable, &[&input]).expect("it runs");
                    assert_eq!(output.to_vec::<i64>().expect("it is read"), [499_500]);
                }
            });
        }
    });
}

struct Later;

fn finish(mut deferred: Deferred) {
    std::thread::sleep(std::time::Duration::from_millis(20));
    let outcome = (|| {
        let (inputs, mut outputs) = deferred.arrays()?;
        for (y, x) in outputs[0].as_mut_slice::<f32>()?.iter_mut().zip(inputs[0].as_slice::<f32>()?)
        {
            if *x < 0.0 {
                return Err(HandlerError::new(ErrorCode::OutOfRange, "a negative number"));
            }
            *y = x.sqrt();
        }
        Ok(())
    })();
    deferred.complete(outcome);
}

impl Handler for Later {
    fn call(frame: &mut CallFrame<'_>) -> Outcome {
        let first = frame.argument(0)?.as_slice::<f32>()?[0];
        let deferred = frame.defer()?;
        assert!(frame.defer().is_err() && frame.argument(0).is_err() && frame.result(0).is_err());
        match first {
            // Dropped without being completed.
            99.0 => drop(deferred),
            // The handler fails after all.
            98.0 => return Err(HandlerError::new(ErrorCode::Aborted, "changed its mind")),
            _ => drop(std::thread::spawn(|| finish(deferred))),
        }
        Ok(())
    }
}

#[test]
fn a_call_may_complete_later() {
    ffi().register("test.later", &Handlers::new::<Later>()).expect("a new name");
    let client = client();
    let executable =
        call(&client, "test.later", &["tensor<2xf32>"], "tensor<2xf32>", "").expect("it compiles");
    let run_on = |values: [f32; 2]| {
        let input = client.buffer(&values, &[2]).expect("a buffer");
        run(&executable, &[&input]).and_then(|output| output.to_vec::<f32>())
    };
    assert_eq!(run_on([4.0, 9.0]).expect("it runs"), [2.0, 3.0]);
    for (value, text) in
        [(-1.0, "a negative number"), (99.0, "without completing it"), (98.0, "changed its mind")]
    {
        let error = run_on([value, 1.0]).expect_err(text);
        assert!(error.to_string().contains(text), "{error}");
    }
    assert_eq!(run_on([0.0, 1.0]).expect("it still runs"), [0.0, 1.0]);
}

#[test]
fn threads_call_one_executable() {
    ffi().register("test.many", &Handlers::new::<Double>()).expect("a new name");
    let client = client();
    let executable =
        call(&client, "test.many", &["tensor<16xf32>"], "tensor<16xf32>", "").expect("it compiles");
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (client, executable) = (&client, &executable);
            scope.spawn(move || {
                for round in 0..250 {
                    let value = (thread * 1000 + round) as f32;
                    let input = client.buffer(&[value; 16], &[16]).expect("a buffer");
                    let output = run(executable, &[&input]).expect("it runs");
                    assert_eq!(output.to_vec::<f32>().expect("it is read"), [2.0 * value; 16]);
                }
            });
        }
    });
    assert_eq!(client.alive().buffers, 0);
}

#[test]
fn handlers_are_registered_while_other_threads_compile() {
    let client = client();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let client = &client;
            scope.spawn(move || {
                for round in 0..8 {
                    let names: Vec<String> =
                        (0..64).map(|i| format!("test.crowd.{thread}.{round}.{i}")).collect();
                    for name in &names {
                        ffi().register(name, &Handlers::new::<Double>()).expect("a new name");
                    }
                    for name in [&names[0], &names[63]] {
                        call(client, name, &["tensor<2xf32>"], "tensor<2xf32>", "")
                            .expect("it was registered");
                    }
                }
            });
        }
    });
}

/// Registers and compiles while it is itself compiled.
struct Nested;

impl StatefulHandler for Nested {
    type State = ();

    fn instantiate(_: &mut CallFrame<'_>) -> Outcome {
        let refused = ffi().register("test.nested.new", &Handlers::new::<Double>());
        assert!(matches!(refused, Err(Error::Argument(_))), "{refused:?}");
        let again = ffi().register("test.nested.inner", &Handlers::new::<Double>());
        assert!(again.is_ok(), "{again:?}");
        std::thread::spawn(|| ffi().register("test.nested.waits", &Handlers::new::<Double>()));
        // Time for that thread to begin to wait: new readers of a lock would then wait for it.
        std::thread::sleep(std::time::Duration::from_millis(100));
        let inner = call(&client(), "test.nested.inner", &["tensor<2xf32>"], "tensor<2xf32>", "");
        assert!(inner.is_ok(), "{inner:?}");
        Ok(())
    }

    fn call(_: &mut CallFrame<'_>, (): &()) -> Outcome {
        Ok(())
    }
}

#[test]
fn a_handler_compiles_while_it_is_compiled_and_does_not_register() {
    let register = |name, handlers| ffi().register(name, &handlers).expect("a new name");
    register("test.nested.inner", Handlers::new::<Double>());
    register("test.nested.outer", Handlers::stateful::<Nested>());
    call(&client(), "test.nested.outer", &["tensor<2xf32>"], "tensor<2xf32>", "")
        .expect("it compiles");
    // The waiting ones continue.
    register("test.nested.waits", Handlers::new::<Double>());
}
