//! Functions of the host in lazy programs.

use crate::vector;
use hloom_graph::{Spec, Tensor, custom_call};
use hloom_lazy::{Lazy, call};
use hloom_runtime::{CallbackBuilder, NO_RESULTS, TensorAssert, callback};
use hloom_test_support::{CPU, Child, is_child, register_foreign_handler};
use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// U7: callbacks compute out of place; a call with an effect runs exactly once, however often its
/// results are used, also if only one of two results is read.
#[test]
fn callbacks_run_once() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let add_ten = move |x: Tensor| {
        let counted = counted.clone();
        callback("add_ten", x, Spec::of(x.shape()), move |_, x, mut y| {
            counted.fetch_add(1, Ordering::Relaxed);
            for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
                *y = x + 10.0;
            }
            Ok(())
        })
    };
    let x = vector(&[1.0, 2.0]);
    let (y, z) = call(
        |x: Tensor| {
            let y = add_ten(x);
            (y * 2, y)
        },
        x.clone(),
    );
    assert_eq!(y.to_vec::<f32>().unwrap(), [22.0, 24.0]);
    let sum = (&y + &z).sum(0);
    assert_eq!(sum.item::<f32>().unwrap(), 69.0);
    assert_eq!(z.to_vec::<f32>().unwrap(), [11.0, 12.0]);
    assert_eq!(calls.load(Ordering::Relaxed), 1);

    // The temporary result has no handle: it is kept, since its call must not run again.
    let w = call(|x: Tensor| add_ten(x), x) + 1;
    let twice = &w * 2;
    assert_eq!(twice.to_vec::<f32>().unwrap(), [24.0, 26.0]);
    assert_eq!(w.to_vec::<f32>().unwrap(), [12.0, 13.0]);
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

/// U7: callbacks compute in place, exactly once, and the operand keeps its value.
#[test]
fn a_callback_in_place_changes_no_other_value() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let x = vector(&[1.0, 2.0]);
    let negated = call(
        |x: Tensor| {
            let builder = CallbackBuilder::new("negate", x, Spec::of(x.shape())).alias(0, 0);
            builder.run(move |_, _, mut y| {
                counted.fetch_add(1, Ordering::Relaxed);
                y.as_slice_mut::<f32>()?.iter_mut().for_each(|y| *y = -*y);
                Ok(())
            })
        },
        x.clone(),
    );
    assert_eq!((&negated * 2).to_vec::<f32>().unwrap(), [-2.0, -4.0]);
    assert_eq!(negated.to_vec::<f32>().unwrap(), [-1.0, -2.0]);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn a_failed_callback_is_an_error_of_the_value() {
    let x = vector(&[1.0, -2.0]);
    let checked = call(|x: Tensor| x.assert(|x| x.ge(0), "there are negatives").sqrt(), x);
    let text = checked.to_vec::<f32>().unwrap_err().to_string();
    assert!(text.contains("there are negatives"), "{text}");
}

/// U7: a target that was registered by its address, without a callback of ours.
#[test]
fn a_custom_call_reaches_a_handler_written_in_c() {
    register_foreign_handler(&CPU.client().plugin());
    let scaled = |factor: f32| {
        move |x: Tensor| {
            custom_call("test.c_scale", x, Spec::of(x.shape())).attribute("factor", factor).call()
        }
    };
    let x = vector(&[1.0, -2.0]);
    let y = call(scaled(2.5), &x + 1);
    assert_eq!((&y * 2).to_vec::<f32>().unwrap(), [10.0, -5.0]);
    assert_eq!(y.to_vec::<f32>().unwrap(), [5.0, -2.5]);
    let text = call(scaled(-1.0), x).to_vec::<f32>().unwrap_err().to_string();
    assert!(text.contains("the factor is negative"), "{text}");
}

/// A callback that uses lazy tensors itself, while the program that calls it is being realized.
#[test]
fn a_callback_may_realize_tensors() {
    let inner = vector(&[5.0]) * 2;
    let x = vector(&[1.0]);
    let seen = Arc::new(AtomicUsize::new(0));
    let (own, note) = (inner.clone(), seen.clone());
    let y = call(
        |x: Tensor| {
            let [] = callback("inner", x, NO_RESULTS, move |_, _, _| {
                let value = own.item::<f32>()?;
                note.store(value as usize, Ordering::Relaxed);
                Ok(())
            });
            x + 1
        },
        x,
    );
    assert_eq!(y.item::<f32>().unwrap(), 2.0);
    assert_eq!(seen.load(Ordering::Relaxed), 10);
    assert_eq!(inner.item::<f32>().unwrap(), 10.0);
}

/// Runs a test in a process that is killed when it hangs; true in that process.
fn is_watched(test: &str) -> bool {
    if !is_child() {
        Child::test(test).limit(Duration::from_secs(60)).run().passed();
        return false;
    }
    true
}

/// Calls a function that reads `inner` before it returns, and adds one.
fn reads(inner: &Lazy, meet: Option<Arc<Barrier>>) -> impl Fn(Tensor) -> Tensor {
    let inner = inner.clone();
    move |x: Tensor| {
        let (inner, meet) = (inner.clone(), meet.clone());
        let [] = callback("reads", x, NO_RESULTS, move |_, _, _| {
            if let Some(meet) = &meet {
                meet.wait();
            }
            inner.to_vec::<f32>()?;
            Ok(())
        });
        x + 1
    }
}

/// A callback that needs a result of its own program is an error, and does not wait forever.
#[test]
fn a_callback_that_waits_for_its_own_program_fails() {
    if !is_watched("callbacks::a_callback_that_waits_for_its_own_program_fails") {
        return;
    }
    // Programs of many elements run on threads of the plugin.
    for size in [1, 1 << 20] {
        let x = Lazy::from_slice(&CPU, &vec![1f32; size], [size]).unwrap();
        let shared = &x * 2;
        // A tensor computed from it, in a separate program, needs it as well.
        for inner in [shared.clone(), &shared + 1] {
            let shared = &shared + 0;
            let inner = &inner + &shared;
            let y = call(reads(&inner, None), shared.clone()) + &shared;
            let text = y.to_vec::<f32>().unwrap_err().to_string();
            assert!(text.contains("pass the tensor to the function"), "{text}");
            // Tensors that do not need the function are computed later.
            assert_eq!(inner.realize().unwrap().to_vec::<f32>().unwrap().len(), size);
            assert_eq!(shared.index(0, 0).item::<f32>().unwrap(), 2.0);
        }
        assert_eq!(shared.index(0, 0).item::<f32>().unwrap(), 2.0);
    }
}

/// Two programs whose callbacks need each other's values: one at least fails, and none hangs.
#[test]
fn callbacks_that_wait_for_each_other_fail() {
    if !is_watched("callbacks::callbacks_that_wait_for_each_other_fail") {
        return;
    }
    let [first, second] = [1.0, 2.0].map(|value| vector(&[value]) * 2);
    let meet = Arc::new(Barrier::new(2));
    let one = |own: &Lazy, other: &Lazy| {
        let y = call(reads(other, Some(meet.clone())), own.clone()) + own;
        move || y.to_vec::<f32>()
    };
    let (one, two) = (one(&first, &second), one(&second, &first));
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let two = scope.spawn(two);
        (one.join().unwrap(), two.join().unwrap())
    });
    let failed: Vec<String> =
        [one, two].into_iter().filter_map(|outcome| Some(outcome.err()?.to_string())).collect();
    assert!(failed.iter().any(|text| text.contains("pass the tensor")), "{failed:?}");
}
