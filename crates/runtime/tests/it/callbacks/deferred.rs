//! Deferred calls whose callback fails while another thread holds them.

use crate::{CPU, mesh};
use hloom_graph::{Spec, Tensor};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{Buffer, CallbackBuilder, CallbackError, Error, Exe};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The number of elements of the output, large enough that freed memory returns to the system at
/// once.
const COUNT: usize = 1 << 20;

/// The time for which a thread keeps writing after the callback has failed.
const WRITING: Duration = Duration::from_millis(200);

type Failing = Exe<(Spec,), Tensor>;

/// A program whose callback passes its call to a thread that keeps writing and then counts in
/// `let_go`, and fails: input 0 selects an error or a panic, input 1 how the thread ends the call.
fn fails(let_go: Arc<AtomicUsize>) -> impl Fn(Tensor) -> Tensor {
    move |how: Tensor| {
        let let_go = let_go.clone();
        CallbackBuilder::new("fails", how, Spec::f32([COUNT])).run_deferred(move |_, mut call| {
            let how = call.with(|how, _| Ok(how.as_slice::<i32>()?.to_vec()))?;
            let (failure, end) = (how[0], how[1]);
            let let_go = let_go.clone();
            thread::spawn(move || {
                let start = Instant::now();
                call.with(|_, mut y| {
                    let memory = y.as_slice_mut::<f32>()?;
                    let mut round = 0f32;
                    while start.elapsed() < WRITING {
                        round += 1.0;
                        memory.fill(round);
                        assert!(memory.iter().all(|&x| x == round), "somebody else writes there");
                    }
                    Ok(())
                })
                .unwrap();
                // The panic hook runs before the failure is recorded, which takes time.
                while !call.cancelled() {
                    assert!(start.elapsed() < Duration::from_secs(60), "the callback has failed");
                    thread::sleep(Duration::from_millis(1));
                }
                let_go.fetch_add(1, Ordering::SeqCst);
                match end {
                    0 => drop(call),
                    1 => call.complete(Ok(())),
                    2 => call.complete(Err(CallbackError::new("the thread failed"))),
                    3 => call.run(|_, _| panic!("the thread panicked")),
                    _ => {
                        let _call = call;
                        panic!("the thread panicked outside of the call");
                    }
                }
            });
            match failure {
                0 => Err(CallbackError::with_code(ErrorCode::OutOfRange, "the callback failed")),
                _ => panic!("the callback panicked"),
            }
        })
    }
}

fn check(exe: &Failing, let_go: &AtomicUsize, input: impl Fn(&[i32]) -> Buffer) {
    let cases = [
        ("the callback failed", ErrorCode::OutOfRange),
        ("the callback panicked", ErrorCode::Internal),
    ];
    let mut calls = 0;
    for (failure, (message, code)) in cases.into_iter().enumerate() {
        for end in 0..5 {
            calls += 1;
            let outcome = exe.call((&input(&[failure as i32, end]),)).and_then(|y| y.ready());
            assert_eq!(
                let_go.load(Ordering::SeqCst),
                calls,
                "{failure} {end}: the program ended before"
            );
            let Err(Error::Callback(found)) = outcome else {
                panic!("{failure} {end}: {outcome:?}");
            };
            assert_eq!(
                (&*found.message, found.code, found.others),
                (message, code, 0),
                "{failure} {end}"
            );
        }
    }
}

#[test]
fn memory_is_kept_for_a_thread_whose_callback_failed() {
    let let_go = Arc::new(AtomicUsize::new(0));
    let exe = super::compile(fails(let_go.clone()), (Spec::i32([2]),));
    check(&exe, &let_go, |how| Buffer::from_slice(&CPU, how, [2]).unwrap());
}

#[test]
fn over_a_mesh_memory_is_kept_for_a_thread_whose_callback_failed() {
    let let_go = Arc::new(AtomicUsize::new(0));
    let mesh = mesh::mesh([("x", 2)]);
    let exe = mesh.compile(fails(let_go.clone()), (Spec::i32([2]),)).unwrap();
    let sharding = mesh.sharding(&Spec::i32([2])).unwrap();
    check(&exe, &let_go, |how| Buffer::from_slice(&sharding, how, [2]).unwrap());
}
