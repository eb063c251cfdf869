//! Every part of a program is executed or refused.

use super::Log;
use hloom_graph::{Effect, Spec, Tensor, cond, custom_call, for_loop};
use hloom_runtime::{
    Buffer, CallbackBuilder, Error, Mesh, NO_RESULTS, Platform, TensorAssert, callback,
};
use hloom_test_support::{CPU, CPUS};
use std::time::Duration;

fn note(log: &Log, number: i64, x: Tensor) {
    let log = log.clone();
    let [] = callback("note", x, NO_RESULTS, move |_, x, _| {
        log.push(number, x.as_slice::<f32>()?[0]);
        Ok(())
    });
}

/// Host calls whose outputs nobody needs, a deferred one that ends late, calls in bodies, a program
/// without results, and a move between the devices.
fn program(log: &Log, x: Tensor) -> Tensor {
    note(log, 1, x);
    let late = log.clone();
    let [] = CallbackBuilder::new("late", x, NO_RESULTS).run_deferred(move |context, mut call| {
        let late = late.clone();
        context.spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            let seen = call.with(|x, _| Ok(x.as_slice::<f32>()?[0]));
            late.push(2, seen.unwrap_or(f32::NAN));
            call.complete(Ok(()));
        })
    });
    let unused = callback("unused", x, Spec::of(x.shape()), {
        let log = log.clone();
        move |_, x, mut y| {
            log.push(3, x.as_slice::<f32>()?[0]);
            y.as_slice_mut::<f32>()?.fill(0.0);
            Ok(())
        }
    });
    let _ = unused * 2;
    for_loop(2, x, |_, x| {
        let noted = |number| {
            note(log, number, x);
            x + 1
        };
        cond(x.sum(..).gt(0), || noted(4), || noted(5))
    });
    x.assert(|x| x.lt(100), "too large");
    note(log, 6, x * 10);
    x + 1
}

const EXPECTED: [(i64, f32); 6] = [(1, 2.0), (2, 2.0), (3, 2.0), (4, 2.0), (4, 3.0), (6, 20.0)];

/// R2: transfers, waits and host calls of a program are executed, on one device and over a mesh,
/// each time and in order, whether or not a result needs them.
#[test]
fn every_host_call_wait_and_transfer_happens() {
    let spec = Spec::f32([2]);
    let log = Log::default();
    let kept = log.clone();
    let exe = CPU.compile(move |x: Tensor| program(&kept, x), (spec.clone(),)).unwrap();
    let kept = log.clone();
    let silent = CPU.compile(
        move |x: Tensor| -> Vec<Tensor> {
            program(&kept, x);
            Vec::new()
        },
        (spec.clone(),),
    );
    let silent = silent.unwrap();
    let mesh = Mesh::new(&CPUS, [("x", 2)]).unwrap();
    let kept = log.clone();
    let sharded = spec.clone().shard(0, "x");
    let over_mesh = mesh.compile(
        move |x: Tensor| {
            // The second half goes to the first device, and back.
            let whole = x.constrain(hloom_graph::PartitionSpec::replicated());
            let y = program(&kept, whole);
            y.constrain([(0, "x")])
        },
        (sharded.clone(),),
    );
    let over_mesh = over_mesh.unwrap();
    let x = Buffer::from_slice(&CPU, &[2f32, 3.0], [2]).unwrap();
    let parts = Buffer::from_slice(&mesh.sharding(&sharded).unwrap(), &[2f32, 3.0], [2]).unwrap();
    for _ in 0..3 {
        assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [3.0, 4.0]);
        assert_eq!(log.take(), EXPECTED);
        // Without results, the call itself waits for all of it.
        assert!(silent.call((&x,)).unwrap().is_empty());
        assert_eq!(log.take(), EXPECTED);
        assert_eq!(over_mesh.call((&parts,)).unwrap().to_vec::<f32>().unwrap(), [3.0, 4.0]);
        assert_eq!(log.take(), EXPECTED);
    }
    let large = Buffer::from_slice(&CPU, &[2f32, 300.0], [2]).unwrap();
    let error = silent.call((&large,)).map(drop).unwrap_err();
    assert!(matches!(&error, Error::Callback(failure) if failure.callback == "assert"), "{error}");
}

/// R2: what a platform cannot execute is an error of `compile` that names it.
#[test]
fn what_cannot_be_executed_is_refused() {
    let log = Log::default();
    let unknown = |x: Tensor| {
        // Its result is not used.
        custom_call("acme.unknown", x, Spec::of(x.shape())).effect(Effect::Ordered).call();
        x
    };
    let error = CPU.compile(unknown, (Spec::f32([2]),)).map(drop).unwrap_err().to_string();
    assert!(error.contains("acme.unknown"), "{error}");
    // A plugin without host calls compiles no program with one, not even one without results.
    let session = fake_plugin::working::Session::begin();
    // SAFETY: the table lives as long as the process.
    let plugin = unsafe { hloom_pjrt::Plugin::register(&session.name(), session.table()) };
    let platform = Platform::from_client(plugin.unwrap().client().unwrap());
    session.program("copy(f32[2]) -> f32[2]");
    let noted = |x: Tensor| {
        note(&log, 1, x);
        x
    };
    let error = platform.compile(noted, (Spec::f32([2]),)).map(drop).unwrap_err();
    assert!(matches!(error, Error::NoCallbacks { .. }), "{error}");
    assert_eq!(log.take(), []);
    drop(platform);
}
