//! Callbacks that use their own platform: each operation ends, with a result or with an error.

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Buffer, CallbackBuilder, CallbackError, Donated, Error, Exe, Mesh, Platform};
use hloom_test_support::{Child, is_alone};
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

type Sine = Exe<(Spec,), Tensor>;

/// An operation of a callback on its own platform.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Call,
    CallOverDevices,
    Donate,
    Compile,
    Read,
    ReadPending,
    Copy,
    Drop,
}

impl Operation {
    const ALL: [Operation; 8] = [
        Operation::Call,
        Operation::CallOverDevices,
        Operation::Donate,
        Operation::Compile,
        Operation::Read,
        Operation::ReadPending,
        Operation::Copy,
        Operation::Drop,
    ];
}

/// The code of a callback that performs the operation.
#[derive(Clone, Copy, Debug)]
enum Code {
    Function,
    ForEach,
    DeferredCall,
    DeferredCallOnAnotherThread,
    Spawned,
}

impl Code {
    const ALL: [Code; 5] = [
        Code::Function,
        Code::ForEach,
        Code::DeferredCall,
        Code::DeferredCallOnAnotherThread,
        Code::Spawned,
    ];
}

/// The programs and buffers of a platform that callbacks use.
struct Inner {
    platform: Platform,
    mesh: Option<Mesh>,
    size: usize,
    sine: Sine,
    taking: Exe<(Donated<Spec>,), Tensor>,
    sharded: Option<(Sine, Buffer)>,
    buffer: Buffer,
}

impl Inner {
    fn new(devices: usize, size: usize) -> Arc<Inner> {
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
        Arc::new(Inner { platform, mesh, size, sine, taking, sharded, buffer })
    }

    /// Performs an operation and checks its result.
    fn perform(&self, operation: Operation) -> hloom_runtime::Result<()> {
        let is = |buffer: &Buffer, value: f32| {
            let values = buffer.to_vec::<f32>()?;
            assert!(values.iter().all(|&found| found == value), "{operation:?}");
            Ok(())
        };
        match operation {
            Operation::Call => is(&self.sine.call((&self.buffer,))?, 1.0),
            Operation::CallOverDevices => match &self.sharded {
                Some((exe, input)) => is(&exe.call((input,))?, 1.0),
                None => Ok(()),
            },
            Operation::Donate => {
                let given =
                    Buffer::from_slice(&self.platform, &vec![0f32; self.size], [("n", self.size)])?;
                is(&self.taking.call((given,))?, 1.0)
            }
            Operation::Compile => {
                self.platform.compile(|x: Tensor| x + 7, (Spec::f32([self.size]),)).map(drop)
            }
            Operation::Read => is(&self.buffer, 0.0),
            Operation::ReadPending => {
                let first = self.sine.call((&self.buffer,))?;
                is(&self.sine.call((&first,))?, 1f32.sin() + 1.0)
            }
            Operation::Copy => is(&self.buffer.duplicate(&self.platform)?, 0.0),
            Operation::Drop => {
                let kept = Buffer::from_slice(&self.platform, &[1f32], [1])?;
                drop(self.sine.call((&self.buffer,))?);
                is(&kept, 1.0)
            }
        }
    }
}

/// The operations of callbacks that worked, and those that were refused.
#[derive(Default)]
struct Counts {
    worked: AtomicUsize,
    refused: AtomicUsize,
}

impl Counts {
    /// The numbers of operations that worked and that were refused.
    fn numbers(&self) -> (usize, usize) {
        (self.worked.load(Ordering::Relaxed), self.refused.load(Ordering::Relaxed))
    }

    /// Counts an operation, whose only error is the refusal.
    fn count(&self, outcome: hloom_runtime::Result<()>) -> Result<(), CallbackError> {
        let counter = match outcome {
            Ok(()) => &self.worked,
            Err(Error::Plugin { source, .. })
                if matches!(*source, hloom_pjrt::Error::NestedLaunch { .. }) =>
            {
                &self.refused
            }
            Err(error) => return Err(CallbackError::new(error.to_string())),
        };
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// A program whose callback uses the platform, and then passes `size` numbers on; and its input.
fn outer(
    inner: &Arc<Inner>,
    size: usize,
    code: Code,
    operation: Operation,
    over_devices: bool,
    counts: &Arc<Counts>,
) -> (Sine, Buffer) {
    let (inside, counts) = (inner.clone(), counts.clone());
    let perform = move || counts.count(inside.perform(operation));
    let program = move |x: Tensor| {
        let perform = perform.clone();
        let x = x.sin() + 2;
        let builder = CallbackBuilder::new("uses", x, Spec::of(x.shape()));
        let builder = if over_devices { builder.pure() } else { builder };
        match code {
            Code::Function => builder.run(move |_, x, mut y| {
                perform()?;
                y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                Ok(())
            }),
            Code::ForEach => builder.run(move |context, x, mut y| {
                context.for_each(3, |_| perform().expect("it works or is refused"))?;
                y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                Ok(())
            }),
            _ => builder.run_deferred(move |context, call| {
                let perform = perform.clone();
                let task = move || {
                    call.run(|x, mut y| {
                        perform()?;
                        y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                        Ok(())
                    });
                };
                match code {
                    Code::DeferredCallOnAnotherThread => drop(thread::spawn(task)),
                    Code::Spawned => context.spawn(task)?,
                    _ => task(),
                }
                Ok(())
            }),
        }
    };
    let spec = Spec::f32([("n", size)]);
    match (&inner.mesh, over_devices) {
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
            let exe = inner.platform.compile(program, (spec.clone(),)).unwrap();
            (exe, Buffer::zeros(&inner.platform, spec).unwrap())
        }
    }
}

/// Ends the process when a nesting takes longer than a minute. Returns a sender of the descriptions
/// of those that begin.
fn watchdog() -> mpsc::Sender<String> {
    let (sender, begun) = mpsc::channel::<String>();
    thread::spawn(move || {
        let mut case = String::new();
        loop {
            match begun.recv_timeout(Duration::from_secs(60)) {
                Ok(next) => case = next,
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    eprintln!("it hangs: {case}");
                    std::process::abort();
                }
            }
        }
    });
    sender
}

/// Makes so many random nestings, each on one to 64 threads at the same time.
fn nest(seed: u64, count: usize) {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut calls, counts) = (0, Arc::new(Counts::default()));
    let mut inners = HashMap::new();
    let begun = watchdog();
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
        let code = random.choice(Code::ALL).unwrap();
        let operation = random.choice(Operation::ALL).unwrap();
        let over_devices = random.bool();
        let case = format!(
            "seed {seed}, nesting {done}: {code:?} {operation:?}, devices {devices}, {size} numbers \
             call {inner}, threads {threads}, over devices: {over_devices}"
        );
        println!("{case}");
        begun.send(case.clone()).expect("the watchdog runs");
        let inner = inners.entry((devices, inner)).or_insert_with(|| Inner::new(devices, inner));
        let (exe, input) = outer(inner, size, code, operation, over_devices, &counts);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let values = exe.call((&input,)).unwrap().to_vec::<f32>().unwrap();
                    assert!(values.iter().all(|&value| value == 2.0), "{case}");
                });
            }
        });
        calls += threads;
    }
    let (worked, refused) = counts.numbers();
    println!("{calls} calls, {worked} operations worked, {refused} were refused");
    assert!(worked > 0 && refused > 0, "some of them wait for the program, and some do not");
}

/// A callback that uses its own platform works or is refused, whatever the sizes, threads and
/// devices; it does not hang.
#[test]
fn nested_uses_end() {
    let child = Child::ignored("callbacks::nested::nestings");
    let text = child.env("HLOOM_TEST_NESTINGS", "60").run().passed().text();
    assert!(text.contains("were refused"), "{text}");
}

#[test]
#[ignore = "minutes; `nested_uses_end` runs a part: cargo xtask campaign nested"]
fn nestings() {
    let count = std::env::var("HLOOM_TEST_NESTINGS")
        .map_or(10_000, |count| count.parse().expect("HLOOM_TEST_NESTINGS is a number"));
    let seed = std::env::var("HLOOM_TEST_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    nest(seed, count);
}

/// Performs an operation in a callback, and returns how often it worked and was refused.
fn outcome(
    devices: usize,
    size: usize,
    over_devices: bool,
    operation: Operation,
) -> (usize, usize) {
    let counts = Arc::new(Counts::default());
    let inner = Inner::new(devices, size);
    let (exe, input) = outer(&inner, size, Code::Function, operation, over_devices, &counts);
    let values = exe.call((&input,)).unwrap().to_vec::<f32>().unwrap();
    assert!(values.iter().all(|&value| value == 2.0));
    counts.numbers()
}

/// A program that runs on the calling thread may use its platform, but for donations. In this
/// process, so that memory checkers see it.
#[test]
fn a_callback_of_a_small_program_uses_its_platform() {
    for operation in Operation::ALL {
        let expected = if matches!(operation, Operation::Donate) { (0, 1) } else { (1, 0) };
        assert_eq!(outcome(2, 2, false, operation), expected, "{operation:?}");
    }
}

/// Small programs call small ones, and programs over some of the devices call those on one.
#[test]
fn nested_calls_that_are_promised_work() {
    if !is_alone("callbacks::nested::nested_calls_that_are_promised_work") {
        return;
    }
    let call = |devices, size, over| outcome(devices, size, over, Operation::Call);
    assert_eq!(call(1, 2, false), (1, 0));
    for size in [2, 100_000] {
        // The result is read from one of the devices; the other one may still call.
        assert!(matches!(call(4, size, true), (1.., 0)), "{size}");
        assert!(matches!(call(2, size, true), (0, 1..)), "the mesh has all devices: {size}");
    }
}

/// A call ends whatever the size: a program that is too large for the calling thread is refused.
#[test]
fn a_callback_calls_a_program_of_any_size_or_is_refused() {
    if !is_alone("callbacks::nested::a_callback_calls_a_program_of_any_size_or_is_refused") {
        return;
    }
    for size in [1, 512, 513, 4096, 100_000, 1_000_000] {
        let (worked, refused) = outcome(1, size, false, Operation::Call);
        assert_eq!(worked + refused, 1, "{size}");
        assert!(size > 1 || worked == 1, "{size}");
        assert!(size < 4096 || refused == 1, "{size}");
    }
}
