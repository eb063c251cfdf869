//! The context of a callback.

use super::compile;
use crate::CPU;
use hloom_graph::{Attributes, Spec, Tensor};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{Buffer, CallbackBuilder, CallbackError, Error, NO_RESULTS, callback};
use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

fn one(value: f32) -> Buffer {
    Buffer::from_slice(&CPU, &[value], [1]).unwrap()
}

/// C8: a callback finds its device, and its stream where there is one.
///
/// C14: a callback reads typed attributes and has scratch memory.
#[test]
fn a_callback_knows_where_it_runs_and_what_it_was_told() {
    let runs = Arc::new(Mutex::new(Vec::new()));
    let kept = runs.clone();
    let line = line!() + 4;
    let program = move |x: Tensor| {
        for _ in 0..2 {
            let runs = kept.clone();
            CallbackBuilder::new("told", x, NO_RESULTS)
                .attribute("scale", 0.5f32)
                .attribute("window", [3i64, -1])
                .attribute("mode", "nearest")
                .attribute("bytes", [7u8; 4])
                .attribute("nested", Attributes::new().with("deep", true))
                .run(move |context, _, _| {
                    let said = context.attributes();
                    assert_eq!(said.scalar("scale"), Some(0.5f32));
                    assert_eq!(said.array("window"), Some(vec![3i64, -1]));
                    assert_eq!(said.string("mode"), Some("nearest"));
                    assert_eq!(said.array("bytes"), Some(vec![7u8; 4]));
                    assert_eq!(
                        said.dictionary("nested").and_then(|nested| nested.scalar("deep")),
                        Some(true)
                    );
                    assert_eq!((said.scalar::<f64>("scale"), said.string("none")), (None, None));
                    assert_eq!((context.name(), context.executable()), ("told", "program"));
                    assert_eq!(
                        (context.location().line(), context.location().file()),
                        (line, file!())
                    );
                    assert_eq!(context.device()?.id(), 0);
                    assert!(context.stream().is_none() && !context.cancelled());
                    let scratch = context.scratch(1000, 64)?;
                    assert!((scratch.as_ptr() as usize).is_multiple_of(64));
                    assert_eq!(
                        context.scratch(8, 3).expect_err("no power of two").code(),
                        ErrorCode::InvalidArgument
                    );
                    assert!(context.scratch(8, 4096).is_err());
                    let (a, b) = (
                        context.scratch(64, 16)?.cast::<u8>(),
                        context.scratch(64, 16)?.cast::<u8>(),
                    );
                    // SAFETY: two pieces of 64 bytes, for this call alone.
                    unsafe {
                        a.write_bytes(1, 64);
                        b.write_bytes(2, 64);
                        assert_eq!(
                            (a.read(), a.add(63).read(), b.read(), b.add(63).read()),
                            (1, 1, 2, 2)
                        );
                    }
                    runs.lock().unwrap().push(context.run_id());
                    Ok(())
                });
        }
        x
    };
    let exe = CPU.compiler().name("program").compile(program, (Spec::f32([1]),)).unwrap();
    for _ in 0..2 {
        exe.call((&one(1.0),)).unwrap().ready().unwrap();
    }
    let runs = runs.lock().unwrap();
    assert!(runs[0] == runs[1] && runs[1] != runs[2] && runs[2] == runs[3], "{runs:?}");
}

#[test]
fn a_call_is_completed_later_on_any_thread() {
    let program = |x: Tensor| {
        let spec = || Spec::of(x.shape());
        let on_pool =
            CallbackBuilder::new("on the pool", x, spec()).run_deferred(|context, call| {
                context.spawn(move || {
                    call.run(|x, mut y| {
                        y.as_slice_mut::<f32>()?[0] = x.item::<f32>()? + 1.0;
                        Ok(())
                    });
                })
            });
        let on_thread =
            CallbackBuilder::new("on a thread", on_pool, spec()).run_deferred(|_, mut call| {
                thread::spawn(move || {
                    thread::sleep(Duration::from_millis(2));
                    let outcome = call.with(|x, mut y| {
                        y.as_slice_mut::<f32>()?[0] = x.item::<f32>()? * 10.0;
                        Ok(())
                    });
                    assert!(!call.cancelled());
                    call.complete(outcome);
                });
                Ok(())
            });
        on_thread + 0.5
    };
    let exe = compile(program, (Spec::f32([1]),));
    for i in 0..20 {
        let y = exe.call((&one(i as f32),)).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [(i as f32 + 1.0) * 10.0 + 0.5]);
    }
}

/// C14: callbacks complete later, from another thread.
#[test]
fn a_deferred_call_that_fails_or_is_dropped_says_so() {
    let program = |x: Tensor| {
        CallbackBuilder::new("later", x, Spec::of(x.shape())).run_deferred(|context, mut call| {
            match call.with(|x, _| x.item::<f32>())? as i32 {
                0 => drop(call),
                1 => return Err(CallbackError::new("before it began")),
                2 => context.spawn(move || call.run(|_, _| panic!("on the pool")))?,
                3 => context.spawn(move || {
                    call.complete(Err(CallbackError::with_code(ErrorCode::Aborted, "late")))
                })?,
                4 => context.spawn(move || drop(call))?,
                _ => call.complete(Ok(())),
            }
            Ok(())
        })
    };
    let exe = compile(program, (Spec::f32([1]),));
    let dropped = "the call was dropped before it was completed";
    let cases = [
        (dropped, ErrorCode::Internal),
        ("before it began", ErrorCode::Internal),
        ("on the pool", ErrorCode::Internal),
        ("late", ErrorCode::Aborted),
        (dropped, ErrorCode::Internal),
    ];
    for _ in 0..3 {
        for (how, (message, code)) in cases.iter().enumerate() {
            let outcome = exe.call((&one(how as f32),)).and_then(|y| y.ready());
            let Err(Error::Callback(failure)) = outcome else {
                panic!("{how}: {outcome:?}");
            };
            assert_eq!(
                (&*failure.message, failure.code, failure.others),
                (*message, *code, 0),
                "{how}"
            );
        }
        exe.call((&one(5.0),)).unwrap().ready().unwrap();
    }
}

/// C14: callbacks run work on the runtime's thread pool.
#[test]
fn work_is_shared_with_the_runtimes_threads() {
    let program = |x: Tensor| {
        callback("sum", x, Spec::i64([1]), |context, x, mut y| {
            let (x, total) = (x.as_slice::<i64>()?, AtomicUsize::new(0));
            context.for_each(x.len() / 100, |i| {
                let part: i64 = x[i * 100..(i + 1) * 100].iter().sum();
                total.fetch_add(part as usize, Ordering::Relaxed);
            })?;
            y.as_slice_mut::<i64>()?[0] = total.into_inner() as i64;
            Ok(())
        })
    };
    let exe = compile(program, (Spec::i64([10_000]),));
    let values: Vec<i64> = (0..10_000).collect();
    let x = Buffer::from_slice(&CPU, &values, [10_000]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().item::<i64>().unwrap(), 49_995_000);
}

/// The number of large callbacks, enough that the plugin does not run them one after the other.
const MANY: usize = 12;

/// An event on another thread, and its waiters.
#[derive(Default)]
struct Count(Mutex<usize>, Condvar);

impl Count {
    fn add(&self) {
        *self.0.lock().unwrap() += 1;
        self.1.notify_all();
    }

    /// Waits until the count is a multiple of `MANY`; false when that takes too long.
    fn wait_for_many(&self) -> bool {
        let count = self.0.lock().unwrap();
        let waits =
            self.1.wait_timeout_while(count, Duration::from_secs(20), |count| *count % MANY != 0);
        !waits.unwrap().1.timed_out()
    }
}

/// The outcome of a callback of [`together`].
type Outcome = Result<(), CallbackError>;

/// Callbacks that run at the same time, and a result that does not depend on them.
fn together(
    x: Tensor,
    work: impl Fn(usize, &dyn Fn() -> bool) -> Outcome + Send + Sync + Clone + 'static,
) -> Tensor {
    for i in 0..MANY {
        let work = work.clone();
        let [] = CallbackBuilder::new(format!("callback {i}"), x + i, NO_RESULTS)
            .unordered()
            .run_deferred(move |_, call| {
                let work = work.clone();
                thread::spawn(move || {
                    let outcome = work(i, &|| call.cancelled());
                    call.complete(outcome);
                });
                Ok(())
            });
    }
    x.sum(..)
}

fn large() -> Buffer {
    Buffer::from_slice(&CPU, &[1f32; 1 << 14], [1 << 14]).unwrap()
}

#[test]
fn of_failures_at_the_same_time_the_first_is_told_and_the_others_are_counted() {
    let began = Arc::new(Count::default());
    let program = move |x: Tensor| {
        together(x, move |i, _| {
            began.add();
            assert!(began.wait_for_many());
            Err(CallbackError::new(i))
        })
    };
    let exe = compile(program, (Spec::f32([1 << 14]),));
    for _ in 0..5 {
        let y = exe.call((&large(),)).unwrap();
        let Err(Error::Callback(first)) = y.ready() else {
            panic!("all of them fail");
        };
        assert_eq!(first.callback, format!("callback {}", first.message));
        // The program may report its failure before all of its callbacks have failed.
        let all = (0..5000).find_map(|_| match y.ready() {
            Err(Error::Callback(failure)) if failure.others == MANY - 1 => Some(failure),
            _ => {
                thread::sleep(Duration::from_millis(1));
                None
            }
        });
        assert!(all.is_some_and(|all| all.to_string().ends_with("note: 11 more callbacks failed")));
    }
}

#[test]
fn a_callback_can_see_that_the_program_failed_elsewhere() {
    let (began, seen) = (Arc::new(Count::default()), Arc::new(Count::default()));
    let kept = seen.clone();
    let program = move |x: Tensor| {
        together(x, move |i, cancelled| {
            began.add();
            assert!(began.wait_for_many());
            if i == 3 {
                return Err(CallbackError::new("stop"));
            }
            let seen = (0..5000).any(|_| {
                thread::sleep(Duration::from_millis(1));
                cancelled()
            });
            assert!(seen, "nobody said that the program failed");
            kept.add();
            Ok(())
        })
    };
    let exe = compile(program, (Spec::f32([1 << 14]),));
    let error =
        exe.call((&large(),)).and_then(|y| y.ready()).expect_err("one callback fails").to_string();
    assert!(error.contains("callback `callback 3` failed (INTERNAL): stop"), "{error}");
    let others = (0..5000).any(|_| {
        thread::sleep(Duration::from_millis(1));
        *seen.0.lock().unwrap() == MANY - 1
    });
    assert!(others, "all others were told");
}

#[test]
fn nothing_is_called_behind_a_failure() {
    let late = Arc::new(AtomicUsize::new(0));
    let kept = late.clone();
    let program = move |x: Tensor| {
        let failed =
            callback("fails", x, Spec::of(x.shape()), |_, _, _| Err(CallbackError::new("stop")));
        let late = kept.clone();
        callback("behind it", failed, Spec::of(x.shape()), move |_, _, _| {
            late.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    };
    let exe = compile(program, (Spec::f32([1]),));
    exe.call((&one(1.0),)).and_then(|y| y.ready()).expect_err("the first one fails");
    drop(exe);
    assert_eq!(late.load(Ordering::SeqCst), 0);
}

#[test]
fn floats_follow_rusts_rules() {
    let program = |x: Tensor| {
        callback("halve", x, Spec::of(x.shape()), |_, x, mut y| {
            y.as_slice_mut::<f32>()?[0] = x.item::<f32>()? / 2.0;
            Ok(())
        })
    };
    let exe = compile(program, (Spec::f32([1]),));
    let y = exe.call((&one(f32::MIN_POSITIVE),)).unwrap();
    assert_eq!(y.item::<f32>().unwrap(), f32::MIN_POSITIVE / 2.0);
}
