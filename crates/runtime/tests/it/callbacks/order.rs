//! The order and number of callback calls.

use super::{Log, compile};
use crate::CPU;
use hloom_graph::{DType, Spec, Tensor, cond, for_loop, scan, while_loop};
use hloom_runtime::{Buffer, CallbackBuilder, NO_RESULTS, callback};
use std::time::Duration;

/// A callback that logs a number and the first element, after a delay.
fn note(log: &Log, number: i64, x: Tensor, micros: u64) {
    let log = log.clone();
    let [] = callback("note", x, NO_RESULTS, move |_, x, _| {
        std::thread::sleep(Duration::from_micros(micros));
        log.push(number, x.as_slice::<f32>()?[0]);
        Ok(())
    });
}

/// Work that takes time and can run in parallel with other work.
fn work(x: Tensor) -> Tensor {
    let square = x.broadcast_to([("row", 256), ("column", 256)]) * 0.001;
    square.dot(square.rename("row", "other"), "column").sum("row").sum("other")
}

#[test]
fn effects_happen_in_the_order_of_the_function() {
    let log = Log::default();
    let kept = log.clone();
    // Later callbacks wait for shorter work.
    let busy = move |x: Tensor| {
        let first = x.sum(0);
        for i in 0..24 {
            let mut y = first + i as f32;
            for _ in 0..(24 - i) / 6 {
                y = work(y);
            }
            note(&kept, i, y.reshape([1]), (24 - i as u64) * 20);
        }
        x
    };
    let exe = compile(busy, (Spec::f32([1]),));
    let x = Buffer::from_slice(&CPU, &[1f32], [1]).unwrap();
    for _ in 0..20 {
        exe.call((&x,)).unwrap().ready().unwrap();
        assert_eq!(log.take_numbers(), (0..24).collect::<Vec<_>>());
    }
}

#[test]
fn effects_inside_of_loops_and_branches_keep_their_places() {
    let log = Log::default();
    let kept = log.clone();
    let program = move |x: Tensor| {
        note(&kept, 1, x, 50);
        // No result needs this loop.
        for_loop(2, x, |_, y| {
            note(&kept, 2, y, 20);
            let inner = cond(
                y.sum(0).gt(1.5),
                || {
                    note(&kept, 3, y, 0);
                    y
                },
                || {
                    note(&kept, 4, y, 0);
                    y
                },
            );
            note(&kept, 5, inner, 0);
            y + 1
        });
        note(&kept, 6, x, 0);
        let counted = |(i, y): (Tensor, Tensor)| {
            note(&kept, 7, y, 0);
            i.lt(2)
        };
        let (_, y) =
            while_loop((Tensor::scalar(0, DType::I32), x), counted, |(i, y)| (i + 1, y * 2));
        note(&kept, 8, y, 0);
        let (_, ys) =
            scan(y, Tensor::zeros(DType::F32, [("step", 3), ("n", 1)]), "step", |carry, _| {
                note(&kept, 9, carry, 0);
                (carry + 1, carry)
            });
        note(&kept, 10, ys.slice("step", 2..3).reshape([1]), 0);
        x
    };
    let exe = compile(program, (Spec::f32([1]),));
    let x = Buffer::from_slice(&CPU, &[1f32], [1]).unwrap();
    for _ in 0..20 {
        exe.call((&x,)).unwrap().ready().unwrap();
        let expected = [
            (1, 1.0),
            (2, 1.0),
            (4, 1.0),
            (5, 1.0),
            (2, 2.0),
            (3, 2.0),
            (5, 2.0),
            (6, 1.0),
            (7, 1.0),
            (7, 2.0),
            (7, 4.0),
            (8, 4.0),
            (9, 4.0),
            (9, 5.0),
            (9, 6.0),
            (10, 6.0),
        ];
        assert_eq!(log.take(), expected);
    }
}

#[test]
fn effects_that_look_the_same_are_all_made() {
    let log = Log::default();
    let kept = log.clone();
    let program = move |x: Tensor| {
        for _ in 0..3 {
            note(&kept, 1, x, 0);
        }
        for _ in 0..2 {
            let log = kept.clone();
            CallbackBuilder::new("unordered", x, Spec::of(x.shape())).unordered().run(
                move |_, x, mut y| {
                    log.push(2, 0.0);
                    y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                    Ok(())
                },
            );
        }
        x
    };
    let exe = compile(program, (Spec::f32([1]),));
    let x = Buffer::from_slice(&CPU, &[1f32], [1]).unwrap();
    exe.call((&x,)).unwrap().ready().unwrap();
    let mut numbers = log.take_numbers();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 1, 1, 2, 2]);
}

#[test]
fn unordered_effects_are_kept() {
    let log = Log::default();
    let kept = log.clone();
    let program = move |x: Tensor| {
        for i in 0..5 {
            let log = kept.clone();
            let [] = CallbackBuilder::new("note", x, NO_RESULTS).unordered().run(move |_, x, _| {
                log.push(i, x.as_slice::<f32>()?[0]);
                Ok(())
            });
        }
        Vec::<Tensor>::new()
    };
    let exe = compile(program, (Spec::f32([1]),));
    let x = Buffer::from_slice(&CPU, &[1f32], [1]).unwrap();
    assert!(exe.call((&x,)).unwrap().is_empty());
    // A call without results returns when the program has finished: it has nothing else to wait on.
    let mut numbers = log.take_numbers();
    numbers.sort();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
}
