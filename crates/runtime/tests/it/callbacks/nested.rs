//! Callbacks that use their own platform: each operation ends, with a result or with an error.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, CallbackBuilder, CallbackError, Donated, Error, Exe, Mesh, Platform};
use hloom_test_support::Child;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

type Sine = Exe<(Spec,), Tensor>;

/// An operation of a callback on its own platform.
#[derive(Clone, Copy, Debug)]
enum Use {
    Call,
    CallOverDevices,
    Donate,
    Compile,
    Read,
    ReadPending,
    Copy,
    Drop,
}

impl Use {
    const ALL: [Use; 8] = [
        Use::Call,
        Use::CallOverDevices,
        Use::Donate,
        Use::Compile,
        Use::Read,
        Use::ReadPending,
        Use::Copy,
        Use::Drop,
    ];
}

/// The code of a callback that uses the platform.
#[derive(Clone, Copy, Debug)]
enum Where {
    Function,
    ForEach,
    DeferredCall,
    DeferredCallOnAnotherThread,
    Spawned,
}

impl Where {
    const ALL: [Where; 5] = [
        Where::Function,
        Where::ForEach,
        Where::DeferredCall,
        Where::DeferredCallOnAnotherThread,
        Where::Spawned,
    ];
}

/// The programs and buffers that callbacks use.
struct Things {
    platform: Platform,
    mesh: Option<Mesh>,
    size: usize,
    sine: Arc<Sine>,
    taking: Exe<(Donated<Spec>,), Tensor>,
    sharded: Option<(Sine, Buffer)>,
    buffer: Buffer,
}

impl Things {
    fn new(devices: usize, size: usize) -> Arc<Things> {
        let platform = Platform::cpus(devices).unwrap();
        let spec = Spec::f32([("n", size)]);
        let sine = platform.compile(|x: Tensor| x.sin() + 1, (spec.clone(),)).unwrap();
        let taking =
            platform.compile(|x: Tensor| (x.sin() + 1).reuse(x), (Donated(spec.clone()),)).unwrap();
        let mesh = (devices > 1).then(|| Mesh::new(&platform, [("d", 2)]).unwrap());
        let sharded = mesh.as_ref().map(|mesh| {
            let spec = Spec::f32([("n", size * 2)]).shard("n", "d");
            let exe = mesh.compile(|x: Tensor| x.sin() + 1, (spec.clone(),)).unwrap();
            let values = vec![0f32; size * 2];
            let sharding = mesh.sharding(&spec).unwrap();
            (exe, Buffer::from_slice(&sharding, &values, [("n", size * 2)]).unwrap())
        });
        let buffer = Buffer::zeros(&platform, spec).unwrap();
        Arc::new(Things { platform, mesh, size, sine: Arc::new(sine), taking, sharded, buffer })
    }

    /// Uses the platform and checks the result.
    fn used(&self, how: Use) -> hloom_runtime::Result<()> {
        let is = |buffer: &Buffer, value: f32| {
            let values = buffer.to_vec::<f32>()?;
            assert!(values.iter().all(|&found| found == value), "{how:?}");
            Ok(())
        };
        match how {
            Use::Call => is(&self.sine.call((&self.buffer,))?, 1.0),
            Use::CallOverDevices => match &self.sharded {
                Some((exe, input)) => is(&exe.call((input,))?, 1.0),
                None => Ok(()),
            },
            Use::Donate => {
                let given =
                    Buffer::from_slice(&self.platform, &vec![0f32; self.size], [("n", self.size)])?;
                is(&self.taking.call((given,))?, 1.0)
            }
            Use::Compile => {
                self.platform.compile(|x: Tensor| x + 7, (Spec::f32([self.size]),)).map(drop)
            }
            Use::Read => is(&self.buffer, 0.0),
            Use::ReadPending => {
                let first = self.sine.call((&self.buffer,))?;
                is(&self.sine.call((&first,))?, 1f32.sin() + 1.0)
            }
            Use::Copy => is(&self.buffer.duplicate(&self.platform)?, 0.0),
            Use::Drop => {
                let kept = Buffer::from_slice(&self.platform, &[1f32], [1])?;
                drop(self.sine.call((&self.buffer,))?);
                is(&kept, 1.0)
            }
        }
    }
}

/// A program whose callback uses the platform, and then passes `size` numbers on.
fn outer(
    things: &Arc<Things>,
    size: usize,
    at: Where,
    how: Use,
    over_devices: bool,
    refused: &Arc<AtomicUsize>,
) -> (Sine, Buffer) {
    let (inside, refused) = (things.clone(), refused.clone());
    let used = move || match inside.used(how) {
        Err(Error::Plugin { source, .. })
            if matches!(*source, hloom_pjrt::Error::NestedLaunch { .. }) =>
        {
            refused.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
        outcome => outcome.map_err(|error| CallbackError::new(error.to_string())),
    };
    let program = move |x: Tensor| {
        let used = used.clone();
        let x = x.sin() + 2;
        let builder = CallbackBuilder::new("uses", x, Spec::of(x.shape()));
        let builder = if over_devices { builder.pure() } else { builder };
        match at {
            Where::Function => builder.run(move |_, x, mut y| {
                used()?;
                y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                Ok(())
            }),
            Where::ForEach => builder.run(move |context, x, mut y| {
                context.for_each(3, |_| used().expect("it works or is refused"))?;
                y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                Ok(())
            }),
            _ => builder.run_deferred(move |context, call| {
                let used = used.clone();
                let task = move || {
                    call.run(|x, mut y| {
                        used()?;
                        y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                        Ok(())
                    });
                };
                match at {
                    Where::DeferredCallOnAnotherThread => drop(thread::spawn(task)),
                    Where::Spawned => context.spawn(task)?,
                    _ => task(),
                }
                Ok(())
            }),
        }
    };
    let spec = Spec::f32([("n", size)]);
    match (&things.mesh, over_devices) {
        (Some(mesh), true) => {
            let spec = Spec::f32([("n", size * 2)]).shard("n", "d");
            let input = Buffer::from_slice(
                &mesh.sharding(&spec).unwrap(),
                &vec![0f32; size * 2],
                [("n", size * 2)],
            );
            (mesh.compile(program, (spec,)).unwrap(), input.unwrap())
        }
        _ => {
            let exe = things.platform.compile(program, (spec.clone(),)).unwrap();
            (exe, Buffer::zeros(&things.platform, spec).unwrap())
        }
    }
}

/// Makes so many random nestings, each on one to 64 threads at the same time.
fn nest(seed: u64, count: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut used, refused) = (0, Arc::new(AtomicUsize::new(0)));
    let mut things = HashMap::new();
    for done in 0..count {
        let devices = random.choice([1, 2, 4]).unwrap();
        let sizes = [1, 1, 512, 513, 4096, 4096, 8192, 8192, 8192, 100_000];
        let mut size = || match random.u8(0..40) {
            // Most of the time would be spent on these.
            0 => 1_000_000,
            _ => random.choice(sizes).unwrap(),
        };
        let (inner, size) = (size(), size());
        let threads = if size.max(inner) > 10_000 { [1, 1, 2, 4] } else { [1, 2, 8, 64] };
        let threads = random.choice(threads).unwrap();
        let (at, how) = (random.choice(Where::ALL).unwrap(), random.choice(Use::ALL).unwrap());
        let over_devices = random.bool();
        let case = format!(
            "seed {seed}, nesting {done}: {at:?} {how:?}, devices {devices}, {size} numbers call \
             {inner}, threads {threads}, over devices: {over_devices}"
        );
        println!("{case}");
        let things = things.entry((devices, inner)).or_insert_with(|| Things::new(devices, inner));
        let (exe, input) = outer(things, size, at, how, over_devices, &refused);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let values = exe.call((&input,)).unwrap().to_vec::<f32>().unwrap();
                    assert!(values.iter().all(|&value| value == 2.0), "{case}");
                });
            }
        });
        used += threads;
    }
    let refused = refused.load(Ordering::Relaxed);
    println!("{used} calls, {refused} uses refused");
    assert!(refused > 0, "some of them wait for the program");
}

/// A callback that calls a program on its own platform works or is refused, whatever the sizes,
/// threads and devices; it does not hang.
#[test]
fn nested_uses_end() {
    let child = Child::ignored("callbacks::nested::nestings").limit(Duration::from_secs(120));
    let text = child.env("HLOOM_TEST_NESTINGS", "200").run().passed().text();
    assert!(text.contains("uses refused"), "{text}");
}

#[test]
#[ignore = "`nested_uses_end` runs a part with a time limit"]
fn nestings() {
    let count = std::env::var("HLOOM_TEST_NESTINGS")
        .map_or(10_000, |count| count.parse().expect("HLOOM_TEST_NESTINGS is a number"));
    let seed = std::env::var("HLOOM_TEST_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    nest(seed, count);
}

/// The result or the refusal of one call.
fn outcome(devices: usize, size: usize, over_devices: bool) -> (usize, Result<(), String>) {
    let refused = Arc::new(AtomicUsize::new(0));
    let things = Things::new(devices, size);
    let (exe, input) = outer(&things, size, Where::Function, Use::Call, over_devices, &refused);
    let result = exe.call((&input,)).and_then(|y| y.to_vec::<f32>());
    (refused.load(Ordering::Relaxed), result.map(drop).map_err(|error| error.to_string()))
}

/// Small programs call small ones, and programs over some of the devices call those on one.
#[test]
fn nested_calls_that_are_promised_work() {
    if !hloom_test_support::is_alone("callbacks::nested::nested_calls_that_are_promised_work") {
        return;
    }
    assert_eq!(outcome(1, 2, false), (0, Ok(())));
    for size in [2, 100_000] {
        assert_eq!(outcome(4, size, true), (0, Ok(())));
        assert_eq!(outcome(2, size, true), (2, Ok(())), "the mesh has all devices");
    }
    assert_eq!(outcome(1, 4096, false), (1, Ok(())));
}
