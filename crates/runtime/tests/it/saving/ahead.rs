//! Programs compiled for devices that this machine need not have. The plugins are large, so the
//! tests are ignored unless `cargo xtask test --plugins cuda13,tpu` runs them.

use super::{doubled, load, spec};
use hloom_graph::{Spec, Tensor};
use hloom_runtime::{Gpu, SavedProgram, StableHlo, Topology, sandbox::Sandbox};
use hloom_test_support::{CPU, sandbox_program};

fn installed(name: &str) {
    let path = pjrt_plugins::ensure(name).expect("the plugin can be installed");
    hloom_pjrt::Plugin::load(path).unwrap_or_else(|error| panic!("{error}"));
}

/// Compiles a function and a module, alone and over a mesh.
fn compiles(target: &str) {
    let topology = Topology::parse(target).unwrap_or_else(|error| panic!("{error}"));
    println!("{topology}: {:?}", topology.devices());
    let program = topology.compile(doubled, spec()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.signature().inputs[0].shape.to_string(), "f32[n=3]");
    println!("{:?}", program.memory());
    let cost = program.cost().unwrap_or_else(|error| panic!("{error}"));
    assert!(cost.contains_key("flops") && cost.contains_key("bytes accessed"), "{cost:?}");
    // The file names its target, and nobody else's plugin loads it.
    let error = load(CPU.compiler(), program.to_bytes()).unwrap_err().to_string();
    let platform = topology.platform();
    assert!(error.contains(&format!("platform `cpu`, was `{platform}`")), "{error}");

    let module = StableHlo::from_text(
        "func.func @main(%x: tensor<4xf32> loc(\"x\")) -> tensor<4xf32> {
           %y = stablehlo.sine %x : tensor<4xf32>
           return %y : tensor<4xf32>
         }",
    );
    let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let child = sandbox_program(env!("CARGO"), workspace);
    // SAFETY: the module is the one above.
    let trusted = unsafe { topology.compile_stablehlo_trusted(&module) };
    let confined =
        topology.compiler().sandbox(Sandbox::new().program(&child)).compile_stablehlo(&module);
    for (compiled, is_foreign) in [(trusted, false), (confined, true)] {
        let program = compiled.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(program.signature().inputs[0].name, "x");
        assert_eq!(program.signature().outputs[0].shape.to_string(), "f32[4]");
        assert!(program.memory().is_ok());
        assert_eq!(program.as_pjrt().is_none(), is_foreign);
        let saved = SavedProgram::from_bytes(program.to_bytes()).unwrap();
        assert_eq!(saved.is_foreign(), is_foreign);
    }

    let too_large = topology.compiler().mesh([("x", 64)]).unwrap_err().to_string();
    assert!(too_large.contains("64 devices") && too_large.contains(platform), "{too_large}");
}

/// X3: a function and a module are compiled for TPUs, and saved.
#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins tpu"]
fn plugin_tpu_programs_are_saved_without_a_tpu() {
    installed("tpu");
    compiles("tpu:v5e:2x2x1");
    let error = Topology::tpu("v5e:nonsense").unwrap_err().to_string();
    assert!(error.starts_with("target `tpu:v5e:nonsense`"), "{error}");
}

/// X3: a function and a module are compiled for GPUs, and saved.
#[test]
#[ignore = "needs the plugin: cargo xtask test --plugins cuda13"]
fn plugin_cuda13_programs_are_saved_without_a_gpu() {
    installed("cuda13");
    compiles("cuda:h200");
    compiles("cuda:h200x4");
    // A compilation without a device measures no kernels; the plugin accepts the option.
    let folder = tempfile::tempdir().unwrap();
    let topology = Topology::cuda("h200").unwrap();
    let product = |x: Tensor| x.dot(x, "n");
    for _ in 0..2 {
        let compiler = topology.compiler().autotune_file(folder.path().join("choices.textproto"));
        let square = Spec::f32([("n", 64)]);
        compiler.compile(product, (square,)).unwrap_or_else(|error| panic!("{error}"));
    }
    for name in ["h100", "h100-pcie", "a100", "a100-40gb", "l4", "rtx4090"] {
        let gpu = Gpu::named(name).unwrap();
        let topology = Topology::cuda_of(&gpu, 1).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(topology.devices(), [gpu.kind]);
        topology.compile(doubled, spec()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn other_targets_are_refused() {
    for wrong in ["", "cpu", "cuda", "cuda:h201", "cuda:h200x0", "rocm:mi300"] {
        let error = Topology::parse(wrong).unwrap_err().to_string();
        assert!(error.contains("known are cpu, tpu:v5e:2x2x1"), "{wrong}: {error}");
    }
}
