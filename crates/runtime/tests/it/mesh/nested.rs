//! Programs called by callbacks, where one of the two runs over several devices: fewer than the
//! client has, which leaves threads of the plugin for the other one.

use super::{CPUS, counted, mesh};
use hloom_graph::{PartitionSpec, Reduction, Spec, Tensor, manual};
use hloom_pjrt::ErrorCode;
use hloom_runtime::{Buffer, CallbackBuilder, CallbackError, Error, Exe, Mesh, Platform, callback};
use hloom_test_support::is_alone;
use std::{sync::Arc, thread};

fn spec() -> Spec {
    Spec::f32([("a", 12)]).shard("a", "x")
}

/// A program with a collective, and its input.
fn inner(mesh: &Mesh) -> (Arc<Exe<(Spec,), Tensor>>, Arc<Buffer>) {
    let sums = |x: Tensor| {
        manual(x, PartitionSpec::shard("a", "x"), PartitionSpec::replicated(), |x: Tensor| {
            x.sum("a").all_reduce(Reduction::Sum, "x")
        })
    };
    let exe = mesh.compiler().name("inner").compile(sums, (spec(),)).unwrap();
    let input =
        Buffer::from_slice(&mesh.sharding(&spec()).unwrap(), &counted(12), [("a", 12)]).unwrap();
    (Arc::new(exe), Arc::new(input))
}

/// The way in which a callback calls the inner program.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Here,
    OnThreadsOfThePool,
    Deferred,
    DeferredOnAnotherThread,
    MovingABuffer,
}

#[test]
fn a_program_over_devices_that_a_callback_of_one_calls_is_refused() {
    if !is_alone("mesh::nested::a_program_over_devices_that_a_callback_of_one_calls_is_refused") {
        return;
    }
    let mesh = mesh([("x", 2)]);
    let (exe, input) = inner(&mesh);
    let whole = mesh.sharding(&Spec::f32([("a", 12)])).unwrap();
    for pure in [false, true] {
        use How::*;
        for how in [Here, OnThreadsOfThePool, Deferred, DeferredOnAnotherThread, MovingABuffer] {
            let (exe, input, whole) = (exe.clone(), input.clone(), whole.clone());
            let call = move || -> Result<f32, CallbackError> {
                match how {
                    MovingABuffer => Ok(input.to(&whole)?.to_vec::<f32>()?[0]),
                    _ => Ok(exe.call((&input,))?.item::<f32>()?),
                }
            };
            let outer = move |x: Tensor| {
                let call = call.clone();
                let builder = CallbackBuilder::new("calls", x.sum(..), Spec::f32([0; 0]));
                let builder = if pure { builder.pure() } else { builder };
                match how {
                    Here | MovingABuffer => builder.run(move |_, _, _| call().map(drop)),
                    OnThreadsOfThePool => builder.run(move |context, _, _| {
                        let failures = std::sync::Mutex::new(Vec::new());
                        context.for_each(16, |_| failures.lock().unwrap().extend(call().err()))?;
                        let failures = failures.into_inner().unwrap();
                        assert_eq!(failures.len(), 16);
                        Err(failures[0].clone())
                    }),
                    Deferred => builder.run_deferred(move |_, deferred| {
                        deferred.run(|_, _| call().map(drop));
                        Ok(())
                    }),
                    DeferredOnAnotherThread => builder.run_deferred(move |_, deferred| {
                        let call = call.clone();
                        thread::spawn(move || deferred.run(|_, _| call().map(drop)));
                        Ok(())
                    }),
                }
            };
            let outer = mesh.compiler().name("outer").compile(outer, (spec(),)).unwrap();
            let (_, input) = inner(&mesh);
            for _ in 0..3 {
                let error =
                    outer.call((&input,)).and_then(|y| y.ready()).expect_err("it is refused");
                let Error::Callback(failure) = &error else {
                    panic!("{how:?}: {error}");
                };
                let message = &failure.message;
                assert!(message.contains("callback `calls` of `outer`"), "{how:?}: {message}");
                assert!(message.contains("run one after the other"), "{how:?}: {message}");
                assert!(how == MovingABuffer || message.contains("`inner`"), "{how:?}: {message}");
                assert_eq!(failure.code, ErrorCode::Internal);
            }
        }
    }
    // The devices and the lock of launches are free.
    assert_eq!(exe.call((&input,)).unwrap().item::<f32>().unwrap(), 66.0);
}

/// Reads the result of a program on one device, small enough to run on the calling thread or too
/// large for it.
fn on_one_device(
    platform: &Platform,
    size: usize,
) -> impl Fn() -> Result<f32, CallbackError> + Clone + Send + Sync + 'static {
    let spec = Spec::f32([("i", size), ("j", size)]);
    let exe = platform.compile(|x: Tensor| x.dot(x.rename("i", "k"), "j").sum(..), (spec,));
    let exe = Arc::new(exe.unwrap());
    let input =
        Buffer::from_slice(platform, &vec![1f32; size * size], [("i", size), ("j", size)]).unwrap();
    let input = Arc::new(input);
    move || Ok(exe.call((&input,))?.item::<f32>()?)
}

#[test]
fn a_callback_over_devices_calls_programs_on_one_device() {
    if !is_alone("mesh::nested::a_callback_over_devices_calls_programs_on_one_device") {
        return;
    }
    let mesh = mesh([("x", 2)]);
    let sharding = mesh.sharding(&spec()).unwrap();
    for size in [4, 512] {
        for pure in [false, true] {
            let call = on_one_device(&CPUS, size);
            let outer = move |x: Tensor| {
                let call = call.clone();
                let builder = CallbackBuilder::new("calls", x.sum(..), Spec::f32([0; 0]));
                let builder = if pure { builder.pure() } else { builder };
                let made = builder.run(move |_, _, mut y| {
                    y.as_slice_mut::<f32>()?[0] = call()?;
                    Ok(())
                });
                (x + made).sum(..)
            };
            let outer = mesh.compile(outer, (spec(),)).unwrap();
            let x = Buffer::from_slice(&sharding, &[1f32; 12], [("a", 12)]).unwrap();
            for _ in 0..3 {
                let y = outer.call((&x,)).unwrap().item::<f32>().unwrap();
                assert_eq!(y, 12.0 * (1.0 + (size * size * size) as f32), "{size} {pure}");
            }
        }
    }
}

#[test]
fn a_callback_on_one_device_calls_programs_over_devices() {
    if !is_alone("mesh::nested::a_callback_on_one_device_calls_programs_over_devices") {
        return;
    }
    let mesh = mesh([("x", 2)]);
    for size in [4, 512] {
        let (exe, input) = inner(&mesh);
        let outer = move |x: Tensor| {
            let (exe, input) = (exe.clone(), input.clone());
            let sum = x.dot(x.rename("i", "k"), "j").sum(..);
            callback("calls", sum, Spec::f32([0; 0]), move |_, x, mut y| {
                y.as_slice_mut::<f32>()?[0] =
                    x.item::<f32>()? + exe.call((&input,))?.item::<f32>()?;
                Ok(())
            })
        };
        let outer = CPUS.compile(outer, (Spec::f32([("i", size), ("j", size)]),)).unwrap();
        let x = Buffer::from_slice(&CPUS, &vec![1f32; size * size], [("i", size), ("j", size)])
            .unwrap();
        for _ in 0..10 {
            let y = outer.call((&x,)).and_then(|y| y.ready().map(|()| y));
            // A large program holds the queue of its device, in which the other one would wait.
            if size > 4 {
                let message = y.map(drop).unwrap_err().to_string();
                assert!(message.contains("use another platform"), "{message}");
                continue;
            }
            let y = y.unwrap();
            assert_eq!(y.item::<f32>().unwrap(), (size * size * size) as f32 + 66.0, "{size}");
        }
    }
}
