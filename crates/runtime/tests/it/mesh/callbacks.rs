//! Callbacks in programs over several devices.

use super::{counted, mesh};
use crate::callbacks::{Log, printed};
use hloom_graph::{DType, PartitionSpec, Reduction, Shape, Spec, Tensor, cond, for_loop, manual};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{
    Buffer, CallbackBuilder, CallbackError, Error, Mesh, NO_RESULTS, TensorAssert, TensorPrint,
    callback, host_fn,
};
use hloom_stablehlo::Partitioner;
use std::sync::{Arc, Mutex};

const BOTH: [Partitioner; 2] = [Partitioner::Shardy, Partitioner::Gspmd];

/// The device, the shape and the values of each call.
type Seen = Arc<Mutex<Vec<(i64, Shape, Vec<f32>)>>>;

fn spec() -> Spec {
    Spec::f32([("a", 6), ("b", 2)]).shard("a", "x").shard("b", "y")
}

fn input(mesh: &Mesh, values: &[f32]) -> Buffer {
    Buffer::from_slice(&mesh.sharding(&spec()).unwrap(), values, [("a", 6), ("b", 2)]).unwrap()
}

#[test]
fn effects_happen_once_and_see_whole_tensors() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    for partitioner in BOTH {
        let seen: Seen = Arc::default();
        let kept = seen.clone();
        let program = move |x: Tensor| {
            let seen = kept.clone();
            let specs = (Spec::of(x.shape()), Spec::bool([2]));
            let (y, flags) = callback("seen", x, specs, move |context, x, (mut y, mut flags)| {
                let values = x.as_slice::<f32>()?;
                seen.lock().unwrap().push((context.device()?.id(), x.shape(), values.to_vec()));
                for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(values) {
                    *y = 10.0 * x;
                }
                flags.as_slice_mut::<bool>()?.copy_from_slice(&[true, false]);
                Ok(())
            });
            (x + y, flags)
        };
        let exe = mesh.compiler().partitioner(partitioner).compile(program, (spec(),)).unwrap();
        let (sum, flags) = exe.call((&input(&mesh, &counted(12)),)).unwrap();
        let expected: Vec<f32> = counted(12).iter().map(|x| 11.0 * x).collect();
        assert_eq!(sum.to_vec::<f32>().unwrap(), expected, "{partitioner:?}");
        assert_eq!(flags.to_vec::<bool>().unwrap(), [true, false]);
        let whole = Shape::new(DType::F32, [("a", 6), ("b", 2)]).unwrap();
        assert_eq!(*seen.lock().unwrap(), [(mesh.devices()[0].id(), whole, counted(12))]);
    }
}

#[test]
fn effects_keep_their_order_also_inside_of_loops_and_branches() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    for partitioner in BOTH {
        let log = Log::default();
        let kept = log.clone();
        let note = move |number: i64, x: Tensor| {
            let log = kept.clone();
            let [] = callback("note", x.sum(..), NO_RESULTS, move |_, x, _| {
                log.push(number, x.item::<f32>()?);
                Ok(())
            });
        };
        let program = move |x: Tensor| {
            note(1, x);
            let y = for_loop(2, x, |_, y| {
                note(2, y);
                y + 1
            });
            let branch = |number: i64| {
                note(number, y);
                y
            };
            cond(y.sum(..).gt(0), || branch(3), || branch(4));
            note(5, x);
            y
        };
        let exe = mesh.compiler().partitioner(partitioner).compile(program, (spec(),)).unwrap();
        for _ in 0..5 {
            exe.call((&input(&mesh, &counted(12)),)).unwrap().ready().unwrap();
            let expected = [(1, 66.0), (2, 66.0), (2, 78.0), (3, 90.0), (5, 66.0)];
            assert_eq!(log.take(), expected, "{partitioner:?}");
        }
    }
}

#[test]
fn a_failure_is_told_and_the_other_devices_are_not_left_waiting() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    let program = |x: Tensor| {
        let sum = x.sum(..);
        let checked = callback("picky", sum, Spec::of(sum.shape()), |_, sum, mut y| {
            let sum = sum.item::<f32>()?;
            if sum < 0.0 {
                return Err(CallbackError::with_code(ErrorCode::OutOfRange, "less than nothing"));
            }
            y.as_slice_mut::<f32>()?[0] = sum;
            Ok(())
        });
        // A collective follows it on all devices.
        (x * checked).sum("a").assert(|y| y.is_finite(), "too much")
    };
    let exe = mesh.compile(program, (spec(),)).unwrap();
    let good = input(&mesh, &counted(12));
    let bad = input(&mesh, &[-1.0; 12]);
    let lost = input(&mesh, &[f32::INFINITY; 12]);
    for _ in 0..3 {
        assert_eq!(
            exe.call((&good,)).unwrap().to_vec::<f32>().unwrap(),
            [66.0 * 30.0, 66.0 * 36.0]
        );
        for (input, callback, code, message) in [
            (&bad, "picky", ErrorCode::OutOfRange, "less than nothing"),
            (&lost, "assert", ErrorCode::FailedPrecondition, "too much: false for 2 of 2 elements"),
        ] {
            let y = exe.call((input,)).unwrap();
            let Err(Error::Callback(failure)) = y.ready() else {
                panic!("{callback} fails");
            };
            assert_eq!((&*failure.callback, failure.code), (callback, code));
            assert!(failure.message.starts_with(message), "{failure}");
            assert_eq!(failure.others, 0);
            assert!(matches!(y.to_vec::<f32>(), Err(Error::Callback(_))));
        }
    }
}

#[test]
fn a_failure_of_a_deferred_call_leaves_no_device_waiting() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    let program = |x: Tensor| {
        let most = x.max(..);
        let later = CallbackBuilder::new("later", most, Spec::of(most.shape())).run_deferred(
            |context, mut call| {
                match call.with(|x, _| x.item::<f32>())? as i32 {
                    0 => drop(call),
                    1 => return Err(CallbackError::new("before it began")),
                    2 => context.spawn(move || call.run(|_, _| panic!("on the pool")))?,
                    3 => context.spawn(move || call.complete(Err(CallbackError::new("late"))))?,
                    4 => context.spawn(move || drop(call))?,
                    _ => call.run(|_, mut y| {
                        y.as_slice_mut::<f32>()?[0] = 2.0;
                        Ok(())
                    }),
                }
                Ok(())
            },
        );
        // A collective follows it on all devices.
        (x * later).sum("a")
    };
    let exe = mesh.compile(program, (spec(),)).unwrap();
    let dropped = "the call was dropped before it was completed";
    for (how, message) in
        [dropped, "before it began", "on the pool", "late", dropped].into_iter().enumerate()
    {
        let y = exe.call((&input(&mesh, &[how as f32; 12]),)).unwrap();
        let Err(Error::Callback(failure)) = y.ready() else {
            panic!("{how} fails");
        };
        assert_eq!((&*failure.message, failure.others), (message, 0), "{how}");
    }
    let y = exe.call((&input(&mesh, &[5.0; 12]),)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [60.0; 2]);
}

/// C12: over a mesh, `print` prints the whole tensor once.
#[test]
fn tensors_are_printed_once_and_functions_of_scalars_applied_everywhere() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    for partitioner in BOTH {
        let program = |x: Tensor| {
            let half = host_fn("half", |x: f32| x / 2.0);
            half(x.print("sharded.x").print_stats("sharded.stats"))
        };
        printed("sharded");
        let exe = mesh.compiler().partitioner(partitioner).compile(program, (spec(),)).unwrap();
        let y = exe.call((&input(&mesh, &counted(12)),)).unwrap();
        let expected: Vec<f32> = counted(12).iter().map(|x| x / 2.0).collect();
        assert_eq!(y.to_vec::<f32>().unwrap(), expected);
        let lines = printed("sharded");
        assert_eq!(lines.len(), 2, "{partitioner:?}: {lines:?}");
        assert!(lines[0].starts_with("sharded.x: f32[a=6, b=2] = [[ 0.  1.]\n"), "{lines:?}");
        assert_eq!(lines[1], "sharded.stats: f32[a=6, b=2]: min 0, max 11, mean 5.5, 0 NaN");
    }
}

#[test]
fn a_callback_is_called_on_each_shard_where_that_is_said() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    for partitioner in BOTH {
        let seen: Arc<Mutex<Vec<(i64, Shape)>>> = Arc::default();
        let kept = seen.clone();
        let program = move |x: Tensor, factor: Tensor| {
            let seen = kept.clone();
            let outputs = (Spec::of(x.shape()), Spec::f32([("a", 6)]));
            CallbackBuilder::new("rows", (x, factor), outputs)
                .per_shard([("a", "x")])
                .unordered()
                .run(move |context, (x, factor), (mut y, mut sums)| {
                    assert_eq!(y.shape(), x.shape());
                    seen.lock().unwrap().push((context.device()?.id(), x.shape()));
                    let factor = factor.item::<f32>()?;
                    let (x, y, sums) = (
                        x.as_slice::<f32>()?,
                        y.as_slice_mut::<f32>()?,
                        sums.as_slice_mut::<f32>()?,
                    );
                    for (row, sum) in sums.iter_mut().enumerate() {
                        *sum = x[2 * row] + x[2 * row + 1];
                    }
                    for (y, x) in y.iter_mut().zip(x) {
                        *y = factor * x;
                    }
                    Ok(())
                })
        };
        let compiler = mesh.compiler().partitioner(partitioner);
        let exe = compiler.compile(program, (spec(), Spec::f32([0; 0]))).unwrap();
        let factor = mesh.sharding(&Spec::f32([0; 0])).unwrap();
        let factor = Buffer::from_slice(&factor, &[3f32], [0; 0]).unwrap();
        let (y, sums) = exe.call((&input(&mesh, &counted(12)), &factor)).unwrap();
        let expected: Vec<f32> = counted(12).iter().map(|x| 3.0 * x).collect();
        assert_eq!(y.to_vec::<f32>().unwrap(), expected, "{partitioner:?}");
        assert_eq!(sums.to_vec::<f32>().unwrap(), [1.0, 5.0, 9.0, 13.0, 17.0, 21.0]);
        // Reading used only some of the devices; wait for all.
        y.ready().unwrap();
        let part = Shape::new(DType::F32, [("a", 2), ("b", 2)]).unwrap();
        let mut seen = std::mem::take(&mut *seen.lock().unwrap());
        seen.sort_by_key(|(device, _)| *device);
        assert_eq!(
            seen,
            mesh.devices().iter().map(|device| (device.id(), part)).collect::<Vec<_>>()
        );
    }
}

#[test]
fn splits_of_axes_that_are_not_there_and_refusals_are_errors() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    let split = |axis: &'static str, over: &'static str| {
        move |x: Tensor| {
            let call =
                CallbackBuilder::new("rows", x, Spec::of(x.shape())).per_shard([(axis, over)]);
            call.run(|_, _, _| Ok(()))
        }
    };
    let said = |error: Result<(), Error>| error.expect_err("it is an error").to_string();
    let error = said(mesh.compile(split("c", "x"), (spec(),)).map(drop));
    assert!(error.contains("`rows`: no input or output has an axis `c` to split"), "{error}");
    let error = said(mesh.compile(split("b", "x"), (spec(),)).map(drop));
    assert!(error.contains("callback: `rows`: ") && error.contains("callbacks.rs"), "{error}");

    let line = line!() + 2;
    let refused = |x: Tensor| {
        let call = CallbackBuilder::new("whole only", x, Spec::of(x.shape())).refuse_sharding();
        call.run(|_, x, mut y| {
            y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
            Ok(())
        })
    };
    let error = said(mesh.compile(refused, (spec(),)).map(drop));
    assert!(error.contains("`whole only`: it is not for programs over a mesh"), "{error}");
    assert!(error.contains(&format!("callbacks.rs:{line}")), "{error}");
    // On one device nothing is refused, and nothing is split.
    let one = &*super::CPUS;
    let x = Buffer::from_slice(one, &counted(12), [("a", 6), ("b", 2)]).unwrap();
    let y = one.compile(refused, (spec(),)).unwrap().call((&x,)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), counted(12));
    one.compile(split("a", "x"), (spec(),)).unwrap().call((&x,)).unwrap().ready().unwrap();
}

#[test]
fn inside_of_manual_each_device_calls_with_its_own() {
    let mesh = mesh([("x", 3), ("y", 2)]);
    let log = Log::default();
    let kept = log.clone();
    let program = move |x: Tensor| {
        let log = kept.clone();
        manual(x, PartitionSpec::shard("a", "x"), PartitionSpec::replicated(), move |x| {
            let own = callback("own", x, Spec::f32([0; 0]), move |context, x, mut y| {
                let sum = x.as_slice::<f32>()?.iter().sum();
                log.push(context.device()?.id(), sum);
                y.as_slice_mut::<f32>()?[0] = sum;
                Ok(())
            });
            own.all_reduce(Reduction::Sum, "x")
        })
    };
    let exe = mesh.compile(program, (spec(),)).unwrap();
    let sum = exe.call((&input(&mesh, &counted(12)),)).unwrap();
    assert_eq!(sum.item::<f32>().unwrap(), 66.0);
    // Reading used only one of the devices; wait for all.
    sum.ready().unwrap();
    let mut seen = log.take();
    seen.sort_by_key(|(device, _)| *device);
    let sums: Vec<f32> = seen.iter().map(|(_, sum)| *sum).collect();
    assert_eq!(sums, [6.0, 6.0, 22.0, 22.0, 38.0, 38.0]);
}
