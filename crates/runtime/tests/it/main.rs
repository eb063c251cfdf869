//! Compiling and calling on the real CPU plugin.

mod another_name;
mod bindings;
mod buckets;
mod callbacks;
mod compiling;
mod corpus;
mod extremes;
mod faults;
mod forms;
mod hostile_programs;
mod jit;
mod kernels;
mod mesh;
mod messages;
mod saving;
mod statistics;
mod structure;
mod testing;
mod untyped;

use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Argument, Buffer, Donated, Platform};
use hloom_test_support::{CPU, CountingAllocator, is_alone, plugin_path, resident_kib};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// E7: typed calls, which return a new result or replace an earlier one.
#[test]
fn a_function_is_compiled_bound_and_called() {
    let double_plus = |w: Tensor, x: Tensor| x * w + 1.0;
    let exe = CPU.compile(double_plus, (Spec::f32([("n", 3)]), Spec::f32([("n", 3)]))).unwrap();
    let w = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0], [("n", 3)]).unwrap();
    let exe = exe.bind(&w).unwrap();
    drop(w);
    let x = Buffer::from_slice(&CPU, &[10f32, 20.0, 30.0], [("n", 3)]).unwrap();
    let mut y = exe.call((&x,)).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [11.0, 41.0, 91.0]);
    exe.call_into((&x,), &mut y).unwrap();
    assert_eq!(y.to_string(), "[11. 41. 91.]");
}

#[test]
fn a_donated_cache_is_updated_in_place() {
    // Other tests of this process would count towards its memory.
    if !is_alone("a_donated_cache_is_updated_in_place") {
        return;
    }
    let step = |cache: Tensor, x: Tensor| (cache + x).reuse(cache);
    let exe = CPU.compile(step, (Donated(Spec::f32([1024])), Spec::f32([1024]))).unwrap();
    assert_eq!(exe.any().unused_donations(), Some(vec![]));
    let x = Buffer::from_slice(&CPU, &[1f32; 1024], [1024]).unwrap();
    let mut cache = Buffer::zeros(&CPU, x.shape()).unwrap();
    cache = exe.call((cache, &x)).unwrap();
    cache.ready().unwrap();
    let start = cache.as_pjrt().unsafe_pointer().unwrap();
    let mut settled = 0;
    for i in 0..10_000 {
        cache = exe.call((cache, &x)).unwrap();
        if i == 5_000 {
            settled = resident_kib("VmRSS");
        }
    }
    assert_eq!(cache.to_vec::<f32>().unwrap(), [10_001.0; 1024]);
    assert_eq!(cache.as_pjrt().unsafe_pointer().unwrap(), start);
    // 5,000 caches of 4 KiB would be 20,000 KiB.
    assert!(
        resident_kib("VmRSS") < settled + 8_000,
        "{settled} KiB grew to {} KiB",
        resident_kib("VmRSS")
    );
}

#[test]
fn a_donation_that_nothing_can_take_over_is_reported() {
    let narrow = |x: Tensor| x.sum(0);
    let exe = CPU.compile(narrow, (Donated(Spec::f32([1024])),)).unwrap();
    assert_eq!(exe.any().unused_donations(), Some(vec![("arg0".into(), 4096)]));
}

/// E8: every argument of another shape or type is reported by its path, and untyped calls report
/// every missing, unknown and repeated name.
#[test]
fn arguments_that_do_not_fit_are_reported_together() {
    let add = |x: Tensor, y: Tensor| x + y;
    let exe = CPU.compile(add, (Spec::f32([("n", 3)]), Spec::f32([("n", 3)]))).unwrap();
    let wrong_size = Buffer::from_slice(&CPU, &[1f32; 4], [("n", 4)]).unwrap();
    let wrong_type = Buffer::from_slice(&CPU, &[1i32; 3], [("n", 3)]).unwrap();
    let error = exe.call((&wrong_size, &wrong_type)).unwrap_err().to_string();
    assert!(error.contains("`arg0`: f32[n=3] expected, f32[n=4] found"), "{error}");
    assert!(error.contains("`arg1`: f32[n=3] expected, i32[n=3] found"), "{error}");

    let good = Buffer::from_slice(&CPU, &[1f32; 3], [("n", 3)]).unwrap();
    let named = exe.any().call_named(
        [("arg0", Argument::Borrowed(&good)), ("argo", Argument::Borrowed(&good))],
        &["sum"],
    );
    let error = named.unwrap_err().to_string();
    for part in [
        "`argo`: no such input; there are `arg0`, `arg1`",
        "`arg1`: not given",
        "`sum`: no such output; there are `result`",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let inputs = [("arg1", Argument::Borrowed(&good)), ("arg0", Argument::Borrowed(&good))];
    let results = exe.any().call_named(inputs, &["result", "result"]).unwrap();
    assert_eq!(results[1].to_vec::<f32>().unwrap(), [2.0; 3]);
}

#[test]
fn a_buffer_of_another_platform_is_refused() {
    let other = Platform::builder().plugin("cpu").build().unwrap();
    let exe = CPU.compile(|x: Tensor| x + 1, (Spec::f32([3]),)).unwrap();
    let foreign = Buffer::from_slice(&other, &[1f32; 3], [3]).unwrap();
    let error = exe.call((&foreign,)).unwrap_err().to_string();
    assert!(error.contains("`arg0`: a buffer of this cpu platform expected"), "{error}");
}

#[test]
fn a_bound_buffer_cannot_be_donated_and_keeping_donates_nothing() {
    let read = CPU.compile(|x: Tensor| x + 1, (Spec::f32([3]),)).unwrap();
    let step = CPU.compile(|x: Tensor| (x + 1).reuse(x), (Donated(Spec::f32([3])),)).unwrap();
    let x = Buffer::from_slice(&CPU, &[1f32; 3], [3]).unwrap();
    let bound = read.bind(&x).unwrap();
    let kept = step.keep_donated().call((&x,)).unwrap();
    assert_eq!(kept.to_vec::<f32>().unwrap(), [2.0; 3]);
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0; 3]);
    let error = step.call((x,)).unwrap_err().to_string();
    assert!(
        error.contains("`arg0`: cannot be donated, since an executable has it bound"),
        "{error}"
    );
    assert_eq!(bound.call(()).unwrap().to_vec::<f32>().unwrap(), [2.0; 3]);
}

/// X2: errors of a traced function are values, with the user's line.
#[test]
fn an_error_in_the_function_is_the_error_of_compile() {
    let line = line!() + 1;
    let wrong = |x: Tensor, w: Tensor| x.dot(w, "in");
    let specs = (Spec::f32([("batch", 2), ("in", 3)]), Spec::f32([("in", 4), ("out", 5)]));
    let error = CPU.compile(wrong, specs).unwrap_err().to_string();
    assert!(
        error.starts_with("dot: axis `in` has size 3 on the left and 4 on the right"),
        "{error}"
    );
    assert!(error.contains(&format!("{}:{line}:", file!())), "{error}");
    let error =
        CPU.compile(|x: Tensor| x, (Spec::f32([("a", 1), ("a", 2)]),)).unwrap_err().to_string();
    assert!(error.contains("duplicate axis `a`"), "{error}");
}

/// E15: clones share the program, and each call has slots of its own.
#[test]
fn threads_share_an_executable() {
    let exe =
        CPU.compile(|x: Tensor, y: Tensor| x * y, (Spec::f32([64]), Spec::f32([64]))).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let exe = exe.clone();
            scope.spawn(move || {
                for i in 0..500 {
                    let (a, b) = (thread as f32, i as f32);
                    let x = Buffer::from_slice(&CPU, &[a; 64], [64]).unwrap();
                    let y = Buffer::from_slice(&CPU, &[b; 64], [64]).unwrap();
                    assert_eq!(exe.call((&x, &y)).unwrap().to_vec::<f32>().unwrap(), [a * b; 64]);
                }
            });
        }
    });
}

/// E4: the types of arguments and results follow from those of the function.
#[test]
fn trees_of_every_size_go_through() {
    let none = CPU.compile(|| Tensor::ones(hloom_graph::DType::F32, [2]), ()).unwrap();
    assert_eq!(none.call(()).unwrap().to_vec::<f32>().unwrap(), [1.0; 2]);
    let unchanged = CPU.compile(|x: Tensor| (x, x), (Spec::f32([0, 3]),)).unwrap();
    let empty = Buffer::from_slice::<f32>(&CPU, &[], [0, 3]).unwrap();
    let (a, b) = unchanged.call((&empty,)).unwrap();
    assert_eq!((a.to_string(), b.shape().to_string()), ("[]".into(), "f32[0, 3]".into()));
    let pair =
        CPU.compile(|xs: Vec<Tensor>| (xs[0] + xs[1], xs), (vec![Spec::f32([2]); 2],)).unwrap();
    let xs = Buffer::tree(&CPU, vec![Spec::f32([2]); 2], |_, _| vec![1f32, 2.0]).unwrap();
    let (sum, same) = pair.call((&xs,)).unwrap();
    assert_eq!(sum.to_vec::<f32>().unwrap(), [2.0, 4.0]);
    assert_eq!(same.len(), 2);
    assert_eq!(pair.signature().inputs[1].name, "1");
    assert_eq!(pair.signature().outputs[2].name, "1.1");
}

#[test]
fn a_dump_holds_graph_module_and_optimized_program() {
    let folder = std::env::temp_dir().join(format!("hloom-dump-{}", std::process::id()));
    let compiler = CPU.compiler().name("shout/loud").dump(&folder);
    compiler.compile(|x: Tensor| x * 2, (Spec::f32([3]),)).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let text = |ending: &str| {
        let name = names.iter().find(|name| name.ends_with(ending)).expect("the file is there");
        String::from_utf8_lossy(&std::fs::read(folder.join(name)).unwrap()).into_owned()
    };
    assert!(names.iter().all(|name| name.contains("shout_loud")), "{names:?}");
    assert!(text("graph.txt").contains("%2 = mul %0, %1 : f32[3]"), "{}", text("graph.txt"));
    assert!(text("stablehlo.mlir").contains("stablehlo.multiply"));
    assert!(names.iter().any(|name| name.contains("optimized")), "{names:?}");
    assert!(names.iter().any(|name| name.ends_with("kernels.txt")), "{names:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// E10: a call returns before its result is ready, which is polled, awaited and waited for.
#[test]
fn a_result_can_be_awaited_and_polled() {
    use std::{
        future::{Future, IntoFuture},
        sync::Arc,
        task::{Context, Poll, Wake, Waker},
        thread::Thread,
    };
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let exe = CPU.compile(|x: Tensor| x.dot(x, 0), (Spec::f32([1 << 20]),)).unwrap();
    let x = Buffer::from_slice(&CPU, &vec![1f32; 1 << 20], [1 << 20]).unwrap();
    let y = exe.call((&x,)).unwrap();
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = std::pin::pin!((&y).into_future());
    while future.as_mut().poll(&mut context).map(|done| done.unwrap()) == Poll::Pending {
        std::thread::park();
    }
    assert!(y.try_ready().unwrap());
    assert_eq!(y.item::<f32>().unwrap(), (1 << 20) as f32);
}

#[test]
fn options_of_a_platform_are_those_of_its_programs() {
    let builder = Platform::builder().plugin(plugin_path());
    let platform = builder.xla_option("xla_no_such_option", 1).build().unwrap();
    let program = |x: Tensor| x + 1;
    let specs = || (Spec::f32([1]),);
    let error = platform.compile(program, specs()).map(drop).unwrap_err().to_string();
    assert!(error.contains("xla_no_such_option"), "{error}");
    let without = platform.compiler().without_xla_option("xla_no_such_option");
    let exe = without.compile(program, specs()).expect("the compiler comes after the platform");
    let x = Buffer::from_slice(&platform, &[1f32], [1]).unwrap();
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [2.0]);
}

#[test]
fn options_hold_for_the_platform_that_is_found() {
    let builder = Platform::builder().client_option("cpu_device_count", 3i64);
    let platform = builder.xla_option("xla_no_such_option", 1).build().unwrap();
    if platform.name() == "cpu" {
        assert_eq!(platform.device_count(), 3);
    }
    let compiled = platform.compile(|x: Tensor| x + 1, (Spec::f32([1]),));
    let error = compiled.map(drop).unwrap_err().to_string();
    assert!(error.contains("xla_no_such_option"), "{error}");
}

#[test]
fn a_wrong_option_or_type_is_an_error_of_its_own() {
    let unknown = CPU
        .compiler()
        .xla_option("xla_no_such_option", 1)
        .compile(|x: Tensor| x, (Spec::f32([1]),));
    let error = unknown.unwrap_err().to_string();
    assert!(error.contains("xla_no_such_option"), "{error}");
    let buffer = Buffer::from_slice(&CPU, &[1f32, 2.0], [2]).unwrap();
    let error = buffer.to_vec::<i32>().unwrap_err().to_string();
    let expected = "a buffer of f32[2] has elements of type f32, and not i32: read it as `f32`, or \
        convert it in the program by `convert`";
    assert_eq!(error, expected);
    let error = buffer.read_into(&mut [0f64; 2]).unwrap_err().to_string();
    assert_eq!(error, expected.replace("not i32", "not f64"));
    let error = Buffer::from_slice(&CPU, &[1f32, 2.0], [3]).unwrap_err().to_string();
    assert_eq!(error, "2 elements of type f32 do not fill f32[3], which has 3 of type f32");
    let error = Platform::named("nonsense").unwrap_err().to_string();
    assert!(error.contains("nonsense"), "{error}");
    assert!(!error.contains("meant") && error.contains("this machine has `cpu"), "{error}");
    let error = Platform::named("cpuu").unwrap_err().to_string();
    assert!(error.starts_with("platform `cpuu` (is `cpu` meant?): no PJRT plugin"), "{error}");
}
