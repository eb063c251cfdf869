//! Programs in StableHLO that JAX and PyTorch wrote, in every form that they write.

use crate::{
    platforms::{cpu, cpus},
    reference::{Tolerance, Values, ulps},
};
use hloom::{
    AnyExe, Buffer, Given, Platform, StableHlo,
    io::{Checkpoint, StableHloFolder},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn fixtures(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stablehlo").join(of)
}

/// The folders of the programs of one system.
fn cases(of: &str) -> Vec<PathBuf> {
    let listed = fs::read_dir(fixtures(of)).expect("the fixtures are there");
    let mut folders: Vec<_> = listed.map(|entry| entry.expect("it is read").path()).collect();
    folders.sort();
    folders
}

/// Calls a program by the names of its inputs, and compares its outputs by their names.
fn check(exe: &AnyExe, folder: &Path, tolerance: Tolerance) -> Result<(), String> {
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
        given.push((name, Given::Donated(buffer.map_err(|e| e.to_string())?)));
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
        let bytes = expected.bytes().map_err(|e| e.to_string())?.into_owned();
        let expected = Values { shape: expected.shape(), bytes };
        let found = result.to_bytes().map_err(|e| e.to_string())?;
        tolerance.check(&expected, result.shape(), &found).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// Runs all programs of one system.
fn run_all(of: &str, at_least: usize, load: impl Fn(&Path) -> Result<AnyExe, String>) {
    let (mut failures, cases) = (Vec::new(), cases(of));
    for folder in &cases {
        let tolerance = ulps(64).of_largest();
        let checked = load(folder).and_then(|exe| check(&exe, folder, tolerance));
        failures.extend(checked.err().map(|error| format!("{}: {error}", folder.display())));
    }
    assert!(cases.len() >= at_least, "{} programs", cases.len());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
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
        cpus().load_stablehlo(&program).map_err(|e| e.to_string())
    });
}

#[test]
fn modules_exported_by_pytorch_compute_what_pytorch_does() {
    run_all("torch", 10, |folder| {
        let program = StableHloFolder::read(folder.join("program")).map_err(|e| e.to_string())?;
        program.load(cpu()).map_err(|e| e.to_string())
    });
}

#[test]
fn a_sharded_program_is_split_as_it_says() {
    let folder = fixtures("jax/sharded");
    let program = StableHlo::read(program_of(&folder)).unwrap();
    assert_eq!(program.device_count(), 4);
    let exe = cpus().load_stablehlo(&program).unwrap();
    let mesh = exe.mesh().expect("it runs on a mesh");
    assert_eq!(mesh.shape().to_string(), "[rows=2, columns=2]");
    let x = &exe.signature().inputs[exe.signature().input("x").unwrap()];
    assert_eq!(x.shape.to_string(), "f32[4, 6]");
    assert!(!x.sharding.as_ref().unwrap().is_replicated());
    let error = Platform::cpu().unwrap().load_stablehlo(&program).unwrap_err().to_string();
    assert!(error.contains("it runs on 4 devices, and cpu"), "{error}");
}

#[test]
fn what_a_program_tells_is_known_before_it_is_compiled() {
    let program = StableHlo::read(program_of(&fixtures("jax/mlp"))).unwrap();
    let shown = |values: Option<&[hloom::StableHloValue]>| {
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
fn programs_that_cannot_run_say_why() {
    let refused = |file: &str| {
        let program = StableHlo::read(fixtures("refused").join(file));
        let loaded = program.and_then(|program| cpu().load_stablehlo(&program));
        loaded.unwrap_err().to_string()
    };
    let symbolic = refused("symbolic.jax");
    assert!(symbolic.contains("the symbolic size `batch`"), "{symbolic}");
    let other = refused("other_platform.jax");
    assert!(other.contains("it was exported for tpu, not for cpu"), "{other}");
    let missing = refused("nothing.jax");
    assert!(missing.contains("nothing.jax") && missing.contains("cannot be read"), "{missing}");
    let wrong = StableHlo::from_text("func.func @main(%x: tensor<3xf32>) -> tensor<4xf32> {}");
    let error = cpu().load_stablehlo(&wrong).unwrap_err().to_string();
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
    for target in ["somebody_else", "__somebody_else"] {
        let error = cpu().load_stablehlo(&calling(target)).unwrap_err().to_string();
        assert!(error.contains(target), "{error}");
    }
    // A handler of this process, which a stranger's program must not reach.
    let plugin = cpu().client().plugin();
    hloom::runtime::register_callback_targets(plugin, "cpu").expect("the plugin has callbacks");
    let program = calling("hloom.callback.v1");
    let error = cpu().load_stablehlo(&program).unwrap_err().to_string();
    assert_eq!(
        error,
        "the program `main` is not used: it calls `hloom.callback.v1`, which would run in this \
         process: `Compiler::allow_custom_calls` permits it"
    );
    // SAFETY: it is not called.
    let allowed = unsafe { cpu().compiler().allow_custom_calls(["hloom.callback.v1"]) };
    allowed.load_stablehlo(&program).expect("it is allowed");
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
