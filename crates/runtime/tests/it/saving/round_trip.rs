use super::{check, compile, doubled, load, spec};
use hloom_graph::{PartitionSpec, Reduction, Spec, Tensor, concatenate, manual};
use hloom_runtime::{
    AnyExe, Argument, Buffer, CompilationCache, Donated, Exe, Kernels, LinearKernel, Mesh,
    NO_RESULTS, callback,
};
use hloom_test_support::{CPU, CPUS, Child, cpus};
use std::{
    env,
    sync::atomic::{AtomicUsize, Ordering},
};

#[test]
#[expect(unsafe_code, reason = "the test loads its own program")]
fn a_saved_function_is_loaded() {
    let bytes = compile(&CPU).unwrap().to_bytes().unwrap();
    check(&load(CPU.compiler(), &bytes).unwrap());
    // SAFETY: the bytes are those of a program of this test.
    check(&unsafe { CPU.compiler().load_bytes(&bytes, doubled, spec()) }.unwrap());
}

#[test]
#[expect(unsafe_code, reason = "the test loads its own program")]
fn a_program_is_loaded_without_its_function() {
    let grow = |kept: Tensor, x: Tensor| {
        let next = (kept + x).reuse(kept);
        (next, concatenate(&[x, x], "n"))
    };
    let one = || Spec::f32([("n", 2)]);
    let compiler = CPU.compiler().name("grow").inputs(["kept", "x"]);
    let exe = compiler.compile(grow, (Donated(one()), one())).unwrap();
    let bytes = exe.any().to_bytes().unwrap();
    // SAFETY: the bytes are those of a program of this test.
    let loaded = unsafe { AnyExe::from_bytes(&CPU, &bytes).unwrap() };
    assert_eq!(loaded.name(), "grow");
    assert_eq!(loaded.signature(), exe.any().signature());
    let kept = Buffer::from_slice(&CPU, &[1f32, 2.0], [("n", 2)]).unwrap();
    let x = Buffer::from_slice(&CPU, &[10f32, 20.0], [("n", 2)]).unwrap();
    let results = loaded.call(vec![Argument::Donated(kept), Argument::Borrowed(&x)]).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), [11.0, 22.0]);
    assert_eq!(results[1].to_vec::<f32>().unwrap(), [10.0, 20.0, 10.0, 20.0]);
}

type Pair = (Spec, Spec);

fn solve_and_dot(a: Tensor, b: Tensor) -> (Tensor, Tensor) {
    (a.dot(b, "in"), a.solve(a))
}

/// A program that calls a kernel and the plugin's linear algebra.
fn compile_kernels() -> Exe<Pair, (Tensor, Tensor)> {
    let specs = (Spec::f32([("out", 4), ("in", 4)]), Spec::f32([("row", 5), ("in", 4)]));
    let kernels = Kernels::default().with(LinearKernel::of_any_size());
    let exe = CPU.compiler().kernels(kernels).compile(solve_and_dot, specs).unwrap();
    assert!(!exe.any().kernels().is_empty());
    exe
}

/// The results of a program of [`compile_kernels`].
fn call_kernels(exe: &AnyExe) -> [Vec<f32>; 2] {
    let values: Vec<f32> = (0..20).map(|i| if i % 5 == 0 { 4.0 } else { 0.1 * i as f32 }).collect();
    let a = Buffer::from_slice(&CPU, &values[..16], [("out", 4), ("in", 4)]).unwrap();
    let b = Buffer::from_slice(&CPU, &values, [("row", 5), ("in", 4)]).unwrap();
    let found = exe.call(vec![Argument::Borrowed(&a), Argument::Borrowed(&b)]).unwrap();
    [0, 1].map(|i| found[i].to_vec().unwrap())
}

#[test]
#[expect(unsafe_code, reason = "the test loads its own program")]
fn kernels_and_linear_algebra_are_found_again() {
    let exe = compile_kernels();
    // SAFETY: the bytes are those of a program of this test.
    let loaded = unsafe { AnyExe::from_bytes(&CPU, &exe.any().to_bytes().unwrap()).unwrap() };
    assert_eq!(call_kernels(&loaded), call_kernels(exe.any()));
}

#[test]
#[expect(unsafe_code, reason = "the test loads its own programs")]
fn callbacks_and_meshes_come_with_the_function() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.hloom");
    let exe = CPU.compile(told, spec()).unwrap();
    exe.save(&path).unwrap();
    // SAFETY: the file is of this test.
    let refused = unsafe { AnyExe::load(&CPU, &path) }.unwrap_err().to_string();
    assert!(refused.contains("it calls Rust functions: load it with its function"), "{refused}");
    // SAFETY: as above.
    let loaded = unsafe { CPU.compiler().load(&path, told, spec()) }.unwrap();
    check_told(&loaded);
    let renamed = |x: Tensor| {
        callback("other", x, NO_RESULTS, |_, _, _| Ok(()));
        x + 1.0
    };
    // SAFETY: as above.
    let refused = unsafe { CPU.compiler().load(&path, renamed, spec()) }.unwrap_err().to_string();
    assert!(refused.contains("it calls the Rust functions [told], [other] expected"), "{refused}");

    let mesh = two();
    mesh.compile(sum, input(true)).unwrap().save(&path).unwrap();
    // SAFETY: as above.
    let refused = unsafe { AnyExe::load(&CPUS, &path) }.unwrap_err().to_string();
    assert!(refused.contains("it runs on a mesh: load it with its function"), "{refused}");
    // SAFETY: as above.
    check_sum(&unsafe { mesh.compiler().load(&path, sum, input(true)) }.unwrap());
    let four = Mesh::new(&CPUS, [("data", 4)]).unwrap();
    // SAFETY: as above.
    let refused = unsafe { four.compiler().load(&path, sum, input(true)) };
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("it runs on 2 devices, 4 expected"), "{refused}");
    // SAFETY: as above.
    let refused = unsafe { mesh.compiler().load(&path, sum, input(false)) };
    let refused = refused.unwrap_err().to_string();
    let differs = "input `arg0`: f32[n=4] over data=2 expected, f32[n=4/data] over data=2 found";
    assert!(refused.contains(differs), "{refused}");
}

#[test]
#[expect(unsafe_code, reason = "the test loads its own program")]
fn kernels_of_several_devices_are_found_again() {
    let product = |x: Tensor, w: Tensor| {
        let columns = PartitionSpec::shard("in", "data");
        manual((x, w), (columns, columns), PartitionSpec::replicated(), |(x, w)| {
            x.dot(w, "in").all_reduce(Reduction::Sum, "data")
        })
    };
    let spec = |axis: &str, size| Spec::f32([(axis, size), ("in", 4)]).shard("in", "data");
    let (mesh, specs) = (two(), || (spec("row", 1), spec("out", 3)));
    let compiler = || mesh.compiler().kernels(Kernels::off().with(LinearKernel::of_any_size()));
    let exe = compiler().compile(product, specs()).unwrap();
    assert_eq!(exe.kernels().len(), 1);
    // SAFETY: the bytes are those of a program of this test.
    let loaded =
        unsafe { compiler().load_bytes(&exe.any().to_bytes().unwrap(), product, specs()).unwrap() };
    assert_eq!(loaded.kernels(), exe.kernels());
    let values: Vec<f32> = (1..=12u8).map(f32::from).collect();
    let place = |spec: Spec| mesh.sharding(&spec).unwrap();
    let x = Buffer::from_slice(&place(specs().0), &values[..4], [("row", 1), ("in", 4)]).unwrap();
    let w = Buffer::from_slice(&place(specs().1), &values, [("out", 3), ("in", 4)]).unwrap();
    assert_eq!(loaded.call((&x, &w)).unwrap().to_vec::<f32>().unwrap(), [30.0, 70.0, 110.0]);
}

#[test]
fn what_was_loaded_is_saved_again() {
    let platform = cpus(1);
    platform.set_cache(CompilationCache::in_memory());
    for hits in 0..2 {
        let exe = compile(&platform).unwrap();
        assert_eq!(platform.cache_stats().memory_hits, hits);
        let loaded = load(platform.compiler(), &exe.any().to_bytes().unwrap()).unwrap();
        check(&loaded);
        check(&load(platform.compiler(), &loaded.any().to_bytes().unwrap()).unwrap());
    }
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

fn told(x: Tensor) -> Tensor {
    callback("told", x, NO_RESULTS, |_, _, _| {
        CALLS.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    x + 1.0
}

fn check_told(exe: &Exe<(Spec,), Tensor>) {
    let x = Buffer::from_slice(&CPU, &[1f32, 2.0, 3.0], [("n", 3)]).unwrap();
    let before = CALLS.load(Ordering::Relaxed);
    assert_eq!(exe.call((&x,)).unwrap().to_vec::<f32>().unwrap(), [2.0, 3.0, 4.0]);
    assert_eq!(CALLS.load(Ordering::Relaxed), before + 1);
}

fn two() -> Mesh {
    Mesh::new(&CPUS, [("data", 2)]).unwrap()
}

/// An input of a mesh, split or not.
fn input(is_split: bool) -> (Spec,) {
    let whole = Spec::f32([("n", 4)]);
    (if is_split { whole.shard("n", "data") } else { whole.replicated() },)
}

fn sum(x: Tensor) -> (Tensor, Tensor) {
    (x.sum("n"), (x * 2.0).constrain(PartitionSpec::shard("n", "data")))
}

fn check_sum(exe: &Exe<(Spec,), (Tensor, Tensor)>) {
    let sharding = exe.signature().inputs[0].sharding.clone().unwrap();
    let x = Buffer::from_slice(&sharding, &[1f32, 2.0, 3.0, 4.0], [("n", 4)]).unwrap();
    let (total, twice) = exe.call((&x,)).unwrap();
    assert_eq!(total.to_vec::<f32>().unwrap(), [10.0]);
    assert_eq!(twice.to_vec::<f32>().unwrap(), [2.0, 4.0, 6.0, 8.0]);
}

/// E14: files that one process wrote are loaded by another: a program that calls nothing, one with
/// a kernel and linear algebra, one with a Rust function, and one on two devices.
#[test]
fn another_process_loads_what_this_one_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    compile(&CPU).unwrap().save(file("doubled")).unwrap();
    let kernels = compile_kernels();
    kernels.save(file("kernels")).unwrap();
    let computed = call_kernels(kernels.any()).concat();
    let computed: Vec<u8> = computed.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(file("computed"), computed).unwrap();
    CPU.compile(told, spec()).unwrap().save(file("told")).unwrap();
    two().compile(sum, input(true)).unwrap().save(file("sum")).unwrap();
    let child = Child::ignored("saving::round_trip::child_loads");
    child.env("HLOOM_TEST_FOLDER", folder.path()).run().passed();
}

#[test]
#[ignore = "run by the test above"]
#[expect(unsafe_code, reason = "the test loads its own programs")]
fn child_loads() {
    let folder = env::var_os("HLOOM_TEST_FOLDER").expect("the parent set it");
    let file = |name: &str| std::path::Path::new(&folder).join(name);
    // SAFETY: the parent wrote the files.
    check(&unsafe { CPU.compiler().load(file("doubled"), doubled, spec()) }.unwrap());
    // SAFETY: as above.
    let kernels = unsafe { AnyExe::load(&CPU, file("kernels")) }.unwrap();
    let computed = call_kernels(&kernels).concat();
    let computed: Vec<u8> = computed.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(computed, std::fs::read(file("computed")).unwrap());
    // SAFETY: as above.
    check_told(&unsafe { CPU.compiler().load(file("told"), told, spec()) }.unwrap());
    // SAFETY: as above.
    check_sum(&unsafe { two().compiler().load(file("sum"), sum, input(true)) }.unwrap());
}
