//! Many calls, from many threads, with failures at random, and handles dropped in every order.

use super::compile;
use crate::CPU;
use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, CallbackBuilder, CallbackError, Error, callback};
use proptest::prelude::*;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

const THREADS: usize = 8;
const CALLS: usize = 10_000;

/// E12: each call has an execute context of its own, through which the program finds its callbacks.
#[test]
fn eight_threads_share_an_executable_and_nothing_leaks() {
    let (alive, calls) = (Arc::new(()), Arc::new(AtomicUsize::new(0)));
    let kept = (alive.clone(), calls.clone());
    let program = move |x: Tensor, y: Tensor| {
        let kept = kept.clone();
        callback("add", (x, y), Spec::i64([2]), move |_, (x, y), mut sum| {
            kept.1.fetch_add(1, Ordering::Relaxed);
            for (sum, (x, y)) in sum
                .as_slice_mut::<i64>()?
                .iter_mut()
                .zip(x.as_slice::<i64>()?.iter().zip(y.as_slice::<i64>()?))
            {
                *sum = x + y;
            }
            Ok(())
        })
    };
    let exe = compile(program, (Spec::i64([2]), Spec::i64([2])));
    let before = hloom_pjrt::alive();
    thread::scope(|scope| {
        for thread in 0..THREADS as i64 {
            let exe = &exe;
            scope.spawn(move || {
                let x = Buffer::from_slice(&CPU, &[thread, -thread], [2]).unwrap();
                for call in 0..(CALLS / THREADS) as i64 {
                    let y = Buffer::from_slice(&CPU, &[1000 * call, 7], [2]).unwrap();
                    let sum = exe.call((&x, &y)).unwrap();
                    assert_eq!(sum.to_vec::<i64>().unwrap(), [1000 * call + thread, 7 - thread]);
                }
            });
        }
    });
    assert_eq!(calls.load(Ordering::Relaxed), CALLS);
    let after = hloom_pjrt::alive();
    // Other tests create and drop buffers meanwhile, but not thousands.
    assert!(after.buffers < before.buffers + 500, "{before:?} {after:?}");
    assert!(after.events < before.events + 500, "{before:?} {after:?}");
    drop(exe);
    assert_eq!(Arc::strong_count(&alive), 1, "the closure went with its executable");
}

/// The behaviour of a callback.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Work,
    Fail,
    Panic,
    Later,
    FailLater,
    PanicLater,
    Forget,
}

impl Act {
    const ALL: [Act; 7] = [
        Act::Work,
        Act::Fail,
        Act::Panic,
        Act::Later,
        Act::FailLater,
        Act::PanicLater,
        Act::Forget,
    ];

    fn succeeds(self) -> bool {
        matches!(self, Act::Work | Act::Later)
    }
}

/// A chain of callbacks, each of which adds 1 or behaves as the element at its position selects.
fn chain(length: usize, alive: &Arc<()>, acts: Tensor) -> Tensor {
    let mut x = acts;
    for at in 0..length {
        let alive = alive.clone();
        let spec = Spec::of(x.shape());
        x = CallbackBuilder::new(format!("link {at}"), x, spec).run_deferred(
            move |context, mut call| {
                let _alive = &alive;
                let step = move |acts: &[i32], out: &mut [i32]| {
                    out.copy_from_slice(acts);
                    out[at] += 100;
                    Ok(())
                };
                let act = call.with(|x, _| Ok(Act::ALL[x.as_slice::<i32>()?[at] as usize]))?;
                match act {
                    Act::Work => call.run(|x, mut y| step(x.as_slice()?, y.as_slice_mut()?)),
                    Act::Fail => return Err(CallbackError::new("fail")),
                    Act::Panic => panic!("panic"),
                    Act::Later => context.spawn(move || {
                        call.run(|x, mut y| step(x.as_slice()?, y.as_slice_mut()?))
                    })?,
                    Act::FailLater => context
                        .spawn(move || call.complete(Err(CallbackError::new("fail later"))))?,
                    Act::PanicLater => {
                        context.spawn(move || call.run(|_, _| panic!("panic later")))?
                    }
                    Act::Forget => drop(call),
                }
                Ok(())
            },
        );
    }
    x
}

fn words(act: Act) -> &'static str {
    match act {
        Act::Work | Act::Later => "",
        Act::Fail => "fail",
        Act::Panic => "panic",
        Act::FailLater => "fail later",
        Act::PanicLater => "panic later",
        Act::Forget => "the call was dropped before it was completed",
    }
}

/// Suppresses the output of intended panics.
fn quietly<R>(f: impl FnOnce() -> R) -> R {
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<&str>().copied();
            if !matches!(text, Some("panic" | "panic later")) {
                before(info);
            }
        }));
    });
    f()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Whatever callbacks do and in whatever order handles are dropped, the first failure is
    /// reported, the executable stays usable, and nothing leaks.
    #[test]
    fn failures_at_random_are_told_and_leave_nothing(
        length in 1usize..5,
        rounds in prop::collection::vec((prop::collection::vec(0usize..7, 5), 0usize..4), 1..12),
    ) {
        let alive = Arc::new(());
        let kept = alive.clone();
        let exe =
            quietly(|| compile(move |acts: Tensor| chain(length, &kept, acts), (Spec::i32([5]),)));
        let mut exe = Some(exe);
        let mut results = Vec::new();
        for (acts, order) in rounds {
            let Some(current) = &exe else { break };
            let acts: Vec<i32> = acts.iter().map(|&act| act as i32).collect();
            let x = Buffer::from_slice(&CPU, &acts, [5]).unwrap();
            let outcome = current.call((&x,));
            match order {
                0 => drop(x),
                1 => exe = Some(current.clone()),
                2 if acts[0] == 1 => exe = None,
                _ => {}
            }
            results.push((acts, outcome));
        }
        drop(exe);
        for (acts, outcome) in results {
            let mut run = acts[..length].iter().map(|&act| Act::ALL[act as usize]).enumerate();
            let first = run.find(|(_, act)| !act.succeeds());
            match (outcome.and_then(|y| y.to_vec::<i32>()), first) {
                (Ok(values), None) => {
                    let added = |i| if i < length { 100 } else { 0 };
                    let expected: Vec<i32> =
                        acts.iter().enumerate().map(|(i, act)| act + added(i)).collect();
                    prop_assert_eq!(values, expected);
                }
                (Err(Error::Callback(failure)), Some((at, act))) => {
                    prop_assert_eq!(&*failure.message, words(act));
                    prop_assert_eq!(failure.callback, format!("link {at}"));
                    prop_assert_eq!(failure.others, 0);
                }
                (found, expected) => prop_assert!(false, "{found:?} for {expected:?}"),
            }
        }
        // The plugin may release a program a moment after its result is ready.
        for _ in 0..2000 {
            if Arc::strong_count(&alive) == 1 {
                break;
            }
            thread::sleep(std::time::Duration::from_millis(1));
        }
        prop_assert_eq!(Arc::strong_count(&alive), 1);
    }
}
