//! Calls on threads of their own.

use crate::CPU;
use hloom_graph::{Spec, Tensor, for_loop};
use hloom_runtime::{Buffer, CallbackError, Donated, Error, TensorAssert, callback};
use std::{
    future::{Future, IntoFuture},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

struct Unpark(Thread, AtomicUsize);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.unpark();
    }
}

/// The output of a future, and how often it was woken.
fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    let mut future = pin!(future);
    let unpark = Arc::new(Unpark(thread::current(), AtomicUsize::new(0)));
    let waker = Waker::from(unpark.clone());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return (output, unpark.1.load(Ordering::Relaxed));
        }
        thread::park();
    }
}

fn long(steps: usize) -> impl Fn(Tensor) -> Tensor {
    move |x| for_loop(steps, x, |_, x| x * 0.999 + 1.0)
}

#[test]
fn a_small_program_that_runs_for_long_does_not_block_its_caller() {
    let exe = CPU.compile(long(2_000_000), (Spec::f32([4]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[0f32, 1.0, 2.0, 3.0], [4]).unwrap();
    let expected = exe.call((&x,)).unwrap().to_vec::<f32>().unwrap();
    let call = exe.call_async((&x,));
    assert_eq!(format!("{call:?}"), "CallFuture(running)");
    // The arguments may go before the program has read them.
    drop(x);
    let (result, woken) = block_on(call);
    assert_eq!(result.unwrap().to_vec::<f32>().unwrap(), expected);
    assert_eq!(woken, 1);
}

#[test]
fn several_calls_run_at_once_and_a_dropped_one_runs_on() {
    let counted = Arc::new(AtomicUsize::new(0));
    let count = counted.clone();
    let program = move |x: Tensor| {
        callback("count", x, Spec::of(x.shape()), move |_, x, mut y| {
            count.fetch_add(1, Ordering::SeqCst);
            y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
            Ok(())
        }) + 1.0
    };
    let exe = CPU.compile(program, (Donated(Spec::f32([1])),)).unwrap();
    let input = |i: f32| Buffer::from_slice(&CPU, &[i], [1]).unwrap();
    let calls: Vec<_> = (0..8u8).map(|i| exe.call_async((input(f32::from(i)),))).collect();
    for (i, call) in (0..8u8).zip(calls) {
        let y = block_on(call).0.unwrap();
        assert!(y.try_ready().unwrap());
        assert_eq!(y.to_vec::<f32>().unwrap(), [f32::from(i) + 1.0]);
    }
    drop(exe.call_async((input(0.0),)));
    while counted.load(Ordering::SeqCst) < 9 {
        thread::yield_now();
    }
}

#[test]
fn errors_of_arguments_and_of_the_execution_come_from_the_future() {
    let program = |x: Tensor| x.assert(|x| x.ge(0.0), "negative") * 2.0;
    let exe = CPU.compile(program, (Spec::f32([2]),)).unwrap();
    let call = |values: &[f32]| {
        let x = Buffer::from_slice(&CPU, values, [values.len()]).unwrap();
        block_on(exe.call_async((&x,))).0
    };
    assert!(matches!(call(&[1.0]), Err(Error::Call(_))));
    assert!(matches!(call(&[1.0, -1.0]), Err(Error::Callback(_))));
    assert_eq!(call(&[1.0, 2.0]).unwrap().to_vec::<f32>().unwrap(), [2.0, 4.0]);
    // A program that the plugin queues: its error is not that of `call`.
    let late = |x: Tensor| {
        let y = for_loop(100, x, |_, y| y.dot(x.named(["j", "k"]), "j").named(["i", "j"]) * 0.01);
        callback("fails", y, Spec::of(y.shape()), |_, _, _| Err(CallbackError::new("late")))
    };
    let exe = CPU.compile(late, (Spec::f32([("i", 64), ("j", 64)]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[0.1f32; 4096], [("i", 64), ("j", 64)]).unwrap();
    assert!(exe.call((&x,)).is_ok(), "the plugin queues it");
    let error = block_on(exe.call_async((&x,))).0.unwrap_err();
    assert!(matches!(&error, Error::Callback(failure) if failure.message == "late"), "{error}");
}

#[test]
fn a_buffer_is_awaited() {
    let exe = CPU.compile(long(1000), (Spec::f32([4]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[0f32; 4], [4]).unwrap();
    let y = exe.call((&x,)).unwrap();
    block_on((&y).into_future()).0.unwrap();
    assert!(y.try_ready().unwrap());
}

#[test]
fn a_future_that_was_polled_to_its_end_has_no_more_results() {
    let exe = CPU.compile(|x: Tensor| x + 1.0, (Spec::f32([4]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[0f32, 1.0, 2.0, 3.0], [4]).unwrap();
    let mut call = exe.call_async((&x,));
    assert!(block_on(&mut call).0.is_ok());
    let again = block_on(&mut call).0;
    assert!(matches!(again, Err(Error::PolledAfterEnd)), "{again:?}");
}
