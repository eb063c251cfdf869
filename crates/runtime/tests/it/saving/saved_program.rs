use super::{compile, doubled, spec};
use hloom_graph::{PartitionSpec, Spec, Tensor};
use hloom_pjrt::NamedValue;
use hloom_runtime::{
    CompilationCache, Donated, Error, Kernels, LinearKernel, LoadError, Mesh, NO_RESULTS,
    SavedProgram, StableHlo, callback,
};
use hloom_test_support::{CPU, CPUS, cpus, is_alone};

#[test]
fn a_file_tells_what_its_executable_does() {
    let grow = |kept: Tensor, x: Tensor| ((kept + x).reuse(kept), x.exp());
    let one = || Spec::f32([("n", 100)]);
    let platform = cpus(1);
    // The plugin reports less about a program that was loaded from a cache.
    platform.set_cache(None);
    let compiler = platform.compiler().name("grow").inputs(["kept", "x"]);
    let exe = compiler.compile(grow, (Donated(one()), one())).unwrap();
    let exe = exe.any();
    let bytes = exe.to_bytes().unwrap();
    let saved = SavedProgram::from_bytes(&bytes).unwrap();
    assert_eq!(saved.name(), "grow");
    assert_eq!(saved.signature(), Some(exe.signature()));
    assert_eq!((saved.callbacks().len(), saved.kernels().len(), saved.mesh()), (0, 0, None));
    assert!(saved.platform().starts_with("cpu"), "{}", saved.platform());
    assert_eq!(saved.plugin_hash().len(), 64);
    assert_eq!(saved.devices(), [platform.devices()[0].kind()]);
    assert!(!saved.processor().is_empty() && !saved.options().is_empty());
    let flags = std::env::var("XLA_FLAGS").map_or(String::new(), |f| format!("XLA_FLAGS={f}\n"));
    assert!(saved.environment().starts_with(&flags), "{}", saved.environment());
    assert_eq!(saved.environment().is_empty(), flags.is_empty(), "{}", saved.environment());
    assert_eq!(saved.hloom_version(), env!("CARGO_PKG_VERSION"));
    let code = exe.as_pjrt().executable().serialize().unwrap();
    assert_eq!(saved.code_size(), code.len());
    let (kept, found) = (exe.memory().unwrap(), saved.memory().unwrap());
    assert_eq!((found.arguments, found.outputs, found.aliases), (800, kept.outputs, 400));
    assert_eq!(found.requirements(), kept.requirements());
    assert_eq!(found.peak, kept.peak);
    assert!(exe.compiled_kernels().unwrap().flops() >= 100);
    assert_eq!(saved.cost()["flops"], exe.cost().unwrap()["flops"]);
    let NamedValue::Float(bytes) = saved.cost()["bytes accessed"] else { panic!("a number") };
    assert!((1600.0..10_000.0).contains(&bytes), "{bytes}");
    // The plugin writes maps in any order.
    let (format, program) = exe.optimized_program().unwrap();
    let (saved_format, saved_program) = saved.optimized_program().unwrap();
    assert_eq!((saved_format, saved_program.len()), (&*format, program.len()));
    let names = |part: &str| saved_program.windows(part.len()).any(|at| at == part.as_bytes());
    assert!(names("grow") && names("exponential") && names("saved_program.rs"));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program.hloom");
    exe.save(&path).unwrap();
    let read = SavedProgram::read(&path).unwrap();
    assert_eq!(format!("{read:?}"), format!("{saved:?}"));
    assert_eq!(read.structure_hash(), saved.structure_hash());
    let missing = SavedProgram::read(folder.path().join("none")).unwrap_err();
    assert!(matches!(missing, Error::SavedProgram { source, .. }
        if matches!(*source, LoadError::Io(_))));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_without_a_wait() {
    // Alone: a process that waits is killed.
    if !is_alone("saving::saved_program::a_pipe_is_refused_without_a_wait") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let errors = [
        SavedProgram::read(&pipe).map(drop).unwrap_err().to_string(),
        StableHlo::read(&pipe).map(drop).unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(error.contains("it is not a regular file"), "{error}");
    }
}

#[test]
fn needs_are_those_of_the_program() {
    let with_callback = |x: Tensor| {
        callback("nothing", x, NO_RESULTS, |_, _, _| Ok(()));
        x + 1.0
    };
    let of = |bytes: Vec<u8>| SavedProgram::from_bytes(&bytes).unwrap();
    let saved = of(CPU.compile(with_callback, spec()).unwrap().any().to_bytes().unwrap());
    assert_eq!(saved.callbacks(), ["nothing"]);

    let kernels = Kernels::default().with(LinearKernel::of_any_size());
    let specs = (Spec::f32([("out", 4), ("in", 4)]), Spec::f32([("row", 5), ("in", 4)]));
    let compiler = CPU.compiler().kernels(kernels);
    let exe = compiler.compile(|a: Tensor, b: Tensor| a.dot(b, "in"), specs).unwrap();
    let saved = of(exe.any().to_bytes().unwrap());
    let names: Vec<&str> = exe.any().kernels().iter().map(|kernel| &*kernel.name).collect();
    assert!(!names.is_empty() && saved.kernels() == names, "{:?}", saved.kernels());

    let mesh = Mesh::new(&CPUS, [("data", 2)]).unwrap();
    let doubled = |x: Tensor| doubled(x).constrain(PartitionSpec::shard("n", "data"));
    let exe = mesh.compile(doubled, (Spec::f32([("n", 4)]).shard("n", "data"),)).unwrap();
    let saved = of(exe.any().to_bytes().unwrap());
    assert_eq!((saved.mesh(), saved.devices().len()), (Some(2), 2));
    assert_eq!(saved.signature().unwrap().inputs[0].shape.to_string(), "f32[n=4]");
}

#[test]
fn entries_of_caches_have_the_signature_of_their_trace() {
    let folder = tempfile::tempdir().unwrap();
    let platform = cpus(1);
    let cache = CompilationCache::at(folder.path());
    platform.set_cache(cache.clone());
    let before = std::time::SystemTime::now() - std::time::Duration::from_secs(10);
    compile(&platform).unwrap();
    let entries = cache.entries().unwrap();
    assert!(entries[0].used > before, "{entries:?}");
    let saved = SavedProgram::read(&entries[0].path).unwrap();
    assert_eq!(saved.name(), entries[0].program);
    assert!(saved.signature().is_none() && saved.memory().is_none() && saved.cost().is_empty());
    assert!(saved.optimized_program().is_none() && saved.code_size() > 0);
}
