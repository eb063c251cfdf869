//! Programs in StableHLO that JAX and PyTorch wrote, in every form that they write.

use crate::{
    platforms::{cpu, cpus},
    reference::{Tolerance, Values, ulps},
};
use hloom::{
    Argument, Buffer, ForeignExe, Platform, StableHlo,
    io::{Checkpoint, StableHloFolder},
    sandbox::{Limits, Sandbox},
};
use hloom_test_support::{LoadOwn, sandbox_program};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::Duration,
};

fn fixtures(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stablehlo").join(of)
}

/// Sandboxes whose child is `hloom-sandbox`.
static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
    let program = sandbox_program(env!("CARGO"), env!("CARGO_MANIFEST_DIR"));
    Sandbox::new().program(program)
});

/// Loads a program of a stranger.
fn load(platform: &Platform, program: &StableHlo) -> hloom::Result<ForeignExe> {
    platform.compiler().sandbox(SANDBOX.clone()).load_stablehlo(program)
}

/// The folders of the programs of one system.
fn cases(of: &str) -> Vec<PathBuf> {
    let listed = fs::read_dir(fixtures(of)).expect("the fixtures are there");
    let mut folders: Vec<_> = listed.map(|entry| entry.expect("it is read").path()).collect();
    folders.sort();
    folders
}

/// Calls a program by the names of its inputs, and compares its outputs by their names.
fn check(exe: &ForeignExe, folder: &Path, tolerance: Tolerance) -> Result<(), String> {
    let open = |file: &str| Checkpoint::open(folder.join(file)).map_err(|e| e.to_string());
    let (inputs, outputs) = (open("inputs.safetensors")?, open("outputs.safetensors")?);
    let mut given = Vec::new();
    for name in inputs.names() {
        let tensor = inputs.get(name).expect("it is listed");
        let bytes = tensor.bytes().map_err(|e| e.to_string())?;
        let at = exe.signature().input(name).ok_or(format!("there is no input `{name}`"))?;
        let buffer = match &exe.signature().inputs[at].sharding {
            Some(sharding) => Buffer::from_bytes(sharding, tensor.shape(), &bytes),
            None => Buffer::from_bytes(exe.platform(), tensor.shape(), &bytes),
        };
        given.push((name, Argument::Donated(buffer.map_err(|e| e.to_string())?)));
    }
    let names: Vec<&str> = exe.signature().outputs.iter().map(|o| o.name.as_str()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    if sorted != outputs.names().collect::<Vec<_>>() {
        return Err(format!(
            "outputs {names:?}, expected {:?}",
            outputs.names().collect::<Vec<_>>()
        ));
    }
    let results = exe.call_named(given, &names).map_err(|e| e.to_string())?;
    for (name, result) in names.into_iter().zip(results) {
        let expected = outputs.get(name).expect("the names are equal");
        let bytes = expected.bytes().map_err(|e| e.to_string())?;
        let expected = Values { shape: expected.shape(), bytes };
        let found = result.to_bytes().map_err(|e| e.to_string())?;
        tolerance.check(&expected, result.shape(), &found).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// Runs all programs of one system, in this process and in a sandbox.
fn run_all(of: &str, at_least: usize, read: impl Fn(&Path) -> Result<Read, String>) {
    let (mut failures, cases) = (Vec::new(), cases(of));
    for folder in &cases {
        let tolerance = ulps(64).of_largest();
        for is_trusted in [true, false] {
            let loaded = read(folder).and_then(|read| read.load(is_trusted));
            let checked = loaded.and_then(|exe| {
                assert_eq!(exe.is_sandboxed(), !is_trusted);
                check(&exe, folder, tolerance)
            });
            let place = if is_trusted { "here" } else { "in a sandbox" };
            failures.extend(
                checked.err().map(|error| format!("{} {place}: {error}", folder.display())),
            );
        }
    }
    assert!(cases.len() >= at_least, "{} programs", cases.len());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// A program that was read, and what it runs on.
struct Read {
    program: StableHlo,
    weights: Option<StableHloFolder>,
    platform: &'static Platform,
}

impl Read {
    fn load(&self, is_trusted: bool) -> Result<ForeignExe, String> {
        let exe = if is_trusted {
            self.platform.compiler().load_own(&self.program).map(ForeignExe::from)
        } else {
            load(self.platform, &self.program)
        };
        let exe = exe.map_err(|e| e.to_string())?;
        match &self.weights {
            Some(folder) => folder.bind(exe).map_err(|e| e.to_string()),
            None => Ok(exe),
        }
    }
}

fn program_of(folder: &Path) -> PathBuf {
    let forms = ["program.jax", "program.mlir", "program.bytecode"].map(|form| folder.join(form));
    forms.into_iter().find(|path| path.exists()).expect("there is a program")
}

/// G7: programs of JAX as text, as portable artifacts and as `jax.export` serializes them.
#[test]
fn functions_exported_by_jax_compute_what_jax_does() {
    run_all("jax", 20, |folder| {
        let program = StableHlo::read(program_of(folder)).map_err(|e| e.to_string())?;
        Ok(Read { program, weights: None, platform: cpus() })
    });
}

#[test]
fn modules_exported_by_pytorch_compute_what_pytorch_does() {
    run_all("torch", 10, |folder| {
        let folder = StableHloFolder::read(folder.join("program")).map_err(|e| e.to_string())?;
        let program = folder.program().clone();
        Ok(Read { program, weights: Some(folder), platform: cpu() })
    });
}

#[test]
fn a_sharded_program_is_split_as_it_says() {
    let folder = fixtures("jax/sharded");
    let program = StableHlo::read(program_of(&folder)).unwrap();
    assert_eq!(program.device_count(), 4);
    let exe = load(cpus(), &program).unwrap();
    let mesh = exe.mesh().expect("it runs on a mesh");
    assert_eq!(mesh.shape().to_string(), "[rows=2, columns=2]");
    let x = &exe.signature().inputs[exe.signature().input("x").unwrap()];
    assert_eq!(x.shape.to_string(), "f32[4, 6]");
    assert!(!x.sharding.as_ref().unwrap().is_replicated());
    let error = load(&Platform::cpu().unwrap(), &program).unwrap_err().to_string();
    assert!(error.contains("it runs on 4 devices, and cpu"), "{error}");
}

#[test]
fn what_a_program_tells_is_known_before_it_is_compiled() {
    let program = StableHlo::read(program_of(&fixtures("jax/mlp"))).unwrap();
    let shown = |values: Option<&[hloom::runtime::StableHloValue]>| {
        values.unwrap().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        shown(program.inputs()),
        "_: f32[5]; _: f32[4, 5]; _: f32[3]; _: f32[5, 3]; _: f32[2, 4]"
    );
    assert_eq!(shown(program.outputs()), "logits: f32[2, 3]; probabilities: f32[2, 3]");
    let text = StableHlo::read(program_of(&fixtures("jax/mlp_text"))).unwrap();
    assert_eq!(
        shown(text.inputs()),
        "params.layers.0.b: f32[5]; params.layers.0.w: f32[4, 5]; params.layers.1.b: f32[3]; \
         params.layers.1.w: f32[5, 3]; x: f32[2, 4]"
    );
}

#[test]
fn arguments_that_the_export_left_out_are_named() {
    let program = StableHlo::read(program_of(&fixtures("jax/unused"))).unwrap();
    let sandboxed = load(cpu(), &program).unwrap();
    let here = ForeignExe::from(cpu().compiler().load_own(&program).unwrap());
    let buffer = |size: usize| Buffer::zeros(cpu(), hloom::Spec::f32([size]).shape()).unwrap();
    let (a, unused, b) = (buffer(3), buffer(2), buffer(3));
    for exe in [sandboxed, here] {
        let given = [&a, &unused, &b].map(Argument::Borrowed).into();
        let error = exe.call(given).unwrap_err().to_string();
        let expected = "2 buffers expected, 3 found\n  argument 1 of 0 to 2 of the exported \
                        function is not in the program, since no output depends on it: leave out \
                        its buffer";
        assert!(error.ends_with(expected), "{error}");
        let named = [("a", &a), ("unused", &unused), ("b", &b)];
        let named = named.map(|(name, buffer)| (name, Argument::Borrowed(buffer)));
        let error = exe.call_named(named, &["result"]).unwrap_err().to_string();
        assert!(error.contains("`unused`: no such input"), "{error}");
        assert!(error.contains("argument 1 of 0 to 2 of the exported function"), "{error}");
        let given = [&a].map(Argument::Borrowed).into();
        let error = exe.call(given).unwrap_err().to_string();
        assert!(error.ends_with("2 buffers expected, 1 found"), "{error}");
        assert!(exe.call([&a, &b].map(Argument::Borrowed).into()).is_ok());
    }
}

#[test]
fn programs_that_cannot_run_say_why() {
    let refused = |file: &str| {
        let program = StableHlo::read(fixtures("refused").join(file));
        let loaded = program.and_then(|program| load(cpu(), &program));
        loaded.unwrap_err().to_string()
    };
    let symbolic = refused("symbolic.jax");
    assert!(symbolic.contains("the symbolic size `batch`"), "{symbolic}");
    let other = refused("other_platform.jax");
    assert!(other.contains("it was exported for tpu, not for cpu"), "{other}");
    let missing = refused("nothing.jax");
    assert!(missing.contains("nothing.jax") && missing.contains("cannot be read"), "{missing}");
    let wrong = StableHlo::from_text("func.func @main(%x: tensor<3xf32>) -> tensor<4xf32> {}");
    let error = load(cpu(), &wrong).unwrap_err().to_string();
    let expected = "the program `main` is not used: compiling in the sandbox: ";
    assert!(error.starts_with(expected) && error.contains("terminator"), "{error}");
    let error = cpu().compiler().load_own(&wrong).unwrap_err().to_string();
    assert!(error.starts_with("`main` does not compile"), "{error}");
}

fn calling(target: &str) -> StableHlo {
    StableHlo::from_text(&format!(
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
           %y = stablehlo.custom_call @{target}(%x) {{api_version = 4 : i32}} : (tensor<3xf32>) -> tensor<3xf32>
           return %y : tensor<3xf32>
         }}"
    ))
}

#[test]
fn custom_calls_need_permission() {
    // A handler of this process, which a stranger's program must not reach.
    let plugin = cpu().client().plugin();
    hloom::runtime::register_callback_targets(plugin, "cpu").expect("the plugin has callbacks");
    for target in ["somebody_else", "__somebody_else", "hloom.callback.v1"] {
        let expected = format!(
            "the program `main` is not used: it calls `{target}`: `Compiler::allow_custom_calls` \
             permits it to a program that runs in this process"
        );
        let here = cpu().compiler().load_own(&calling(target)).map(ForeignExe::from);
        for loaded in [here, load(cpu(), &calling(target))] {
            assert_eq!(loaded.unwrap_err().to_string(), expected);
        }
    }
    let program = calling("hloom.callback.v1");
    let allowed = || {
        let compiler = cpu().compiler().sandbox(SANDBOX.clone());
        // SAFETY: it is not called.
        unsafe { compiler.allow_custom_calls(["hloom.callback.v1"]) }
    };
    allowed().load_own(&program).expect("it is allowed");
    assert_eq!(
        allowed().load_stablehlo(&program).unwrap_err().to_string(),
        "the program `main` is not used: it may call `hloom.callback.v1`, which a sandbox does not \
         have: `load_stablehlo_trusted` runs it in this process"
    );
}

#[test]
fn a_program_in_a_sandbox_is_bound_called_and_saved() {
    let text = "func.func @main(
          %x: tensor<2x3xf32> loc(\"x\"), %w: tensor<3xf32> loc(\"w\"), %empty: tensor<0xi8>)
          -> (tensor<2x3xf32>, tensor<i1>, tensor<2x3xbf16>) {
        %0 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
        %1 = stablehlo.multiply %x, %0 : tensor<2x3xf32>
        %2 = stablehlo.constant dense<true> : tensor<i1>
        %3 = stablehlo.convert %1 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
        return %1, %2, %3 : tensor<2x3xf32>, tensor<i1>, tensor<2x3xbf16>
      }";
    let exe = load(cpu(), &StableHlo::from_text(text)).unwrap();
    let x = Buffer::array(cpu(), [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]).unwrap();
    let w = exe.buffer_for("w", &[1.0f32, 10.0, 100.0]).unwrap();
    let empty = exe.zeros_for("arg2").unwrap();
    let bound = exe.bind_named([("w", &w)]).unwrap();
    let free: Vec<&str> = bound.free_inputs().map(|input| input.name.as_str()).collect();
    assert_eq!(free, ["x", "arg2"]);
    let given = || vec![Argument::Borrowed(&x), Argument::Borrowed(&empty)];
    let results = bound.call(given()).unwrap();
    let expected = [1.0, 20.0, 300.0, 4.0, 50.0, 600.0];
    assert_eq!(results[0].to_vec::<f32>().unwrap(), expected);
    assert!(results[1].item::<bool>().unwrap());
    assert_eq!(results[2].shape().to_string(), "bf16[2, 3]");
    // Results by name, one of them twice, and all that is wrong in one error.
    let named = [("x", Argument::Borrowed(&x)), ("arg2", Argument::Borrowed(&empty))];
    let twice = bound.call_named(named, &["result0", "result0"]).unwrap();
    assert_eq!(twice[1].to_vec::<f32>().unwrap(), expected);
    let error = exe.call(vec![Argument::Borrowed(&w)]).unwrap_err().to_string();
    assert!(error.contains("3 buffers expected, 1 found"), "{error}");
    assert!(error.contains("`x`: f32[2, 3] expected, f32[3] found"), "{error}");
    let error = exe.bind_named([("y", &w)]).unwrap_err().to_string();
    assert!(error.contains("`y`"), "{error}");
    assert!(exe.memory().unwrap().arguments >= 36, "{:?}", exe.memory());
    let (format, program) = exe.optimized_program().unwrap();
    assert!(format.starts_with("hlo") && !program.is_empty(), "{format}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scale.hloom");
    exe.save(&file).unwrap();
    let saved = hloom::SavedProgram::read(&file).unwrap();
    assert!(saved.is_foreign() && saved.optimized_program().is_some());
    // SAFETY: the program is the one above.
    let loaded = unsafe { hloom::AnyExe::load(cpu(), &file) }.unwrap();
    let results = loaded.bind_named([("w", &w)]).unwrap().call(given()).unwrap();
    assert_eq!(results[0].to_vec::<f32>().unwrap(), expected);
}

#[test]
fn only_the_cpu_has_a_sandbox() {
    let program = StableHlo::from_text("func.func @main() { return }");
    for platform in crate::platforms::platforms().iter().filter(|one| one.name() != "cpu") {
        let error = load(platform, &program).unwrap_err().to_string();
        assert!(error.contains("load_stablehlo_trusted"), "{error}");
    }
    let missing = Sandbox::new().program("/no/such/program");
    let compiler = cpu().compiler().sandbox(missing);
    let error = compiler.load_stablehlo(&program).unwrap_err().to_string();
    assert!(error.contains("/no/such/program"), "{error}");
}

#[test]
fn hostile_programs_are_errors() {
    // One of each kind, with a part of the error; the crate of the sandbox runs all of them.
    let files = [
        ("calls_rec.mlir", "its function `f` calls itself"),
        ("outfeed.mlir", "`stablehlo.outfeed`, which waits for another program"),
        ("topk_batch.mlir", "it calls `TopK`"),
        ("__onednn_matmul_a.mlir", "it calls `__onednn$matmul`"),
        ("mut11_00012.bytecode", "compiling in the sandbox: the child process ended with signal"),
        ("sort_ge2.mlir", "a call in the sandbox"),
    ];
    let second = Duration::from_secs(1);
    let limits = Limits { compile: 60 * second, call: second, ..Limits::default() };
    for (file, expected) in files {
        let program = StableHlo::read(fixtures("hostile").join(file)).unwrap();
        let compiler = cpu().compiler().sandbox(SANDBOX.clone().limits(limits.clone()));
        let outcome = compiler.load_stablehlo(&program).and_then(|exe| {
            let inputs = exe.signature().inputs.iter();
            let inputs = inputs.map(|input| Buffer::zeros(cpu(), input.shape));
            let inputs: Vec<Buffer> = inputs.collect::<Result<_, _>>()?;
            exe.call(inputs.iter().map(Argument::Borrowed).collect())
        });
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains(expected), "{file}: {error}");
    }
}

#[test]
fn damaged_files_are_errors() {
    let bytes = fs::read(program_of(&fixtures("jax/sharded"))).unwrap();
    for length in (0..bytes.len()).step_by(7) {
        drop(StableHlo::from_bytes(&bytes[..length]));
    }
    let mut read = 0;
    for at in 0..bytes.len() {
        for bit in [1, 0x80] {
            let mut damaged = bytes.clone();
            damaged[at] ^= bit;
            read += usize::from(StableHlo::from_bytes(&damaged).is_ok());
        }
    }
    assert!(read > 0, "the bytes of the module do not matter for reading");
}
