//! The kinds of work. A unit has a number, by which it varies.

use crate::{CPU, CPUS, cpus};
use hloom_graph::{DType, Shape, Spec, Tensor};
use hloom_pjrt::{AlignedVec, ExecuteOptions};
use hloom_runtime::{Buffer, CallbackBuilder, CallbackError, Donated, Mesh, Platform, callback};
use std::{panic::resume_unwind, thread};

/// Does a unit of work, and checks what it computed.
pub type Work = Box<dyn Fn(u64) + Send + Sync>;

/// Elements of most tensors.
const N: usize = 64;

/// All kinds, each with its name.
pub fn kinds() -> Vec<(&'static str, Work)> {
    vec![
        ("calls", calls()),
        ("compiles", Box::new(compiles)),
        ("meshes", meshes()),
        ("new_meshes", Box::new(new_meshes)),
        ("callbacks", callbacks()),
        ("deferred", deferred()),
        ("donations", donations()),
        ("shared", shared()),
        ("threads", threads()),
        ("platforms", Box::new(platforms)),
    ]
}

fn spec() -> Spec {
    Spec::f32([("n", N)])
}

fn filled(platform: &Platform, value: f32) -> Buffer {
    Buffer::from_slice(platform, &[value; N], [("n", N)]).expect("it fits")
}

fn read(buffer: &Buffer) -> Vec<f32> {
    buffer.to_vec().expect("the program ran")
}

/// A small number, of which sums are exact.
fn small(n: u64) -> f32 {
    (n % 100) as f32
}

fn calls() -> Work {
    let program = |w: Tensor, x: Tensor| x.dot(w, "n");
    let weight = Spec::f32([("m", N), ("n", N)]);
    let exe =
        CPU.compile(program, (weight.clone(), Spec::f32([("n", N)]))).expect("it is a program");
    let ones = Buffer::from_slice(&CPU, &[1f32; N * N], weight.shape().axes()).expect("it fits");
    let exe = exe.bind(&ones).expect("it is the weight");
    Box::new(move |n| {
        let x = filled(&CPU, small(n));
        for _ in 0..50 {
            let y = exe.call((&x,)).expect("it runs");
            assert_eq!(read(&y), [small(n) * N as f32; N]);
        }
    })
}

/// A different program each time, one in three of them with a callback.
fn compiles(n: u64) {
    let (length, size, add) = (1 + n % 8, 1 + (n / 8 % 50) as usize, small(n));
    let program = move |x: Tensor| {
        let y = (0..length).fold(x, |y, _| (y * 2.0 + add).maximum(0.0).minimum(1e6));
        if n.is_multiple_of(3) {
            callback("negated", y, Spec::of(y.shape()), |_, x, mut y| {
                for (y, x) in y.as_slice_mut::<f32>()?.iter_mut().zip(x.as_slice::<f32>()?) {
                    *y = -x;
                }
                Ok(())
            })
        } else {
            y
        }
    };
    let exe = CPU.compile(program, (Spec::f32([size]),)).expect("it is a program");
    let y = exe
        .call((&Buffer::from_slice(&CPU, &vec![1f32; size], [size]).expect("it fits"),))
        .expect("it runs");
    let expected = (0..length).fold(1.0, |y, _| y * 2.0 + add);
    let sign = if n.is_multiple_of(3) { -1.0 } else { 1.0 };
    assert_eq!(read(&y), vec![sign * expected; size]);
}

/// Adds the sum of all elements to each: every device needs the others' elements.
fn with_sum(x: Tensor) -> Tensor {
    x + x.sum("n")
}

fn mesh_of(devices: usize) -> Mesh {
    Mesh::over(&CPUS, CPUS.devices()[..devices].to_vec(), [("x", devices)])
        .expect("there are four devices")
}

fn split() -> Spec {
    // Divisible by 2, 3 and 4.
    Spec::f32([("n", 12)]).shard("n", "x")
}

fn on(mesh: &Mesh, value: f32) -> Buffer {
    let sharding = mesh.sharding(&split()).expect("it fits");
    Buffer::from_slice(&sharding, &[value; 12], [("n", 12)]).expect("it fits")
}

fn meshes() -> Work {
    let exes: Vec<_> = (2..=4)
        .map(|devices| {
            let mesh = mesh_of(devices);
            let exe = mesh.compile(with_sum, (split(),)).expect("it is a program");
            (mesh, exe)
        })
        .collect();
    Box::new(move |n| {
        let (mesh, exe) = &exes[(n % 3) as usize];
        let x = on(mesh, small(n));
        for _ in 0..20 {
            assert_eq!(read(&exe.call((&x,)).expect("it runs")), [13.0 * small(n); 12]);
        }
    })
}

fn new_meshes(n: u64) {
    let mesh = mesh_of(2 + (n % 3) as usize);
    let program = move |x: Tensor| with_sum(x) * (1.0 + small(n));
    let exe = mesh.compile(program, (split(),)).expect("it is a program");
    assert_eq!(
        read(&exe.call((&on(&mesh, 1.0),)).expect("it runs")),
        [13.0 * (1.0 + small(n)); 12]
    );
}

/// Callbacks that succeed, fail and panic, on one device and over a mesh.
fn callbacks() -> Work {
    fn program(x: Tensor) -> Tensor {
        callback("picky", x, Spec::of(x.shape()), |_, x, mut y| {
            match x.as_slice::<f32>()?[0] as i32 % 3 {
                0 => return Err(CallbackError::new("as asked for")),
                // Without a message on standard error.
                1 => resume_unwind(Box::new("as asked for")),
                _ => y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?),
            }
            Ok(())
        })
    }
    let exe = CPU.compile(program, (spec(),)).expect("it is a program");
    let mesh = mesh_of(2);
    let over_mesh = mesh.compile(program, (split(),)).expect("it is a program");
    Box::new(move |n| {
        for value in [n % 100, n % 100 + 1, n % 100 + 2] {
            let number = value as f32;
            let one = exe.call((&filled(&CPU, number),)).and_then(|y| y.to_vec::<f32>());
            let all = over_mesh.call((&on(&mesh, number),)).and_then(|y| y.to_vec::<f32>());
            for outcome in [one, all] {
                match outcome {
                    Ok(values) => {
                        assert!(value % 3 == 2 && values.iter().all(|&y| y == number), "{values:?}")
                    }
                    Err(error) => assert!(
                        value % 3 != 2 && error.to_string().contains("as asked for"),
                        "{error}"
                    ),
                }
            }
        }
    })
}

/// Deferred calls, completed on the runtime's threads and on others, failed and dropped.
fn deferred() -> Work {
    let program = |x: Tensor| {
        CallbackBuilder::new("later", x, Spec::of(x.shape())).run_deferred(|context, mut call| {
            match call.with(|x, _| Ok(x.as_slice::<f32>()?[0]))? as i32 % 5 {
                0 => drop(call),
                1 => return Err(CallbackError::new("as asked for")),
                2 => {
                    context.spawn(move || call.complete(Err(CallbackError::new("as asked for"))))?
                }
                3 => context.spawn(move || {
                    call.run(|x, mut y| {
                        y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                        Ok(())
                    });
                })?,
                _ => {
                    thread::Builder::new().spawn(move || {
                        call.run(|x, mut y| {
                            y.as_slice_mut::<f32>()?.copy_from_slice(x.as_slice()?);
                            Ok(())
                        });
                    })?;
                }
            }
            Ok(())
        })
    };
    let exe = CPU.compile(program, (spec(),)).expect("it is a program");
    Box::new(move |n| {
        for value in 5 * (n % 20)..5 * (n % 20) + 5 {
            let outcome = exe.call((&filled(&CPU, value as f32),)).and_then(|y| y.to_vec::<f32>());
            assert_eq!(outcome.is_ok(), value % 5 > 2, "{value}: {outcome:?}");
            assert!(outcome.is_err() || outcome.is_ok_and(|values| values == [value as f32; N]));
        }
    })
}

fn donations() -> Work {
    let step = |cache: Tensor, x: Tensor| (cache + x).reuse(cache);
    let exe = CPU.compile(step, (Donated(spec()), spec())).expect("it is a program");
    Box::new(move |n| {
        let x = filled(&CPU, small(n));
        let mut cache = filled(&CPU, 0.0);
        for _ in 0..20 {
            cache = exe.call((cache, &x)).expect("it runs");
        }
        assert_eq!(read(&cache), [20.0 * small(n); N]);
    })
}

/// Memory shared by host and device.
fn shared() -> Work {
    let exe = CPU.compile(|x: Tensor| x + 1.0, (spec(),)).expect("it is a program");
    Box::new(move |n| {
        let memory = AlignedVec::<f32>::zeroed(N).expect("it is little");
        let mut shared = CPU.client().shared_buffer(memory, &[N as i64], None).expect("it fits");
        for step in 0..10 {
            let value = small(n) + step as f32;
            shared.write().expect("it is ours").fill(value);
            let options = ExecuteOptions::new();
            let results =
                exe.any().as_pjrt().execute(&[shared.buffer()], &options).expect("it runs");
            // At once, so that this waits for the execution.
            shared.write().expect("it is ours").fill(-1.0);
            assert_eq!(results[0].to_vec::<f32>().expect("it ran"), [value + 1.0; N]);
        }
        assert_eq!(shared.into_memory().expect("nobody else has it")[..], [-1.0; N]);
    })
}

/// Threads that start, call and end.
fn threads() -> Work {
    let exe = CPU.compile(|x: Tensor| x * 2.0, (spec(),)).expect("it is a program");
    Box::new(move |n| {
        thread::scope(|scope| {
            for i in 0..4 {
                let exe = &exe;
                scope.spawn(move || {
                    let value = small(n) + i as f32;
                    let x = filled(&CPU, value);
                    for _ in 0..5 {
                        assert_eq!(read(&exe.call((&x,)).expect("it runs")), [2.0 * value; N]);
                    }
                });
            }
        });
    })
}

fn platforms(n: u64) {
    let platform = cpus(1 + (n % 3) as i64);
    let exe = platform.compile(|x: Tensor| x + 1.0, (spec(),)).expect("it is a program");
    let y = exe.call((&filled(&platform, small(n)),)).expect("it runs");
    let zeros = Buffer::zeros(&platform, Shape::new(DType::F32, [N]).expect("it is small"))
        .expect("it fits");
    drop(platform);
    // Buffers and programs keep their client.
    assert_eq!(read(&y), [small(n) + 1.0; N]);
    assert_eq!(read(&zeros), [0.0; N]);
}
