//! Pure callbacks.

use super::{Log, compile};
use crate::CPU;
use hloom_graph::{Spec, Tensor, cond};
use hloom_runtime::{
    Buffer, Callback, CallbackBuilder, CallbackContext, CallbackError, InputView, OutputView,
    host_fn,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

#[test]
fn a_pure_callback_that_no_result_needs_is_left_out() {
    let log = Log::default();
    let kept = log.clone();
    let counted = move |log: &Log, x: Tensor| {
        let log = log.clone();
        CallbackBuilder::new("counted", x, Spec::of(x.shape())).pure().run(move |_, x, mut y| {
            log.push(0, 0.0);
            y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
            Ok(())
        })
    };
    let unneeded = move |x: Tensor| {
        counted(&kept, x);
        counted(&kept, x + 1) + x
    };
    let exe = compile(unneeded, (Spec::f32([2]),));
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0], [2]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [3.0, 5.0]);
    assert_eq!(log.take().len(), 1);
}

static MADE: AtomicUsize = AtomicUsize::new(0);

/// A pure callback without captures that counts its calls nevertheless.
fn negated(name: &str, x: Tensor, attribute: i64) -> Tensor {
    CallbackBuilder::new(name, x, Spec::of(x.shape())).pure().attribute("a", attribute).run(
        |_, x, mut y| {
            MADE.fetch_add(1, Ordering::SeqCst);
            for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
                *y = -x;
            }
            Ok(())
        },
    )
}

#[test]
fn of_pure_callbacks_that_are_the_same_one_is_made() {
    let program = |x: Tensor| {
        let same = negated("negate", x, 1) + negated("negate", x, 1);
        // A different name, different attributes, a different input.
        let others = negated("other", x, 1) + negated("negate", x, 2) + negated("negate", x + 1, 1);
        let inside = cond(x.sum(0).gt(0), || negated("negate", x, 1), || x);
        same + others + inside
    };
    let exe = compile(program, (Spec::f32([1]),));
    let x = Buffer::from_slice(&CPU, &[2f32], [1]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [-4.0 - 2.0 - 2.0 - 3.0 - 2.0]);
    assert_eq!(MADE.swap(0, Ordering::SeqCst), 4);
}

/// Counts its calls.
struct Counted(Arc<AtomicUsize>);

impl Callback for Counted {
    type Inputs = Spec;
    type Outputs = Spec;

    fn call(
        &self,
        _: &CallbackContext<'_>,
        x: InputView<'_>,
        mut y: OutputView<'_>,
    ) -> Result<(), CallbackError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
        Ok(())
    }
}

#[test]
fn functions_of_scalars_and_bound_states_are_shared_by_what_they_are() {
    let (made, bound) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let kept = made.clone();
    let program = move |x: Tensor| {
        let counted = |shift: f32| {
            let made = kept.clone();
            host_fn("shifted", move |x: f32| {
                made.fetch_add(1, Ordering::SeqCst);
                x + shift
            })
        };
        let (one, two) = (counted(1.0), counted(2.0));
        let state = || {
            let call = CallbackBuilder::new("bound", x, Spec::of(x.shape())).pure();
            call.bound::<Counted>()
        };
        one(x) + one(x) + two(x) + state() + state()
    };
    let exe = compile(program, (Spec::f32([1]),));
    exe.bind_callback(Counted(bound.clone())).unwrap();
    let x = Buffer::from_slice(&CPU, &[2f32], [1]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [3.0 + 3.0 + 4.0 + 2.0 + 2.0]);
    assert_eq!((made.load(Ordering::SeqCst), bound.load(Ordering::SeqCst)), (2, 1));
}

#[test]
fn what_is_captured_and_what_trees_hold_keeps_pure_callbacks_apart() {
    let program = |x: Tensor| {
        let scaled = |factor: f32| {
            let call = CallbackBuilder::new("scaled", x, Spec::of(x.shape())).pure();
            call.run(move |_, x, mut y| {
                y.as_slice_mut::<f32>()?[0] = factor * x.item::<f32>()?;
                Ok(())
            })
        };
        // The same closure and tensors in a different structure.
        let first_lengths = |tree: Vec<Vec<Tensor>>| {
            let call = CallbackBuilder::new("lengths", tree, Spec::f32([1])).pure();
            call.run(|_, tree, mut y| {
                y.as_slice_mut::<f32>()?[0] = tree[0].len() as f32;
                Ok(())
            })
        };
        vec![
            scaled(2.0),
            scaled(3.0),
            first_lengths(vec![vec![x, x], vec![x]]),
            first_lengths(vec![vec![x], vec![x, x]]),
        ]
    };
    let exe = compile(program, (Spec::f32([1]),));
    let x = Buffer::from_slice(&CPU, &[5f32], [1]).unwrap();
    let values = exe.call((&x,)).unwrap();
    let values: Vec<f32> = values.iter().map(|value| value.item::<f32>().unwrap()).collect();
    assert_eq!(values, [10.0, 15.0, 2.0, 1.0]);
}
